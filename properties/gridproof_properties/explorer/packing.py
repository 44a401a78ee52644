"""Packs each state into a few 64-bit words.

Every cell gets as many bits as its bounds need; no cell is split over two words. States are passed in arrays of the
shape (words, states), so that the same word of all states is contiguous. The module also packs every initial state.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import Cell, codes, width
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.limits import describe_count, starts_of
from gridproof_model.language.tree import ANY
from gridproof_model.language.values import initial_values
from gridproof_model.language.world import World

Words = NDArray[np.uint64]
"""States as an array of the shape (words, states)."""
WORD_BITS = 64
WORD_BYTES = 8
CELL_BITS_MAX = 62
"""The most bits of a cell: states and claims are computed in 64 bits, in which no value may overflow unnoticed."""


@dataclass(frozen=True, slots=True)
class Place:
    """The bits of a cell in a word; they contain the cell's value minus its lowest value."""

    word: int
    shift: int
    bits: int
    low: int

    @property
    def mask(self) -> int:
        """The cell's bits as a mask of the word."""
        return ((1 << self.bits) - 1) << self.shift


@dataclass(frozen=True)
class Packing:
    """The positions of all cells in the words."""

    places: tuple[Place, ...]

    @staticmethod
    def of(cells: Sequence[Cell]) -> "Packing":
        """Return a packing; raise SpecificationError, naming the cell, for a cell without bounds."""
        places: list[Place] = []
        word = shift = 0
        for cell in cells:
            if cell.low is None or cell.high is None:
                cure = "write two bounds, as in Int(0, 3)"
                raise SpecificationError(f"{cell.name} has no bounds, so its states cannot be counted: {cure}", cell.at)
            bits = (cell.high - cell.low).bit_length()
            if bits > CELL_BITS_MAX or max(abs(cell.low), abs(cell.high)) >> CELL_BITS_MAX:
                raise SpecificationError(f"{cell.name} needs over {CELL_BITS_MAX} bits: give closer bounds", cell.at)
            if shift + bits > WORD_BITS:
                word, shift = word + 1, 0
            places.append(Place(word, shift, bits, cell.low))
            shift += bits
        return Packing(tuple(places))

    @cached_property
    def words(self) -> int:
        """How many words a state takes."""
        return max((place.word for place in self.places), default=0) + 1

    @property
    def bits(self) -> int:
        """How many bits of the words are used."""
        return sum(place.bits for place in self.places)

    def pack(self, rows: Sequence[Sequence[int]] | NDArray[np.int64], first: int = 0) -> Words:
        """Return rows of cell values, which begin with cell `first`, as words; the other cells get their lowest
        values."""
        packed = np.zeros((self.words, len(rows)), dtype=np.uint64)
        for place, values in zip(self.places[first:], np.array(rows, dtype=np.int64).T, strict=False):
            packed[place.word] |= (values - place.low).astype(np.uint64) << np.uint64(place.shift)
        return packed

    def unpack(self, state: Sequence[int] | NDArray[np.uint64]) -> tuple[int, ...]:
        """Return the cell values of one state, given as words."""
        words = [int(word) for word in state]
        return tuple(((words[p.word] & p.mask) >> p.shift) + p.low for p in self.places)


def equal(words: Words, state: Sequence[int], masks: Sequence[int] | None = None) -> NDArray[np.bool_]:
    """Return for each state whether it equals the given state, in all bits, or in those of the masks (one mask per
    word)."""
    hits: NDArray[np.bool_] = np.ones(words.shape[1], dtype=bool)
    for number, value in enumerate(state):
        if masks is None:
            hits &= words[number] == np.uint64(value)
        else:
            hits &= (words[number] & np.uint64(masks[number])) == np.uint64(value & masks[number])
    return hits


MEBIBYTE = 1 << 20
BATCH = 1 << 15
"""How many values are converted from plain numbers at once."""
T = TypeVar("T")


def initial_words(world: World, packing: Packing, memory_bytes: int) -> Words:
    """Return every initial state once; raise SpecificationError if these states, and their copy during sorting, would
    not fit in memory."""
    count = starts_of(world.variables)
    if count > 1 and 4 * count * packing.words * WORD_BYTES > memory_bytes:
        at = next((variable.at for variable in world.variables if variable.initial is ANY), world.title)
        limit = f"more than fit in {memory_bytes / MEBIBYTE:,.0f} MiB: choose smaller constants, or more memory"
        raise SpecificationError(f"the world has {describe_count(count)} initial states, {limit}", at)
    words = np.zeros((packing.words, 1), dtype=np.uint64)
    first = 0
    for variable in world.variables:
        rows = (tuple(codes(variable.domain, value)) for value in initial_values(variable.domain, variable.initial))
        parts = np.concatenate([packing.pack(part, first) for part in _batched(rows)], axis=1)
        words = (words[:, :, None] | parts[:, None, :]).reshape(packing.words, -1)
        first += width(variable.domain)
    return words


def _batched(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield the rows in lists of limited length (as `itertools.batched` does in later versions of Python)."""
    going = iter(rows)
    while part := list(islice(going, BATCH)):
        yield part
