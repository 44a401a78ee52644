"""Clauses of any length, made to exclude one state.

Where no short clause excludes a state, a smallest set of predicates in which it differs from every explored state is
one that does. Where it looks explored in every predicate, no clause of any length excludes it: words are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.packing import Words
from gridproof_properties.proofs.finding.candidates import Candidates, Clause
from gridproof_properties.proofs.finding.columns import Columns, Truth

LENGTH_MAX = 6
TRIES = 6


@dataclass(frozen=True, slots=True)
class Look:
    """How a state looks in the predicates: for how many choices of elements, and for how many of them explored."""

    choices: int
    alike: int

    @property
    def is_blind(self) -> bool:
        """Whether no clause excludes it."""
        return self.choices == self.alike


def look(candidates: Candidates, state: Words) -> Look:
    """Return how one state looks."""
    choices = alike = 0
    for table in candidates.tables:
        usable = table.usable
        for truth in table.columns.rows(state)[0]:
            choices += 1
            alike += bool((table.rows[:, usable] == truth[usable]).all(axis=1).any())
    return Look(choices, alike)


def longer(candidates: Candidates, state: Words) -> Clause | None:
    """Return the shortest clause made that excludes one state and no explored one; it is a candidate from now on."""
    made: list[tuple[int, int, Columns, tuple[int, ...]]] = []
    for table in candidates.tables:
        columns, usable, rows = table.columns, table.usable, table.rows
        ranks = np.array([predicate.rank for predicate in columns.predicates])[usable]
        for truth in columns.rows(state)[0]:
            differs = rows[:, usable] != truth[usable]
            if not differs.any(axis=1).all():
                continue
            chosen = _covering(differs, 1 / (1 + 0.15 * ranks), candidates.rng)
            if chosen is not None:
                literals = tuple(sorted(int(n) + columns.size * bool(truth[n]) for n in usable[chosen]))
                made.append((len(literals), len(made), columns, literals))
    for _, _, columns, made_of in sorted(made, key=lambda one: one[:2]):
        clause = candidates.add(columns, made_of)
        if clause is not None:
            return clause
    return None


def _covering(differs: Truth, likes: NDArray[Any], rng: np.random.Generator) -> list[int] | None:
    """Return few columns of which one is true in every row: the best of some greedy tries; None where they are many."""
    best: list[int] | None = None
    for attempt in range(TRIES):
        left, taken = np.ones(len(differs), bool), list[int]()
        while left.any() and len(taken) <= LENGTH_MAX:
            order = np.argsort(-differs[left].sum(axis=0) * likes, kind="stable")[: 1 if attempt == 0 else 4]
            taken.append(int(order[rng.integers(0, len(order))]))
            left &= ~differs[:, taken[-1]]
        for column in tuple(taken):
            rest = [other for other in taken if other != column]
            if rest and not left.any() and differs[:, rest].any(axis=1).all():
                taken = rest
        if not left.any() and len(taken) <= LENGTH_MAX and (best is None or len(taken) < len(best)):
            best = taken
    return best
