"""Attempts: how a target is chosen, asked, and given up."""

from gridproof_model.language import (
    BoolExpr,
    EnumExpr,
    IndexExpr,
    OneOf,
    OptionExpr,
    Step,
    Update,
    array_of,
    element_at,
    exists,
    if_else,
    smaller,
)
from gridproof_model.specifications.invocation.state import (
    Kind,
    Outcome,
    Phase,
    Request,
    attempt,
    attempts,
    call_ids,
    callers_list,
    callers_row,
    ended_by,
    ends,
    is_overdue,
    is_up,
    kind,
    members,
    number_of_members,
    outcome,
    phase,
    request,
    retried_after_leave,
    row,
    slots,
    specification,
    target,
)


def call_ends(how: EnumExpr[Outcome] | Outcome, by: IndexExpr | OptionExpr[IndexExpr] | None = None) -> list[Update]:
    """Return the updates that complete the call; `by` is the attempt whose response the caller is given."""
    by_whom = [] if by is None else [ended_by.becomes(by)]
    return [phase.becomes(Phase.ENDED), outcome.becomes(how), ends.becomes(ends + 1), *by_whom]


def is_last_attempt() -> BoolExpr:
    """Return whether the retries are used up."""
    return attempt.ordinal + 1 == attempts


def next_attempt() -> IndexExpr:
    """Return the next call id, or the last one again."""
    return element_at(call_ids, smaller(attempt.ordinal + 1, attempts - 1))


def call_is_retried() -> list[Update]:
    """Return the updates of a retryable exception: a new attempt, or the exception itself when none is left.

    A retry resets neither the kept response nor the counts of acknowledgements (calls.16). In between
    the call is not registered (calls.7).
    """
    return [
        attempt.becomes(next_attempt()),
        is_overdue.becomes(False),
        phase.becomes(if_else(is_last_attempt(), Phase.ENDED, Phase.RESOLVING)),
        outcome.becomes(if_else(is_last_attempt(), Outcome.EXHAUSTED, outcome)),
        ends.becomes(if_else(is_last_attempt(), ends + 1, ends)),
    ]


def target_has_left() -> list[Update]:
    """Return the updates of a MemberLeftException: indeterminate mode ends the call, else it is retried.

    Source: calls.14, strict.2.
    """
    is_strict = kind == Kind.STRICT_WRITE
    ends_here = is_strict | is_last_attempt()
    exception = if_else(is_strict, Outcome.INDETERMINATE, Outcome.EXHAUSTED)
    return [
        attempt.becomes(if_else(is_strict, attempt, next_attempt())),
        is_overdue.becomes(False),
        phase.becomes(if_else(ends_here, Phase.ENDED, Phase.RESOLVING)),
        outcome.becomes(if_else(ends_here, exception, outcome)),
        ends.becomes(if_else(ends_here, ends + 1, ends)),
        retried_after_leave.becomes(retried_after_leave | ~ends_here),
    ]


@specification.action(OneOf(Kind), source="calls.5, strict.1; seed: Invocation Lifecycle", fair=True)
def call_begins(chosen: EnumExpr[Kind]) -> Step:
    """The partition is arranged, the first member as its owner, and everybody knows; somebody calls.

    The caller is a lite member: it holds no replica, and it does not crash, since with it the call would be gone.
    """
    arranged = array_of(
        slots,
        lambda slot: if_else(
            slot.ordinal < number_of_members, element_at(members, smaller(slot.ordinal, number_of_members - 1)), None
        ),
    )
    return Step(
        when=[phase == Phase.IDLE],
        then=[
            kind.becomes(chosen),
            phase.becomes(Phase.RESOLVING),
            row.becomes(arranged),
            callers_row.becomes(arranged),
        ],
    )


@specification.action(members, source="calls.5", fair=True)
def caller_chooses_target(member: IndexExpr) -> Step:
    """The owner in the caller's own row, if it is in the caller's own member list, is the target."""
    return Step(
        when=[phase == Phase.RESOLVING, callers_row[slots[0]] == member, callers_list[member]],
        then=[target[attempt].becomes(member), phase.becomes(Phase.TARGETED)],
    )


@specification.action(source="calls.6: owner null, WrongTarget", fair=True)
def caller_knows_no_owner() -> Step:
    """The caller's row names no owner: that is retried."""
    return Step(
        when=[phase == Phase.RESOLVING, callers_row[slots[0]].is_none],
        then=call_is_retried(),
    )


@specification.definition()
def has_asked_before() -> BoolExpr:
    """Whether an earlier attempt of the call had a target."""
    return exists(call_ids, lambda number: (number < attempt) & target[number].is_some)


@specification.action(members, source="calls.6: TargetNotMember", fair=True)
def caller_finds_the_owner_gone(member: IndexExpr) -> Step:
    """At the first resolution, an owner that is no member is a reason to retry."""
    return Step(
        when=[
            phase == Phase.RESOLVING,
            callers_row[slots[0]] == member,
            ~callers_list[member],
            ~has_asked_before(),
        ],
        then=call_is_retried(),
    )


@specification.action(members, source="calls.6, strict.2: on re-resolution", fair=True)
def caller_finds_the_owner_gone_again(member: IndexExpr) -> Step:
    """If an earlier attempt had a target, an owner that is no member counts as a target that left."""
    return Step(
        when=[
            phase == Phase.RESOLVING,
            callers_row[slots[0]] == member,
            ~callers_list[member],
            has_asked_before(),
        ],
        then=target_has_left(),
    )


@specification.action(members, source="calls.7", fair=True)
def attempt_is_sent(member: IndexExpr) -> Step:
    """The attempt is registered under its call id and its request handed to the network; the dead never get it."""
    return Step(
        when=[phase == Phase.TARGETED, target[attempt] == member],
        then=[
            phase.becomes(Phase.WAITING),
            request.becomes(if_else(is_up[member], Request.UNDER_WAY, Request.NOWHERE)),
        ],
    )


@specification.action(members, source="calls.14: RetryableIO")
def attempt_cannot_be_sent(member: IndexExpr) -> Step:
    """The connection to a dead target is closed, so nothing is sent: that is retried, in any mode."""
    return Step(
        when=[phase == Phase.TARGETED, target[attempt] == member, ~is_up[member]],
        then=call_is_retried(),
    )
