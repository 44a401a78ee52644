"""Members give back every resource that they take.

The resources are permits, places and registrations: at rest each count is 0, as when the member began. Calls of members
themselves (for instance to release the locks of ended members), and syncs that wait for a lost answer, may still be
under way at rest; the steps of the protocol show them, if they are recorded. What a job holds is reported, but not
judged: a job may go on, it asks how safe data is whenever it starts (jobs.16), and it calls all partitions to clear a
map (jobs.7). If a question about the safety of data stays unanswered, it is open for its whole time, whether or not its
client is still there. If a caller has given up an operation, for instance because the caller's clock leapt, the
operation waits at the primary until its deadline (calls.12).
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.anti_entropy import SyncEnded, SyncInstalled, SyncRequested
from gridproof_model.events.harness import JobAsked, JobSeen, ResourcesHeld
from gridproof_model.events.invocation import CallBegun, CallEnded
from gridproof_model.events.words import JobStatus
from gridproof_model.trace import EventRecord, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.answering import LOSSY
from gridproof_properties.judging.judge import Property, Severity, StepJudge, met
from gridproof_properties.judging.timers import not_as_at_rest
from gridproof_properties.judging.words import count

Watched = CallBegun | CallEnded | SyncRequested | SyncInstalled | SyncEnded | ResourcesHeld | JobAsked | JobSeen
OF_CALLS = ("calls", "attempts", "calls_outside")
"""Kinds of resources; each call under way has at most one resource of each kind."""
OF_SYNCS = "sync_permits"
OF_JOBS = ("executions", "job_questions")
OF_CLEARING = ("calls_of_several_partitions", "batches")
"""Resources that a job takes whenever it clears, in all partitions, the map of an older snapshot (jobs.9)."""
OF_CHECKS, OF_QUESTIONS = "safe_checks", "safe_questions"
OF_WAITING, OF_TABLES = "parked_operations", "completed_migrations"
WAITING = frozenset({OperationKind.LOCK, OperationKind.POLL})
"""The kinds of operations that may wait at the primary until something changes."""
GOING_ON = (JobStatus.RUNNING, JobStatus.STARTING, JobStatus.NOT_RUNNING)
"""The states of a job that is not over."""
CHECK_LASTS_MS = 20_000
"""How long a check of safety may last: the member asks its master and then its backups, 10 s each time (sync.19)."""


@dataclass(slots=True)
class _ResourceJudge(StepJudge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = WAITING | {OperationKind.ASK_SAFE}
    COUNTED = "in {failed} of {compared:look} at a member at rest it had other resources or timers than it needs"
    HELD = "in {all} {compared:look} at a member at rest it held permits, places and calls only for unfinished work"
    UNSEEN = "no member said at rest what it holds"
    FORGETS = ("calls", "syncs")
    calls: Counter[int | None] = field(default_factory=Counter)
    """The number of calls under way, by member."""
    syncs: Counter[int | None] = field(default_factory=Counter)
    """The number of syncs that were requested and have not ended, by member."""
    steps_recorded: bool = False
    asked_ms: int | None = None
    """When a member was last asked how safe data is."""
    given_up_ms: int | None = None
    """When a caller last gave up an operation that may still wait at a primary."""
    has_job: bool = False
    """Whether there is a job that is not over, as far as the records show."""
    job_over_ms: int | None = None
    """When the last job was first seen to be over; None if none was."""

    def observe(self, record: Record) -> None:
        if isinstance(record, OperationRecord):
            if record.kind is OperationKind.ASK_SAFE:
                self.asked_ms = max(record.start_ms, self.asked_ms or 0)
            elif record.kind in WAITING and record.outcome is Outcome.UNKNOWN:
                self.given_up_ms = record.end_ms
        else:
            StepJudge.observe(self, record)

    def look(self, record: EventRecord, event: Watched) -> str | None:
        match event:
            case ResourcesHeld(settled=settled):
                return self._compare(record, event) if settled else None
            case JobAsked():
                self._job_seen(record.at_ms, goes_on=True)
                return None
            case JobSeen(status=status):
                self._job_seen(record.at_ms, goes_on=status in GOING_ON)
                return None
            case CallBegun():
                self.calls[record.member] += 1
            case CallEnded():
                self.calls[record.member] -= 1
            case SyncRequested(namespaces=namespaces):
                self.syncs[record.member] += len(namespaces)
            case SyncInstalled() | SyncEnded():
                self.syncs[record.member] -= 1
            case _:
                assert_never(event)
        self.steps_recorded = True
        return None

    def _compare(self, record: EventRecord, event: ResourcesHeld) -> str | None:
        self.looked += 1
        kept = ", ".join(
            f"{count(held, name.replace('_', ' ').removesuffix('s'))}, though unfinished work needs {most or 'none'}"
            for name, held in event.counts
            if held > (most := self._under_way(record, name, held))
        )
        timers = ", ".join(not_as_at_rest(event, has_job=self.has_job or self._may_clear(record.at_ms)))
        left = [*([f"still held {kept}"] if kept else ()), *([f"had set {timers}"] if timers else ())]
        rule = (
            "at rest a member may hold only what unfinished work needs, and has to have just the timers that it needs"
        )
        return f"the grid was at rest, but member {record.member} {', and '.join(left)}; {rule}" if left else None

    def _under_way(self, record: EventRecord, name: str, count: int) -> int:
        """Return how many resources of a kind a member may hold because of what is under way."""
        member = record.member
        if name in (OF_CHECKS, OF_QUESTIONS):
            return count if self.has_job or self._may_ask(record.at_ms, name) else 0
        if name in OF_CLEARING:
            return count if self.has_job or self._may_clear(record.at_ms) else 0
        if name == OF_WAITING:
            return count if self._may_wait(record.at_ms) else 0
        if name == OF_TABLES:
            return count if self._may_be_unheard(record.at_ms) else 0
        if name in OF_JOBS or (not self.steps_recorded and name in (OF_SYNCS, *OF_CALLS)):
            return count
        if name == OF_SYNCS:
            return self.syncs[member]
        return self.calls[member] if name in OF_CALLS else 0

    def _job_seen(self, at_ms: int, *, goes_on: bool) -> None:
        if self.has_job and not goes_on:
            self.job_over_ms = at_ms
        self.has_job = goes_on

    def _may_clear(self, at_ms: int) -> bool:
        """Whether a map may still be cleared though its job is over: a request and the request that repeated it may be
        lost.

        A request, and the request that repeats it, are each given up after twice the call timeout (calls.22, calls.28).
        """
        configured = self.comparisons.conditions.configured
        if self.job_over_ms is None or configured is None:
            return False
        return at_ms <= self.job_over_ms + 4 * configured.call_timeout_ms

    def _may_wait(self, at_ms: int) -> bool:
        """Whether an operation that its caller gave up may still wait, up to its deadline (calls.12, calls.23)."""
        configured = self.comparisons.conditions.configured
        if self.given_up_ms is None or configured is None:
            return False
        return at_ms <= self.given_up_ms + configured.call_timeout_ms

    def _may_be_unheard(self, at_ms: int) -> bool:
        """Whether a table may have been lost, so that completed migrations are kept until the next table comes."""
        conditions = self.comparisons.conditions
        if conditions.configured is None:
            return False
        since_ms = at_ms - conditions.configured.table_send_interval_ms - 1_000
        return conditions.fault_spans.is_lately_over(LOSSY, since_ms)

    def _may_ask(self, at_ms: int, name: str) -> bool:
        """Whether a question about the safety of data may still be open."""
        configured = self.comparisons.conditions.configured
        waits_ms = 0 if name == OF_CHECKS or configured is None else configured.leave_wait_ms
        lasts_ms = max(CHECK_LASTS_MS, waits_ms)
        return self.asked_ms is not None and at_ms <= self.asked_ms + lasts_ms


RESOURCES_RETURN = Property(
    name="resources-return",
    sentence="At rest a member has given back every permit, place and registration that it took, and only the timers "
    "of its regular rounds are set.",
    source="sync.9, calls.25; invariant R6",
    severity=Severity.AVAILABILITY,
    start=_ResourceJudge,
    needs=met(ResourcesHeld),
)
PROPERTIES: tuple[Property, ...] = (RESOURCES_RETURN,)
