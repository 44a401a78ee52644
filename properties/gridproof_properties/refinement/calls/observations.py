"""The observation table of `calls`: which actions an event is, and what it says of the state afterwards.

Members are named by their numbers in the run, attempts by the order in which they were sent.
"""

from collections.abc import Iterable, Iterator
from typing import assert_never

from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AttemptFailed,
    AttemptSent,
    CallBegunAnew,
    CallEnded,
    LeaverCounted,
    ResponseKept,
)
from gridproof_model.events.operation import Executed, Parked, Refused, WaitedInVain
from gridproof_model.events.replication import BackupApplied
from gridproof_model.language import State
from gridproof_model.language.run import Event
from gridproof_model.specifications.calls.state import REFUSALS, Outcome, Phase
from gridproof_properties.refinement.observing import always, differs
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Actions, Agrees, Observation, Text

OfTheCaller = (
    AttemptSent | AttemptFailed | ResponseKept | AcknowledgementCounted | LeaverCounted | CallBegunAnew | CallEnded
)
OfTargets = Executed | Refused | Parked | WaitedInVain | BackupApplied
UNSENT = {
    Outcome.WRONG_TARGET: "caller_knows_no_owner",
    Outcome.ILLEGAL_STATE: "nobody_may_own",
    Outcome.NO_DATA_MEMBER: "nobody_may_own",
    Outcome.TARGET_NOT_MEMBER: "caller_finds_the_owner_gone",
    Outcome.MEMBER_LEFT: "caller_finds_the_owner_gone_again",
    Outcome.NOT_SENT: "attempt_cannot_be_sent",
}
"""Why an attempt is not sent."""
REFUSING = {
    Outcome.CALLER_NOT_MEMBER: "target_refuses_a_stranger",
    Outcome.ILLEGAL_STATE: "target_is_not_allowed",
    Outcome.OPERATION_TIMEOUT: "target_refuses_late_request",
    Outcome.MIGRATING: "target_refuses_while_it_migrates",
    Outcome.WRONG_TARGET: "wrong_target_refuses",
    Outcome.PROTECTED: "target_is_protected",
    Outcome.THROWN: "operation_throws",
}
"""Why a request is refused."""
ENDING = {
    Outcome.UNACKNOWLEDGED: ("missing_acknowledgement_is_ignored",),
    Outcome.OPERATION_TIMEOUT: ("answer_is_given", "late_request_ends_the_call"),
    Outcome.INDETERMINATE: (
        "answer_is_given",
        "missing_acknowledgement_is_indeterminate",
        "call_of_a_merging_caller_ends",
    ),
    Outcome.MEMBER_LEFT: ("answer_is_given", "call_of_a_merging_caller_ends"),
    Outcome.NOT_ACTIVE: ("call_of_a_leaver_ends",),
    Outcome.OVERLOAD: ("call_finds_no_room",),
}
"""What ends a call, where it is not what ended its last attempt."""


def of_caller(step: Step, event: OfTheCaller, number: int | None) -> tuple[Observation, ...]:
    """Return what an event of the caller is, of which any may be so; `number` is the attempt that it names."""
    match event:
        case AttemptSent(target=target, attempt=tries):
            return (always(step, "attempt_is_sent", target, agrees=_has_tried(tries)),)
        case AttemptFailed(call_id=0):
            return (_not_sent(step, Outcome(event.why), event.attempt),)
        case AttemptFailed(why=why, attempt=tries):
            return (_failed(step, Outcome(why), _both(_is_present(number), _has_tried(tries))),)
        case ResponseKept(expected=expected, received=received):
            agrees = _both(_is_present(number), _has_received(received))
            return (always(step, "response_is_kept", expected, agrees=agrees),)
        case AcknowledgementCounted(backup=backup, received=received):
            agrees = _both(_is_present(number), _has_received(received))
            return (always(step, "acknowledgement_is_counted", backup, agrees=agrees),)
        case LeaverCounted(gone=gone, received=received):
            return (always(step, "leaver_is_counted", gone, agrees=_has_received(received)),)
        case CallBegunAnew():
            return (always(step, "call_is_begun_anew"),)
        case CallEnded():
            return tuple(_ended(step, event, number))
        case _:
            assert_never(event)


def of_target(
    step: Step, event: OfTargets, number: int, asked_to_acknowledge: Iterable[int]
) -> tuple[Observation, ...]:
    """Return what an event of a target or a backup is, given how many of its backups may be sync."""
    me = step.member
    match event:
        case Executed(changed=False):
            return (always(step, "primary_executes_without_change", me, number),)
        case Executed(versions=versions):
            agrees, total = _acks_agree(me, number, event), configured(versions)
            return tuple(
                always(step, "primary_executes_write", me, number, sync, total, agrees=agrees)
                for sync in asked_to_acknowledge
            )
        case Refused(why=why):
            return (always(step, REFUSING[Outcome(why)], me, number),)
        case Parked():
            return (always(step, "request_waits", me, number),)
        case WaitedInVain():
            return (always(step, "request_waits_in_vain", me, number),)
        case BackupApplied(index=index):
            return (always(step, "backup_applies", me, number, index),)
        case _:
            assert_never(event)


def unrecorded(event: OfTheCaller | OfTargets, number: int | None) -> Actions:
    """Return what nobody records, as far as it may be what goes before an event about an attempt."""

    def find(state: State) -> Iterator[Event]:
        if state["may_wait"] and state["phase"] is Phase.WAITING:
            yield Event("waiting_call_is_asked_anew")
        about = state["sent"] - 1 if number is None else number
        if about >= 0:
            yield from _of_waiting(state, about)
            for member, is_unknown in enumerate(state["has_unrecorded"]):
                if is_unknown:
                    yield from _in_last_step(state, event, member, about)

    return find


def _of_waiting(state: State, number: int) -> Iterator[Event]:
    """Yield what becomes of a request that waits."""
    for member, has_waited in enumerate(state["parked"][number]):
        if has_waited:
            yield Event("waiting_request_is_sent_back", (member, number))
            yield Event("waiting_request_is_late", (member, number))


def _in_last_step(state: State, event: OfTheCaller | OfTargets, member: int, number: int) -> Iterator[Event]:
    """Yield what a member may have done in its last step."""
    slots = range(len(state["row"][member]))
    match event:
        case AcknowledgementCounted(backup=backup) if backup == member:
            yield from (Event("unrecorded_update_is_applied", (member, number, slot)) for slot in slots)
        case AttemptFailed(why=why) | CallEnded(how=why) if Outcome(why) in REFUSALS:
            yield Event("unrecorded_refusal_is_sent", (member, number, Outcome(why)))
        case AttemptSent() | AttemptFailed(call_id=0):
            yield Event("unrecorded_refusal_is_sent", (member, number, Outcome.OPERATION_TIMEOUT))
        case AttemptFailed() | CallEnded() | ResponseKept() | AcknowledgementCounted() | LeaverCounted():
            pass
        case CallBegunAnew() | Executed() | Refused() | Parked() | WaitedInVain() | BackupApplied():
            pass
        case _:
            assert_never(event)
    if isinstance(event, AcknowledgementCounted | ResponseKept | CallEnded | BackupApplied):
        yield from (Event("unrecorded_write_is_sent", (member, number, sync)) for sync in slots)
        yield Event("unrecorded_answer_is_sent", (member, number))


def configured(versions: tuple[int, ...]) -> int:
    """Return how many backups a write is counted for, whether they are there or not (reference replication 2.1)."""
    return sum(version > 0 for version in versions)


def _not_sent(text: Text, why: Outcome, tries: int) -> Observation:
    def find(state: State) -> Iterator[Event]:
        owner = state["row"][state["caller"]][0]
        if why is Outcome.NOT_SENT and owner is not None:
            yield Event(UNSENT[why], (owner,))
        elif why is not Outcome.NOT_SENT and why in UNSENT:
            yield Event(UNSENT[why], (why,) if UNSENT[why] == "nobody_may_own" else ())

    return Observation(text, find, _has_tried(tries), f"an attempt that was not sent fails with {why.value!r}")


def _failed(text: Text, why: Outcome, agrees: Agrees) -> Observation:
    match why:
        case Outcome.MEMBER_LEFT:
            return always(text, "target_is_removed", agrees=agrees)
        case Outcome.OPERATION_TIMEOUT:
            return always(text, "call_times_out", agrees=agrees)
        case _:
            return always(text, "refusal_arrives", why, agrees=agrees)


def _ended(text: Text, event: CallEnded, number: int | None) -> Iterator[Observation]:
    outcome = Outcome(event.how)

    def agrees(state: State) -> str | None:
        by = state["answered_by"]
        confirmed = 1 + sum(state["counted"]) if by is not None and by == state["sent"] - 1 else 0
        return (
            differs("how", outcome, state["outcome"])
            or differs("answered_by", number, by)
            or differs("confirmed", event.confirmed, confirmed)
        )

    def complete(state: State) -> Iterator[Event]:
        if state["phase"] is Phase.ENDING:
            yield Event("answer_is_given")
            return
        under_way = () if number is None else state["answered"][number]
        for acks in [acks for acks, is_said in enumerate(under_way) if is_said] or [0]:
            yield Event("response_ends_the_call", (acks,))

    if outcome is Outcome.ACKNOWLEDGED:
        yield Observation(text, complete, agrees)
        return
    for action in ENDING.get(outcome, ("answer_is_given",)):
        yield always(text, action, agrees=agrees)


def _acks_agree(me: int, number: int, event: Executed) -> Agrees:
    """Return whether a write was sent to those whom its primary knows, and counts as many as are sync."""

    def agrees(state: State) -> str | None:
        row, listed = state["row"][me], state["listed"][me]
        coldest = min(state["reach"][me], configured(event.versions))
        owed = tuple(slot for slot in range(1, coldest + 1) if row[slot] is not None and listed[row[slot]])
        is_addressed = event.acks < len(row) and state["answered"][number][event.acks]
        return differs("addressed backups", event.sent_to, owed) or (
            None if is_addressed else f"it states acks {event.acks}, and the specification has no such response"
        )

    return agrees


def _has_tried(tries: int) -> Agrees:
    return lambda state: differs("attempt", tries, state["tries"])


def _has_received(received: int) -> Agrees:
    return lambda state: differs("received", received, state["received"])


def _is_present(number: int | None) -> Agrees:
    return lambda state: differs("attempt of the call id", number, state["sent"] - 1)


def _both(one: Agrees, other: Agrees) -> Agrees:
    return lambda state: one(state) or other(state)
