"""The states that a search has seen, as an exact and sorted set.

A state of a single word is its own key. Longer states are sorted by a 64-bit hash, and if two hashes are equal the
words are compared: a collision of different states is never mistaken for a known state; it raises `HashCollisionError`,
and the search begins again with another hash.

The module also keeps the states that were met recently: most successors are among them, and are dropped at once. These
recent states are in a table of fixed size, in which a hash gives every state a single possible place. A state that is
found in its place was met before; any other state replaces the state that is there. So the table forgets states, and a
state that is not found in the table may still be known: the table only saves sorting.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.packing import WORD_BITS, Words

Keys = NDArray[np.uint64]
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD)


class HashCollisionError(Exception):
    """Raised if two different states have the same hash: the search begins again with the next multiplier."""


@dataclass(frozen=True, slots=True)
class Run:
    """Distinct states, in ascending order of their keys."""

    keys: Keys
    words: Words

    @property
    def size(self) -> int:
        """The number of states."""
        return int(self.keys.size)

    @property
    def bytes(self) -> int:
        """The memory that these sorted states take, in bytes; if states are single words, keys and words are the same
        array."""
        return self.words.nbytes if len(self.words) == 1 else self.words.nbytes + self.keys.nbytes


@dataclass
class Seen:
    """A growing set of states."""

    multiplier: int = MULTIPLIERS[0]
    runs: list[Run] = field(default_factory=list)

    def distinct(self, words: Words, kind: Literal["quicksort", "stable"] = "quicksort") -> Run:
        """Return each state once, in ascending order of keys; a stable sort is faster if it gets sorted parts."""
        if len(words) == 1:
            keys = np.sort(words[0], kind=kind)
            if keys.size:
                keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
            return Run(keys, keys[None, :])
        keys = self.keys(words)
        order = np.argsort(keys, kind=kind)
        keys, words = keys[order], words[:, order]
        if keys.size:
            same = keys[1:] == keys[:-1]
            self._refuse_collisions(words[:, 1:][:, same], words[:, :-1][:, same])
            first = np.concatenate(([True], ~same))
            keys, words = keys[first], words[:, first]
        return Run(keys, words)

    def merged(self, runs: Sequence[Run]) -> Run:
        """Return the distinct states of several sorted arrays (runs)."""
        if len(runs) == 1:
            return runs[0]
        return self.distinct(np.concatenate([run.words for run in runs], axis=1), kind="stable")

    def unseen(self, run: Run) -> Run:
        """Return those states of a sorted array (a run) that are not in this set."""
        for known in self.runs:
            if run.size == 0:
                break
            place = np.searchsorted(known.keys, run.keys)
            place[place == known.size] = 0
            hit = known.keys[place] == run.keys
            if len(run.words) > 1:
                self._refuse_collisions(run.words[:, hit], known.words[:, place[hit]])
            fresh = ~hit
            keys = run.keys[fresh]
            run = Run(keys, keys[None, :] if len(run.words) == 1 else run.words[:, fresh])
        return run

    def add(self, run: Run) -> None:
        """Add states that are not in the set; sorted arrays (runs) of similar size are merged, so that there are never
        many."""
        if run.size:
            self.runs.append(run)
        while len(self.runs) > 1 and self.runs[-2].size <= 2 * self.runs[-1].size:
            last, before = self.runs.pop(), self.runs.pop()
            self.runs.append(self.merged([before, last]))

    def keys(self, words: Words) -> Keys:
        """Return the key of every state."""
        if len(words) == 1:
            only: Keys = words[0]
            return only
        mixed: Keys = words[0].copy()
        for word in words[1:]:
            mixed *= np.uint64(self.multiplier)
            mixed ^= mixed >> np.uint64(29)
            mixed += word
        mixed *= np.uint64(self.multiplier)
        mixed ^= mixed >> np.uint64(32)
        return mixed

    @property
    def bytes(self) -> int:
        """The memory that the runs take, in bytes."""
        return sum(run.bytes for run in self.runs)

    def _refuse_collisions(self, one: Words, other: Words) -> None:
        if not np.array_equal(one, other):
            raise HashCollisionError


Ids = NDArray[np.int32]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
LEAST_BITS = 8
PER_STATE = 4
"""The number of places in the table for each state of a level."""


class Recent:
    """A table of recent states, with an id for each state if steps are recorded."""

    def __init__(self, words: int, keys: Callable[[Words], NDArray[np.uint64]], bytes_max: int, has_ids: bool) -> None:
        """Make a table of the smallest size; `keys` hashes states, and the table may grow to `bytes_max`."""
        self._keys = keys
        places_max = bytes_max // (words * 8 + 4 * has_ids)
        self._bits_max = max(LEAST_BITS, places_max.bit_length() - 1)
        self._has_ids = has_ids
        self._empty(LEAST_BITS, words)

    @property
    def bytes(self) -> int:
        """The memory that the table takes, in bytes."""
        return self._states.nbytes + self._ids.nbytes

    def fit(self, level: int) -> None:
        """Grow the table for the successors of a level of `level` states; states stay in the table."""
        bits = min(self._bits_max, (PER_STATE * level).bit_length())
        if bits > self._bits:
            states, ids = self._states, self._ids
            kept = np.flatnonzero(self._places(states) == np.arange(states.shape[1]))
            self._empty(bits, len(states))
            self._put(self._places(states[:, kept]), states[:, kept], ids[kept] if self._has_ids else None)

    def fresh(self, words: Words) -> NDArray[np.intp]:
        """Return which of these states were not met recently, and put them into the table."""
        places = self._places(words)
        fresh = np.flatnonzero(~self._is_there(places, words))
        self._put(places[fresh], words[:, fresh])
        return fresh

    def named(self, words: Words, first: int) -> tuple[NDArray[np.intp], Ids]:
        """Return which of these states were not met recently, and the ids of all these states; the states that were not
        met recently get new ids, from `first` on."""
        places = self._places(words)
        fresh = np.flatnonzero(~self._is_there(places, words))
        ids = self._ids.take(places)
        ids[fresh] = np.arange(first, first + fresh.size, dtype=np.int32)
        self._put(places[fresh], words[:, fresh], ids[fresh])
        return fresh, ids

    def _empty(self, bits: int, words: int) -> None:
        self._bits = bits
        self._states: Words = np.zeros((words, 1 << bits), dtype=np.uint64)
        self._ids: Ids = np.zeros(1 << bits if self._has_ids else 0, dtype=np.int32)
        # A place counts as empty if its state does not hash to it; state 0 hashes to place 0, so place 0 gets another.
        candidates = np.zeros((words, 64), dtype=np.uint64)
        candidates[0] = np.arange(64)
        self._states[:, 0] = candidates[:, np.argmax(self._places(candidates) != 0)]

    def _places(self, words: Words) -> NDArray[np.int64]:
        return (self._keys(words) * GOLDEN >> np.uint64(WORD_BITS - self._bits)).view(np.int64)

    def _is_there(self, places: NDArray[np.int64], words: Words) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._states[0].take(places) == words[0]
        for mine, word in zip(self._states[1:], words[1:], strict=True):
            found &= mine.take(places) == word
        return found

    def _put(self, places: NDArray[np.int64], words: Words, ids: Ids | None = None) -> None:
        # If several states are put into one place, the last one stays; this is so in each of the arrays.
        for mine, word in zip(self._states, words, strict=True):
            mine[places] = word
        if ids is not None:
            self._ids[places] = ids
