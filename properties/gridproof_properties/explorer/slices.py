"""Rearranging the bits of states by tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.packing import WORD_BITS, Packing, Words

SLICE_BITS = 10


@dataclass(frozen=True, slots=True)
class Move:
    """Where a cell goes, and the new code for each old one (None: as it is)."""

    cell: int
    codes: tuple[int, ...] | None


@dataclass(frozen=True)
class Slice:
    """Some bits of one word, and the words that each value of them becomes."""

    word: int
    shift: int
    mask: int
    table: NDArray[np.uint64]
    """Shape (words, values)."""


@dataclass(frozen=True)
class Slices:
    """A rearrangement of states: the slices' results, put together."""

    slices: tuple[Slice, ...]
    words: int

    @staticmethod
    def of(packing: Packing, moves: Sequence[Move]) -> Slices:
        """Return the rearrangement in which every cell makes its move."""
        cut = [_Cut(word, low, high) for word in range(packing.words) for low, high in _bounds(packing, word)]
        return Slices(tuple(part.filled(packing, moves) for part in cut), packing.words)

    def applied(self, words: Words) -> Words:
        """Return the states rearranged."""
        result = np.zeros((self.words, words.shape[1]), dtype=np.uint64)
        for part in self.slices:
            values = (words[part.word] >> np.uint64(part.shift)) & np.uint64(part.mask)
            for word in range(self.words):
                if part.table[word].any():
                    result[word] |= part.table[word][values]
        return result


@dataclass(frozen=True)
class _Cut:
    word: int
    low: int
    high: int

    def filled(self, packing: Packing, moves: Sequence[Move]) -> Slice:
        bits = self.high - self.low
        values = np.arange(1 << bits, dtype=np.uint64) << np.uint64(self.low)
        table = np.zeros((packing.words, values.size), dtype=np.uint64)
        for cell, move in enumerate(moves):
            here, there = packing.places[cell], packing.places[move.cell]
            if here.word == self.word and self.low <= here.shift < self.high and here.bits:
                codes = (values & np.uint64(here.mask)) >> np.uint64(here.shift)
                if move.codes is not None:
                    known = np.arange(1 << here.bits, dtype=np.uint64)
                    known[: len(move.codes)] = move.codes
                    codes = known[codes]
                table[there.word] |= codes << np.uint64(there.shift)
        return Slice(self.word, self.low, (1 << bits) - 1, table)


def _bounds(packing: Packing, word: int) -> list[tuple[int, int]]:
    """Return where to cut a word, never through a cell; a cell longer than a slice has one of its own."""
    edges = sorted(place.shift + place.bits for place in packing.places if place.word == word)
    cuts = [0]
    for before, edge in pairwise([0, *edges]):
        if edge - cuts[-1] > SLICE_BITS and before > cuts[-1]:
            cuts.append(before)
    cuts.append(edges[-1] if edges else WORD_BITS)
    return [pair for pair in pairwise(cuts) if pair[0] < pair[1]]
