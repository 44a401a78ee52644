"""Table rows as NumPy columns.

A batch holds a few hundred thousand rows of one run, in the order of the trace. A batch consists of whole **pieces**:
all rows of one view, or, if the view is longer, as many rows as the grid has partitions. In a settled view a piece of
that length is a whole table; so a judge of views or tables gets each view or table whole.

The module also keeps rows as columns, sorted by a key: these are the earlier rows that a judge has to remember, sorted
so that many of them are found at once. Each batch that adds rows costs one copy of all rows kept.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.trace import Record, RowRecord, ViewRecord
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import NO_GROUP
from gridproof_properties.judging.view_facts import Flags, Longs, ViewFacts, ViewList

Slots = NDArray[np.signedinteger[Any]]
"""Member numbers: one line of the array per slot, one column per row of the table."""
EMPTY, ABSENT = -1, -2
"""Markers for an empty slot, and for the places beyond the end of a row that is shorter than others."""
BATCH_ROWS = 131_072


@dataclass(frozen=True, slots=True, eq=False)
class RowBatch:
    """Some rows, by column; compared by identity, so that a value that several judges need is computed once per
    batch."""

    facts: ViewFacts
    view: Longs
    """For each row, the place of its view in the columns of `facts`."""
    partition: Longs
    slots: Slots
    version: Longs
    """The version of each row; 0 if it has none."""
    has_version: Flags
    pieces: Longs
    """The indices of the rows with which the pieces begin."""

    def __len__(self) -> int:
        return len(self.view)

    @property
    def piece_lengths(self) -> Longs:
        """The number of rows in each piece."""
        return np.diff(self.pieces, append=len(self))

    def take(self, rows: Longs | slice) -> "RowBatch":
        """Return the chosen rows in the given order; the result does not say which pieces they belonged to."""
        columns = self.view[rows], self.partition[rows], self.slots[:, rows], self.version[rows]
        return RowBatch(self.facts, *columns, self.has_version[rows], np.zeros(1, np.int64))

    def scene(self, row: int) -> Scene:
        """Return the members in the view of a row."""
        return self.facts.scene(int(self.view[row]))

    def record(self, row: int) -> RowRecord:
        """Return a row as a record, without its run and view."""
        version = int(self.version[row]) if self.has_version[row] else None
        return RowRecord("", 0, int(self.partition[row]), slots_of(self.slots[:, row]), version)


def slots_of(members: NDArray[Any]) -> tuple[int | None, ...]:
    """Return the slots of one row."""
    return tuple(None if member == EMPTY else member for member in members.tolist() if member >= EMPTY)


def widened(slots: Slots, width: int) -> Slots:
    """Return rows extended to at least `width` slots, with absent slots after the last one."""
    if len(slots) >= width:
        return slots
    return np.concatenate([slots, np.full((width - len(slots), slots.shape[1]), ABSENT, np.int32)])


def differing(one: Slots, other: Slots) -> Flags:
    """Return the positions at which two lists of rows differ; (0,) and (0, None) are different rows."""
    width = max(len(one), len(other))
    differ: Flags = (widened(one, width) != widened(other, width)).any(axis=0)
    return differ


@dataclass(frozen=True, slots=True, eq=False)
class WholeTable:
    """Every row of one settled view; compared by identity."""

    scene: Scene
    """The members at the time of that view."""
    view: ViewRecord
    slots: Slots
    """The slots of the rows, in the order of partitions."""
    at_ms: int = 0
    """The time at which the view was taken."""
    _counts: dict[int, Counter[int]] = field(default_factory=dict)

    @property
    def growing(self) -> bool:
        """Whether no member had left or crashed when the view was taken: every known member is alive."""
        return self.known <= set(self.view.members)

    @property
    def known(self) -> frozenset[int]:
        """The members that had come by then, gone or not; a number that no member ever had is none of them."""
        grouped = (member for member, group in enumerate(self.view.groups) if group != NO_GROUP)
        return frozenset((*self.scene.names, *self.view.members, *grouped))

    def count_slot(self, slot: int) -> Counter[int]:
        """Return in how many rows each member has this slot; the caller must not change the result."""
        if slot not in self._counts:
            members, counts = np.unique(self.slots[slot], return_counts=True)
            found = zip(members.tolist(), counts.tolist(), strict=True)
            self._counts[slot] = Counter({member: count for member, count in found if member > EMPTY})
        return self._counts[slot]


@lru_cache(maxsize=1)
def whole_tables(batch: RowBatch) -> tuple[WholeTable, ...]:
    """Return the whole tables at rest that a batch contains."""
    facts, tables = batch.facts, list[WholeTable]()
    count = facts.partition_count
    is_whole = facts.settled[batch.view[batch.pieces]] & (batch.piece_lengths == count)
    for first in batch.pieces[is_whole].tolist():
        scene = batch.scene(first)
        assert scene.view is not None, "a row has a view"
        in_order = first + np.argsort(batch.partition[first : first + count], kind="stable")
        at_ms = int(facts.at_ms[batch.view[first]])
        tables.append(WholeTable(scene, scene.view, batch.slots[:, in_order], at_ms))
    return tuple(tables)


@dataclass(slots=True)
class RowBuffer:
    """Makes batches of the records of one run."""

    scene: Scene
    """The members; each record is shown to the scene before it is shown to this object."""
    views: ViewList = field(init=False)
    _rows: list[RowRecord] = field(default_factory=list)
    _pieces: list[int] = field(default_factory=list)
    """The indices of the waiting rows with which the pieces begin."""
    _places: list[int] = field(default_factory=list)
    """For each piece, the place of its view in the columns of `facts`."""
    _is_open: bool = False
    """Whether the next row may belong to the latest piece."""

    def __post_init__(self) -> None:
        self.views = ViewList(self.scene)

    @property
    def is_full(self) -> bool:
        """Whether there are enough rows for a batch; the batch is taken when the next view comes."""
        return len(self._rows) >= BATCH_ROWS

    def observe(self, record: Record) -> None:
        """Read the next record that belongs to a table."""
        if isinstance(record, RowRecord):
            if len(self.views):
                self._add(record)
            return
        self._is_open = self._is_open and not isinstance(record, ViewRecord)
        self.views.observe(record)

    def _add(self, row: RowRecord) -> None:
        if not self._is_open:
            self._pieces.append(len(self._rows))
            self._places.append(len(self.views) - 1)
        self._rows.append(row)
        run = self.scene.run
        self._is_open = run is None or len(self._rows) - self._pieces[-1] < run.partition_count

    def take(self, *, is_over: bool = True) -> RowBatch | None:
        """Return the waiting rows; while the run goes on, without the rows of a last piece that may continue."""
        end = self._pieces[-1] if self._is_open and not is_over else len(self._rows)
        if not end:
            return None
        rows, self._rows = self._rows[:end], self._rows[end:]
        waiting = 1 if self._rows else 0
        pieces, places = (np.array(one[: len(one) - waiting], np.int64) for one in (self._pieces, self._places))
        self._pieces, self._places, self._is_open = [0] * waiting, [0] * waiting, bool(waiting)
        return _batch_of(self.views.take(), rows, pieces, np.repeat(places, np.diff(pieces, append=end)))


def _batch_of(facts: ViewFacts, rows: Sequence[RowRecord], pieces: Longs, view: Longs) -> RowBatch:
    width = max(len(row.slots) for row in rows)
    absent = (ABSENT,) * width
    slots = [EMPTY if slot is None else slot for row in rows for slot in (*row.slots, *absent[len(row.slots) :])]
    return RowBatch(
        facts,
        view,
        np.array([row.partition for row in rows], np.int64),
        np.ascontiguousarray(np.array(slots, np.int64).reshape(len(rows), width).T),
        np.array([row.version or 0 for row in rows], np.int64),
        np.array([row.version is not None for row in rows], np.bool_),
        pieces,
    )


STAGE, OBSERVER, VIEW_MS, AT_MS, PARTITION, VERSION, HAS_VERSION, MARK, SLOTS = range(9)
"""The line numbers of a kept row: eight values of the row itself, and after them its slots, one line each. The line
`MARK` is for the judge that keeps the row."""
_HALF = 1 << 31


@dataclass(slots=True)
class Remembered:
    """Rows by key."""

    keys: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    """The keys, in ascending order."""
    values: Longs = field(default_factory=lambda: np.zeros((SLOTS, 0), np.int64))
    """One line per fact and one column per key; a row with fewer slots than others ends in absent slots."""

    def find(self, keys: Longs) -> tuple[Longs, Flags]:
        """Return the columns of some keys, and which keys are known; the column of an unknown key means nothing."""
        at = np.searchsorted(self.keys, keys)
        if not len(self.keys):
            return at, np.zeros(len(keys), np.bool_)
        at = np.minimum(at, len(self.keys) - 1)
        return at, self.keys[at] == keys

    def put(self, keys: Longs, rows: RowBatch) -> None:
        """Keep rows by their keys, which have to be in ascending order; a row with a known key replaces the old row."""
        values = _values_of(rows)
        height = max(len(self.values), len(values))
        self.values, values = _of_height(self.values, height), _of_height(values, height)
        at, is_known = self.find(keys)
        self.values[:, at[is_known]] = values[:, is_known]
        if is_known.all():
            return
        all_keys = np.concatenate([self.keys, keys[~is_known]])
        order = np.argsort(all_keys, kind="stable")
        self.keys = all_keys[order]
        self.values = np.take(np.concatenate([self.values, values[:, ~is_known]], axis=1), order, axis=1)

    def keep(self, chosen: Flags) -> None:
        """Keep only the chosen rows, and forget the others."""
        self.keys, self.values = self.keys[chosen], self.values[:, chosen]


def _values_of(rows: RowBatch) -> Longs:
    facts = rows.facts
    mark = np.zeros(len(rows), np.int64)
    of_view = (column[rows.view] for column in (facts.stage, facts.observer, facts.at_ms, facts.at_ms))
    lines = *of_view, rows.partition, rows.version, rows.has_version, mark
    return np.concatenate([np.stack(lines), rows.slots], dtype=np.int64)


def _of_height(values: Longs, height: int) -> Longs:
    missing = height - len(values)
    if not missing:
        return values
    return np.concatenate([values, np.full((missing, values.shape[1]), ABSENT, np.int64)])


def describe_pair(batch: RowBatch, row: int, earlier: Longs | int) -> tuple[str, str]:
    """Return two rows in words, the earlier one first: a row of the same batch (given by its index), or a kept row."""
    scene = batch.scene(row)
    assert scene.view is not None, "a row has a view"
    if isinstance(earlier, int):
        seen = scene.describe_row(batch.record(earlier), batch.scene(earlier).view)
        return seen, scene.describe_row(batch.record(row))
    partition, version = int(earlier[PARTITION]), int(earlier[VERSION]) if earlier[HAS_VERSION] else None
    stage, observer = batch.facts.stages[earlier[STAGE]], int(earlier[OBSERVER])
    view = replace(scene.view, at_ms=int(earlier[VIEW_MS]), stage=stage, observer=observer)
    kept = RowRecord("", 0, partition, slots_of(earlier[SLOTS:]), version)
    return scene.describe_row(kept, view), scene.describe_row(batch.record(row))


@dataclass(slots=True)
class Numbering:
    """Gives a 32-bit number to each 64-bit number: the same number, unless that is negative or too large."""

    _others: dict[int, int] = field(default_factory=dict)

    def of(self, values: Longs) -> Longs:
        """Return the 32-bit numbers of the given values; equal values have equal numbers."""
        if not len(values) or (values.min() >= 0 and values.max() < _HALF):
            return values
        numbers, is_other = values.copy(), (values < 0) | (values >= _HALF)
        others = values[is_other].tolist()
        numbers[is_other] = [_HALF + self._others.setdefault(value, len(self._others)) for value in others]
        return numbers


def keys_of(high: Longs, low: Longs) -> Longs:
    """Return one 64-bit number that is made of two 32-bit numbers."""
    return (high << 32) | low
