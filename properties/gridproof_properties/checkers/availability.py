"""Whether writes and reads are accepted.

Calls are judged at two times: while the grid is at rest, and after a fault, once the time is over within which the
system states that it recovers from one fault. A call is accepted if it is answered as a success; a refusal is reported
together with its reason. After a fault, each key that was asked for is one comparison: good if a call was accepted
within the stated time, bad if one was not accepted after that time. Memory: a few words per key, from one fault to the
next.
"""

from collections import Counter
from dataclasses import dataclass, field
from math import inf

from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    ViewRecord,
)
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.guarantee import CALM_ONLY, OF_ONE_CRASH
from gridproof_properties.judging.judge import Asking, Finding, Judge, Limit, Property, Severity
from gridproof_properties.judging.resting import describe_operation
from gridproof_properties.judging.words import within

WRITING = frozenset(
    {OperationKind.WRITE, OperationKind.REMOVE, OperationKind.ADD, OperationKind.APPEND, OperationKind.OFFER}
)
"""The kinds of changes that a structure accepts in every state; others may be refused by a held lock or an empty
queue."""
READING = frozenset({OperationKind.READ})
AT_REST_LIMITS = (
    Limit(Cause.HELD_UP, "members.12: after a clock has jumped, deadlines are not what they were", for_good=True),
    Limit(ANY_CAUSE, "calls.25: calls reach the owner once faults stop, or they end without", anybody=CALM_ONLY),
)
AFTER_FAULT_LIMITS = (
    Limit(Cause.FROZEN, "repair.15: nobody is promoted"),
    Limit(
        ~(Cause.COPY_ENDED | Cause.PRIMARY_ENDED | Cause.MOVED | Cause.FROZEN),
        "calls.25: that is another fault",
        anybody=OF_ONE_CRASH,
    ),
)
TOO_FEW = (
    "there were fewer members than split-brain protection asks for",
    "splits.2: split-brain protection rejects operations below a size",
)
CALLS_EXPECTED = 64
"""The largest number of calls under way at a member while the grid is at rest."""
TOO_MANY = ("calls beyond a configured number are refused", "backups.21: back-pressure")
UNSTATED = "the system states no time in which it accepts calls again after a fault"
ANOTHER_CHANGE = ("another member came or went before the grid was at rest", "invariant P2: it is of one crash")


def _reason_of(operation: OperationRecord) -> str:
    """Return in a few words why an operation was not accepted."""
    return f"the reason {operation.reason!r}" if operation.reason else "no reason given"


def _mostly(reasons: Counter[str]) -> str:
    """Return a clause that names the most frequent reason, as a format string; empty if there is no reason."""
    most = reasons.most_common(1)
    often = "mostly with" if len(reasons) > 1 else "with"
    return f", {often} {most[0][0]}".replace("{", "{{").replace("}", "}}") if most else ""


@dataclass(slots=True)
class _AtRestJudge(Judge):
    READS = frozenset({OperationRecord, MemberRecord})
    COUNTED = "{failed} of {compared:call} at rest failed or ended with an unknown outcome"
    reasons: Counter[str] = field(default_factory=Counter)
    failing: list[tuple[OperationRecord, tuple[str, ...], float, tuple[str, str] | None]] = field(default_factory=list)
    """Calls that failed in the latest millisecond; each with its story, the time from which the call counts, and the
    reason why it need not have been accepted (None if there is none)."""

    def observe(self, record: Record) -> None:
        rest = self.comparisons.conditions.rest
        if isinstance(record, MemberRecord):
            self._leave_out(record)
        elif isinstance(record, OperationRecord) and record.kind in (self.OPERATIONS or ()) and rest.is_at_rest(record):
            self._count_unaccepted(record.end_ms)
            begin_ms = rest.after_rest(record.start_ms)
            also = TOO_FEW if self._is_below_quorum() else TOO_MANY if self._is_bounded() else None
            if record.outcome is Outcome.OK:
                self._add(record, begin_ms, None, also)
            else:
                breach = f"{describe_operation(record)}, though {rest.describe()}; {self.RULE}"
                story = (breach, *rest.history(record.partition, record.end_ms))
                self.failing.append((record, story, begin_ms, also))

    def _leave_out(self, ended: MemberRecord) -> None:
        """Forget unaccepted calls at a member that ended in the same millisecond: they are recorded before its end."""
        self.failing = [one for one in self.failing if (one[0].member, one[0].end_ms) != (ended.member, ended.at_ms)]

    def _count_unaccepted(self, now_ms: float) -> None:
        if not self.failing:
            return
        due = [one for one in self.failing if one[0].end_ms < now_ms]
        self.failing = [one for one in self.failing if one[0].end_ms >= now_ms]
        for call, story, begin_ms, also in due:
            self._add(call, begin_ms, story, also)

    def _add(
        self, call: OperationRecord, begin_ms: float, story: tuple[str, ...] | None, also: tuple[str, str] | None
    ) -> None:
        if self.comparisons.add(call.partition, begin_ms, call.end_ms, story, also) and story:
            self.reasons[_reason_of(call)] += 1

    def _is_below_quorum(self) -> bool:
        conditions = self.comparisons.conditions
        configured, view = conditions.configured, conditions.comings.scene.view
        if view is None:
            return False
        quorum = 1 if configured is None else max(configured.quorum, 1)
        return len(view.data_members) < quorum

    def _is_bounded(self) -> bool:
        configured = self.comparisons.conditions.configured
        return configured is not None and 0 < configured.calls_max <= CALLS_EXPECTED

    def break_off(self) -> None:
        """Forget the calls that were under way in the last millisecond."""
        self.failing.clear()

    def conclude(self) -> Finding:
        self._count_unaccepted(inf)
        return self.comparisons.conclude(self.COUNTED + _mostly(self.reasons), self.UNSEEN)


class _WritesAtRestJudge(_AtRestJudge):
    OPERATIONS = WRITING
    RULE = "at rest every write has to be accepted"
    UNSEEN = "no client asked for a write at rest"


class _ReadsAtRestJudge(_AtRestJudge):
    OPERATIONS = READING
    RULE = "at rest every read has to be answered"
    UNSEEN = "no client asked for a read at rest"


@dataclass(slots=True)
class _Asked:
    """How the calls for one key ended after a fault."""

    partition: int | None
    accepted: bool = False
    late: OperationRecord | None = None
    """The first call that was not accepted after the stated time was over."""


@dataclass(slots=True)
class _AfterFaultJudge(Judge):
    READS = frozenset({OperationRecord, MemberRecord, ViewRecord})
    WATCHED = kinds_of(StatedTimes)
    COUNTED = "calls for {failed} of {compared:key} were not accepted in time after a fault"
    HELD = "calls for {all} {compared:key} were accepted in time after a fault"
    reasons: Counter[str] = field(default_factory=Counter)
    stated_ms: int | None = None
    stated_by: str = ""
    fault: MemberRecord | None = None
    """The crash after which calls are being judged."""
    is_resting: bool = False
    has_another: bool = False
    now_ms: int = 0
    """When the latest call ended."""
    asked: dict[str, _Asked] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        match record:
            case OperationRecord():
                self.now_ms = max(self.now_ms, record.end_ms)
                if (
                    self.fault is not None
                    and record.kind in (self.OPERATIONS or ())
                    and record.start_ms >= self.fault.at_ms
                ):
                    self._take(record, self.fault.at_ms)
            case EventRecord(event=StatedTimes(accepted_within_ms=stated_ms, source=source)):
                self.stated_ms, self.stated_by = stated_ms, source
            case MemberRecord():
                self._change(record)
            case ViewRecord():
                self.is_resting = record.settled
            case _:
                pass

    def break_off(self) -> None:
        """Forget the calls that were under way in the last millisecond."""
        self.asked = {
            key: asked for key, asked in self.asked.items() if asked.late is None or asked.late.end_ms < self.now_ms
        }

    def conclude(self) -> Finding:
        self._close()
        return self.comparisons.conclude(self.COUNTED + _mostly(self.reasons), self.say_unseen(), self.HELD)

    def say_unseen(self) -> str:
        return UNSTATED if self.stated_ms is None else self.UNSEEN

    def _change(self, record: MemberRecord) -> None:
        is_fault = record.change is MemberChange.CRASHED and not record.lite
        if self.is_resting or self.fault is None:
            self._close()
            self.fault, self.has_another = record if is_fault else None, False
        else:
            self._close(are_all_over=False)
            self.has_another = True
        self.is_resting = False

    def _take(self, operation: OperationRecord, fault_ms: int) -> None:
        if self.stated_ms is None:
            return
        until_ms = fault_ms + self.stated_ms
        asked = self.asked.setdefault(operation.key, _Asked(operation.partition))
        if operation.outcome is Outcome.OK:
            asked.accepted = asked.accepted or operation.end_ms <= until_ms
        elif operation.start_ms >= until_ms:
            asked.late = asked.late or operation

    def _close(self, *, are_all_over: bool = True) -> None:
        """Compare how the calls for each key ended after the latest fault; a key without a result yet may wait."""
        if self.fault is None or self.stated_ms is None:
            return
        begin_ms, also = self.fault.at_ms, ANOTHER_CHANGE if self.has_another else None
        for key, asked in tuple(self.asked.items()):
            if asked.late is None and not asked.accepted:
                continue  # at the end of all calls the outcome is unknown: they were given up too early
            if not are_all_over:  # answers from before the next change are not affected by it
                del self.asked[key]
            end_ms = begin_ms + self.stated_ms if asked.late is None else asked.late.end_ms
            story = None if asked.late is None else self._describe(self.fault, asked.late)
            if self.comparisons.add(asked.partition, begin_ms, end_ms, story, also) and asked.late is not None:
                self.reasons[_reason_of(asked.late)] += 1
        if are_all_over:
            self.asked.clear()

    def _describe(self, fault: MemberRecord, late: OperationRecord) -> tuple[str, ...]:
        stated = within("after a crash the system has to accept calls again", self.stated_ms or 0, self.stated_by)
        crash = f"member {fault.member} ({fault.name}) had crashed at {fault.at_ms:,} ms"
        return (f"{describe_operation(late)}, after {crash}; {stated}",)


class _WritesAfterFaultJudge(_AfterFaultJudge):
    OPERATIONS = WRITING
    UNSEEN = "no write after a crash shows whether writes are accepted in time"


class _ReadsAfterFaultJudge(_AfterFaultJudge):
    OPERATIONS = READING
    UNSEEN = "no read after a crash shows whether reads are answered in time"


_SOURCE = "seed: Best-Effort Consistency"
_WRITES = frozenset(f"operation {kind}" for kind in WRITING)
_READS = frozenset(f"operation {kind}" for kind in READING)

PROPERTIES: tuple[Property, ...] = (
    Property(
        "writes-accepted-at-rest",
        "At rest every write is accepted.",
        f"{_SOURCE}; calls.25",
        Severity.AVAILABILITY,
        _WritesAtRestJudge,
        _WRITES,
        AT_REST_LIMITS,
    ),
    Property(
        "reads-accepted-at-rest",
        "At rest every read is answered.",
        f"{_SOURCE}; calls.25",
        Severity.AVAILABILITY,
        _ReadsAtRestJudge,
        _READS,
        AT_REST_LIMITS,
    ),
    Property(
        "writes-accepted-after-fault",
        "After one member crashed, the system accepts writes again within the time that it states.",
        f"{_SOURCE}; calls.25, members.14",
        Severity.AVAILABILITY,
        _WritesAfterFaultJudge,
        _WRITES,
        AFTER_FAULT_LIMITS,
        asked_by=Asking.AUDITS,
    ),
    Property(
        "reads-accepted-after-fault",
        "After one member crashed, the system answers reads again within the time that it states.",
        f"{_SOURCE}; calls.25, members.14",
        Severity.AVAILABILITY,
        _ReadsAfterFaultJudge,
        _READS,
        AFTER_FAULT_LIMITS,
        asked_by=Asking.AUDITS,
    ),
)
