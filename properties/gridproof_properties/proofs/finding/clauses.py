"""The shortest disjunctions of predicates that hold in every row of truth values.

A literal is a number: of a predicate, or of its negation, which comes as many numbers later as there are predicates. A
clause holds where one of its literals does. A clause of three is tried only where no part of it holds by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.proofs.finding.columns import Truth

Literals = NDArray[np.int64]
"""Clauses of one length: shape (clauses, length)."""

SAMPLE_ROWS = 768
"""Against so many rows everything is held; what passes is held against all."""
FOUND_MAX = 200_000
"""When there are so many clauses, no more are looked for."""
TOGETHER = 20_000
WORDS_TOGETHER = 64


def packed(truth: Truth) -> NDArray[np.uint64]:
    """Return booleans (things, rows) as words of 64 rows each, the rest false."""
    padded = np.zeros((truth.shape[0], -(-truth.shape[1] // 64) * 64), dtype=bool)
    padded[:, : truth.shape[1]] = truth
    words: NDArray[np.uint64] = np.packbits(padded, axis=1).view(np.uint64)
    return words


def false_literals(rows: Truth) -> Truth:
    """Return where each literal is false: shape (literals, rows)."""
    columns = np.ascontiguousarray(rows.T)
    return np.concatenate([~columns, columns])


def standing_for(rows: Truth, ranks: Sequence[Any]) -> list[tuple[int, bool]]:
    """Return for each predicate the one of least rank that is equal in all rows, and whether as its negation."""
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
    """The minimal clauses over some predicates that hold in every row; how many were tried."""

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
        """Return which clauses, all of one length, hold in every row."""
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
        """Return what was found, the shortest first, one group a length."""
        lengths = sorted({group.shape[1] for group in self.found})
        return [np.concatenate([group for group in self.found if group.shape[1] == n]) for n in lengths]

    def _take(self, places: NDArray[Any]) -> None:
        self.found.append(self._literals[places])

    def _pairs(self) -> Truth:
        """Find the clauses of two literals; return which pairs hold, those of a predicate with its negation too."""
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
    """Yield the clauses that some possible row breaks, and how many: only where no stronger literal would do.

    One literal is stronger than another where it implies it in every possible row.
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
    """Return for each clause in how many rows it is false."""
    met = words[literals[:, 0]]
    for place in range(1, literals.shape[1]):
        met = met & words[literals[:, place]]
    counted: NDArray[np.int64] = _BITS[met.view(np.uint8)].sum(axis=1, dtype=np.int64)
    return counted
