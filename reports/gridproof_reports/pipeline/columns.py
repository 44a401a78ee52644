"""Reads table rows from Arrow columns, in batches of whole pieces (see `row_batch` in `judging/`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.compute as compute

from gridproof_model.trace import RowRecord, ViewRecord
from gridproof_properties.judging.guarantee import Span
from gridproof_properties.judging.row_batch import ABSENT, EMPTY, RowBatch, Slots, widened
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.view_facts import Flags, Longs, ViewFacts, ViewList
from gridproof_reports.pipeline.case import POSITION, Case

_CELLS_MAX = 1 << 23
"""The most slots in a batch: one long row makes all rows of its batch as long as itself."""
COLUMNS = (POSITION, "view", "partition", "slots", "version")
"""The columns of a row that are read, besides its run."""


@dataclass(frozen=True, slots=True)
class RunViews:
    """The views of one run, by which its rows are judged, with the positions at which rows may stand."""

    run: str
    source: str
    """The absolute path of the trace that contains the run."""
    facts: ViewFacts
    view: Longs
    """The number of each view in the trace."""
    position: Longs
    end: Longs
    """For each view, the position at which the next view, or the next run, begins."""
    admitted: Mapping[str, Sequence[Span]]
    """For each property, the times in which weaknesses that the system admits were in effect."""


def views_of(case: Case) -> RunViews:
    """Return the views of one run."""
    scene = Scene(stated=case.stated)
    views, places = ViewList(scene), list[tuple[int, int]]()
    scene.observe(case.head)
    for place, record in case.setting:
        scene.observe(record)
        views.observe(record)
        if isinstance(record, ViewRecord):
            places.append((record.view, place))
    view, position = np.ascontiguousarray(np.array(places, np.int64).reshape(len(places), 2).T)
    end = np.append(position[1:], case.end_position)[: len(position)]
    admitted = {name: [effect[:2] for effect in effects] for name, effects in case.admitted.items()}
    return RunViews(case.head.run, str(case.source.absolute()), views.take(), view, position, end, admitted)


@dataclass(slots=True)
class BatchReader:
    """Makes batches of one run's rows from Arrow columns; keeps the rows of an unfinished piece, and counts strays."""

    views: RunViews
    strays: int = 0
    """How many rows belong to no view or partition, or stand at a place where no such row of their view may be."""
    first: tuple[int, RowRecord] | None = None
    """The first row, with its position."""
    _waiting: RowBatch | None = None
    _after: tuple[int, int, int] = -1, -1, -1
    """The position, the view and the partition of the latest row that was read."""

    def read(self, columns: Any) -> Iterator[RowBatch]:
        """Yield the batches that are complete once these columns have been read, too."""
        for part in _of_bounded_width(columns):
            yield from self._cut(self._checked(part))

    def finish(self) -> Iterator[RowBatch]:
        """Yield the rows of the last piece."""
        if self._waiting is not None:
            yield self._waiting
            self._waiting = None

    def _checked(self, columns: Any) -> RowBatch:
        """Return rows with the numbers of their views, without the rows that no trace may have."""
        position, view, partition = (_whole_numbers(columns.column(name)) for name in COLUMNS[:3])
        slots, is_sound = _slots_of(columns.column("slots"))
        for name in COLUMNS[:4]:
            if columns.column(name).null_count:
                is_sound &= columns.column(name).is_valid().to_numpy(zero_copy_only=False)
        index, stands_well = self._views_of(view, position)
        is_sound &= stands_well & (partition >= 0) & (partition < self.views.facts.partition_count)
        places = zip((position, view, partition), self._after, strict=True)
        moved, turned, risen = (np.diff(one, prepend=last) for one, last in places)
        is_sound &= (moved > 0) & ((turned != 0) | (risen > 0))  # each row of a view once, by partition
        self._after = (int(position[-1]), int(view[-1]), int(partition[-1])) if len(position) else self._after
        version = columns.column("version")
        has_version = version.is_valid().to_numpy(zero_copy_only=False)
        facts, none = self.views.facts, position[:0]
        batch = RowBatch(facts, index, partition, slots, _whole_numbers(version), has_version, none)
        strays = len(batch) - int(np.count_nonzero(is_sound))
        self.strays += strays
        if self.first is None and is_sound.any():
            row = int(np.argmax(is_sound))
            seen = replace(batch.record(row), run=self.views.run, view=int(view[row]))
            self.first = int(position[row]), seen
        return batch.take(np.flatnonzero(is_sound)) if strays else batch

    def _views_of(self, view: Longs, position: Longs) -> tuple[Longs, Flags]:
        """Return, for each row, its view's index among the run's views, and whether the row comes after its view."""
        views = self.views
        begins = np.flatnonzero(np.diff(view, prepend=view[:1] - 1))
        found = np.searchsorted(views.view, view[begins])
        is_known = found < len(views.view)
        found[~is_known] = 0
        if len(views.view):
            is_known &= views.view[found] == view[begins]
        lengths = np.diff(begins, append=len(view))
        first, last = position[begins], position[begins + lengths - 1]
        if len(views.view):
            is_known &= (views.position[found] < first) & (last < views.end[found])
        return np.repeat(found, lengths), np.repeat(is_known, lengths)

    def _cut(self, batch: RowBatch) -> Iterator[RowBatch]:
        """Yield the whole pieces among waiting and new rows; a last piece shorter than a table waits for more rows."""
        if self._waiting is not None:
            batch, self._waiting = joined(self._waiting, batch), None
        if not len(batch):
            return
        begins = np.flatnonzero(np.diff(batch.view, prepend=-1))
        count = self.views.facts.partition_count
        last = int(begins[-1])
        if len(batch) - last < count:
            self._waiting = batch.take(slice(last, None))
            begins = begins[:-1]
            batch = batch.take(slice(0, last))
        if len(begins):
            yield replace(batch, pieces=begins)


def joined(one: RowBatch, other: RowBatch) -> RowBatch:
    """Return the rows of two batches as one batch; its pieces are those of the first."""
    width = max(len(one.slots), len(other.slots))
    slots = np.concatenate([widened(one.slots, width), widened(other.slots, width)], axis=1)
    names = ("view", "partition", "version", "has_version")
    both: dict[str, Any] = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    return RowBatch(facts=one.facts, slots=slots, pieces=one.pieces, **both)


def _whole_numbers(column: Any) -> Longs:
    """Return a column of whole numbers, with 0 in place of null."""
    values: Longs = column.fill_null(0).to_numpy(zero_copy_only=False)
    return values


def _slots_of(column: Any) -> tuple[Slots, Flags]:
    """Return the slots of rows, and which rows have no negative member number in any slot."""
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
    """Yield rows in groups that are small enough for memory, however long the longest row is."""
    lengths = compute.call_function("list_value_length", [columns.column("slots")])
    width = compute.call_function("max", [lengths]).as_py() or 1
    step = max(1, _CELLS_MAX // width)
    for first in range(0, columns.num_rows, step):
        yield columns.slice(first, step)
