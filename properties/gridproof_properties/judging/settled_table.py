"""Whole tables at rest, put together from records.

A table is judged as a whole when it was settled and all its rows came: a trace that stops in the middle of a view has
no table there. Needs room for one table.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import Record, RowRecord, ViewRecord
from gridproof_properties.judging.scene import Scene


@dataclass(frozen=True, slots=True, eq=False)
class SettledTable:
    """Every row of one settled view."""

    view: ViewRecord
    rows: tuple[RowRecord, ...]
    """In the order of their partitions."""


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
        return SettledTable(self.scene.view, rows)
