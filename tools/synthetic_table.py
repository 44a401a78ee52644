"""A partition table as NumPy columns.

Members join, crash and are replaced a million rows a second. Nothing here is the documented placement: it is the
simplest one that keeps every promise a large trace is to be judged by, namely even shares, no copy moved without
need, no hole at rest. Every member is a group of its own.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

EMPTY = -1
"""Stands in a slot that nobody holds."""
_TRIES = 8

Slots = NDArray[np.int32]
"""Member numbers, partitions by slots."""
Versions = NDArray[np.int64]


@dataclass(slots=True)
class SyntheticTable:
    """Slots and row versions of every partition, changed in place."""

    slots: Slots
    versions: Versions
    owners: list[int]

    @staticmethod
    def of(partition_count: int, copies: int) -> "SyntheticTable":
        """Return the table before any member joined; `copies` is how many a full row has."""
        slots = np.full((partition_count, copies), EMPTY, np.int32)
        return SyntheticTable(slots, np.zeros(partition_count, np.int64), [])

    def join(self, newcomer: int) -> None:
        """Give a new owner its share of every slot, taken from whoever has most; nothing else moves."""
        before = self.slots.copy()
        self.owners.append(newcomer)
        for slot in range(min(len(self.owners), self.slots.shape[1])):
            if self.slots[0, slot] == EMPTY:
                self._fill_with_missing(slot)
            else:
                self._hand_over(slot, newcomer)
        self._count_changes(before)

    def crash(self, member: int, rng: np.random.Generator) -> None:
        """Promote the hottest backup where the member was primary, then fill the holes it left."""
        before = self.slots.copy()
        self.owners.remove(member)
        self.slots[self.slots == member] = EMPTY
        orphans = np.flatnonzero(self.slots[:, 0] == EMPTY)
        hottest = np.argmax(self.slots[orphans] != EMPTY, axis=1)
        self.slots[orphans, 0] = self.slots[orphans, hottest]
        self.slots[orphans[hottest > 0], hottest[hottest > 0]] = EMPTY
        for slot in range(min(len(self.owners), self.slots.shape[1])):
            self._fill_holes(slot, rng)
        self._close_gaps()
        self._even_primaries()
        self._count_changes(before)

    def _count_changes(self, before: Slots) -> None:
        self.versions += (self.slots != before).sum(axis=1)

    def _counts(self, slot: int) -> NDArray[np.int64]:
        held = self.slots[:, slot]
        return np.bincount(held[held != EMPTY], minlength=max(self.owners) + 1)

    def _hand_over(self, slot: int, newcomer: int) -> None:
        """Give the newcomer its even share of one slot, where it holds none of the row yet."""
        counts = self._counts(slot)
        old = sorted(self.owners[:-1], key=lambda member: (-counts[member], member))
        share = len(self.slots) // len(self.owners)
        rest, extra = divmod(len(self.slots) - share, len(old))
        free = (self.slots != newcomer).all(axis=1)
        for rank, member in enumerate(old):
            given = int(counts[member]) - rest - (rank < extra)
            rows = np.flatnonzero((self.slots[:, slot] == member) & free)[: max(0, given)]
            self.slots[rows, slot] = newcomer

    def _fill_with_missing(self, slot: int) -> None:
        """Give an empty slot to the one owner the row lacks; there are as many owners as slots by now."""
        for member in self.owners:
            rows = (self.slots[:, slot] == EMPTY) & (self.slots != member).all(axis=1)
            self.slots[rows, slot] = member

    def _fill_holes(self, slot: int, rng: np.random.Generator) -> None:
        """Give the empty places of one slot to the owners that hold least of it, where they hold none of the row."""
        for _ in range(_TRIES):
            holes = np.flatnonzero(self.slots[:, slot] == EMPTY)
            if not len(holes):
                return
            counts = self._counts(slot)
            lacking = np.array([max(0, len(self.slots) // len(self.owners) + 1 - counts[m]) for m in self.owners])
            takers = rng.permutation(np.repeat(self.owners, lacking))[: len(holes)]
            holes = holes[: len(takers)]
            fits = (self.slots[holes] != takers[:, None]).all(axis=1)
            self.slots[holes[fits], slot] = takers[fits]
        for member in self.owners:
            rows = (self.slots[:, slot] == EMPTY) & (self.slots != member).all(axis=1)
            self.slots[rows, slot] = member

    def _close_gaps(self) -> None:
        """Move filled slots in front of empty ones, in their order."""
        order = np.argsort(self.slots == EMPTY, axis=1, kind="stable")
        self.slots = np.take_along_axis(self.slots, order, axis=1)

    def _even_primaries(self) -> None:
        """Swap primaries with backups of their own rows until nobody has many too many; no copy moves."""
        fair = len(self.slots) / len(self.owners)
        for slot in range(1, self.slots.shape[1]):
            for rich in self.owners:
                for poor in self.owners:
                    counts = self._counts(0)
                    spare = int(min(counts[rich] - fair, fair - counts[poor]))
                    if spare > 0:
                        rows = np.flatnonzero((self.slots[:, 0] == rich) & (self.slots[:, slot] == poor))[:spare]
                        self.slots[rows, 0], self.slots[rows, slot] = poor, rich
