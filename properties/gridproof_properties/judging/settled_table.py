"""Whole tables at rest, put together from records.

A table is judged as a whole when it was settled and all its rows came: a trace that stops in the middle of a view has
no table there. Needs room for one table.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_model.trace import Record, RowRecord, ViewRecord
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.shares import Groups


@dataclass(frozen=True, slots=True, eq=False)
class SettledTable:
    """Every row of one settled view; equal to nothing but itself, so that what judges count of it is counted once."""

    view: ViewRecord
    rows: tuple[RowRecord, ...]
    """In the order of their partitions."""
    groups: Groups
    weights: Mapping[int, float]
    """Weights of the members known by then."""

    @property
    def growing(self) -> bool:
        """Whether nobody had left or crashed by then: every member known is alive."""
        return len(self.view.members) == len(self.view.groups)

    @property
    def partition_count(self) -> int:
        """How many partitions it has."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """How many slots its longest row has: a run may ask for more copies than anybody shows."""
        return max((len(row.slots) for row in self.rows), default=0)

    def count_slot(self, slot: int) -> Counter[int]:
        """Return in how many rows each member stands in this slot."""
        filled = (row.slots[slot] for row in self.rows if slot < len(row.slots))
        return Counter(member for member in filled if member is not None)

    def holders(self, copies: int) -> tuple[frozenset[int], ...]:
        """Return who holds one of the first `copies` slots, by partition."""
        return tuple(frozenset(m for m in row.slots[:copies] if m is not None) for row in self.rows)


@dataclass(slots=True)
class TableReader:
    """Hands out each settled table when its last row came."""

    scene: Scene
    """Shown each record before this is."""
    _rows: list[RowRecord] = field(default_factory=list)

    def read(self, record: Record) -> SettledTable | None:
        """Take in the next record; return the table it completes, if it does."""
        if not isinstance(record, RowRecord):
            if isinstance(record, ViewRecord):
                self._rows.clear()
            return None
        if not self.scene.settled or self.scene.view is None or self.scene.run is None:
            return None
        self._rows.append(record)
        if len(self._rows) < self.scene.run.partition_count:
            return None
        rows, self._rows = tuple(sorted(self._rows, key=lambda row: row.partition)), []
        return SettledTable(self.scene.view, rows, self.scene.groups, dict(self.scene.weights))
