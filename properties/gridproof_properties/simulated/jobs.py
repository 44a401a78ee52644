"""Stream jobs and their snapshots.

First, a confirmed job ends, and its totals are right.

The records of a run say what a job has to count when it is submitted, and what it has counted when the grid is at rest.
A submission that was not confirmed may be lost together with the member that got it, or with the master before the
master wrote the record (jobs.4): nothing is demanded of such a job. If a job failed, its record says so, and its totals
do not count.

Second, a running job takes snapshots regularly.

While nothing happens to the grid, one snapshot begins in each interval, and each snapshot that begins also ends
(jobs.10); a job that was submitted or stopped starts when it has to, on all members (jobs.15). At any time, a job that
starts was submitted before, has waited long enough, and has had its record written (jobs.20); its chunks have as many
copies as were confirmed when they were written. The judge of snapshots needs the steps of jobs in the records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import jobs, kinds_of
from gridproof_model.events.conditions import Condition, FaultBegun, FaultEnded
from gridproof_model.events.harness import JobAsked, JobSeen, RunEnded
from gridproof_model.events.harness import Totals as TotalsOfKeys
from gridproof_model.events.invocation import CallBegun, CallEnded
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.words import Failure, Guarantee, JobStatus
from gridproof_model.trace import EventRecord, MemberRecord, Record
from gridproof_properties.judging.judge import Cause, Judge, Limit, Property, Severity, StepJudge, met
from gridproof_properties.judging.survival import KEPT_LIMITS, TOO_MANY_ENDED
from gridproof_properties.judging.words import count
from gridproof_properties.simulated.times import CHECK_LASTS_MS

BACKUPS = 1
"""The number of backups of the maps from which a job restarts, however many backups other maps have (jobs.3)."""

Totals = Mapping[str, tuple[int, int]]
"""For each key, how many items there were, and the sum of their values."""


@dataclass(slots=True)
class _JobJudge(Judge):
    """Keeps which job was asked for, and what was seen of it."""

    READS = frozenset()
    WATCHED = kinds_of(JobAsked | JobSeen)
    asked: JobAsked | None = None
    asked_ms: int = 0
    rest_ms: int = 0
    """When the grid was last at rest before the job; the job's writes name no number of copies, so copies lost since
    that rest may stay lost."""
    copies: int = 0
    """The fewest copies that any map of the job had at that rest: maps of snapshots have one backup, and maps of totals
    have as many backups as an ordinary map."""
    seen: JobSeen | None = None
    seen_ms: int = 0

    def observe(self, record: Record) -> None:
        """Read the next record about the job."""
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
    COUNTED = "{failed} of {compared:total} of the completed job differed from what it had to count"
    HELD = "{all} {compared:total} of the completed job matched what it had to count"
    UNSEEN = "no job completed"

    def finish(self) -> None:
        """Compare the totals that the job made with those that it had to make."""
        if self.asked is None or self.seen is None or self.seen.status != JobStatus.COMPLETED:
            return
        owed, found = _by_key(self.asked.owed), _by_key(self.seen.totals)
        is_exact = self.asked.guarantee is not Guarantee.AT_LEAST_ONCE
        most = "exactly" if is_exact else "at least"
        for key in sorted(found):
            (items, total), (items_owed, total_owed) = found[key], owed[key]
            sentence = (
                f"at {self.seen_ms:,} ms the completed job {self.asked.job!r} had counted {count(items, 'item')} of "
                f"{key} with the sum {total:,}, but by its guarantee '{self.asked.guarantee}' it had to count {most} "
                f"{count(items_owed, 'item')} of {key}, with a sum of {most} {total_owed:,}"
            )
            self.add((sentence,) if _is_wrong(found[key], owed[key], is_exact=is_exact) else None)


@dataclass(slots=True)
class _EndJudge(_JobJudge):
    COUNTED = "{failed} of {compared:confirmed job} did not complete"
    HELD = "{all} {compared:confirmed job} completed"
    UNSEEN = "no job was submitted and confirmed"

    def finish(self) -> None:
        """Compare what had to happen before the end of the run with what did happen."""
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
            # Each refusal restarts the job from its last snapshot, so a low limit of calls may prevent new snapshots.
            why = why or ("the job's own writes may be refused", "calls.26, jobs.15")
        missing = sorted(_by_key(asked.owed).keys() - _by_key(seen.totals).keys())
        status = seen.status
        if status == JobStatus.COMPLETED and not missing:
            self.add(None, why)
            return
        story = f"lacked its total of {missing[0]}" if status == JobStatus.COMPLETED else f"had the status '{status}'"
        rule = "a confirmed job has to complete, with all its totals"
        confirmed = f"job {asked.job!r}, submitted at {self.asked_ms:,} ms and confirmed,"
        self.add((f"at {self.seen_ms:,} ms {confirmed} {story}; {rule}",), why)


def _by_key(totals: TotalsOfKeys) -> Totals:
    """Return the totals as a mapping from keys."""
    return {key: (count, total) for key, count, total in totals}


def _is_wrong(found: tuple[int, int], owed: tuple[int, int], *, is_exact: bool) -> bool:
    return found != owed if is_exact else found[0] < owed[0] or found[1] < owed[1]


_NEEDS = met(JobAsked)


Ending = jobs.SnapshotRecorded | jobs.SnapshotFailed
OfStarts = jobs.JobSubmitted | jobs.JobWaits | jobs.JobStarted | jobs.JobStopped | jobs.JobEnded
OfJobs = JobAsked | OfStarts | jobs.SnapshotBegun | Ending | jobs.ChunkWritten
Watched = OfJobs | CallBegun | CallEnded | MemberListInstalled | RunEnded
"""The events that the judge reads; it also reads run conditions, which a harness records in every run."""
SLOW = "trust"
"""The kind of harm that faults do if they delay members or messages."""
PATIENCE_MS = 900
"""Choice: how long a snapshot may take, and how late it may begin, in a grid in which nothing happens.

The limit is less than the time, one second, after which a coordinator asks again: if no message is lost, nothing has to
be asked twice.
"""
RESTART_MS, SCALE_UP_MS = 2_000, 10_000
"""RESTART_MS is the time from a failure, or a failed attempt to start, to the next attempt; SCALE_UP_MS is the time
from a join to the restart with the new member (jobs.15)."""
JOINED = "members joined"
"""The reason that is given for stopping a job in order to restart it with more members."""
NO_RECORD = "record was not"
"""A part of the reason that a coordinator gives when the job waits because its record was not read, or not written."""
WRITES_RECORDS = "Process"
"""The operation by which a coordinator writes the record of a job."""


@dataclass(slots=True)
class _SnapshotJudge(StepJudge):
    COUNTED = "{failed} of {compared:snapshot or start/snapshots and starts} of a job came late, too early or never"
    HELD = "{all} {compared:snapshot or start/snapshots and starts} of a job came in time"
    UNSEEN = "no job that takes snapshots ran"
    RULE = "a job has to be submitted once, and to start and take snapshots when due, unless the grid is disturbed"
    interval_ms: int = 0
    """The time between two snapshots; 0 if the job takes no snapshots, or before the job is asked for."""
    coordinator: int | None = None
    """The coordinator of the running job; None while no job runs."""
    last_ms: int = 0
    """When the job began to run, or when its latest snapshot ended if it has one."""
    last_start_ms: int = 0
    begun_ms: int | None = None
    """When the snapshot under way began."""
    is_terminal: bool = False
    """Whether the latest snapshot is the one after which the job stops."""
    asked: JobAsked | None = None
    masters: set[int | None] = field(default_factory=set)
    """Who was a master when a client asked for the job: it knows no such job yet, so one has to be submitted to it."""
    submitted: set[int | None] = field(default_factory=set)
    due_ms: dict[int | None, int] = field(default_factory=dict)
    """For each coordinator, when it has to start the job or record that the job waits."""
    participants: tuple[int, ...] = ()
    writes: set[tuple[int | None, int]] = field(default_factory=set)
    """The calls that may write the job's record, by member and call number."""
    secured: set[int | None] = field(default_factory=set)
    """The members that have written the job's record since they last started or stopped the job, failed to start it, or
    ended a snapshot."""
    confirmed: dict[int | None, int] = field(default_factory=dict)
    """For each member, the number of copies that its latest call ended with."""
    lites: set[int] = field(default_factory=set)
    disturbed_ms: int = 0
    """When something last happened to the grid."""
    lists: dict[int | None, tuple[int, ...]] = field(default_factory=dict)
    """For each member, the members in its list."""
    ended: set[int] = field(default_factory=set)
    """Members that ended: a member that still lists one may wait for its acknowledgement (members.11, calls.22)."""
    faults: list[str] = field(default_factory=list)
    """The names of the faults in effect."""
    is_held_up: bool = False
    """Whether a fault ever delayed messages: such a message may still be under way long after the fault is over."""

    def observe(self, record: Record) -> None:
        if isinstance(record, MemberRecord):
            self.disturbed_ms = record.at_ms
            if record.lite:
                self.lites.add(record.member)
        StepJudge.observe(self, record)

    def look(self, record: EventRecord, event: Watched | Condition) -> str | None:
        if isinstance(event, CallBegun | CallEnded):
            if self.asked is not None:
                self._call(record.member, event)
            return None
        story = self._late(record.at_ms)
        if isinstance(event, Condition):
            self._disturbed(record.at_ms, event)
            return story
        match event:
            case JobAsked(guarantee=guarantee, snapshot_interval_ms=interval_ms):
                self.interval_ms, self.asked = 0 if guarantee is Guarantee.NONE else interval_ms, event
                self.masters = {one for one, members in self.lists.items() if members and members[0] == one}
            case jobs.JobSubmitted() | jobs.JobWaits() | jobs.JobStarted() | jobs.JobStopped() | jobs.JobEnded():
                return self._moved(record, event) or story
            case jobs.ChunkWritten(failure="", confirmed_copies=copies):
                if copies != (confirmed := self.confirmed.get(record.member, copies)):
                    written = f"member {record.member} recorded {count(copies, 'copy', 'copies')} of a snapshot's chunk"
                    return f"{written}, though the call that wrote the chunk had confirmed {confirmed}"
            case jobs.ChunkWritten():
                pass
            case jobs.SnapshotBegun(terminal=terminal):
                self.begun_ms, self.is_terminal = record.at_ms, terminal
                if self.asked is not None and self.asked.guarantee is Guarantee.NONE:
                    return f"member {record.member} began a snapshot of a job that is configured to take none"
                if self.asked is not None and self.asked.strict and record.member not in self.secured:
                    return f"member {record.member} began a snapshot, though it had not written its record for it"
                story = (self._scaled_late(record.at_ms) if terminal else None) or story
            case jobs.SnapshotRecorded() | jobs.SnapshotFailed():
                self.looked += 1
                self.last_ms, self.begun_ms = record.at_ms, None
                self.secured.discard(record.member)
            case MemberListInstalled(members=members):
                self.lists[record.member] = members
                self.disturbed_ms = record.at_ms
            case RunEnded():
                pass
            case _:
                assert_never(event)
        return story

    def _call(self, member: int | None, event: CallBegun | CallEnded) -> None:
        if isinstance(event, CallEnded):
            self.confirmed[member] = event.confirmed
            if (member, event.invocation) in self.writes and not isinstance(event.how, Failure):
                self.secured.add(member)
        elif event.operation == WRITES_RECORDS:
            self.writes.add((member, event.invocation))

    def _moved(self, record: EventRecord, event: OfStarts) -> str | None:
        """Record a step of the job, and return what is wrong with it, or None."""
        self.looked += 1
        me, now_ms, story = record.member, record.at_ms, None
        due_ms = self.due_ms.pop(me, now_ms)
        match event:
            case jobs.JobSubmitted():
                self.due_ms[me] = now_ms
                story = f"member {me} submitted a job twice" if me in self.submitted else None
                self.submitted.add(me)
            case jobs.JobWaits() | jobs.JobStarted() if now_ms < due_ms - 1 and not self.is_held_up:
                story = f"member {me} tried to start the job, though it may do so at {due_ms:,} ms at the earliest"
            case jobs.JobStarted() if me in self.masters and me not in self.submitted:
                story = f"member {me} started the job, though it may start only a job that was submitted to it"
            case jobs.JobStarted() if self.asked is not None and self.asked.strict and me not in self.secured:
                story = f"member {me} started the job, though it had not written its record anew before this start"
            case jobs.JobWaits(why=why) if NO_RECORD in why and self._is_calm(me, now_ms):
                story = f"member {me} let the job wait ({why}), but while nothing happens to the grid it has to run"
            case jobs.JobStopped(why=why) if why == JOINED:
                if set(self.lists.get(me, ())) <= set(self.participants):
                    story = f"member {me} stopped the job for members that had joined, though none had"
                elif now_ms < self.last_start_ms + SCALE_UP_MS - 1 and not self.is_held_up:
                    story = f"member {me} stopped the job for members that joined, which it may do only "
                    story += f"{SCALE_UP_MS:,} ms after the job's start at {self.last_start_ms:,} ms"
                elif self.asked is not None and self.asked.guarantee is Guarantee.NONE:
                    story = self._scaled_late(now_ms)
                elif self.asked is not None and not self.is_terminal:
                    story = f"member {me} stopped the job for members that joined, without a terminal snapshot before"
            case _:
                pass
        match event:
            case jobs.JobStarted():
                self.coordinator, self.last_ms, self.begun_ms, self.participants = me, now_ms, None, event.participants
                self.is_terminal = False
                self.last_start_ms = now_ms
                self.secured.discard(me)
            case jobs.JobStopped() | jobs.JobEnded():
                self.coordinator = None
            case _:
                pass
        if isinstance(event, jobs.JobWaits | jobs.JobStopped):
            self.secured.discard(me)
            self.writes = {(one, call) for one, call in self.writes if one != me}
            if event.why != JobStatus.COMPLETED:
                self.due_ms[me] = now_ms + (0 if event.why == JOINED else RESTART_MS)
        return story

    def gone(self, member: int) -> None:
        self.ended.add(member)
        self.due_ms.pop(member, None)
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
        """Return what should have happened by now and did not; it is reported only the first time."""
        if self.asked is None or self.faults or self.is_held_up:
            return None
        for who, due_ms in self.due_ms.items():
            # A restart first asks whether all copies are safe, which may take long after a fault (sync.19).
            waits_ms = 0 if self.disturbed_ms < due_ms else self.disturbed_ms + CHECK_LASTS_MS - due_ms
            if now_ms > due_ms + waits_ms + PATIENCE_MS and self._lists_only_living(who):
                self.asked = None
                return f"member {who} had to start the job at {due_ms:,} ms, but had not {now_ms - due_ms:,} ms later"
        if self.coordinator is None or not self._lists_only_living(self.coordinator):
            return None
        if self.begun_ms is not None:
            waited_ms, most_ms = now_ms - max(self.begun_ms, self.disturbed_ms), PATIENCE_MS
            what = f"a snapshot that began at {self.begun_ms:,} ms had not ended {waited_ms:,} ms later"
        elif set(self.lists.get(self.coordinator, ())) - self.lites > set(self.participants):
            # Before the restart, an ordinary snapshot and a terminal snapshot have to end.
            waited_ms = now_ms - max(self.last_start_ms, self.disturbed_ms)
            most_ms = SCALE_UP_MS + 2 * PATIENCE_MS
            what = _unscaled(waited_ms)
        elif self.interval_ms == 0:
            return None
        else:
            # If the record of the last snapshot has no second copy yet, the next snapshot waits for another interval.
            waited_ms, most_ms = now_ms - max(self.last_ms, self.disturbed_ms), 2 * self.interval_ms + PATIENCE_MS
            what = (
                f"the job had taken no snapshot for {waited_ms:,} ms, and has to take one every {self.interval_ms:,} ms"
            )
        if waited_ms <= most_ms:
            return None
        self.asked = None
        return what

    def _scaled_late(self, now_ms: int) -> str | None:
        """Return what is wrong if a job restarts too late for members that joined; it may finish a snapshot first."""
        waited_ms = now_ms - max(self.last_start_ms, self.disturbed_ms)
        is_late = waited_ms > SCALE_UP_MS + PATIENCE_MS and not self.faults and not self.is_held_up
        return _unscaled(waited_ms) if is_late else None

    def _is_calm(self, member: int | None, now_ms: int) -> bool:
        """Whether nothing makes a member's calls fail: for a while nothing has happened, and no call is refused."""
        configured = self.comparisons.conditions.configured
        may_be_refused = configured is not None and configured.calls_max > 0
        is_still = not self.faults and not self.is_held_up and now_ms > self.disturbed_ms + PATIENCE_MS
        return is_still and self._lists_only_living(member) and not may_be_refused

    def _lists_only_living(self, member: int | None) -> bool:
        return self.ended.isdisjoint(self.lists.get(member, ()))


def _unscaled(waited_ms: int) -> str:
    late = f"the job had run for {waited_ms:,} ms without a restart for a member that had joined"
    return f"{late}, but has to restart {SCALE_UP_MS:,} ms after its start"


STEP_PROPERTIES: tuple[Property, ...] = (
    Property(
        name="snapshots-go-on",
        sentence="While nothing happens to the grid, a running job begins a snapshot in each interval, and ends it; "
        "a job starts, and starts again, when it has to, and with its record written.",
        source="jobs.10, jobs.15, jobs.20",
        severity=Severity.AVAILABILITY,
        start=_SnapshotJudge,
    ),
)


PROPERTIES: tuple[Property, ...] = (
    Property(
        "job-totals-right",
        "A completed job that counts exactly once has counted every item once; one that counts at least once has "
        "left out no item.",
        "seed: In-Memory Storage; jobs.13, jobs.12",
        Severity.WRONG_ANSWER,
        _TotalsJudge,
        _NEEDS,
    ),
    Property(
        "confirmed-job-completes",
        "A job that the master has confirmed completes, whichever members crash, and all its totals are there.",
        "seed: In-Memory Storage, Data Recovered from Backups when a Member Fails; jobs.15, jobs.18",
        Severity.AVAILABILITY,
        _EndJudge,
        _NEEDS,
        (*KEPT_LIMITS, Limit(Cause.REMOVED_ALIVE, "limits.5: the job's maps are of two clusters")),
    ),
)
