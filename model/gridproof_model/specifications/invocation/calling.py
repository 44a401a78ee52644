"""The caller's attempts: how a call begins, whom it asks, and what comes of an attempt that fails."""

from gridproof_model.language import (
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    IntExpr,
    OneOf,
    OptionExpr,
    Step,
    Update,
    array_of,
    element_at,
    if_else,
    smaller,
)
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.invocation.state import (
    RETRYABLE,
    Kind,
    Outcome,
    Phase,
    answered_by,
    asked,
    attempts,
    budget,
    call_ids,
    caller,
    counted,
    ended,
    ends,
    is_strict,
    kind,
    listed,
    may_wait,
    members,
    one_more,
    other_refusals,
    outcome,
    phase,
    registers_late,
    retried_after_leave,
    row,
    sent,
    slots,
    specification,
    target,
    tries,
    waiting_operations,
)
from gridproof_model.specifications.invocation.state import chosen as chosen_target

OUTCOME = OneOf(Outcome)


def call_ends(
    how: EnumExpr[Outcome] | Outcome,
    by: IndexExpr | OptionExpr[IndexExpr] | None = None,
    phase_then: Phase = Phase.ENDED,
) -> list[Update]:
    """Return the updates that settle a call; `by` is the attempt whose response the caller is given."""
    by_whom = [] if by is None else [answered_by.becomes(by)]
    return [phase.becomes(phase_then), outcome.becomes(how), ends.becomes(ends + 1), *by_whom]


def attempt_fails(why: EnumExpr[Outcome] | Outcome, tried: IntExpr) -> list[Update]:
    """Return the updates of an attempt that failed: another one, or the end of the call.

    A target that left ends a call in indeterminate mode; what is retryable is tried again while the budget lasts, which
    resets neither the kept response nor the counts (calls.16, strict.2). No refusal says that a target left.
    """
    may_go_on = tried < budget
    if not isinstance(why, Outcome):
        return goes_on_or_ends(why.is_in(*RETRYABLE) & may_go_on, why)
    if why is not Outcome.MEMBER_LEFT:
        # What is known beforehand is no part of the rule: any constant there would do as well.
        assert why in RETRYABLE, f"{why} is not tried again"
        return goes_on_or_ends(may_go_on, coerced(why, OUTCOME))
    goes_on = ~is_strict() & may_go_on
    return [
        *goes_on_or_ends(goes_on, coerced(if_else(is_strict(), Outcome.INDETERMINATE, Outcome.MEMBER_LEFT), OUTCOME)),
        retried_after_leave.becomes(retried_after_leave | goes_on),
    ]


def goes_on_or_ends(goes_on: BoolExpr, how: EnumExpr[Outcome]) -> list[Update]:
    """Return the updates of a call that is tried again, or else ends so."""
    return [
        phase.becomes(if_else(goes_on, Phase.RESOLVING, Phase.ENDING)),
        outcome.becomes(if_else(goes_on, outcome, how)),
        ends.becomes(if_else(goes_on, ends, ends + 1)),
    ]


@specification.action(OneOf(Kind), Bool(), source="calls.5, strict.1")
def call_begins(chosen: EnumExpr[Kind], waits: BoolExpr) -> Step:
    """Somebody calls, in one mode or the other; an operation that may wait is a write."""
    return Step(
        when=[phase == Phase.IDLE, ~ended[caller], waits.implies(waiting_operations & (chosen != Kind.READ))],
        then=[kind.becomes(chosen), may_wait.becomes(waits), phase.becomes(Phase.RESOLVING)],
    )


@specification.action(source="calls.26")
def call_finds_no_room() -> Step:
    """Too many calls are under way, and stay so for longer than a call waits outside: it is refused."""
    return Step(
        when=[phase == Phase.RESOLVING, ~ended[caller], tries == 0, sent == 0],
        then=call_ends(Outcome.OVERLOAD),
    )


def looks_for_a_target() -> list[BoolExpr]:
    """Return the guards of an attempt that is made."""
    return [phase == Phase.RESOLVING, ~ended[caller]]


@specification.definition()
def owner() -> OptionExpr[IndexExpr]:
    """Who owns the partition, by the caller's own row."""
    return row[caller][slots[0]]


@specification.definition(members)
def is_found(member: IndexExpr) -> BoolExpr:
    """Whether a member is the owner in the caller's own row, and in the caller's own list."""
    return (owner() == member) & listed[caller][member]


@specification.action(members, source="calls.5, calls.19; defect HZ-68")
def target_is_chosen(member: IndexExpr) -> Step:
    """The caller has found its target, and has not registered the attempt yet: no leaver and no answer finds it."""
    return Step(
        when=[*looks_for_a_target(), registers_late, chosen_target.is_none, is_found(member)],
        then=[chosen_target.becomes(member)],
    )


@specification.action(members, source="calls.5, calls.7", fair=True)
def attempt_is_sent(member: IndexExpr) -> Step:
    """The target that is found, or was chosen, is asked under a new call id."""
    number = element_at(call_ids, smaller(sent, attempts - 1))
    is_target = if_else(chosen_target.is_some, chosen_target == member, is_found(member))
    return Step(
        when=[*looks_for_a_target(), sent < attempts, is_target],
        then=[
            chosen_target.becomes(None),
            sent.becomes(sent + 1),
            target[number].becomes(member),
            asked.becomes(member),
            tries.becomes(one_more(tries)),
            counted.becomes(array_of(members, lambda _: coerced(False, Bool()))),
            phase.becomes(Phase.WAITING),
        ],
    )


@specification.action(members, source="calls.14: RetryableIO")
def attempt_cannot_be_sent(member: IndexExpr) -> Step:
    """No connection to the target stands: that is retried, in any mode."""
    return Step(
        when=[*looks_for_a_target(), is_found(member)],
        then=[asked.becomes(member), tries.becomes(one_more(tries)), *attempt_fails(Outcome.NOT_SENT, tries + 1)],
    )


@specification.action(source="calls.6: owner null, WrongTarget", fair=True)
def caller_knows_no_owner() -> Step:
    """The caller's row names no owner: that is retried."""
    return Step(
        when=[*looks_for_a_target(), owner().is_none],
        then=[tries.becomes(one_more(tries)), *attempt_fails(Outcome.WRONG_TARGET, tries + 1)],
    )


@specification.action(OneOf(Outcome), source="calls.6, calls.14, members.24")
def nobody_may_own(why: EnumExpr[Outcome]) -> Step:
    """There is no owner, and as things are there will be none: only lite members, or a state that forbids it."""
    return Step(
        when=[
            *looks_for_a_target(),
            other_refusals,
            owner().is_none,
            why.is_in(Outcome.ILLEGAL_STATE, Outcome.NO_DATA_MEMBER),
        ],
        then=[tries.becomes(one_more(tries)), *attempt_fails(why, tries + 1)],
    )


@specification.definition()
def owner_is_gone() -> BoolExpr:
    """Whether the owner in the caller's row is not in the caller's list."""
    return owner().is_some & ~listed[caller][owner().value]


@specification.action(source="calls.6: TargetNotMember", fair=True)
def caller_finds_the_owner_gone() -> Step:
    """At the first resolution, an owner that is no member is a reason to retry."""
    return Step(
        when=[*looks_for_a_target(), owner_is_gone(), asked.is_none],
        then=[tries.becomes(one_more(tries)), *attempt_fails(Outcome.TARGET_NOT_MEMBER, tries + 1)],
    )


@specification.action(source="calls.6, strict.2: on re-resolution", fair=True)
def caller_finds_the_owner_gone_again() -> Step:
    """If an earlier attempt had a target, an owner that is no member counts as a target that left."""
    return Step(
        when=[*looks_for_a_target(), owner_is_gone(), asked.is_some],
        then=[tries.becomes(one_more(tries)), *attempt_fails(Outcome.MEMBER_LEFT, tries + 1)],
    )
