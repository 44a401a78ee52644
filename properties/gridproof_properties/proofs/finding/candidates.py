"""Candidates for lemmas: clauses that are true in every explored state, but with fewer literals would be false in some.

A clause is left out if another clause implies it, or if it differs from another clause only by an exchange of elements.
A literal is a number: the number of a predicate or, for its negation, that number plus the count of predicates. A
clause is true if one of its literals is; a clause of three literals is tried only if no shorter part of it is true in
all rows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.scalars import Scalar
from gridproof_model.language.tree import Node
from gridproof_properties.explorer.packing import Words
from gridproof_properties.proofs.finding.columns import Columns, Truth
from gridproof_properties.proofs.finding.predicates import Predicate

PREDICATES_MAX = 260
"""The largest number of predicates that clauses are made of; if there are more, those of the lowest rank are taken."""
STATES_MAX = 400_000
"""The largest number of states in which predicates are evaluated; if there are more, a random sample is taken."""
POSSIBLE_MAX = 6_000
ROWS_TOO = 3_000
"""How many rows of explored states are added to the sample of possible rows, which otherwise has few of them."""
LENGTH_MAX = 6
"""The largest number of literals in a clause that is made to exclude one state."""
TRIES = 6
"""For a clause that excludes one state, how many greedy choices of predicates are tried; the smallest is used."""


Literals = NDArray[np.int64]
"""Clauses of one length, as an array of the shape (clauses, length)."""

SAMPLE_ROWS = 768
"""Every clause is first tested on a sample of this many rows; clauses that are true there are tested on all rows."""
FOUND_MAX = 200_000
"""The search ends when it has found this many clauses."""
TOGETHER = 20_000
WORDS_TOGETHER = 64

ClauseKey = frozenset[tuple[Node, bool]]
"""The content of a clause, which is the same in every world."""


@dataclass(frozen=True, eq=False, slots=True)
class Clause:
    """The condition that at least one of some literals is true, for every choice of different elements."""

    columns: Columns
    literals: tuple[int, ...]
    strength: int
    """How many rows, in a sample of well-formed states, make the clause false."""

    def signs(self) -> tuple[tuple[int, bool], ...]:
        """Return the number of each predicate in the clause, and whether the predicate is positive or negated."""
        size = self.columns.size
        return tuple((literal % size, literal < size) for literal in self.literals)

    def scalar(self) -> Scalar:
        """Return the clause as a single condition on a state."""
        make, keys = self.columns.conditions.make, [(self.columns.scalars[n], holds) for n, holds in self.signs()]
        return make.all(
            make.any(key[choice] if holds else make.negation(key[choice]) for key, holds in keys)
            for choice in range(len(self.columns.choices))
        )

    def said(self) -> tuple[tuple[Predicate, bool], ...]:
        """Return each predicate in the clause, and whether it is positive or negated."""
        return tuple((self.columns.predicates[number], holds) for number, holds in self.signs())

    @property
    def key(self) -> ClauseKey:
        """The content of the clause, which is the same in every world."""
        return frozenset((predicate.node, holds) for predicate, holds in self.said())

    @property
    def rank(self) -> int:
        """The sum of the ranks of the clause's predicates."""
        return sum(predicate.rank for predicate, _ in self.said())


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """The predicates of one template from which clauses are made, and their rows of truth values."""

    columns: Columns
    usable: Literals
    """The numbers of the predicates from which clauses are made; each represents all predicates that equal it in every
    explored state."""
    equal: Literals
    """Clauses which state that predicates equal their representatives; they may be false in unreachable states."""
    rows: Truth
    """The distinct rows of truth values in explored states."""
    possible: Truth
    """Rows of truth values in well-formed states, reachable or not."""

    @classmethod
    def of(cls, every: Columns, states: Words, possible: Words, rng: np.random.Generator) -> "Table":
        """Return the table of the predicates of lowest rank; it has no more predicates than clauses may be made of."""
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
    """The clauses that are made from the predicates of several templates."""

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
        """Add a clause made for one state; return None if it is a candidate already, up to exchanged elements."""
        if not len(self._new(columns, np.array([literals], dtype=np.int64))):
            return None
        self.clauses.append(Clause(columns, literals, 0))
        self._group([len(self.clauses) - 1])
        return self.clauses[-1]

    def looks_explored(self, state: Words) -> bool:
        """Return whether no predicate distinguishes a state from the explored states, so that no clause of any length
        excludes it."""
        return all(
            (table.rows[:, table.usable] == truth[table.usable]).all(axis=1).any()
            for table in self.tables
            for truth in table.columns.rows(state)[0]
        )

    def made_to_exclude(self, state: Words) -> Clause | None:
        """Make the shortest clause that the search finds to exclude one state and no explored state; add it to the
        candidates and return it.

        The clause has a small set of predicates; every explored state differs from the excluded state in at least one
        of them.
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
        """Return in which states each clause is false for some choice of elements, in the shape (clauses, states)."""
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
        """Return the clauses that are new up to exchanges of elements, the first of each kind, and remember them."""
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
    """Return at most `most` columns, chosen at random."""
    size = columns.shape[1]
    return columns if size <= most else columns[:, np.sort(rng.permutation(size)[:most])]


def _covering(differs: Truth, likes: NDArray[Any], rng: np.random.Generator) -> list[int] | None:
    """Return few columns of which at least one is true in each row (the best of some greedy tries); None if too many
    are needed."""
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


def packed(truth: Truth) -> NDArray[np.uint64]:
    """Return booleans, in the shape (things, rows), as words of 64 rows each; missing rows at the end are false."""
    padded = np.zeros((truth.shape[0], -(-truth.shape[1] // 64) * 64), dtype=bool)
    padded[:, : truth.shape[1]] = truth
    words: NDArray[np.uint64] = np.packbits(padded, axis=1).view(np.uint64)
    return words


def false_literals(rows: Truth) -> Truth:
    """Return in which rows each literal is false, in the shape (literals, rows)."""
    columns = np.ascontiguousarray(rows.T)
    return np.concatenate([~columns, columns])


def standing_for(rows: Truth, ranks: Sequence[Any]) -> list[tuple[int, bool]]:
    """Return, for each predicate, the predicate of least rank that equals it or its negation in all rows, and whether
    it equals the negation."""
    here, opposite = np.packbits(rows, axis=0).T, np.packbits(~rows, axis=0).T
    known: dict[bytes, tuple[int, bool]] = {}
    found: list[tuple[int, bool]] = [(0, False)] * rows.shape[1]
    for number in sorted(range(rows.shape[1]), key=lambda number: ranks[number]):
        key = here[number].tobytes()
        if key not in known:
            known[key], known[opposite[number].tobytes()] = (number, False), (number, True)
        found[number] = known[key]
    return found


@dataclass
class TrueClauses:
    """The minimal clauses over some predicates that are true in every row, and how many clauses were tried."""

    rows: Truth
    usable: Literals
    length_max: int
    rng: np.random.Generator
    found: list[Literals] = field(default_factory=list)
    tried: int = 0

    def __post_init__(self) -> None:
        n = self.rows.shape[1]
        false = false_literals(self.rows)
        self._all = packed(false)
        self._literals = np.concatenate([self.usable, self.usable + n])
        sample = self.rng.permutation(self.rows.shape[0])[:SAMPLE_ROWS]
        self._sample = false[:, sample][self._literals]
        self._weight = self._sample.astype(np.float32)
        self._single: Truth = np.logical_not(self._all[self._literals].any(axis=1))
        self.tried += self._literals.size
        self._take(np.flatnonzero(self._single)[:, None])
        if self.length_max >= 2 and self._literals.size > 1:
            self._pair = self._pairs()
            if self.length_max >= 3:
                self._triples()

    def holds(self, literals: Literals) -> Truth:
        """Return which of these clauses, all of one length, are true in every row."""
        result = np.ones(len(literals), bool)
        for start in range(0, len(literals), TOGETHER):
            part = literals[start : start + TOGETHER]
            here = result[start : start + TOGETHER]
            for word in range(0, self._all.shape[1], WORDS_TOGETHER):  # most fail early
                left = np.flatnonzero(here)
                if not left.size:
                    break
                words = self._all[:, word : word + WORDS_TOGETHER]
                met = words[part[left, 0]]
                for place in range(1, part.shape[1]):
                    met = met & words[part[left, place]]
                here[left[met.any(axis=1)]] = False
        return result

    def by_length(self) -> list[Literals]:
        """Return the clauses found, one group for each length, the shortest first."""
        lengths = sorted({group.shape[1] for group in self.found})
        return [np.concatenate([group for group in self.found if group.shape[1] == n]) for n in lengths]

    def _take(self, places: NDArray[Any]) -> None:
        self.found.append(self._literals[places])

    def _pairs(self) -> Truth:
        """Find the clauses of two literals; return which pairs are always true, including pairs of a predicate and its
        negation."""
        count = self._literals.size
        self.tried += count * (count - 1) // 2
        places = np.argwhere(np.triu(self._weight @ self._weight.T == 0, 1))
        places = places[~self._single[places].any(axis=1)]
        places = places[self.holds(self._literals[places])]
        pair = np.zeros((count, count), bool)
        pair[places[:, 0], places[:, 1]] = pair[places[:, 1], places[:, 0]] = True
        self._take(places[self._literals[places[:, 1]] - self._literals[places[:, 0]] != self.rows.shape[1]])
        return pair

    def _triples(self) -> None:
        count, found = self._literals.size, 0
        for first in range(count - 2):
            if self._single[first]:
                continue
            weight = self._weight[first + 1 :, self._sample[first]]
            possible = np.triu(weight @ weight.T == 0, 1) & ~self._pair[first + 1 :, first + 1 :]
            dead = self._single[first + 1 :] | self._pair[first, first + 1 :]
            possible[dead] = False
            possible[:, dead] = False
            self.tried += (count - first - 1) * (count - first - 2) // 2
            others = np.argwhere(possible) + first + 1
            if others.size:
                places = np.concatenate([np.full((len(others), 1), first), others], axis=1)
                places = places[self.holds(self._literals[places])]
                self._take(places)
                found += len(places)
            if found > FOUND_MAX:
                return


def unimplied(
    found: Sequence[Literals], possible: Truth, holds: Callable[[Literals], Truth]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each clause that is false in some possible rows, and the number of these rows; leave out a clause if it
    stays true with a stronger literal.

    A literal is stronger than another if it implies the other in every possible row.
    """
    false = false_literals(possible)
    words, weight = packed(false), false.astype(np.float32)
    implies = ((1 - weight) @ weight.T) == 0
    np.fill_diagonal(implies, False)
    strictly = implies & ~(implies & implies.T)
    steps = strictly.astype(np.float32)
    nearest = strictly & ~((steps @ steps) > 0)
    stronger = [np.flatnonzero(nearest[:, literal]) for literal in range(len(false))]
    counts = np.array([len(others) for others in stronger])
    for group in found:
        if not len(group):
            continue
        strength = np.concatenate([_broken(words, group[at : at + 4096]) for at in range(0, len(group), 4096)])
        group, strength = group[strength > 0], strength[strength > 0]
        implied = np.zeros(len(group), bool)
        for place in range(group.shape[1]):
            left = np.flatnonzero(~implied)
            column = group[left, place]
            which = np.repeat(left, counts[column])
            if which.size:
                tried = group[which]
                tried[:, place] = np.concatenate([stronger[literal] for literal in column])
                implied[which[holds(tried)]] = True
        for literals, n in zip(group[~implied], strength[~implied], strict=True):
            yield tuple(map(int, literals)), int(n)


_BITS = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def _broken(words: NDArray[np.uint64], literals: Literals) -> NDArray[np.int64]:
    """Return for each clause the number of rows in which it is false."""
    met = words[literals[:, 0]]
    for place in range(1, literals.shape[1]):
        met = met & words[literals[:, place]]
    counted: NDArray[np.int64] = _BITS[met.view(np.uint8)].sum(axis=1, dtype=np.int64)
    return counted
