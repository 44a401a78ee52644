"""Snapshots of a running job go on.

While nothing happens to the grid, one is begun in each interval, and one that is begun ends (jobs.10). Needs the steps
of jobs in the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.conditions import Condition, FaultBegun, FaultEnded
from gridproof_model.events.harness import JobAsked, RunEnded
from gridproof_model.events.jobs import (
    JobEnded,
    JobStarted,
    JobStopped,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
)
from gridproof_model.events.words import Guarantee
from gridproof_model.trace import EventRecord, MemberRecord, Record
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge

Ending = SnapshotRecorded | SnapshotFailed
Watched = JobAsked | JobStarted | JobStopped | JobEnded | SnapshotBegun | Ending | RunEnded
"""What happens to the grid is read, too; a harness records it in any case."""
SLOW = "trust"
"""The harm of faults that hold members or messages up."""
PATIENCE_MS = 900
"""Choice: how long a snapshot may take, and how late one may begin, in a grid in which nothing happens.

Less than the second after which a coordinator asks again: no message is lost, so nobody is to be asked twice.
"""


@dataclass(slots=True)
class _SnapshotJudge(StepJudge[Watched | Condition]):
    COUNTED = "{failed} of {compared:snapshot} of a job came late or never"
    UNSEEN = "no job ran that takes snapshots"
    interval_ms: int = 0
    """Between two snapshots; 0 where none are taken, or nobody has said."""
    coordinator: int | None = None
    """Of a job that runs; None while none does."""
    last_ms: int = 0
    """When the job began to run, or its latest snapshot ended."""
    begun_ms: int | None = None
    """When the snapshot under way began."""
    disturbed_ms: int = 0
    """When something last happened to the grid."""
    faults: list[str] = field(default_factory=list)
    """The names of those in effect."""
    is_held_up: bool = False
    """Whether messages were ever slow: one may be under way long after the fault is over."""

    def observe(self, record: Record) -> None:
        if isinstance(record, MemberRecord):
            self.disturbed_ms = record.at_ms
        StepJudge[Watched | Condition].observe(self, record)

    def look(self, record: EventRecord, event: Watched | Condition) -> str | None:
        story = self._late(record.at_ms)
        if isinstance(event, Condition):
            self._disturbed(record.at_ms, event)
            return story
        match event:
            case JobAsked(guarantee=guarantee, snapshot_interval_ms=interval_ms):
                self.interval_ms = 0 if guarantee is Guarantee.NONE else interval_ms
            case JobStarted():
                self.coordinator, self.last_ms, self.begun_ms = record.member, record.at_ms, None
            case JobStopped() | JobEnded():
                self.coordinator = None
            case SnapshotBegun():
                self.begun_ms = record.at_ms
            case SnapshotRecorded() | SnapshotFailed():
                self.looked += 1
                self.last_ms, self.begun_ms = record.at_ms, None
            case RunEnded():
                pass
            case _:
                assert_never(event)
        return story

    def gone(self, member: int) -> None:
        if member == self.coordinator:
            self.coordinator = None

    def _disturbed(self, at_ms: int, event: Condition) -> None:
        self.disturbed_ms = at_ms
        if isinstance(event, FaultBegun):
            self.faults.append(event.fault)
            self.is_held_up |= SLOW in event.harms
        elif isinstance(event, FaultEnded) and event.fault in self.faults:
            self.faults.remove(event.fault)

    def _late(self, now_ms: int) -> str | None:
        """Return what should have happened by now; said once."""
        if self.coordinator is None or self.interval_ms == 0 or self.faults or self.is_held_up:
            return None
        if self.begun_ms is not None:
            waited_ms, most_ms = now_ms - max(self.begun_ms, self.disturbed_ms), PATIENCE_MS
            what = f"a snapshot that began at {self.begun_ms:,} ms had not ended {waited_ms:,} ms later"
        else:
            # Where the record of the last one is not secured yet, the next waits for another interval.
            waited_ms, most_ms = now_ms - max(self.last_ms, self.disturbed_ms), 2 * self.interval_ms + PATIENCE_MS
            what = (
                f"the job had taken no snapshot for {waited_ms:,} ms, and has to take one every {self.interval_ms:,} ms"
            )
        if waited_ms <= most_ms:
            return None
        self.interval_ms = 0
        return what


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="snapshots-go-on",
        sentence="While nothing happens to the grid a running job begins a snapshot in each interval, and ends it.",
        source="jobs.10",
        severity=Severity.AVAILABILITY,
        start=_SnapshotJudge,
    ),
)
