"""Table rows as NumPy columns.

Rows of one run, in the order of the trace, some hundred thousand at a time. A batch is made of whole **pieces**: a
piece is one view's rows, or so many of them as the grid has partitions. Of a settled view a piece of that length is a
whole table; so whoever looks at a view, or at a table, has all of it at once.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.compute as compute
from numpy.typing import NDArray

from gridproof_reports.pipeline.case import POSITION
from gridproof_reports.pipeline.view_facts import ViewFacts

Longs = NDArray[np.int64]
Slots = NDArray[np.signedinteger[Any]]
"""Member numbers, slots by rows."""
Flags = NDArray[np.bool_]
EMPTY, ABSENT = -1, -2
"""Stand in a slot that nobody holds, and behind the last slot of a shorter row."""
BATCH_ROWS = 131_072
_CELLS_MAX = 1 << 23
"""Slots of a batch: a single long row must not make all others as long."""
_HALF = 1 << 31
COLUMNS = (POSITION, "view", "partition", "slots", "version")
"""What is read of a row, beside its run."""


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Some rows, by column."""

    position: Longs
    view: Longs
    """Number of the view among those of its run, from 0: `ViewFacts` has a column a fact."""
    partition: Longs
    slots: Slots
    version: Longs
    """0 where there is none."""
    has_version: Flags
    pieces: Longs
    """At which rows pieces begin."""

    def __len__(self) -> int:
        return len(self.position)

    @property
    def piece_lengths(self) -> Longs:
        """Rows of each piece."""
        return np.diff(self.pieces, append=len(self))

    def take(self, rows: Longs) -> "RowBatch":
        """Return some of the rows, in a given order; pieces are not kept."""
        return RowBatch(
            np.take(self.position, rows),
            np.take(self.view, rows),
            np.take(self.partition, rows),
            np.take(self.slots, rows, axis=1),
            np.take(self.version, rows),
            np.take(self.has_version, rows),
            np.zeros(1, np.int64),
        )


@dataclass(slots=True)
class BatchReader:
    """Makes batches of one run out of Arrow columns; keeps the rows of an unfinished piece, and counts strays."""

    facts: ViewFacts
    strays: int = 0
    """Rows of no view or no partition, or at a place where no row of this view may stand."""
    _waiting: RowBatch | None = None
    _after: int = -1
    """The position of the latest row."""

    def read(self, columns: Any) -> Iterator[RowBatch]:
        """Yield the batches that some more columns make complete."""
        for part in _of_bounded_width(columns):
            yield from self._cut(self._checked(part))

    def finish(self) -> Iterator[RowBatch]:
        """Yield what waits."""
        if self._waiting is not None:
            yield self._waiting
            self._waiting = None

    def _checked(self, columns: Any) -> RowBatch:
        """Return rows with the numbers of their views, those left out that no trace may have."""
        position, view, partition = (_whole_numbers(columns.column(name)) for name in COLUMNS[:3])
        slots, is_sound = _slots_of(columns.column("slots"))
        for name in COLUMNS[:4]:
            if columns.column(name).null_count:
                is_sound &= columns.column(name).is_valid().to_numpy(zero_copy_only=False)
        index, stands_well = self._views_of(view, position)
        is_sound &= stands_well & (partition >= 0) & (partition < self.facts.partition_count)
        is_sound &= np.diff(position, prepend=self._after) > 0
        self._after = int(position[-1]) if len(position) else self._after
        version = columns.column("version")
        has_version = version.is_valid().to_numpy(zero_copy_only=False)
        batch = RowBatch(position, index, partition, slots, _whole_numbers(version), has_version, position[:0])
        strays = len(batch) - int(np.count_nonzero(is_sound))
        self.strays += strays
        return batch.take(np.flatnonzero(is_sound)) if strays else batch

    def _views_of(self, view: Longs, position: Longs) -> tuple[Longs, Flags]:
        """Return the numbers of the rows' views among those of the run, and whether each stands behind its view."""
        facts = self.facts
        begins = np.flatnonzero(np.diff(view, prepend=view[:1] - 1))
        found = np.searchsorted(facts.view, view[begins])
        is_known = found < len(facts.view)
        found[~is_known] = 0
        if len(facts.view):
            is_known &= facts.view[found] == view[begins]
        lengths = np.diff(begins, append=len(view))
        first, last = position[begins], position[begins + lengths - 1]
        if len(facts.view):
            is_known &= (facts.position[found] < first) & (last < facts.end[found])
        return np.repeat(found, lengths), np.repeat(is_known, lengths)

    def _cut(self, batch: RowBatch) -> Iterator[RowBatch]:
        """Yield the whole pieces of what waited and came; a piece that may go on waits."""
        if self._waiting is not None:
            batch, self._waiting = joined(self._waiting, batch), None
        if not len(batch):
            return
        begins = np.flatnonzero(np.diff(batch.view, prepend=-1))
        count = self.facts.partition_count
        lengths = np.diff(begins, append=len(batch))
        if (lengths > count).any():
            within = np.arange(len(batch)) - np.repeat(begins, lengths)
            begins = np.flatnonzero(within % count == 0)
        last = int(begins[-1])
        if len(batch) - last < count:
            self._waiting = _rows_from(batch, last, None, begins[-1:])
            begins = begins[:-1]
            batch = _rows_from(batch, 0, last, begins)
        if len(begins):
            yield replace(batch, pieces=begins)


def _rows_from(batch: RowBatch, first: int, end: int | None, pieces: Longs) -> RowBatch:
    rows = slice(first, end)
    return RowBatch(
        batch.position[rows],
        batch.view[rows],
        batch.partition[rows],
        batch.slots[:, rows],
        batch.version[rows],
        batch.has_version[rows],
        pieces - first,
    )


def joined(one: RowBatch, other: RowBatch) -> RowBatch:
    """Return the rows of two batches; pieces are those of the first."""
    width = max(len(one.slots), len(other.slots))
    slots = np.concatenate([widened(one.slots, width), widened(other.slots, width)], axis=1)
    names = ("position", "view", "partition", "version", "has_version")
    both: dict[str, Any] = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    return RowBatch(slots=slots, pieces=one.pieces, **both)


def widened(slots: Slots, width: int) -> Slots:
    """Return rows with at least so many slots, absent ones behind the last."""
    if len(slots) >= width:
        return slots
    return np.concatenate([slots, np.full((width - len(slots), slots.shape[1]), ABSENT, np.int32)])


def differing(one: Slots, other: Slots) -> Flags:
    """Return in which places two lists of rows differ; (0,) and (0, None) are different rows."""
    width = max(len(one), len(other))
    differ: Flags = (widened(one, width) != widened(other, width)).any(axis=0)
    return differ


@dataclass(slots=True)
class Numbering:
    """Numbers of 32 bits for whole numbers of 64: themselves, but for negative and very large ones."""

    _others: dict[int, int] = field(default_factory=dict)

    def of(self, values: Longs) -> Longs:
        """Return the numbers of some values; equal values have equal ones."""
        if not len(values) or (values.min() >= 0 and values.max() < _HALF):
            return values
        numbers, is_other = values.copy(), (values < 0) | (values >= _HALF)
        others = values[is_other].tolist()
        numbers[is_other] = [_HALF + self._others.setdefault(value, len(self._others)) for value in others]
        return numbers


def keys_of(high: Longs, low: Longs) -> Longs:
    """Return one number for two of 32 bits each."""
    return (high << 32) | low


def _whole_numbers(column: Any) -> Longs:
    """Return a column of whole numbers, 0 for null."""
    values: Longs = column.fill_null(0).to_numpy(zero_copy_only=False)
    return values


def _slots_of(column: Any) -> tuple[Slots, Flags]:
    """Return the slots of rows, and which rows have no number below 0 in any."""
    count = len(column)
    lengths = compute.call_function("list_value_length", [column]).fill_null(0).to_numpy(zero_copy_only=False)
    flat = column.flatten()
    values: Slots = flat.fill_null(EMPTY).to_numpy(zero_copy_only=False)
    is_sound = np.ones(count, np.bool_)
    if (compute.call_function("min", [flat]).as_py() or 0) < 0:
        is_wrong = compute.call_function("less", [flat, arrow.scalar(0, flat.type)]).fill_null(False)
        is_sound[np.repeat(np.arange(count), lengths)[is_wrong.to_numpy(zero_copy_only=False)]] = False
    width = int(lengths.max()) if count else 0
    if (lengths == width).all():
        return np.ascontiguousarray(values.reshape(count, width).T), is_sound
    slots = np.full((count, width), ABSENT, np.int32)
    slots[np.arange(width)[None, :] < lengths[:, None]] = values
    return np.ascontiguousarray(slots.T), is_sound


def _of_bounded_width(columns: Any) -> Iterable[Any]:
    """Yield rows so few that their slots have room in memory, however long the longest row is."""
    lengths = compute.call_function("list_value_length", [columns.column("slots")])
    width = compute.call_function("max", [lengths]).as_py() or 1
    step = max(1, _CELLS_MAX // width)
    for first in range(0, columns.num_rows, step):
        yield columns.slice(first, step)
