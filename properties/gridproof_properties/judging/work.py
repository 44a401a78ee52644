"""Whether a run did what it was meant to do: some change was acknowledged, and the fleet carried out the faults.

If all changes are refused, no change can get lost; then it means nothing that a property holds. If the fleet failed at
something, the outcome of the run is unknown; for example, it did not restart a member that a fault had ended.

The module also says whether a history is sequential: whether all operations came one after another, or some at the same
time. A sequential history says little about a system for many clients: orders and locks matter only to clients at work
at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gridproof_model.events.harness import FleetFailed
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import effect_of
from gridproof_properties.judging.words import count

BUSY, AT_REST, LATER = "busy", "at rest", "later"
"""The stages of a run: while clients are at work; when the grid has settled; and some time after that."""


ADDED = (OperationKind.ADD, OperationKind.APPEND, OperationKind.OFFER)
CHANGING = frozenset(
    {*ADDED, OperationKind.WRITE, OperationKind.REMOVE, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET}
    | {OperationKind.COMPARE_AND_REMOVE, OperationKind.LOCK}
)
"""The kinds of operations by which clients may change something."""
NO_CHANGE = "none of the changes that were asked for was acknowledged, so nothing is known of what clients asked for"


@dataclass(slots=True)
class Work:
    """Looks in the records of a run for an acknowledged change, and for parts of faults that were not carried out."""

    is_asked: bool = False
    """Whether any client asked for a change."""
    is_done: bool = False
    """Whether any change was acknowledged."""
    failed: str = ""
    """The first thing that the fleet failed to do; empty if it did everything."""

    def observe(self, record: Record) -> None:
        """Read the next record; what a live run does at rest does not count, as no client asks for it."""
        match record:
            case OperationRecord(kind=kind, stage=stage) if not self.is_done and kind in CHANGING:
                if stage not in (AT_REST, LATER):
                    self.is_asked, self.is_done = True, _has_changed(record)
            case EventRecord(event=FleetFailed(what=what)):
                self.failed = self.failed or what
            case _:
                pass

    @property
    def is_idle(self) -> bool:
        """Whether changes were asked for, and none of them was acknowledged."""
        return self.is_asked and not self.is_done

    @property
    def unknown(self) -> dict[str, str]:
        """The verdicts that are unknown because no change was acknowledged, or because the fleet failed, each with a
        sentence."""
        return {**({"work": NO_CHANGE} if self.is_idle else {}), **({"fleet": self.failed} if self.failed else {})}


def _has_changed(operation: OperationRecord) -> bool:
    """Return whether an operation is acknowledged to have changed something."""
    if operation.kind in ADDED:
        return operation.outcome is Outcome.OK
    if operation.kind is OperationKind.LOCK:
        return operation.outcome is Outcome.OK and operation.value == "true"
    return (effect := effect_of(operation)) is not None and effect.outcome is Outcome.OK


@dataclass(slots=True)
class Overlap:
    """Counts the operations of a run that began before an earlier operation had ended."""

    operations: int = 0
    overlapping: int = 0
    _latest_ms: int = 0
    _call: int | None = None

    def observe(self, record: Record) -> None:
        """Read the next record; the entries of one call count as one operation; looks at copies and reads at rest do
        not count.

        After its clients have ended, a live run itself reads several keys at once: these reads are not counted, since
        they do not show that the clients' operations overlapped.
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
        """Return a clause that says whether the history is sequential; empty if it has no operations."""
        if not self.operations:
            return ""
        if not self.overlapping:
            return f"sequential: its {count(self.operations, 'operation')} came one after another"
        part = f"{self.overlapping:,} of {count(self.operations, 'operation')}"
        return f"concurrent: {part} began before an earlier one had ended"

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` prints."""
        kind = "concurrent" if self.overlapping else "sequential"
        return {"history": {"kind": kind, "operations": self.operations, "overlapping": self.overlapping}}
