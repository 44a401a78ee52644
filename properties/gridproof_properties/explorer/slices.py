"""Rearranges the bits of states by tables."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.packing import Packing, Place, Words

SLICE_BITS = 10
"""A table is made for at most this many bits; a larger cell has no table unless its values are renamed."""


@dataclass(frozen=True, slots=True)
class Move:
    """The cell to which a cell moves, and the new code for each old code (None if codes do not change)."""

    cell: int
    codes: tuple[int, ...] | None


@dataclass(frozen=True)
class Slice:
    """Some bits of one word, and a table for each target word that maps values of these bits to bits of the target."""

    word: int
    shift: int
    mask: int
    tables: tuple[tuple[int, NDArray[np.uint64]], ...]


@dataclass(frozen=True, slots=True)
class Shift:
    """A cell that is too large for a table: it moves to another place unchanged."""

    place: Place
    there: Place


@dataclass(frozen=True)
class Slices:
    """A rearrangement of states: the bits that stay in place, joined with the results of slices and shifts."""

    kept: NDArray[np.uint64]
    """The bits of each word that stay in place, in the shape (words, 1)."""
    slices: tuple[Slice, ...]
    shifts: tuple[Shift, ...]

    @staticmethod
    def of(packing: Packing, moves: Sequence[Move]) -> "Slices":
        """Return the rearrangement that moves every cell as given."""
        kept = np.zeros((packing.words, 1), dtype=np.uint64)
        slices: list[Slice] = []
        shifts: list[Shift] = []
        for cells in _cut(packing):
            first = packing.places[cells[0]]
            if all(moves[cell] == Move(cell, None) for cell in cells):
                kept[first.word] |= np.uint64(sum(packing.places[cell].mask for cell in cells))
            elif first.bits > SLICE_BITS and moves[cells[0]].codes is None:
                shifts.append(Shift(first, packing.places[moves[cells[0]].cell]))
            else:
                slices.append(_filled(packing, moves, cells))
        return Slices(kept, tuple(slices), tuple(shifts))

    @property
    def bytes(self) -> int:
        """The memory that the tables take, in bytes."""
        return sum(table.nbytes for part in self.slices for _, table in part.tables)

    def applied(self, words: Words) -> Words:
        """Return the states after the rearrangement."""
        result: Words = words & self.kept
        for part in self.slices:
            values = (words[part.word] >> np.uint64(part.shift)) & np.uint64(part.mask)
            for word, table in part.tables:
                result[word] |= table[values]
        for here, there in ((shift.place, shift.there) for shift in self.shifts):
            result[there.word] |= (
                (words[here.word] & np.uint64(here.mask)) >> np.uint64(here.shift) << np.uint64(there.shift)
            )
        return result


def _filled(packing: Packing, moves: Sequence[Move], cells: Sequence[int]) -> Slice:
    first, last = packing.places[cells[0]], packing.places[cells[-1]]
    bits = last.shift + last.bits - first.shift
    values = np.arange(1 << bits, dtype=np.uint64) << np.uint64(first.shift)
    tables: dict[int, NDArray[np.uint64]] = {}
    for cell in cells:
        here, there, changed = packing.places[cell], packing.places[moves[cell].cell], moves[cell].codes
        codes = (values & np.uint64(here.mask)) >> np.uint64(here.shift)
        if changed is not None:
            known = np.arange(1 << here.bits, dtype=np.uint64)
            known[: len(changed)] = changed
            codes = known[codes]
        table = tables.setdefault(there.word, np.zeros(values.size, dtype=np.uint64))
        table |= codes << np.uint64(there.shift)
    return Slice(first.word, first.shift, (1 << bits) - 1, tuple(tables.items()))


def _cut(packing: Packing) -> list[list[int]]:
    """Return groups of neighbouring cells whose bits fit in a slice; a larger cell is a group by itself."""
    parts: list[list[int]] = []
    for cell, place in enumerate(packing.places):
        first = packing.places[parts[-1][0]] if parts else place
        if parts and first.word == place.word and place.shift + place.bits - first.shift <= SLICE_BITS:
            parts[-1].append(cell)
        else:
            parts.append([cell])
    return parts
