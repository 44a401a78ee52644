"""Stream jobs and their snapshots.

Stream jobs: a confirmed one ends, with the right totals.

A run says what a job was to count when it is submitted, and what it had counted when all was at rest. A submission
that nobody confirmed may be lost with the member it was made at, or with the master before it wrote the record
(jobs.4): it owes nothing. A job that failed says so, and its totals are no totals.

Snapshots of a running job go on.

While nothing happens to the grid, one is begun in each interval, and one that is begun ends (jobs.10). Needs the steps
of jobs in the records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import jobs, kinds_of
from gridproof_model.events.conditions import Condition, FaultBegun, FaultEnded
from gridproof_model.events.harness import JobAsked, JobSeen, RunEnded
from gridproof_model.events.harness import Totals as TotalsOfKeys
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.words import Guarantee, JobStatus
from gridproof_model.trace import EventRecord, MemberRecord, Record
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Judge, Limit, Property, met
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.judging.survival import KEPT_LIMITS, TOO_MANY_ENDED
from gridproof_properties.judging.words import count

BACKUPS = 1
"""What the maps have that a job goes on from, whatever others have (jobs.3)."""

Totals = Mapping[str, tuple[int, int]]
"""How many items there were of a key, and the sum of their values."""


@dataclass(slots=True)
class _JobJudge(Judge):
    """Keeps what was asked for and what was seen."""

    READS = frozenset()
    WATCHED = kinds_of(JobAsked | JobSeen)
    asked: JobAsked | None = None
    asked_ms: int = 0
    rest_ms: int = 0
    """The latest rest before: no write of a job names its copies, and those that ended since may not be made again."""
    copies: int = 0
    """Copies that its maps had at that rest at least: those of snapshots have one backup, those of totals as many as
    any map."""
    seen: JobSeen | None = None
    seen_ms: int = 0

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case EventRecord(event=JobAsked() as asked):
                self.asked, self.asked_ms = asked, record.at_ms
                conditions = self.comparisons.conditions
                self.rest_ms = max(conditions.incidents.last_rest_ms, 0)
                self.copies = min(conditions.owed_copies(BACKUPS), conditions.owed_copies())
            case EventRecord(event=JobSeen() as seen):
                self.seen, self.seen_ms = seen, record.at_ms
            case _:
                pass

    def add(self, story: tuple[str, ...] | None, why: tuple[str, str] | None = None) -> None:
        """Count one comparison about the job."""
        self.comparisons.add(None, self.asked_ms, self.seen_ms, story, why)


@dataclass(slots=True)
class _TotalsJudge(_JobJudge):
    COUNTED = "{failed} of {compared:total} of the completed job differed from what it was to count"
    UNSEEN = "no job completed"

    def finish(self) -> None:
        """Compare the totals that are there with what was owed."""
        if self.asked is None or self.seen is None or self.seen.status != JobStatus.COMPLETED:
            return
        owed, found = _by_key(self.asked.owed), _by_key(self.seen.totals)
        is_exact = self.asked.guarantee is not Guarantee.AT_LEAST_ONCE
        for key in sorted(found):
            (items, total), (items_owed, total_owed) = found[key], owed[key]
            sentence = (
                f"the job counted {count(items, 'item')} of {key} with the sum {total}; it was to count "
                f"{items_owed:,} with the sum {total_owed}"
            )
            self.add((sentence,) if _is_wrong(found[key], owed[key], is_exact=is_exact) else None)


@dataclass(slots=True)
class _EndJudge(_JobJudge):
    COUNTED = "{failed} of {compared:confirmed job} did not complete"
    UNSEEN = "no job was submitted and confirmed"

    def finish(self) -> None:
        """Compare what is still open."""
        if self.asked is not None and self.seen is not None and self.seen.confirmed:
            self._compare(self.asked, self.seen)

    def _compare(self, asked: JobAsked, seen: JobSeen) -> None:
        conditions = self.comparisons.conditions
        why: tuple[str, str] | None = None
        if conditions.ended.are_lost(self.copies, None, self.rest_ms, self.seen_ms):
            why = TOO_MANY_ENDED
        elif conditions.ended.are_lost(1, None, self.asked_ms, self.seen_ms) and not asked.strict:
            why = ("a write of the job may have missed its backup", "jobs.19, limits.3")
        configured = conditions.configured
        goes_on = seen.status in (JobStatus.RUNNING, JobStatus.NOT_RUNNING)
        if goes_on and configured is not None and configured.calls_max:
            # Each refusal has it start anew from its last snapshot: with a small limit it may never come to the next.
            why = why or ("the job's own writes may be refused", "calls.26, jobs.15")
        missing = sorted(_by_key(asked.owed).keys() - _by_key(seen.totals).keys())
        status = seen.status
        if status == JobStatus.COMPLETED and not missing:
            self.add(None, why)
            return
        story = f"its total of {missing[0]} was missing" if status == JobStatus.COMPLETED else f"it was {status}"
        self.add((f"the job was confirmed before {self.asked_ms:,} ms, and at {self.seen_ms:,} ms {story}",), why)


def _by_key(totals: TotalsOfKeys) -> Totals:
    """Return totals by key."""
    return {key: (count, total) for key, count, total in totals}


def _is_wrong(found: tuple[int, int], owed: tuple[int, int], *, is_exact: bool) -> bool:
    return found != owed if is_exact else found[0] < owed[0] or found[1] < owed[1]


_NEEDS = met(JobAsked)


Ending = jobs.SnapshotRecorded | jobs.SnapshotFailed
OfJobs = JobAsked | jobs.JobStarted | jobs.JobStopped | jobs.JobEnded | jobs.SnapshotBegun | Ending
Watched = OfJobs | MemberListInstalled | RunEnded
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
    lists: dict[int | None, tuple[int, ...]] = field(default_factory=dict)
    """Whom each member lists."""
    ended: set[int] = field(default_factory=set)
    """Members that are there no more: who lists one still may wait for its acknowledgement (members.11, calls.22)."""
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
            case jobs.JobStarted():
                self.coordinator, self.last_ms, self.begun_ms = record.member, record.at_ms, None
            case jobs.JobStopped() | jobs.JobEnded():
                self.coordinator = None
            case jobs.SnapshotBegun():
                self.begun_ms = record.at_ms
            case jobs.SnapshotRecorded() | jobs.SnapshotFailed():
                self.looked += 1
                self.last_ms, self.begun_ms = record.at_ms, None
            case MemberListInstalled(members=members):
                self.lists[record.member] = members
                self.disturbed_ms = record.at_ms
            case RunEnded():
                pass
            case _:
                assert_never(event)
        return story

    def gone(self, member: int) -> None:
        self.ended.add(member)
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
        if not self.ended.isdisjoint(self.lists.get(self.coordinator, ())):
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


STEP_PROPERTIES: tuple[Property, ...] = (
    Property(
        name="snapshots-go-on",
        sentence="While nothing happens to the grid a running job begins a snapshot in each interval, and ends it.",
        source="jobs.10",
        severity=Severity.AVAILABILITY,
        start=_SnapshotJudge,
    ),
)


PROPERTIES: tuple[Property, ...] = (
    Property(
        "job-totals-right",
        "A completed job that counts exactly once has counted every item once, one at least once no item less.",
        "seed: In-Memory Storage; jobs.13, jobs.12",
        Severity.WRONG_ANSWER,
        _TotalsJudge,
        _NEEDS,
    ),
    Property(
        "confirmed-job-completes",
        "A job that the master has confirmed completes, whoever crashes, and its totals are there.",
        "seed: In-Memory Storage, Data Recovered from Backups when a Member Fails; jobs.15, jobs.18",
        Severity.AVAILABILITY,
        _EndJudge,
        _NEEDS,
        (*KEPT_LIMITS, Limit(Cause.REMOVED_ALIVE, "limits.5: the job's maps are of two clusters")),
    ),
)
