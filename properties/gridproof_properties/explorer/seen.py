"""The states seen so far, exact and sorted.

A state of one word is its own key. Longer states are sorted by a 64-bit hash, and wherever two hashes are equal the
words are compared: a collision of different states is never taken for a known state, it raises `HashCollisionError`,
and the search begins again with another hash.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.packing import Words

Keys = NDArray[np.uint64]
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD)


class HashCollisionError(Exception):
    """Two different states with one hash: begin again with the next multiplier."""


@dataclass(frozen=True, slots=True)
class Run:
    """Distinct states, ascending by key."""

    keys: Keys
    words: Words

    @property
    def size(self) -> int:
        """How many states."""
        return int(self.keys.size)

    @property
    def bytes(self) -> int:
        """What it takes; keys and words of one-word states are one array."""
        return self.words.nbytes if len(self.words) == 1 else self.words.nbytes + self.keys.nbytes


@dataclass
class Seen:
    """A growing set of states."""

    multiplier: int = MULTIPLIERS[0]
    runs: list[Run] = field(default_factory=list)

    def distinct(self, words: Words, kind: Literal["quicksort", "stable"] = "quicksort") -> Run:
        """Return the states once each, ascending by key; a stable sort takes ascending parts as they are."""
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
        """Return the distinct states of several runs."""
        if len(runs) == 1:
            return runs[0]
        return self.distinct(np.concatenate([run.words for run in runs], axis=1), kind="stable")

    def unseen(self, run: Run) -> Run:
        """Return the states of a run that are in none of ours."""
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
        """Take in states that are not yet in; runs of similar size are merged, so that there are never many."""
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
        """What the runs take."""
        return sum(run.bytes for run in self.runs)

    def _refuse_collisions(self, one: Words, other: Words) -> None:
        if not np.array_equal(one, other):
            raise HashCollisionError
