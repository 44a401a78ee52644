"""Whether members keep to the times that are configured.

One table says of each timer what starts it, what a member does when it expires, how long it runs, and how much later
the member may act. A member acts neither before a timer expires nor later than the table allows. A member uses its own
clock: if a member was paused or slow, or its clock was set, it is not judged until the grid has come to rest. A
member's silence is counted from the moment when the member ends, or from the first fault. The judges need all steps in
the records; they keep an entry for each timer that runs.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, cast

from gridproof_model.events import kinds_of
from gridproof_model.events.anti_entropy import SummarySent, SyncEnded, SyncInstalled, SyncRequested
from gridproof_model.events.conditions import Configured, FaultBegun
from gridproof_model.events.harness import ResourcesHeld, Settled, Unsettled
from gridproof_model.events.invocation import (
    AttemptFailed,
    AttemptSent,
    CallBegun,
    CallBegunAnew,
    CallEnded,
    ResponseKept,
)
from gridproof_model.events.membership import (
    AnswerOverdue,
    ClaimBegun,
    ClockJumped,
    ClusterStateChanged,
    ClusterStateLocked,
    MastershipClaimed,
    MemberListInstalled,
    MemberRemoved,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.events.migration import MigrationEnded, MigrationOrdered
from gridproof_model.events.operation import Parked, WaitedInVain
from gridproof_model.events.partitioning import (
    FetchBegun,
    PlanMade,
    PromotionOrdered,
    RowInstalled,
    SafetyChecked,
    ShutdownEnded,
    ShutdownRequested,
    TablePublished,
)
from gridproof_model.events.words import (
    CallEnding,
    Failure,
    FoundByMaster,
    MigrationOutcome,
    WhyLeaverGoes,
    WhyPublished,
    WhySuspected,
    WhySyncEnded,
)
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, Slots
from gridproof_properties.judging.answering import REST_MS, Answers, OfAnswers, find_wait_ms
from gridproof_properties.judging.judge import Property, Severity, StepJudge
from gridproof_properties.judging.timers import set_for_another_time

OfCalls = CallBegun | AttemptSent | AttemptFailed | ResponseKept | CallBegunAnew | CallEnded
OfSyncs = SyncRequested | SyncInstalled | SyncEnded | SummarySent | SafetyChecked
OfMembers = (
    ClaimBegun | ClusterStateChanged | ClusterStateLocked | MastershipClaimed | ClockJumped | MemberListInstalled
    | MemberRemoved | MemberSuspected | SuspicionCleared
)  # fmt: skip
OfTables = FetchBegun | PlanMade | PromotionOrdered | RowInstalled | ShutdownRequested | ShutdownEnded | TablePublished
OfOrders = MigrationOrdered | MigrationEnded | Parked | WaitedInVain
Timed = OfCalls | OfSyncs | OfMembers | OfTables | OfOrders | FaultBegun | ResourcesHeld | Settled | Unsettled
ANSWERS, TIMED = kinds_of(OfAnswers | MemberSuspected), kinds_of(Timed)
SECOND_MS = 1_000
"""The time between two scans of a caller, and between two requests of a leaver (calls.22, leaving.1)."""
CHECK_LASTS_MS = 20_000
"""How long a member that asks how safe its copies are may wait for an answer at most (sync.19)."""
ATTEMPTS_AT_ONCE = 5
"""The number of the attempt after which a caller pauses for the first time (calls.15)."""
NOT_ITS_OWN = ("the member was paused, slow, or had its clock set", "members.12: it goes by its own clock")
UNHELD = "trust"
"""The kind of harm done by faults that may disturb a member's clock or pace."""
HOLD_UP = kinds_of(
    MigrationOrdered | MigrationEnded | PromotionOrdered | FetchBegun | RowInstalled | MemberListInstalled
    | ClaimBegun | ClusterStateChanged | ClusterStateLocked
)  # fmt: skip
"""After these events replicas may move, or moves are forbidden; tables and summaries are sent later (table.13,
sync.7)."""
WITHOUT_WORD = (CallEnding.UNACKNOWLEDGED, Failure.INDETERMINATE)


@dataclass(frozen=True, slots=True, eq=False)
class Time:
    """A configured time, from an event to what the same member does when the time is over."""

    what: str
    """What the member does when the time is over, as a clause without its subject."""
    begins: type[Timed]
    ends: tuple[type[Timed], ...]
    """The events that end the time, whether or not it is over."""
    acts: Callable[[Any], bool]
    """Whether an ending event is what the member does when the time is over, so that it must not come earlier."""
    limit_ms: Callable[[Configured, Any], int]
    """The configured length of the time, after the event that began it; 0 if there is no limit, or none is known."""
    tick_ms: Callable[[Configured], int] | None
    """How much later than the configured time an ending event may come; None if something else can delay it."""


def _pause_ms(configured: Configured, failed: AttemptFailed) -> int:
    """Return how long a caller pauses after a failed attempt: 1 ms at first, and twice as long each time (calls.15)."""
    doublings = failed.attempt - ATTEMPTS_AT_ONCE
    return min(1 << min(doublings, 32), configured.retry_pause_ms) if doublings >= 0 else 0


TIMES = (
    Time("stopped waiting for acknowledgements", ResponseKept, (CallEnded, CallBegunAnew, AttemptFailed),
        lambda end: isinstance(end, CallBegunAnew) or (isinstance(end, CallEnded) and end.how in WITHOUT_WORD),
        lambda configured, _: configured.backup_timeout_ms, lambda _: SECOND_MS),
    Time("gave up a call of which it had no sign", AttemptSent, (AttemptFailed, ResponseKept, CallEnded, CallBegunAnew),
        lambda end: isinstance(end, AttemptFailed) and end.why is Failure.OPERATION_TIMEOUT,
        lambda configured, _: 2 * configured.call_timeout_ms, lambda _: SECOND_MS),
    Time("made the next attempt of a call", AttemptFailed, (AttemptSent, AttemptFailed, CallEnded, CallBegunAnew),
        lambda end: isinstance(end, AttemptSent | AttemptFailed), _pause_ms, lambda _: 0),
    Time("answered a waiting call that nothing had changed", Parked, (WaitedInVain,), lambda _: True,
        lambda _, parked: parked.wait_ms, lambda _: 0),
    Time("refused a call for want of room", CallBegun, (CallEnded, AttemptSent, AttemptFailed),
        lambda end: isinstance(end, CallEnded) and end.how is Failure.OVERLOAD,
        lambda configured, _: configured.backoff_ms, lambda configured: configured.retry_pause_ms),
    Time("gave up a sync", SyncRequested, (SyncEnded, SyncInstalled),
        lambda end: isinstance(end, SyncEnded) and end.why is WhySyncEnded.EXPIRED,
        lambda configured, _: configured.migration_timeout_ms, lambda _: 0),
    Time("gave up a migration", MigrationOrdered, (MigrationEnded,), lambda end: end.reason == FoundByMaster.TIMED_OUT,
        lambda configured, _: configured.migration_timeout_ms, None),
    Time("planned, or promoted, after it had removed a member", MemberRemoved, (PlanMade, PromotionOrdered),
        lambda _: True, lambda configured, _: configured.rebalance_delay_ms, lambda _: 0),
    Time("left without an answer", ShutdownRequested, (ShutdownEnded,),
        lambda end: end.why is WhyLeaverGoes.WAITED_TOO_LONG, lambda configured, _: configured.leave_wait_ms,
        lambda _: SECOND_MS),
    Time("became the master by a claim", ClaimBegun, (MastershipClaimed,),
        lambda _: False,  # another property says how early it may come
        lambda configured, _: configured.claim_wait_ms, lambda _: 0),
    Time("published its table once more", TablePublished, (TablePublished,), lambda _: True,
        lambda configured, _: configured.table_send_interval_ms, lambda _: 0),
)  # fmt: skip
"""All times that are measured by a timer of one member; silence, summaries and heartbeat rounds are handled in the
judge."""
CONCERNED: dict[type[Any], tuple[Time, ...]] = {
    kind: tuple(time for time in TIMES if kind is time.begins or kind in time.ends) for kind in kinds_of(Timed)
}

OF_CALLS = kinds_of(OfCalls)
OF_TIMERS = OF_CALLS | {SyncRequested, SyncInstalled, SyncEnded, MigrationOrdered, MigrationEnded}
"""Events that are used here only to begin and end times."""


def _keys(event: Any) -> tuple[object, ...]:
    """Return the keys of the times of a member that an event begins or ends."""
    if type(event) in OF_CALLS:
        return (event.invocation,)
    match event:
        case SyncRequested(partition=partition, index=index, namespaces=namespaces):
            return tuple((partition, index, namespace) for namespace in namespaces)
        case SyncEnded() | SyncInstalled():
            return ((event.partition, event.index, event.namespace),)
        case MigrationOrdered() | MigrationEnded():
            return (event.number,)
        case Parked() | WaitedInVain():
            return ((event.partition, event.caller, event.call_id),)
        case _:
            return (None,)


@dataclass(slots=True)
class _TimesJudge(StepJudge):
    RELIES_ON = frozenset({Configured})
    COUNTED = "{failed} of {compared:step} for which a time is configured came too early or too late"
    HELD = "{all} {compared:step} for which a time is configured came in time"
    UNSEEN = "no configured time ran out"
    running: dict[int | None, dict[tuple[Time, object], tuple[int, Any]]] = field(default_factory=dict)
    """For each member, the configured times that are running: since when each runs, and the event that began it."""
    summaries: dict[int | None, dict[tuple[int, int], deque[int]]] = field(default_factory=dict)
    """For each primary and replica index, when the primary sent its two latest summaries."""
    rows: dict[tuple[int | None, int], tuple[Slots, int]] = field(default_factory=dict)
    """For each member and partition, the row in the member's table, and since when the member has had it."""
    compared_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when it last compared all copies because it was asked how safe they were."""
    too_often: dict[int | None, tuple[int, str]] = field(default_factory=dict)
    """Members that sent summaries too often: when, and the story; they may have been asked how safe data is."""
    heard: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """When each member first listed another, or last trusted it again: at that time the other member still counted as
    alive."""
    unheld_ms: dict[int | None, float] = field(default_factory=dict)
    """For each member, until when its clock or its pace was disturbed."""
    ended_ms: dict[int, int] = field(default_factory=dict)
    moved_ms: dict[int | None, tuple[int, int]] = field(default_factory=dict)
    """For each member, the two latest times at which something moved or was forbidden to move."""
    failed_ms: dict[int | None, int] = field(default_factory=dict)
    """For each member, when a migration that it had ordered last failed: after that it pauses (migration.14)."""
    fault_ms: int | None = None
    """When the first fault after the latest rest began; None if there was none."""
    lites: set[int] = field(default_factory=set)
    answers: Answers = field(default_factory=Answers)
    waits: dict[tuple[int | None, int], tuple[int, int]] = field(default_factory=dict)
    """For each caller and call, when the call's wait is over by its first attempt that waited, and when it was sent."""

    def observe(self, record: Record) -> None:
        if isinstance(record, MemberRecord):
            if record.change is MemberChange.JOINED and record.lite:
                self.lites.add(record.member)
            elif record.change is not MemberChange.JOINED:
                self.ended_ms[record.member] = record.at_ms
                self.answers.end(record.member, record.at_ms)
                self.running.pop(record.member, None)
                self.summaries.pop(record.member, None)
                self.too_often.pop(record.member, None)
                self.rows = {place: row for place, row in self.rows.items() if place[0] != record.member}
        else:
            StepJudge.observe(self, record)

    def look(self, record: EventRecord, event: Timed | OfAnswers) -> str | None:
        kind = type(event)
        if kind in TIMED:
            self._time(record, cast("Timed", event))
        if kind not in ANSWERS:  # most events concern no answers
            return None
        if isinstance(event, AnswerOverdue):
            conditions = self.comparisons.conditions
            if (wait_ms := find_wait_ms(event.kind, conditions.configured)) is None:
                return None
            self.looked += 1
            return self.answers.why_late(record, event, wait_ms, conditions)
        configured = self.comparisons.conditions.configured
        if isinstance(event, MemberSuspected) and configured is not None:
            return self.answers.why_strange(record, event.member, configured.heartbeat_interval_ms)
        self.answers.learn(record, cast("OfAnswers", event))
        return None

    def _time(self, record: EventRecord, event: Timed) -> None:
        """Begin and end the times that an event is about."""
        configured = self.comparisons.conditions.configured
        kind = type(event)
        if kind in HOLD_UP and (moved := self.moved_ms.get(record.member, (-1, -1)))[1] < record.at_ms:
            self.moved_ms[record.member] = moved[1], record.at_ms
        if kind in OF_TIMERS:  # a cheaper test than the match
            if configured is not None:
                self._timed(record, event, configured)
            return
        if isinstance(event, RowInstalled):
            self.rows[record.member, event.partition] = event.slots, record.at_ms
            return
        match event:
            case FaultBegun(harms=harms, members=members):
                self.fault_ms = record.at_ms if self.fault_ms is None else self.fault_ms
                if UNHELD in harms:
                    self.unheld_ms |= dict.fromkeys(members, inf)
            case Settled() | Unsettled():
                self._rest(record, configured)
            case Parked():
                self._parked(record, event, configured)
            case MemberListInstalled(members=members):
                self.heard |= {
                    (record.member, one): self.heard.get((record.member, one), record.at_ms) for one in members
                }
            case SuspicionCleared(member=other):
                self.heard[record.member, other] = record.at_ms
            case _ if configured is None:
                pass
            case ResourcesHeld():
                for story in set_for_another_time(event, configured):
                    self._compare(record, 0, f"member {record.member} {story}")
            case SummarySent():
                self._summarised(record, event, configured)
            case SafetyChecked():  # a member that is asked compares all copies, outside rounds (sync.19)
                self.summaries.pop(record.member, None)
                self.too_often.pop(record.member, None)
                self.compared_ms[record.member] = record.at_ms
            case ClockJumped(jump_us=jump_us):
                if configured.heartbeat_interval_ms:
                    story = f"member {record.member} began a heartbeat round {jump_us // 1_000:,} ms off its due time"
                    # A member notices in its next round that its clock was set: count the time from the previous round.
                    self._compare(record, record.at_ms - configured.heartbeat_interval_ms, story)
            case MemberSuspected(member=other, why=WhySuspected.NO_HEARTBEAT):
                self._suspected(record, other, configured)
            case TablePublished(why=why) if why is not WhyPublished.SEND_INTERVAL:
                pass
            case MemberRemoved(member=other, was_master=False) if other in self.lites:
                pass  # a lite member leaves no hole behind (repair.1)
            case _:
                self._timed(record, event, configured)

    def _parked(self, record: EventRecord, event: Parked, configured: Configured | None) -> None:
        """Let the caller wait longer, as its target reports that the operation waits there (calls.21)."""
        running = self.running.get(event.caller, {})
        for place, (sent_ms, sent) in tuple(running.items()):
            if isinstance(sent, AttemptSent) and sent.call_id == event.call_id:
                del running[place]
                self._compare_wait(record, event, sent_ms, sent.invocation)
        if configured is not None:
            self._timed(record, event, configured)

    def _compare_wait(self, record: EventRecord, event: Parked, sent_ms: int, invocation: int) -> None:
        """Compare for how long an attempt may wait with what its call's first attempt that waited left over
        (calls.24)."""
        until_ms, first_ms = self.waits.setdefault((event.caller, invocation), (sent_ms + event.wait_ms, sent_ms))
        if first_ms < sent_ms and until_ms > first_ms:
            story = f"member {event.caller}, whose call {invocation} may wait until {until_ms:,} ms, let it wait from "
            story += f"{sent_ms:,} ms on for {event.wait_ms or 'any number of'} ms"
            is_right = abs(sent_ms + event.wait_ms - until_ms) <= 1
            self._compare(replace(record, member=event.caller), first_ms, None if is_right else story)

    def _rest(self, record: EventRecord, configured: Configured | None) -> None:
        self.fault_ms = None
        self.unheld_ms = {one: min(until, record.at_ms) for one, until in self.unheld_ms.items()}
        if configured is not None:
            self._look_for_overdue(record, configured)
        # From this rest on there may be a time in which the grid compares no copies (sync.7).
        self.moved_ms = dict.fromkeys(self.moved_ms, (record.at_ms, record.at_ms))

    def _timed(self, record: EventRecord, event: Timed, configured: Configured) -> None:
        """Compare the times that an event ends, and begin the times that it begins."""
        kind = type(event)
        running, keys = self.running.setdefault(record.member, {}), _keys(event)
        if isinstance(event, MigrationEnded) and event.outcome is MigrationOutcome.FAILED:
            self.failed_ms[record.member] = record.at_ms
        if isinstance(event, CallEnded):
            self.waits.pop((record.member, event.invocation), None)
        for time in CONCERNED[kind]:
            for key in keys:
                if kind in time.ends and (before := running.pop((time, key), None)) is not None:
                    self._ended(record, time, before, configured)
                if kind is time.begins:
                    running[time, key] = record.at_ms, event

    def _ended(self, record: EventRecord, time: Time, before: tuple[int, Any], configured: Configured) -> None:
        limit_ms, waited_ms = time.limit_ms(configured, before[1]), record.at_ms - before[0]
        if limit_ms == 0 or (not (is_due := time.acts(record.event)) and time.tick_ms is None):
            return
        # Both times are rounded down to milliseconds, so their difference may be wrong by 1 ms.
        is_early = is_due and waited_ms < limit_ms - 1
        if time.begins is TablePublished:
            is_owed = self._moved_before(record) < before[0]
        elif time.begins is MemberRemoved:  # its list is installed before; a promotion is owed if a primary was lost
            is_owed = isinstance(record.event, PromotionOrdered) and self._moved_before(record) <= before[0]
            is_owed = is_owed and self.failed_ms.get(record.member, -inf) < before[0] - REST_MS
        else:  # a member that is in no list yet puts its calls off (calls.17)
            is_owed = before[0] >= self.heard.get((record.member, record.member or 0), inf)
        is_late = is_owed and time.tick_ms is not None and waited_ms > limit_ms + time.tick_ms(configured) + 1
        story = f"member {record.member} {time.what} after {waited_ms:,} ms, but has to do so after {limit_ms:,} ms"
        self._compare(record, before[0], story if is_early or is_late else None)

    def _compare_round(self, record: EventRecord, configured: Configured, partition: int, since_ms: int) -> None:
        waited_ms = record.at_ms - since_ms
        if waited_ms > configured.sync_interval_ms + SECOND_MS + 1:
            story = f"member {record.member} had sent no summary of partition {partition} for {waited_ms:,} ms"
            self._compare(record, since_ms, f"{story}, but has to send one every {configured.sync_interval_ms:,} ms")

    def _look_for_overdue(self, rest: EventRecord, configured: Configured) -> None:
        """Compare for how long no table or summary came though nothing moved: both have to be sent repeatedly."""
        limit_ms = configured.table_send_interval_ms
        for member, running in self.running.items():
            at = replace(rest, member=member)
            for since_ms in (since_ms for (time, _), (since_ms, _) in running.items() if time.begins is TablePublished):
                waited_ms = rest.at_ms - since_ms
                if 0 < limit_ms < waited_ms - 1 and self._moved_before(at) < since_ms:
                    story = f"member {member} has not published its table for {waited_ms:,} ms"
                    self._compare(at, since_ms, f"{story}, but has to do so every {limit_ms:,} ms")
        for (member, partition), (slots, installed_ms) in self.rows.items():
            if not slots or slots[0] != member:
                continue
            at, rounds = replace(rest, member=member), self.summaries.get(member, {})
            since_ms = max(installed_ms, self._moved_before(at), self.compared_ms.get(member, 0))
            for index in (index for index, holder in enumerate(slots[1:], 1) if holder is not None):
                sent = rounds.get((partition, index))
                if not sent or sent[-1] > since_ms:
                    # The current round may leave this replica out, and the next round may reach it last.
                    last_ms = sent[-1] if sent else since_ms + configured.sync_interval_ms
                    self._compare_round(at, configured, partition, last_ms)

    def _moved_before(self, record: EventRecord) -> int:
        """Return when something last moved, before the millisecond of this record."""
        before_ms, latest_ms = self.moved_ms.get(record.member, (-1, -1))
        return latest_ms if latest_ms < record.at_ms else before_ms

    def _suspected(self, record: EventRecord, other: int, configured: Configured) -> None:
        """Compare how long a suspected member had been silent when it was suspected (members.11)."""
        limit_ms, round_ms = configured.no_heartbeat_ms, configured.heartbeat_interval_ms
        if limit_ms == 0:
            return
        heard_ms, ended_ms = self.heard.get((record.member, other), 0), self.ended_ms.get(other)
        silent_ms = self.fault_ms if ended_ms is None else min(ended_ms, self.fault_ms or ended_ms)
        earliest_ms = inf if silent_ms is None else max(silent_ms - round_ms, heard_ms) + limit_ms - 1
        is_late = ended_ms is not None and record.at_ms > max(ended_ms, heard_ms) + limit_ms + 2 * round_ms
        story = f"member {record.member} suspected member {other} of silence too {'late' if is_late else 'early'}; by "
        story += f"the configuration it has to do so after {limit_ms:,} ms of silence"
        self._compare(record, heard_ms, story if record.at_ms < earliest_ms or is_late else None, anybody=True)

    def _summarised(self, record: EventRecord, event: SummarySent, configured: Configured) -> None:
        """Process a summary: each copy gets one per interval, so that three never come within one interval (sync.1).

        If nothing has moved, each round of summaries has the order of the round before, so the next summary comes an
        interval later.
        """
        self._note_too_often(record, record.at_ms - CHECK_LASTS_MS)
        sent = self.summaries.setdefault(record.member, {}).setdefault((event.partition, event.index), deque(maxlen=2))
        # If something moves during a round of anti-entropy, the rest of that round is still sent in the old order.
        if sent and self._moved_before(record) < sent[-1] - configured.sync_interval_ms:
            self._compare_round(record, configured, event.partition, sent[-1])
        apart_ms = record.at_ms - sent[0] if len(sent) == 2 else inf
        if apart_ms < configured.sync_interval_ms - 1 and record.member not in self.too_often:
            story = f"member {record.member} sent a summary of partition {event.partition} three times within "
            story += f"{apart_ms:,} ms, but is configured to send one every {configured.sync_interval_ms:,} ms"
            self.too_often[record.member] = record.at_ms, story
        sent.append(record.at_ms)

    def _note_too_often(self, record: EventRecord, until_ms: float) -> None:
        at_ms, story = self.too_often.get(record.member, (inf, ""))
        if at_ms <= until_ms:
            del self.too_often[record.member]
            self._compare(record, at_ms, story)

    def _compare(self, record: EventRecord, began_ms: float, story: str | None, *, anybody: bool = False) -> None:
        unheld_ms = max(self.unheld_ms.values(), default=-1) if anybody else self.unheld_ms.get(record.member, -1)
        words = None if story is None else (f"at {record.at_ms:,} ms {story}",)
        self.comparisons.add(None, began_ms, record.at_ms, words, NOT_ITS_OWN if began_ms <= unheld_ms else None)


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="configured-times-are-held",
        sentence="What is configured to take a time comes no earlier and no later, by the clock of the member that "
        "does it; where nothing delays answers, no member asks twice or stays without an answer.",
        source="settings.1, calls.12, calls.15, calls.22, calls.24, calls.26, backups.18, members.11, members.16, "
        "members.21, members.26, table.13, migration.22, sync.1, sync.10, repair.2, leaving.3",
        severity=Severity.AVAILABILITY,
        start=_TimesJudge,
    ),
)
