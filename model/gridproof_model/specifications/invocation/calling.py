"""What the caller does with a call: how it begins the call, finds targets, sends attempts, and ends the call.

A call is ended by an answer to the caller, by a timeout of the caller, or by members that left.
"""

from gridproof_model.language import *
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.invocation.state import *
from gridproof_model.specifications.invocation.state import chosen as chosen_target

OUTCOME = OneOf(Outcome)


def call_ends(
    how: EnumExpr[Outcome] | Outcome,
    by: IndexExpr | OptionExpr[IndexExpr] | None = None,
    phase_then: Phase = Phase.ENDED,
) -> list[Update]:
    """Return the updates that settle a call's outcome; `by` is the attempt whose response the caller is given."""
    by_whom = [] if by is None else [answered_by.becomes(by)]
    return [phase.becomes(phase_then), outcome.becomes(how), ends.becomes(ends + 1), *by_whom]


def attempt_fails(why: EnumExpr[Outcome] | Outcome, tried: IntExpr) -> list[Update]:
    """Return the updates of a failed attempt: either another attempt follows, or the call ends.

    If the target left, a call in indeterminate mode ends; a retryable failure leads to another attempt while the budget
    lasts, and the kept response and the counts stay unchanged (calls.16, strict.2). A refusal never states that a
    target left.
    """
    may_go_on = tried < budget
    if not isinstance(why, Outcome):
        return goes_on_or_ends(why.is_in(*(one for one in RETRYABLE if one in REFUSALS)) & may_go_on, why)
    if why is not Outcome.MEMBER_LEFT:
        # If the reason is known when the specification is built, every retryable reason leads to the same updates.
        assert why in RETRYABLE, f"{why} is not tried again"
        return goes_on_or_ends(may_go_on, coerced(why, OUTCOME))
    goes_on = ~is_strict() & may_go_on
    return [
        *goes_on_or_ends(goes_on, coerced(if_else(is_strict(), Outcome.INDETERMINATE, Outcome.MEMBER_LEFT), OUTCOME)),
        retried_after_leave.becomes(retried_after_leave | goes_on),
    ]


def goes_on_or_ends(goes_on: BoolExpr, how: EnumExpr[Outcome]) -> list[Update]:
    """Return the updates of a call that either is tried again, or ends with this outcome."""
    return [
        phase.becomes(if_else(goes_on, Phase.RESOLVING, Phase.ENDING)),
        outcome.becomes(if_else(goes_on, outcome, how)),
        ends.becomes(if_else(goes_on, ends, ends + 1)),
    ]


@specification.action(OneOf(Kind), Bool(), source="calls.5, strict.1")
def call_begins(chosen: EnumExpr[Kind], waits: BoolExpr) -> Step:
    """The caller begins a call, in either mode; a call whose operation may wait at its target is a write."""
    return Step(
        when=[phase == Phase.IDLE, ~ended[caller], waits.implies(waiting_operations & (chosen != Kind.READ))],
        then=[kind.becomes(chosen), may_wait.becomes(waits), phase.becomes(Phase.RESOLVING)],
    )


@specification.action(source="calls.26")
def call_finds_no_room() -> Step:
    """A call is refused, since too many calls were under way during the whole time that it waited to be admitted."""
    return Step(
        when=[phase == Phase.RESOLVING, ~ended[caller], tries == 0, sent == 0], then=call_ends(Outcome.OVERLOAD)
    )


LOOKS_FOR_A_TARGET = [phase == Phase.RESOLVING, ~ended[caller]]
"""The guards of an attempt that is about to be made."""


ONE_MORE_TRY = tries.becomes(tries + 1)
"""The update that counts an attempt, whether it was sent or not."""


def fails_unsent(why: Outcome) -> list[Update]:
    """Return the updates of an attempt that failed before it was sent; the attempt counts all the same."""
    return [ONE_MORE_TRY, *attempt_fails(why, tries + 1)]


@specification.definition()
def owner() -> OptionExpr[IndexExpr]:
    """The owner of the partition, according to the caller's own row."""
    return row[caller][slots[0]]


@specification.definition(members)
def is_found(member: IndexExpr) -> BoolExpr:
    """Whether the member is the owner in the caller's own row, and stands in the caller's own list."""
    return (owner() == member) & listed[caller][member]


@specification.action(members, source="calls.5, calls.19; defect HZ-68")
def target_is_chosen(member: IndexExpr) -> Step:
    """The caller has found its target, but not registered the attempt: no removal or answer affects the call yet."""
    return Step(
        when=[*LOOKS_FOR_A_TARGET, registers_late, chosen_target.is_none, is_found(member)],
        then=[chosen_target.becomes(member)],
    )


@specification.action(members, source="calls.5, calls.7", fair=True)
def attempt_is_sent(member: IndexExpr) -> Step:
    """The caller sends an attempt, with a new call id, to the target that it finds now or has chosen before."""
    number = element_at(call_ids, smaller(sent, attempts - 1))
    is_target = if_else(chosen_target.is_some, chosen_target == member, is_found(member))
    return Step(
        when=[*LOOKS_FOR_A_TARGET, sent < attempts, is_target],
        then=[
            chosen_target.becomes(None),
            sent.becomes(sent + 1),
            target[number].becomes(member),
            asked.becomes(member),
            ONE_MORE_TRY,
            counted.becomes(array_of(members, lambda _: coerced(False, Bool()))),
            phase.becomes(Phase.WAITING),
        ],
    )


@specification.action(members, source="calls.14: RetryableIO")
def attempt_cannot_be_sent(member: IndexExpr) -> Step:
    """There is no connection to the target; the caller tries again, in either mode."""
    return Step(
        when=[*LOOKS_FOR_A_TARGET, is_found(member)],
        then=[asked.becomes(member), *fails_unsent(Outcome.NOT_SENT)],
    )


@specification.action(source="calls.6: owner null, WrongTarget", fair=True)
def caller_knows_no_owner() -> Step:
    """The caller's row names no owner; the caller tries again."""
    return Step(
        when=[*LOOKS_FOR_A_TARGET, owner().is_none],
        then=fails_unsent(Outcome.WRONG_TARGET),
    )


@specification.action(OneOf(Outcome), source="calls.6, calls.14, members.24")
def nobody_may_own(why: EnumExpr[Outcome]) -> Step:
    """There is no owner and can be none now: all members are lite members, or the cluster state forbids an owner."""
    is_said_so = why.is_in(Outcome.ILLEGAL_STATE, Outcome.NO_DATA_MEMBER)
    return Step(
        when=[*LOOKS_FOR_A_TARGET, other_refusals, owner().is_none, is_said_so],
        then=[ONE_MORE_TRY, *call_ends(why, phase_then=Phase.ENDING)],
    )


@specification.definition()
def owner_is_gone() -> BoolExpr:
    """Whether the owner in the caller's row is not in the caller's list."""
    return owner().is_some & ~listed[caller][owner().value]


@specification.action(source="calls.6: TargetNotMember", fair=True)
def caller_finds_the_owner_gone() -> Step:
    """The caller's first target is not in the caller's list, so the caller tries again."""
    return Step(
        when=[*LOOKS_FOR_A_TARGET, owner_is_gone(), asked.is_none],
        then=fails_unsent(Outcome.TARGET_NOT_MEMBER),
    )


@specification.action(source="calls.6, strict.2: on re-resolution", fair=True)
def caller_finds_the_owner_gone_again() -> Step:
    """An earlier attempt had a target: an owner that is not in the caller's list now counts as a target that left."""
    return Step(
        when=[*LOOKS_FOR_A_TARGET, owner_is_gone(), asked.is_some],
        then=fails_unsent(Outcome.MEMBER_LEFT),
    )


WAITS = [phase == Phase.WAITING, ~ended[caller]]
"""The guards of a message or a timeout that concerns the registered attempt."""


@specification.action(slots, source="backups.17")
def response_is_kept(acks: IndexExpr) -> Step:
    """A response that asks for more acknowledgements than have arrived is kept until all of them have arrived."""
    return Step(
        when=[*WAITS, answered[present()][acks], received < acks.ordinal],
        then=[kept.becomes(present()), expected.becomes(acks)],
    )


@specification.action(slots, source="backups.17, backups.16")
def response_ends_the_call(acks: IndexExpr) -> Step:
    """A response completes the call, because all acknowledgements that it asks for arrived before it."""
    return Step(
        when=[*WAITS, answered[present()][acks], acks.ordinal <= received],
        then=[expected.becomes(acks), *call_ends(Outcome.ACKNOWLEDGED, by=present())],
    )


def one_more_acknowledgement() -> list[Update]:
    """Return the updates of an acknowledgement; if the kept response needs no more of them, the call is complete.

    Source: backups.17.
    """
    is_enough = kept.is_some & (received + 1 == expected.ordinal)
    return [
        received.becomes(received + 1),
        phase.becomes(if_else(is_enough, Phase.ENDING, phase)),
        outcome.becomes(if_else(is_enough, Outcome.ACKNOWLEDGED, outcome)),
        ends.becomes(if_else(is_enough, ends + 1, ends)),
        answered_by.becomes(if_else(is_enough, kept, answered_by)),
    ]


@specification.action(members, source="backups.17, backups.16")
def acknowledgement_is_counted(member: IndexExpr) -> Step:
    """A backup's acknowledgement of the present attempt is counted once, whether the response has arrived or not."""
    return Step(
        when=[*WAITS, acknowledged[present()][member], ~counted[member]],
        then=[counted[member].becomes(True), *one_more_acknowledgement()],
    )


@specification.definition(OneOf(Outcome))
def is_refused_with(why: EnumExpr[Outcome]) -> BoolExpr:
    """Whether a refusal of the present attempt for this reason is under way."""
    return any_of(*((why == reason) & getattr(refused[present()], name) for reason, name in REFUSALS.items()))


@specification.action(OneOf(Outcome), source="calls.11, calls.14")
def refusal_arrives(why: EnumExpr[Outcome]) -> Step:
    """A refusal arrives: the target did not execute the attempt, or the operation failed; some refusals are retried."""
    return Step(when=[*WAITS, is_refused_with(why), why != Outcome.OPERATION_TIMEOUT], then=attempt_fails(why, tries))


@specification.action(source="calls.23: CallTimeoutResponse")
def late_request_ends_the_call() -> Step:
    """A target answers that it did not execute the request, which came too late; the call ends with a timeout."""
    return Step(
        when=[*WAITS, refused[present()].operation_timeout, ~may_wait], then=call_ends(Outcome.OPERATION_TIMEOUT)
    )


@specification.action(source="calls.24: CallTimeoutResponse of a blocking operation")
def waiting_call_is_asked_anew() -> Step:
    """A call that may wait at its target is sent again after the call timeout; this does not count as an attempt."""
    return Step(
        when=[*WAITS, refused[present()].operation_timeout, may_wait],
        then=[phase.becomes(Phase.RESOLVING), tries.becomes(tries - 1)],
    )


@specification.action(source="calls.22; seed: Invocation Lifecycle", fair=True)
def call_times_out() -> Step:
    """No answer came for too long, and a call of any mode times out; a read at the caller itself is always answered."""
    is_own_read = (kind == Kind.READ) & (target[present()] == caller)
    return Step(
        when=[*WAITS, kept.is_none, ~is_own_read], then=call_ends(Outcome.OPERATION_TIMEOUT, phase_then=Phase.ENDING)
    )


MISSES_ACKNOWLEDGEMENTS = [*WAITS, kept.is_some]
"""The guards of the backup timeout: a response is kept, and has waited for too long."""


@specification.action(source="seed: Throwing an IndeterminateOperationStateException; strict.3", fair=True)
def missing_acknowledgement_is_indeterminate() -> Step:
    """In indeterminate mode a missing acknowledgement ends the call with the exception."""
    return Step(when=[*MISSES_ACKNOWLEDGEMENTS, is_strict()], then=call_ends(Outcome.INDETERMINATE))


@specification.definition()
def target_is_there() -> BoolExpr:
    """Whether the caller's member list has a member at the address of the call's target (backups.18)."""
    return exists(members, lambda member: listed[caller][member] & shares_address(member, asked.value))


@specification.action(source="backups.18", fair=True)
def missing_acknowledgement_is_ignored() -> Step:
    """In ordinary mode the call succeeds with the kept response, although acknowledgements are missing."""
    return Step(
        when=[*MISSES_ACKNOWLEDGEMENTS, ~is_strict(), target_is_there()],
        then=call_ends(Outcome.UNACKNOWLEDGED, by=kept),
    )


@specification.action(source="backups.19", fair=True)
def call_is_begun_anew() -> Step:
    """No member is at the target's address any more: the call drops the response and all counts, and begins anew."""
    return Step(
        when=[*MISSES_ACKNOWLEDGEMENTS, ~is_strict(), ~target_is_there()],
        then=[
            kept.becomes(None),
            expected.becomes(slots[0]),
            received.becomes(0),
            leavers.becomes(0),
            tries.becomes(0),
            asked.becomes(None),
            phase.becomes(Phase.RESOLVING),
        ],
    )


@specification.action(source="calls.19, calls.14, strict.2")
def target_is_removed() -> Step:
    """The target leaves the caller's list: the attempt fails, even if its response is kept."""
    asks = target[present()]
    return Step(
        when=[*WAITS, removed[asks.value]],
        then=[removed[asks.value].becomes(False), *attempt_fails(Outcome.MEMBER_LEFT, tries)],
    )


@specification.action(members, source="backups.20: PR 12213; docs/findings.md")
def leaver_is_counted(member: IndexExpr) -> Step:
    """If any member but the target leaves the list, it counts as an acknowledgement (by default not in strict mode)."""
    return Step(
        when=[*WAITS, ~is_strict() | strict_counts_leavers, removed[member], target[present()] != member],
        then=[removed[member].becomes(False), leavers.becomes(leavers + 1), *one_more_acknowledgement()],
    )


@specification.action(members, source="calls.19; defect HZ-68")
def removal_concerns_no_call(member: IndexExpr) -> Step:
    """A member is removed while no attempt is registered (a target may be chosen): the call never learns of this."""
    return Step(
        when=[registers_late, removed[member], phase != Phase.WAITING, ~ended[caller]],
        then=[removed[member].becomes(False)],
    )


@specification.action(source="calls.10, backups.17, calls.7", fair=True)
def answer_is_given() -> Step:
    """The outcome of the call is given to the client as its answer."""
    return Step(when=[phase == Phase.ENDING, ~ended[caller]], then=[phase.becomes(Phase.ENDED)])


IS_UNDER_WAY = [phase.is_in(Phase.RESOLVING, Phase.WAITING), ~ended[caller]]
"""The guards of an action on a call that has no outcome yet."""


@specification.action(source="splits.6")
def call_of_a_merging_caller_ends() -> Step:
    """A caller that merges into another cluster ends its calls as if their targets had left."""
    return Step(
        when=[*IS_UNDER_WAY, departure == Departure.MERGES],
        then=call_ends(if_else(is_strict(), Outcome.INDETERMINATE, Outcome.MEMBER_LEFT)),
    )


@specification.action(source="calls.14")
def call_of_a_leaver_ends() -> Step:
    """A caller that shuts down ends its calls."""
    return Step(when=[*IS_UNDER_WAY, departure == Departure.SHUTS_DOWN], then=call_ends(Outcome.NOT_ACTIVE))
