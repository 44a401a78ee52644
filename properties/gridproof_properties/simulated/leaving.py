"""What members do about other members that leave.

A leaver is allowed to go, an attempt at a member that is gone ends at once, and no operation waits for a caller that is
gone. The judges need all steps in the records; they keep an entry for each call under way and for each operation that
waits.

The module also judges which members a member suspects, and which member it names as the master. After its own clock has
leapt, a member does not suspect others of silence; and a member that knows the master names it to each joiner. The
judges of suspicions and masters, too, need all steps in the records.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import assert_never

from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallBegunAnew, CallEnded, ResponseKept
from gridproof_model.events.membership import (
    ClockJumped,
    JoinTurnedDown,
    MemberListInstalled,
    MemberRemoved,
    MemberSuspected,
)
from gridproof_model.events.operation import Executed, Parked, Refused, WaitedInVain
from gridproof_model.events.partitioning import ShutdownEnded, ShutdownRequested
from gridproof_model.events.words import MASTER_UNKNOWN, Failure, WhyLeaverGoes, WhySuspected
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.judge import Limit, Property, Severity, StepJudge
from gridproof_properties.judging.trust import TRUST

Attempting = AttemptSent | AttemptFailed | ResponseKept | CallBegunAnew | CallEnded
OfAttempts = Attempting | Refused | WaitedInVain | MemberListInstalled | MemberRemoved
Waiting = Parked | Executed | Refused | WaitedInVain | MemberRemoved
ANOTHER_LEFT = ("another member had just left", "repair.2: a property delays the next plan")
REST_MS = 6_000
"""How long migrations pause, at most, after a migration has failed (migration.14)."""
SHORT_WAIT = ("a leaver waits no longer than migrations may pause", "migration.14: they pause after a failure")


@dataclass(slots=True)
class _LettingGoJudge(StepJudge):
    COUNTED = "{failed} of {compared:leaver} left only when the longest wait was over"
    HELD = "{all} {compared:leaver} left before the longest wait was over"
    UNSEEN = "no member left that had asked to leave"
    asked_ms: dict[int | None, int] = field(default_factory=dict)
    """When each member asked to leave."""
    another_ms: int | None = None
    """When another leaver than the judged one last ended."""

    def look(self, record: EventRecord, event: ShutdownRequested | ShutdownEnded) -> str | None:
        match event:
            case ShutdownRequested():
                self.asked_ms[record.member] = record.at_ms
            case ShutdownEnded(why=why):
                asked_ms = self.asked_ms.pop(record.member, None)
                if asked_ms is not None:
                    self._left(record, asked_ms, why)
            case _:
                assert_never(event)
        return None

    def _left(self, record: EventRecord, asked_ms: int, why: WhyLeaverGoes) -> None:
        """Compare the reason for which a leaver goes: it should not have had to wait for its whole timeout."""
        story = (
            f"member {record.member} asked to leave at {asked_ms:,} ms and left at {record.at_ms:,} ms for the reason "
            f"'{why}'; if nothing else happens to the grid, a leaver has to be let go before its longest wait is over",
        )
        # The trace does not say how long the master waits; the master may wait longer than the leaver.
        earliest_ms = asked_ms - (record.at_ms - asked_ms)
        also = ANOTHER_LEFT if self.another_ms is not None and self.another_ms >= earliest_ms else None
        configured = self.comparisons.conditions.configured
        if configured is not None and configured.leave_wait_ms <= REST_MS:
            also = SHORT_WAIT
        is_left_waiting = why is WhyLeaverGoes.WAITED_TOO_LONG
        self.comparisons.add(None, asked_ms, record.at_ms, story if is_left_waiting else None, also)
        self.another_ms = record.at_ms


@dataclass(frozen=True, slots=True)
class _Attempt:
    call_id: int
    target: int
    list_version: int


@dataclass(slots=True)
class _TargetJudge(StepJudge):
    COUNTED = "{failed} of {compared:attempt} of calls did not go by the caller's current member list"
    HELD = "{all} {compared:attempt} of calls went by the caller's current member list"
    UNSEEN = "no member whose list is known made an attempt of a call"
    RULE = "each attempt has to go by the caller's current member list, and to fail once a newer list drops its target"
    FORGETS = ("open", "owed")
    versions: dict[int | None, int] = field(default_factory=dict)
    """For each member, the version of its member list."""
    open: dict[tuple[int | None, int], _Attempt] = field(default_factory=dict)
    """The attempt that is under way, by caller and call number."""
    owed: dict[tuple[int | None, int], tuple[int, int]] = field(default_factory=dict)
    """Attempts that have to end in the current step, each with the time of the step and the member that was removed."""

    def look(self, record: EventRecord, event: OfAttempts) -> str | None:
        story = next(self._late(record.at_ms), None) if self.owed else None
        match event:
            case MemberListInstalled(version=version):
                self.versions[record.member] = version
            case MemberRemoved(member=gone):
                self._removed(record, gone)
            case AttemptSent():
                return self._sent(record, event) or story
            case AttemptFailed() | ResponseKept() | CallBegunAnew() | CallEnded():
                return self._over(record, event) or story
            case Refused() | WaitedInVain():
                self._sent_back(event)
            case _:
                assert_never(event)
        return story

    def missing(self) -> str | None:
        return next(self._late(inf), None)

    def _removed(self, record: EventRecord, gone: int) -> None:
        version = self.versions.get(record.member, 0)
        for call, attempt in self.open.items():
            if call[0] == record.member and attempt.target == gone and attempt.list_version < version:
                self.looked += 1
                self.owed[call] = record.at_ms, gone

    def _sent_back(self, event: Refused | WaitedInVain) -> None:
        """Treat an attempt that waited in vain or came too late as ended: a call that may wait is sent again."""
        # The caller does not record the end of this attempt, and pauses before it sends the call again (calls.23).
        if isinstance(event, WaitedInVain) or event.why is Failure.OPERATION_TIMEOUT:
            for call, attempt in list(self.open.items()):
                if call[0] == event.caller and attempt.call_id == event.call_id:
                    del self.open[call]

    def _sent(self, record: EventRecord, event: AttemptSent) -> str | None:
        self.open[record.member, event.invocation] = _Attempt(event.call_id, event.target, event.list_version)
        version = self.versions.get(record.member)
        if version is None:
            return None
        self.looked += 1
        if event.list_version == version:
            return None
        to = "itself" if event.target == record.member else f"member {event.target}"
        return (
            f"member {record.member} chose {to} as the target of call {event.invocation} by version "
            f"{event.list_version} of the member list, though it already had version {version}"
        )

    def _over(self, record: EventRecord, event: Attempting) -> str | None:
        call = record.member, event.invocation
        self.owed.pop(call, None)
        attempt = self.open.pop(call, None)
        if attempt is None or not isinstance(event, AttemptFailed) or event.call_id == 0:
            return None
        if event.why is not Failure.MEMBER_LEFT:
            return None
        if attempt.list_version < self.versions.get(record.member, inf):
            return None
        return (
            f"member {call[0]} ended an attempt of its call {call[1]} to member {attempt.target} as if this member had "
            "left, though its member list was still the one by which it had sent the attempt"
        )

    def _late(self, now_ms: float) -> Iterator[str]:
        """Yield what is wrong with attempts that had to end before now and did not."""
        for call, (at_ms, gone) in list(self.owed.items()):
            if at_ms < now_ms:
                del self.owed[call]
                yield (
                    f"member {call[0]} removed member {gone} from its list at {at_ms:,} ms, but its call {call[1]} "
                    f"still waited for member {gone}"
                )


@dataclass(slots=True)
class _WaiterJudge(StepJudge):
    COUNTED = "{failed} of {compared:waiting operation} went on though its caller was removed"
    UNSEEN = "no waiting operation ended, and none lost its caller"
    FORGETS = ("removed",)
    waiting: dict[tuple[int, int], set[int | None]] = field(default_factory=dict)
    """For each caller and call id of an operation, the members at which the operation waits."""
    removed: set[tuple[int | None, int, int]] = field(default_factory=set)
    """Members, each with an operation that waited there when the member removed the operation's caller."""

    def look(self, record: EventRecord, event: Waiting) -> str | None:
        match event:
            case Parked(caller=caller, call_id=call_id):
                self.waiting.setdefault((caller, call_id), set()).add(record.member)
                return None
            case MemberRemoved(member=gone):
                for operation in [one for one in self.waiting if one[0] == gone]:
                    if self._waited(record.member, operation):
                        self.removed.add((record.member, *operation))
                return None
            case Executed() | Refused() | WaitedInVain():
                operation = event.caller, event.call_id
                self._waited(record.member, operation)
                if (record.member, *operation) not in self.removed:
                    return None
                return (
                    f"member {record.member} went on with a waiting operation of partition {event.partition} (call "
                    f"{event.call_id} of member {event.caller}), though it had removed member {event.caller} from its "
                    f"list; a member has to drop the waiting operations of a caller that it removes"
                )
            case _:
                assert_never(event)

    def _waited(self, member: int | None, operation: tuple[int, int]) -> bool:
        """Return whether an operation waited at a member, where it no longer waits, and count it if so."""
        members = self.waiting.get(operation, set())
        waited = member in members
        self.looked += waited
        members.discard(member)
        if not members:
            self.waiting.pop(operation, None)
        return waited


@dataclass(slots=True)
class _LeapJudge(StepJudge):
    COUNTED = "after {failed} of {compared:leap} of its clock a member suspected another in the same heartbeat round"
    HELD = "after {all} {compared:leap} of its clock a member suspected no other in the same heartbeat round"
    UNSEEN = "no member's clock leapt"
    leapt_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last found that its clock had leapt."""

    def look(self, record: EventRecord, event: ClockJumped | MemberSuspected) -> str | None:
        match event:
            case ClockJumped():
                self.looked += 1
                self.leapt_ms[record.member] = record.at_ms
                return None
            case MemberSuspected(member=suspect, why=why):
                if why is not WhySuspected.NO_HEARTBEAT or self.leapt_ms.get(record.member) != record.at_ms:
                    return None
                return (
                    f"the clock of member {record.member} leapt, and in the same round of heartbeats this member "
                    f"suspected member {suspect} of silence; in such a round it may suspect no member of silence"
                )
            case _:
                assert_never(event)


@dataclass(slots=True)
class _NamingJudge(StepJudge):
    RELIES_ON = TRUST
    COUNTED = "{failed} of {compared:answer} to joiners called the master unknown, though the member followed one"
    UNSEEN = "no joiner was turned away because the master was unknown"

    def look(self, record: EventRecord, event: JoinTurnedDown) -> str | None:
        member = record.member
        if member is None or member == event.joiner or event.why != MASTER_UNKNOWN:
            return None  # the joiner itself records the answer that it got
        self.looked += 1
        trust = self.comparisons.conditions.trust
        master = trust.follows.get(member)
        if master in (None, member) or master in trust.suspects.get(member, ()):
            return None
        return (
            f"member {member} answered member {event.joiner}, which asked to join, that {MASTER_UNKNOWN}, though it "
            f"followed member {master} as its master and did not suspect it; then it has to name this master to joiners"
        )


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="leaver-is-let-go",
        sentence="If nothing else happens to the grid, a member that leaves need not wait for the longest time.",
        source="leaving.4, leaving.5",
        severity=Severity.AVAILABILITY,
        start=_LettingGoJudge,
        limits=(Limit(ANY_CAUSE & ~Cause.MOVED, "leaving.4: what is to be moved first may not be moved"),),
    ),
    Property(
        name="removed-target-ends-attempt",
        sentence="A member that removes another from its list ends, in that step, its attempts to that member that "
        "were sent by an older list.",
        source="calls.19",
        severity=Severity.AVAILABILITY,
        start=_TargetJudge,
    ),
    Property(
        name="removed-caller-waits-no-more",
        sentence="A member that removes a caller from its list drops the operations of that caller that wait there.",
        source="calls.13",
        severity=Severity.PROTOCOL,
        start=_WaiterJudge,
    ),
    Property(
        name="leap-blames-nobody",
        sentence="A member that finds that its own clock leapt suspects no other member of silence in that round.",
        source="members.12",
        severity=Severity.AVAILABILITY,
        start=_LeapJudge,
    ),
    Property(
        name="joiner-hears-of-the-master",
        sentence="A member that follows a master that it does not suspect names that master to members that want to "
        "join.",
        source="members.5",
        severity=Severity.PROTOCOL,
        start=_NamingJudge,
    ),
)
