"""Whether every member shows a table.

Tables are judged only in runs that wait for rest and record this: a library has one table, and no members that can be
asked for it. Memory: the members that showed their tables in one stage.
"""

from dataclasses import dataclass, field

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import Settled
from gridproof_model.trace import EventRecord, OperationRecord, Record, RowRecord, ViewRecord
from gridproof_properties.judging.judge import Judge, Property, Severity, met
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene


@dataclass(slots=True)
class _ShownJudge(Judge):
    READS = TABLE_RECORDS - {RowRecord}
    WATCHED = kinds_of(Settled)
    COUNTED = "{failed} of {compared:look} at running members at rest found a member that showed no table"
    HELD = "{all} {compared:look} at running members at rest found members that showed a table"
    UNSEEN = "no members showed their tables after a wait for rest"
    scene: Scene = field(default_factory=Scene)
    waits: bool = False
    """Whether the run waits for the grid to be at rest."""
    first: ViewRecord | None = None
    """The first view of the latest stage, if it was taken at rest."""
    observers: set[int] = field(default_factory=set)

    def observe(self, record: Record) -> None:
        match record:
            case OperationRecord():
                pass
            case EventRecord():
                self.waits = self.waits or isinstance(record.event, Settled)
            case ViewRecord():
                self._view(record)
            case _:
                self.scene.observe(record)

    def break_off(self) -> None:
        """Forget members that have shown no table, but would perhaps have shown one later."""
        self.first = None

    def finish(self) -> None:
        self._close()

    def _view(self, view: ViewRecord) -> None:
        if self.first is None or view.stage != self.first.stage or view.members != self.first.members:
            self._close()
            self.first = view if view.settled else None
        self.scene.observe(view)
        self.observers.add(view.observer)

    def _close(self) -> None:
        if self.first is not None and self.waits and len(self.first.members) > 1:
            for member in self.first.members:
                story = None
                if member not in self.observers:
                    ran = f"at {self.first.at_ms:,} ms ({self.first.stage!r}) {self.scene.call(member)} was running, "
                    others = f"; of the members only {self.scene.call_all(self.observers)} showed one"
                    ran += f"but showed no table{others if self.observers else ''}; at rest every "
                    story = (f"{ran}running member has to show a table of its own",)
                self.comparisons.add(None, self.first.at_ms + 0.5, self.first.at_ms + 0.5, story)
        self.observers.clear()


PROPERTIES: tuple[Property, ...] = (
    Property(
        "every-member-shows-its-table",
        "At rest every member that runs shows a table of its own.",
        "seed: Partition Table; systems.1",
        Severity.PROTOCOL,
        _ShownJudge,
        met(Settled),
    ),
)
