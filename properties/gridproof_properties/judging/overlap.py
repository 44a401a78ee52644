"""Whether a history is sequential: all operations one after another, or some at the same time.

A sequential history says little of a system for many: two clients at once are what orders and locks are for.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gridproof_model.trace import OperationKind, OperationRecord, Record
from gridproof_properties.judging.live_stages import AT_REST, LATER


@dataclass(slots=True)
class Overlap:
    """Counts, over the records of a run, operations that began before an earlier one had ended."""

    operations: int = 0
    overlapping: int = 0
    _latest_ms: int = 0
    _call: int | None = None

    def observe(self, record: Record) -> None:
        """Take in the next record; entries of one call are one operation, looks into copies and reads at rest none.

        A live run reads several keys at once when its clients have ended: that says nothing of them.
        """
        if not isinstance(record, OperationRecord) or record.kind is OperationKind.READ_REPLICA:
            return
        if record.stage in (AT_REST, LATER):
            return
        if record.call is None or record.call != self._call:
            self.operations += 1
            self.overlapping += record.start_ms < self._latest_ms
        self._call, self._latest_ms = record.call, max(self._latest_ms, record.end_ms)

    def describe(self) -> str:
        """Return in a clause what the history is; empty without operations."""
        if not self.operations:
            return ""
        if not self.overlapping:
            return f"sequential: its {self.operations:,} operations came one after another"
        part = f"{self.overlapping:,} of {self.operations:,} operations"
        return f"concurrent: {part} began before an earlier one had ended"

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` says."""
        kind = "concurrent" if self.overlapping else "sequential"
        return {"history": {"kind": kind, "operations": self.operations, "overlapping": self.overlapping}}
