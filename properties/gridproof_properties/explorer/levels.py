"""The states of a search in the order of its levels; many small levels share one block."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.packing import WORD_BITS, WORD_BYTES, Words

OVERHEAD_BYTES = 40
"""The bytes of memory that a number in a list takes."""


@dataclass
class Levels(Sequence[Words]):
    """States by level; the number of a state is its position."""

    words: int
    """How many 64-bit words a state takes."""
    bounds: list[int] = field(default_factory=lambda: [0])
    """The number of the first state in each level and, at the end, the number of all states."""
    nbytes: int = 0
    """The memory that the blocks take, in bytes."""
    _blocks: list[Words] = field(default_factory=list)
    _firsts: list[int] = field(default_factory=list)
    _single: list[int] = field(default_factory=list)
    """The last states, which are in no block yet; each is a single number."""

    @property
    def states(self) -> int:
        """The number of states."""
        return self.bounds[-1]

    @property
    def bytes(self) -> int:
        """The memory that all parts take, in bytes."""
        return self.nbytes + OVERHEAD_BYTES * (len(self.bounds) + len(self._single))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of states in each level."""
        return np.diff(self.bounds)

    @property
    def blocks(self) -> Sequence[Words]:
        """All states, in order."""
        self.settle()
        return self._blocks

    def append(self, level: Words) -> None:
        """Append a level of states."""
        self.settle()
        self._add(level, self.states)
        self.bounds.append(self.states + level.shape[1])

    def append_single(self, level: Sequence[int]) -> None:
        """Append a level of a few states, each given as a single number."""
        self._single += level
        self.bounds.append(self.states + len(level))

    def settle(self) -> Words:
        """Put the states that are in no block yet into a new block, and return them."""
        words = joined(self._single, self.words)
        if self._single:
            self._single.clear()
            self._add(words, self.states - words.shape[1])
        return words

    def __len__(self) -> int:
        """Return how many levels there are."""
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, number: int) -> Words: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Words]: ...
    def __getitem__(self, number: int | slice) -> Words | Sequence[Words]:
        """Return a level."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        blocks = self.blocks
        begin, end = self.bounds[number], self.bounds[number + 1]
        block = bisect_right(self._firsts, begin) - 1
        first = self._firsts[block]
        return blocks[block][:, begin - first : end - first]

    def _add(self, words: Words, first: int) -> None:
        self._firsts.append(first)
        self._blocks.append(words)
        self.nbytes += words.nbytes


def joined(states: Iterable[int], words: int) -> Words:
    """Return states, each given as a single number, as arrays of words."""
    flat = b"".join(state.to_bytes(words * WORD_BYTES, "little") for state in states)
    return np.ascontiguousarray(np.frombuffer(flat, dtype="<u8").reshape(-1, words).T)


def single(words: Words) -> list[int]:
    """Return states, given as words, as one number each."""
    result: list[int] = words[0].tolist()
    for place, word in enumerate(words[1:], start=1):
        result = [low | high << place * WORD_BITS for low, high in zip(result, word.tolist(), strict=True)]
    return result
