"""Lemmas that may do: true in every explored state, and in no fewer words.

What is left out: clauses that another one implies, and those that differ from one only by exchanging elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.scalars import Scalar
from gridproof_model.language.tree import Node
from gridproof_properties.explorer.packing import Words
from gridproof_properties.proofs.finding.clauses import Literals, TrueClauses, packed, standing_for, unimplied
from gridproof_properties.proofs.finding.columns import Columns, Truth
from gridproof_properties.proofs.finding.predicates import Predicate

PREDICATES_MAX = 260
"""Clauses are made of so many predicates that differ somewhere; of more, the least far-fetched."""
STATES_MAX = 400_000
"""The truth of predicates is computed in so many states; in more, for some at random."""
POSSIBLE_MAX = 6_000
ROWS_TOO = 3_000
"""So many rows of explored states count among the possible ones: a sample of those has few of them."""
LENGTH_MAX = 6
"""Literals of a clause that is made to exclude one state."""
TRIES = 6
"""So often its predicates are chosen greedily; the fewest are taken."""


ClauseKey = frozenset[tuple[Node, bool]]
"""What a clause says: the same in every world."""


@dataclass(frozen=True, eq=False, slots=True)
class Clause:
    """One of some literals holds, whatever different elements are chosen."""

    columns: Columns
    literals: tuple[int, ...]
    strength: int
    """How many rows of a sample of well-formed states break it."""

    def signs(self) -> tuple[tuple[int, bool], ...]:
        """Return the numbers of its predicates, and whether each is to hold or not to hold."""
        size = self.columns.size
        return tuple((literal % size, literal < size) for literal in self.literals)

    def scalar(self) -> Scalar:
        """Return it as one condition on a state."""
        make, keys = self.columns.conditions.make, [(self.columns.scalars[n], holds) for n, holds in self.signs()]
        return make.all(
            make.any(key[choice] if holds else make.negation(key[choice]) for key, holds in keys)
            for choice in range(len(self.columns.choices))
        )

    def said(self) -> tuple[tuple[Predicate, bool], ...]:
        """Return its predicates, and whether each is to hold or not to hold."""
        return tuple((self.columns.predicates[number], holds) for number, holds in self.signs())

    @property
    def key(self) -> ClauseKey:
        """What it says, the same in every world."""
        return frozenset((predicate.node, holds) for predicate, holds in self.said())

    @property
    def rank(self) -> int:
        """How far-fetched its predicates are, together."""
        return sum(predicate.rank for predicate, _ in self.said())


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """The predicates of one template that clauses are made of, with their rows."""

    columns: Columns
    usable: Literals
    """Those that stand for others equal to them in every explored state."""
    equal: Literals
    """The clauses that say that others equal them: in states that are out of reach they may not."""
    rows: Truth
    """The different rows of explored states."""
    possible: Truth
    """Of well-formed states, reachable or not."""

    @classmethod
    def of(cls, every: Columns, states: Words, possible: Words, rng: np.random.Generator) -> Table:
        """Return the table of the least far-fetched predicates: as many as clauses can be made of."""
        states = _some(states, max(1, STATES_MAX // max(len(every.choices), 1)), rng)
        rows = every.distinct_rows(states, rng)
        ranks = [(predicate.rank, number) for number, predicate in enumerate(every.predicates)]
        stands = standing_for(rows, ranks)
        is_constant: Truth = np.logical_or(rows.all(axis=0), ~rows.any(axis=0))
        by_rank = sorted(range(every.size), key=lambda number: ranks[number])
        first = [n for n in by_rank if stands[n][0] == n and not is_constant[n]][:PREDICATES_MAX]
        is_first = set(first)
        others = [n for n in by_rank if is_constant[n] or (stands[n][0] != n and stands[n][0] in is_first)]
        kept = sorted([*first, *others[:PREDICATES_MAX]])
        place, size = {number: at for at, number in enumerate(kept)}, len(kept)
        usable = [at for at, n in enumerate(kept) if is_constant[n] or n in is_first]
        equal: list[tuple[int, int]] = []
        for at, number in enumerate(kept):
            if not is_constant[number] and number not in is_first:
                same, negated = stands[number]
                equal += [(at, place[same] + (not negated) * size), (at + size, place[same] + negated * size)]
        columns = every.only(kept)
        rows = np.unique(rows[:, kept], axis=0)
        drawn = columns.distinct_rows(possible, rng)[:POSSIBLE_MAX]
        return cls(
            columns,
            np.array(usable, dtype=np.int64),
            np.array(equal, dtype=np.int64).reshape(-1, 2),
            rows,
            np.concatenate([drawn, _some(rows.T, ROWS_TOO, rng).T]),
        )


@dataclass
class Candidates:
    """The clauses over the predicates of several templates."""

    tables: Sequence[Table]
    length_max: int
    rng: np.random.Generator
    clauses: list[Clause] = field(default_factory=list)
    tried: int = 0
    _known: set[tuple[int, int, int]] = field(default_factory=set)
    _groups: list[tuple[Columns, Literals, list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for table in self.tables:
            true = TrueClauses(table.rows, table.usable, self.length_max, self.rng)
            self.tried += true.tried
            start = len(self.clauses)
            groups = [self._new(table.columns, group) for group in (*true.by_length(), table.equal) if len(group)]
            for literals, strength in unimplied(groups, table.possible, true.holds):
                self.clauses.append(Clause(table.columns, literals, strength))
            self._group(range(start, len(self.clauses)))

    def add(self, columns: Columns, literals: tuple[int, ...]) -> Clause | None:
        """Take in a clause that was made otherwise; None when it, or one with elements exchanged, is here already."""
        if not len(self._new(columns, np.array([literals], dtype=np.int64))):
            return None
        self.clauses.append(Clause(columns, literals, 0))
        self._group([len(self.clauses) - 1])
        return self.clauses[-1]

    def looks_explored(self, state: Words) -> bool:
        """Return whether a state looks explored in every predicate: no clause of any length excludes it."""
        return all(
            (table.rows[:, table.usable] == truth[table.usable]).all(axis=1).any()
            for table in self.tables
            for truth in table.columns.rows(state)[0]
        )

    def made_to_exclude(self, state: Words) -> Clause | None:
        """Return the shortest clause made that excludes one state and no explored one; it is a candidate from now on.

        It is a smallest set of predicates in which the state differs from every explored one.
        """
        made: list[tuple[int, int, Columns, tuple[int, ...]]] = []
        for table in self.tables:
            columns, usable = table.columns, table.usable
            ranks = np.array([predicate.rank for predicate in columns.predicates])[usable]
            for truth in columns.rows(state)[0]:
                differs = table.rows[:, usable] != truth[usable]
                chosen = _covering(differs, 1 / (1 + 0.15 * ranks), self.rng) if differs.any(axis=1).all() else None
                if chosen is not None:
                    literals = tuple(sorted(int(n) + columns.size * bool(truth[n]) for n in usable[chosen]))
                    made.append((len(literals), len(made), columns, literals))
        added = (self.add(columns, literals) for _, _, columns, literals in sorted(made, key=lambda one: one[:2]))
        return next((clause for clause in added if clause is not None), None)

    def false_in(self, states: Words) -> Truth:
        """Return where each clause is false, for some choice of elements: shape (clauses, states)."""
        result = np.zeros((len(self.clauses), states.shape[1]), dtype=bool)
        literals_false: dict[int, np.ndarray] = {}
        for columns, literals, numbers in self._groups:
            false = literals_false.get(id(columns))
            if false is None:
                truth = columns.rows(states).transpose(2, 1, 0)
                both = np.concatenate([~truth, truth])
                false = literals_false[id(columns)] = packed(both.reshape(-1, both.shape[2])).reshape(
                    len(both), len(columns.choices), -1
                )
            met = false[literals[:, 0]]
            for place in range(1, literals.shape[1]):
                met = met & false[literals[:, place]]
            bits = np.unpackbits(np.bitwise_or.reduce(met, axis=1).view(np.uint8), axis=1, count=states.shape[1])
            result[numbers] = bits.astype(bool)
        return result

    def _new(self, columns: Columns, literals: Literals) -> Literals:
        """Return the clauses that were not there before, nor with elements exchanged, the first of each; note them."""
        length, base = literals.shape[1], 2 * columns.size + 1
        least = np.full(len(literals), np.iinfo(np.int64).max)
        for moved in columns.renamings:
            there = moved[literals]
            keys = (np.sort(there, axis=1) * base ** np.arange(length)).sum(axis=1)
            least = np.where((there >= 0).all(axis=1), np.minimum(least, keys), least)
        _, first = np.unique(least, return_index=True)
        kept = [n for n in np.sort(first).tolist() if (id(columns), length, int(least[n])) not in self._known]
        self._known.update((id(columns), length, int(least[n])) for n in kept)
        return literals[kept]

    def _group(self, numbers: Sequence[int]) -> None:
        groups: dict[tuple[int, int], list[int]] = {}
        for number in numbers:
            clause = self.clauses[number]
            groups.setdefault((id(clause.columns), len(clause.literals)), []).append(number)
        for group in groups.values():
            literals = np.array([self.clauses[number].literals for number in group], dtype=np.int64)
            self._groups.append((self.clauses[group[0]].columns, literals, group))


def _some(columns: NDArray[Any], most: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return at most so many columns, at random."""
    size = columns.shape[1]
    return columns if size <= most else columns[:, np.sort(rng.permutation(size)[:most])]


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
