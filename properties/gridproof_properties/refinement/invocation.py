"""The records of members about calls, validated by the specification `invocation`.

A behaviour is one call: its first state is what members know when the call begins, and it lasts until the caller has
ended. The newest answered calls are kept, since their targets and backups may not know yet that the calls were
answered; older answered calls are dropped. Steps without a record are inferred when the next event needs them: a
waiting request is late, is sent back or is asked anew, or a member took a last step before it ended.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, assert_never

from gridproof_model import events
from gridproof_model.events import conditions, invocation, membership, merging, operation, partitioning, replication
from gridproof_model.events.words import CallEnding, Failure
from gridproof_model.language import State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.invocation.state import REFUSALS, Departure, Kind, Outcome, Phase, specification
from gridproof_properties.judging.verdict import Recorded
from gridproof_properties.refinement.known import Learning, RowsJudge, addressed_of
from gridproof_properties.refinement.read import (
    OfAnswers,
    OfAttempts,
    OfCalls,
    OfDeparture,
    OfLists,
    OfMigration,
    OfNoCall,
    OfTargets,
    OfTheCaller,
    OfTrying,
)
from gridproof_properties.validation.engine import GivenUpError, Observation, Taken, always, says
from gridproof_properties.validation.judge import Behaviour, Worlds

CALLERS, TARGETS, DEPARTING, LISTS = map(events.kinds_of, (OfTheCaller, OfTargets, OfDeparture, OfLists))
Place = tuple[int, int]
"""A caller, and the number that it gave to a call or to an attempt."""

ANSWERED_KEPT = 16
REPEATED_MAX = 10_000
"""How many steps are kept, each with the states before and after it, so that later calls can repeat them."""
LEARNED_LATER = 256
"""How many facts learned by members may be pending for an answered call before the call processes them."""


class BehaviourOfCalls(Behaviour):
    """The behaviour of one call; mutable."""

    WORLDS = Worlds(
        specification,
        ("changes", "endings", "handlings", "retries"),
        {"backups": 1, "serves_stale_reads": True, "attempts": 4},
    )
    AS_AT_FIRST = ("address",)  # a new member has an address of its own

    def __init__(self, member: int, event: invocation.CallBegun, known: "CallsJudge") -> None:
        self.partition, self._known = event.partition, known
        self.attempts: dict[int, int] = {}
        """For each call id, the number of the attempt in this behaviour."""
        self.is_answered = False
        self._to_learn: list[tuple[Recorded, Learning]] = []
        super().__init__(*known.before_call(member, event.partition))

    def take(self, member: int, event: Any) -> None:
        """Continue the behaviour with an event that concerns the call."""
        kind = type(event)
        if kind in RowsJudge.LEARNED_FROM:
            self._catch_up()
        elif kind not in DEPARTING:
            self._of_attempt(member, event)
        elif self.state["departure"] is Departure.NONE:
            merges = isinstance(event, merging.EntriesCollected)
            self.take_all(always("caller_merges" if merges else "caller_shuts_down"))

    def joined(self, member: int) -> None:
        """Record that a member starts, perhaps at the address of earlier members."""
        again = [always("member_starts_again", one, member) for one in self._known.formers[member][:1]]
        if self.learns(lambda state: again):
            self._catch_up()

    def ended(self, member: int) -> None:
        """Record that a member ended."""
        if self.learns(lambda state: (always("member_ends", member),)):
            self._catch_up()

    def _of_attempt(self, member: int, event: Any) -> None:
        kind = type(event)
        if kind in TARGETS:
            if event.call_id not in self.attempts:
                early = f"attempt {event.call_id} is recorded before the beginning of its call"
                raise GivenUpError(f"{early}; record every call from its beginning")
            self._catch_up()
        is_end = kind is invocation.CallEnded
        is_turned_down = is_end and event.how == Failure.NOT_ACTIVE and member in self._known.turned_down
        if is_turned_down and self.state["departure"] is Departure.NONE:
            self.take_all(always("caller_shuts_down"))  # The joiner was turned down for good, which is not recorded.
        number = self.attempts.get(named := event.answered_by if is_end else getattr(event, "call_id", 0))
        if kind is invocation.AttemptSent:
            self.attempts[named] = sent = self.state["sent"]
            if sent == self.size["attempts"]:
                self.widen(attempts=4 * sent)
        syncs = self._known.sync_of(event) if kind is operation.Executed and event.changed else ()
        is_known = number is not None or not named or kind is invocation.AttemptSent  # its own number is a new one
        read, steps = READ.get(kind) if is_known else None, self._known.steps
        step = (id(self.state), kind, member, number, syncs, read(event)) if read else None
        if step in steps and len(self.validation.states) == 1:
            before, (_, taken, after), self.validation.states = steps[step]
            self.validation.took(before, taken, after)
            return
        states, self.validation.postponed = self.validation.states, partial(unrecorded, event, number)
        self.validation.take(*observed(event, member, number, syncs))
        if step and len(states) == 1 and len(steps) < REPEATED_MAX:
            steps[step] = states[0], self.validation.last[-1], self.validation.states

    def learns(self, learning: Learning) -> bool:
        """Keep what a member learned; return whether to process it now (for an answered call, if much is pending)."""
        self._to_learn.append((self._known.record, learning))
        return not self.is_answered or len(self._to_learn) > LEARNED_LATER

    def _catch_up(self) -> None:
        if self._known.count > self.size["members"]:
            self.widen(members=self._known.count)
        learned, self._to_learn, now = self._to_learn, [], self.validation.recorded
        for self.validation.recorded, learning in learned:
            self.take_all(*learning(self.state))
        self.validation.recorded = now


class CallsJudge(RowsJudge[Place, BehaviourOfCalls]):
    """Gives each record to the calls that it concerns, and keeps those settings of the run that concern calls."""

    SPECIFICATION = specification
    WATCHED = events.kinds_of(OfCalls)
    LEARNED_FROM = RowsJudge.LEARNED_FROM | events.kinds_of(OfNoCall)
    CALLED = "call {0[1]} of member {0[0]}"

    def __init__(self) -> None:
        super().__init__()
        self._configured = conditions.Configured(1, 0, False, True, True, 0, 0, False)
        self._removed: dict[int, tuple[int, Collection[int]]] = {}
        """For each member: the time of its latest list, and the members that it removed by this list."""
        self.turned_down: set[int] = set()
        """Joiners that were turned down, for good or for now, perhaps because of their configuration."""
        self._made_sync: set[Place] = set()
        """Attempts whose write waits for all its backups, because of back-pressure; each is kept until executed."""
        self._before_calls: dict[int, dict[tuple[object, ...], tuple[Runner, State]]] = {}
        """The states in which calls begin: by partition, and then by the caller, the members that it has just removed,
        and the numbers of members that joined and ended. The states are kept until a member learns something about the
        partition."""
        self.steps: dict[object, tuple[State, Taken, tuple[State, ...]]] = {}
        """A cache of steps, cleared when a member list or the settings change; its keys consist of the identity of the
        state before the step and of all values that were read from the event."""
        self._by_call_id: dict[Place, tuple[Place]] = {}
        self._answered: dict[Place, None] = {}

    def learn(self, member: int, event: OfCalls) -> None:
        """Keep what a member learns, the settings of the run, or that a write waits for all its backups."""
        if type(event) in LISTS or type(event) is conditions.Configured:
            self._before_calls.clear()
            self.steps.clear()
        elif isinstance(event, partitioning.RowInstalled | OfMigration):
            self._before_calls.pop(event.partition, None)
        if isinstance(event, conditions.Configured):
            self._configured = event
        elif isinstance(event, operation.MadeSync):
            self._made_sync.add((event.caller, event.call_id))
        elif isinstance(event, membership.JoinTurnedDown):
            self.turned_down.add(event.joiner)
        elif isinstance(event, membership.MemberListInstalled):
            self.turned_down.discard(member)
            self._removed[member] = self.record.at_ms, {*self.lists.get(member, ())} - {*event.members}
        super().learn(member, event)
        if isinstance(event, OfMigration):
            member, migrates = member, (member, event.partition) in self.migrating
            news = always("migration_begins" if migrates else "migration_ends", member)
            self.learned = lambda state: (news,) if migrates != state["migrating"][member] else ()

    def before_call(self, member: int, partition: int) -> tuple[Runner, State]:
        """Return the runner and the state in which a call begins; most calls share them with an earlier call."""
        at_ms, gone = self._removed.get(member, (-1, ()))
        removed = frozenset(gone if at_ms == self.record.at_ms else ())
        before = self._before_calls.setdefault(partition, {})
        if (begun := (member, removed, self.count, len(self.gone))) not in before:
            most, stale = max(self.backup_count, 1), self._configured.stale_reads  # the most that any structure has
            runner = BehaviourOfCalls.WORLDS.runner(members=self.count, backups=most, serves_stale_reads=stale)
            everybody = range(len(runner.start["row"]))
            known = self.of_partition(partition, runner.start) | {
                "budget": self._configured.retries,
                "caller": member,
                "address": tuple(min([member, *self.formers[member]]) for member in everybody),
                "removed": tuple(map(removed.__contains__, everybody)),
            }
            before[begun] = runner, runner.start.replaced(known)
        return before[begun]

    def sync_of(self, event: operation.Executed) -> Collection[int]:
        """Return how many of a write's backups may be sync backups: the configured number, if it is known."""
        total, attempt = event.backups, (event.caller, event.call_id)
        if attempt in self._made_sync:
            self._made_sync.remove(attempt)
            return (total,)
        if event.namespace.startswith("lock:"):
            return (min(1, total),)  # The backups of a lock are not configured: it has one, which is sync.
        # For the grid's internal maps, such as those of jobs, the trace does not record the number of backups.
        sync, unknown = self._configured.sync_backups, event.namespace.startswith("map:__")
        return range(total + 1) if unknown or total != sync + self._configured.async_backups else (sync,)

    def concerned(self, member: int, event: Any) -> Iterable[Place]:
        """Return the calls that an event concerns: one call, the calls of a partition or of a departing caller, or all
        calls."""
        kind = type(event)
        if kind in CALLERS:
            place = member, event.invocation
            if kind is invocation.CallBegun:
                self.begin(place, lambda: BehaviourOfCalls(member, event, self))
            elif place not in self.behaviours:
                return ()
            elif kind is invocation.AttemptSent:
                self._by_call_id[member, event.call_id] = (place,)
            elif kind is invocation.CallEnded:
                self._is_over(place)
            return (place,)
        if kind in TARGETS:
            return self._by_call_id.get((event.caller, event.call_id), ())
        if kind in RowsJudge.LEARNED_FROM:
            about = None if kind in LISTS else event.partition
            calls = [one for one in self.behaviours.items() if about in (None, one[1].partition)]
            return [place for place, call in calls if place not in self._over and call.learns(self.learned)]
        return [place for place in self.behaviours if place[0] == member] if kind in DEPARTING else ()

    def ended(self, member: int) -> None:
        """Record that a member ended: nobody awaits the answers to its calls any more."""
        super().ended(member)
        for place in [place for place in self.behaviours if place[0] == member]:
            if place in self.behaviours:
                self._is_over(place)

    def _is_over(self, place: Place) -> None:
        """Keep a call whose caller no longer waits for anything, and drop the oldest of such calls."""
        self._answered.setdefault(place)
        self.behaviours[place].is_answered = True
        if len(self._answered) > ANSWERED_KEPT:
            oldest = next(iter(self._answered))
            del self._answered[oldest]
            for call_id in self.behaviours[oldest].attempts:
                self._by_call_id.pop((oldest[0], call_id), None)
            self.forget(oldest)


UNSENT = {
    Failure.WRONG_TARGET: Event("caller_knows_no_owner"),
    Failure.ILLEGAL_STATE: Event("nobody_may_own", (Outcome.ILLEGAL_STATE,)),
    Failure.NO_DATA_MEMBER: Event("nobody_may_own", (Outcome.NO_DATA_MEMBER,)),
    Failure.TARGET_NOT_MEMBER: Event("caller_finds_the_owner_gone"),
    Failure.MEMBER_LEFT: Event("caller_finds_the_owner_gone_again"),
}
FAILING = {Failure.MEMBER_LEFT: Event("target_is_removed"), Failure.OPERATION_TIMEOUT: Event("call_times_out")}
REFUSING = {
    Failure.CALLER_NOT_MEMBER: "target_refuses_a_stranger",
    Failure.ILLEGAL_STATE: "target_is_not_allowed",
    Failure.OPERATION_TIMEOUT: "target_refuses_late_request",
    Failure.PARTITION_MIGRATING: "target_refuses_while_it_migrates",
    Failure.WRONG_TARGET: "wrong_target_refuses",
    Failure.SPLIT_BRAIN_PROTECTION: "target_is_protected",
    Failure.THROWN: "operation_throws",
}
MERGING = "call_of_a_merging_caller_ends"
ENDING: dict[CallEnding | Failure, tuple[str, ...]] = {
    CallEnding.UNACKNOWLEDGED: ("missing_acknowledgement_is_ignored",),
    Failure.OPERATION_TIMEOUT: ("answer_is_given", "late_request_ends_the_call"),
    Failure.INDETERMINATE: ("answer_is_given", "missing_acknowledgement_is_indeterminate", MERGING),
    Failure.MEMBER_LEFT: ("answer_is_given", MERGING),
    Failure.NOT_ACTIVE: ("call_of_a_leaver_ends",),
    Failure.OVERLOAD: ("call_finds_no_room",),
}
"""The actions that may end a call, if it did not end together with its last attempt."""
TRIES, RECEIVED = itemgetter("tries"), itemgetter("received")
READ: Mapping[type[OfAttempts], Callable[[Any], object]] = {
    invocation.CallBegun: attrgetter("operation", "is_read_only", "is_strict"),
    invocation.AttemptSent: attrgetter("target", "attempt"),
    invocation.CallEnded: attrgetter("how", "confirmed"),
    invocation.ResponseKept: attrgetter("expected", "received"),
    invocation.AcknowledgementCounted: attrgetter("backup", "received"),
    replication.BackupApplied: attrgetter("index"),
    operation.Executed: lambda event: event.changed and (event.sent_to, event.acks, event.backups),
}
"""For each kind of frequent event: all values of the event that `observed` reads, except the attempt."""


def observed(event: OfAttempts, member: int, number: int | None, syncs: Collection[int]) -> Iterator[Observation]:
    """Yield the observations of an event of a caller, target or backup; `number` is the attempt it names."""
    present = "attempt of the call id", number, lambda state: state["sent"] - 1
    match event:
        case invocation.CallBegun(operation=called, is_read_only=is_read_only, is_strict=is_strict):
            write = Kind.STRICT_WRITE if is_strict else Kind.WRITE
            mode = says(("is_strict", is_strict, lambda state: state["kind"] == Kind.STRICT_WRITE))
            yield always("call_begins", Kind.READ if is_read_only else write, called in ("Lock", "Poll"), agrees=mode)
        case invocation.AttemptSent(target=target, attempt=tries):
            yield always("attempt_is_sent", target, agrees=says(("attempt", tries, TRIES)))
        case invocation.CallEnded(how=how, confirmed=said):
            by = "answered_by", number, itemgetter("answered_by")
            copies = "confirmed", said, lambda state: 1 + sum(state["counted"]) if number == state["sent"] - 1 else 0
            agrees = says(("how", Outcome(how), itemgetter("outcome")), by, copies)
            if how == CallEnding.ACKNOWLEDGED:
                yield Observation(partial(_completing, number), agrees)
            else:
                yield from (always(action, agrees=agrees) for action in ENDING.get(how, ("answer_is_given",)))
        case operation.Executed(changed=False):
            yield always("primary_executes_without_change", member, number)
        case operation.Executed(backups=total):
            agrees = partial(_misstated, event, member, number)
            for sync in syncs:
                yield always("primary_executes_write", member, number, sync, total, agrees=agrees)
        case replication.BackupApplied(index=index):
            yield always("backup_applies", member, number, index)
        case invocation.AcknowledgementCounted(backup=backup, received=received):
            yield always("acknowledgement_is_counted", backup, agrees=says(present, ("received", received, RECEIVED)))
        case invocation.AttemptFailed(call_id=0, why=why, attempt=tries):
            missing = f"an attempt that was not sent fails with {why!r}"
            yield Observation(partial(_unsent, why), says(("attempt", tries, TRIES)), missing)
        case invocation.AttemptFailed(why=why, attempt=tries):
            action = FAILING.get(why) or Event("refusal_arrives", (Outcome(why),))
            yield Observation((action,), says(present, ("attempt", tries, TRIES)))
        case invocation.ResponseKept(expected=expected, received=received):
            yield always("response_is_kept", expected, agrees=says(present, ("received", received, RECEIVED)))
        case invocation.LeaverCounted(gone=gone, received=received):
            yield always("leaver_is_counted", gone, agrees=says(("received", received, RECEIVED)))
        case invocation.CallBegunAnew():
            yield always("call_is_begun_anew")
        case operation.Refused(why=why):
            unknown = Observation(missing=f"no target refuses with {why!r}")
            yield always(REFUSING[why], member, number) if why in REFUSING else unknown
        case operation.Parked():
            yield always("request_waits", member, number)
        case operation.WaitedInVain():
            yield always("request_waits_in_vain", member, number)
        case _:
            assert_never(event)


def unrecorded(event: OfAttempts, number: int | None, state: State) -> Iterator[Event]:
    """Yield actions without a record that may have happened before an event about an attempt."""
    if state["may_wait"] and state["phase"] is Phase.WAITING:
        yield Event("waiting_call_is_asked_anew")
    about = state["sent"] - 1 if number is None else number
    if about < 0:
        return
    for member, has_waited in enumerate(state["parked"][about]):
        if has_waited:
            yield Event("waiting_request_is_sent_back", (member, about))
            yield Event("waiting_request_is_late", (member, about))
    for member, is_unknown in enumerate(state["has_unrecorded"]):
        if is_unknown and isinstance(event, OfTrying | replication.BackupApplied):
            yield from _last_step(state, event, member, about)


def _last_step(state: State, event: OfTrying | replication.BackupApplied, member: int, number: int) -> Iterator[Event]:
    """Yield the possible last steps of a member, if the record of its last step was lost with the member."""
    slots = range(len(state["row"][member]))
    match event:
        case invocation.AcknowledgementCounted(backup=backup) if backup == member:
            yield from (Event("unrecorded_update_is_applied", (member, number, slot)) for slot in slots)
        case invocation.AttemptFailed(why=why) | invocation.CallEnded(how=why) if Outcome(why) in REFUSALS:
            yield Event("unrecorded_refusal_is_sent", (member, number, Outcome(why)))
        case invocation.AttemptSent() | invocation.AttemptFailed(call_id=0):
            yield Event("unrecorded_refusal_is_sent", (member, number, Outcome.OPERATION_TIMEOUT))
        case _:
            pass
    if isinstance(event, OfAnswers | replication.BackupApplied):
        yield from (Event("unrecorded_write_is_sent", (member, number, sync)) for sync in slots)
        yield Event("unrecorded_answer_is_sent", (member, number))


def _unsent(why: Failure, state: State) -> Iterator[Event]:
    owner = state["row"][state["caller"]][0]
    if why == Failure.RETRYABLE_IO and owner is not None:
        yield Event("attempt_cannot_be_sent", (owner,))
    elif why in UNSENT:
        yield UNSENT[why]


def _completing(number: int | None, state: State) -> Iterable[Event]:
    if state["phase"] is Phase.ENDING:
        return (Event("answer_is_given"),)
    answered = () if number is None else state["answered"][number]
    counts = [acks for acks, is_under_way in enumerate(answered) if is_under_way] or [0]
    return [Event("response_ends_the_call", (acks,)) for acks in counts]


def _misstated(event: operation.Executed, member: int, number: int | None, state: State) -> str | None:
    """Return how a write's record contradicts the state: in the backups addressed, or in the acknowledgements; else
    None."""
    row, address = state["row"][member], state["address"]
    expected = tuple(
        slot for slot in addressed_of(state, member, event.backups) if address[row[slot]] != address[member]
    )
    has_response = event.acks in range(len(row)) and state["answered"][number][event.acks]
    wrong = None if has_response else f"it states acks {event.acks}, and the specification has no such response"
    return says(("addressed backups", event.sent_to, lambda _: expected))(state) or wrong
