"""The order in which candidates are tried, and how the next kind of candidates is chosen.

A state that no candidate excludes shows what is missing: if no predicate distinguishes the state from explored ones,
more predicates are taken from the specification, or predicates on more elements at once; otherwise lemmas with more
predicates are tried. When there are no more predicates and no longer lemmas to try, lemmas are made that exclude just
this state. Rungs with the same predicates share a stage: the predicates, their rows of truth values, and the world in
Z3.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import perm, prod

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language import Specification
from gridproof_model.language.declarations import Claim
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.lower_world import Conditions
from gridproof_model.language.scalars import Scalar
from gridproof_model.language.tree import Bound, Node
from gridproof_properties.judging.words import count
from gridproof_properties.proofs.finding.candidates import Candidates, Table
from gridproof_properties.proofs.finding.columns import Columns, Explored
from gridproof_properties.proofs.finding.predicates import Predicate, Vocabulary, Words, template_of
from gridproof_properties.proofs.translation import SymbolicWorld

CHOICES_MAX = 250
"""The most ways to choose a template's elements; if there are more, only one set at a time has two elements."""

_WORDS = (2, Words.CELLS), (2, Words.COMPARISONS), (3, Words.CELLS), (3, Words.COMPARISONS), (3, Words.SUMS)
"""For each rung: how many elements of one set occur in its predicates, and which kinds of predicates it has."""
SHORTEST, TRIED, MADE = 2, 3, 4
"""Lengths of lemmas, in literals: the shortest; the longest of which all are tried; and for lemmas made for one
state."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One rung of the ladder, by which the search gets more candidates."""

    place: int = 0
    """The position of the rung's kinds of predicates in `_WORDS`."""
    length: int = SHORTEST

    @property
    def words(self) -> Words:
        """The sources of the rung's predicates."""
        return _WORDS[self.place][1]

    @property
    def makes_longer(self) -> bool:
        """Whether longer clauses are made if no candidate is left."""
        return self.length == MADE

    def next(self, *, is_blind: bool) -> "Rung | None":
        """Return the next rung, with more predicates or longer lemmas; at the end, with lemmas made one by one."""
        has_more_words = self.place + 1 < len(_WORDS)
        if self.length < TRIED and not (is_blind and has_more_words):
            return replace(self, length=self.length + 1)
        if has_more_words:
            return Rung(self.place + 1, self.length if self.makes_longer else SHORTEST)
        return Rung(0, MADE) if self.length < MADE else None

    def templates(self, sizes: dict[IndexSet, int]) -> Iterator[tuple[Bound, ...]]:
        """Yield templates (the elements that predicates are about) for index sets of these sizes."""
        two = {index: min(2, size) for index, size in sizes.items()}
        if prod(perm(sizes[index], n) for index, n in two.items()) <= CHOICES_MAX:
            yield template_of(two)
        else:
            yield from (template_of({**dict.fromkeys(sizes, 1), index: n}) for index, n in two.items())
        for index, size in sizes.items():
            if _WORDS[self.place][0] == 3 and size >= 3:
                yield template_of({**dict.fromkeys(sizes, 1), index: 3})

    def describe(self) -> str:
        """Return the rung described in words."""
        elements = "two elements of each set" + (", three of one" if _WORDS[self.place][0] == 3 else "")
        words = {
            Words.CELLS: "cells and what the text says",
            Words.COMPARISONS: "comparisons, too",
            Words.SUMS: "sums and majorities, too",
        }
        length = "longer ones made" if self.makes_longer else f"up to {count(self.length, 'literal')}"
        return f"{elements}; {words[self.words]}; {length}"


DRAWN = 4_000
"""How many well-formed states near explored states are drawn, to decide which predicates imply which others."""
CHANGES = 6
"""The largest number of parts in which each drawn state differs from an explored one."""
_IN_SEQUENCE = re.compile(r"\.(length|\d+)\b.*")
"""A pattern for what follows the name of a sequence in its cells' names; these cells are changed together."""


@dataclass
class Stage:
    """The predicates of the rungs of one kind, with their tables."""

    ground: Grounding
    conditions: Conditions
    tables: list[Table]
    words: frozenset[Predicate]
    """All predicates of the stage, as expressions."""
    _world: tuple[tuple[Claim, ...], SymbolicWorld, dict[str, Scalar]] | None = None
    _candidates: dict[int, Candidates] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        specification: Specification,
        space: Explored,
        rung: Rung,
        *,
        given: Sequence[Node],
        before: frozenset[Predicate],
        seed: int,
    ) -> "Stage | None":
        """Collect the predicates of a rung, and evaluate them in the states of a world; return None if none is new."""
        rng = np.random.default_rng(seed)
        ground, conditions = Grounding(dict(space.world.constants)), Conditions(space.world)
        sizes = dict(zip(specification.index_sets, (index.size for index in space.world.index_sets), strict=True))
        templates = list(rung.templates(sizes))
        spoken = [list(Vocabulary(specification, ground, t, rung.words, given).predicates()) for t in templates]
        words = frozenset(predicate for predicates in spoken for predicate in predicates)
        if words == before:
            return None
        possible, tables = _possible(space, rng), []
        for template, predicates in zip(templates, spoken, strict=True):
            columns = Columns(space.kernel, conditions, ground, template)
            columns.take(predicates, possible)
            if columns.predicates:
                tables.append(Table.of(columns, space.states, possible, rng))
        return cls(ground, conditions, tables, words)

    def candidates(self, length: int, seed: int) -> Candidates:
        """Return the clauses of at most `length` predicates, which are computed once for all searches."""
        if length not in self._candidates:
            self._candidates[length] = Candidates(self.tables, length, np.random.default_rng(seed))
        return self._candidates[length]

    def world(self, space: Explored, lemmas: Sequence[Claim]) -> tuple[SymbolicWorld, dict[str, Scalar]]:
        """Return the world in Z3 with the truth of every predicate, and the lemmas as conditions on the world's
        cells."""
        if self._world is None or self._world[0] != tuple(lemmas):
            known = {lemma.name: self._lowered(lemma) for lemma in lemmas}
            also = [scalar for table in self.tables for key in table.columns.scalars for scalar in key]
            self._world = tuple(lemmas), SymbolicWorld(space.explorer.lowered, [*also, *known.values()]), known
        return self._world[1], self._world[2]

    def _lowered(self, lemma: Claim) -> Scalar:
        condition, demands = self.conditions.lower(self.ground.node(lemma.condition), {})
        return self.conditions.make.all((condition, *(demand.condition for demand in demands)))


def _possible(space: Explored, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Return well-formed states, reachable or not: some parts of explored states are replaced, by parts of other
    explored states or by random values."""
    kernel = space.kernel
    columns = kernel.columns(space.states[:, rng.integers(0, space.states.shape[1], DRAWN)])
    rows = np.array([columns(cell.number) for cell in kernel.world.cells], dtype=np.int64)
    parts = [list(cells) for _, cells in groupby(kernel.world.cells, lambda cell: _IN_SEQUENCE.sub("", cell.name))]
    others, how_many = rows.copy(), rng.integers(1, CHANGES + 1, DRAWN)
    for first, *rest in parts:
        at = np.flatnonzero(rng.random(DRAWN) * len(parts) < how_many)
        whole = slice(first.number, first.number + 1 + len(rest))
        rows[whole, at] = others[whole, rng.permutation(DRAWN)[: at.size]]
        if not rest and first.low is not None and first.high is not None:
            drawn = at[rng.random(at.size) < 0.5]
            rows[first.number, drawn] = rng.integers(first.low, first.high + 1, drawn.size)
    return np.unique(kernel.packing.pack(rows.T), axis=1)
