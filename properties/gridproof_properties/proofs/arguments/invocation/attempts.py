"""What every moment of an attempt says."""

from gridproof_model.language import BoolExpr, all_of, exists, for_all, if_else
from gridproof_model.specifications.invocation.state import (
    Answer,
    Kind,
    Phase,
    Request,
    acknowledgement,
    attempt,
    backup_lane,
    call_ids,
    callers_list,
    crashes,
    crashes_left,
    ended_by,
    executions,
    expected,
    is_overdue,
    is_up,
    kind,
    leavers_counted,
    listed,
    members,
    moving_slot,
    moving_to,
    outcome,
    pending,
    phase,
    received,
    request,
    response,
    retried_after_leave,
    row,
    runs,
    slots,
    target,
)
from gridproof_properties.proofs.arguments.invocation.words import argument


@argument.lemma
def before_the_call_nothing_has_happened() -> BoolExpr:
    """Until the call begins nobody is asked, nothing is under way, and nobody has gone."""
    return (phase == Phase.IDLE).implies(
        all_of(
            attempt == call_ids[0],
            pending.is_none,
            outcome.is_none,
            ~retried_after_leave,
            request == Request.NOWHERE,
            executions == 0,
            received == 0,
            leavers_counted == 0,
            moving_slot.is_none,
            moving_to.is_none,
            crashes_left == crashes,
            for_all(slots, lambda slot: row[slot].is_none),
            for_all(members, lambda one: backup_lane[one].is_empty),
            for_all(members, lambda one: is_up[one] & listed[one] & callers_list[one] & (runs[one] == 0)),
        )
    )


@argument.lemma
def later_attempts_have_nothing() -> BoolExpr:
    """An attempt that is not sent yet has no answer and no acknowledgement."""
    is_unsent = (phase == Phase.IDLE) | (phase == Phase.RESOLVING) | (phase == Phase.TARGETED)
    return for_all(
        call_ids,
        lambda number: ((number > attempt) | ((number == attempt) & is_unsent)).implies(
            (response[number].kind == Answer.NONE) & ~exists(members, lambda one: acknowledgement[number][one])
        ),
    )


@argument.lemma
def only_the_dead_are_removed() -> BoolExpr:
    """Who is not in the member list is dead, and who is not in the caller's list is not in the other."""
    return for_all(members, lambda one: (is_up[one].implies(listed[one])) & (listed[one].implies(callers_list[one])))


@argument.lemma
def a_request_is_at_a_live_target() -> BoolExpr:
    """A request is that of the present attempt, to a live member, without an answer; running, it is at the owner."""
    return (request != Request.NOWHERE).implies(
        all_of(
            (phase == Phase.WAITING) | (phase == Phase.ENDED),
            exists(members, lambda one: (target[attempt] == one) & is_up[one]),
            (request == Request.RUNNING).implies(row[slots[0]] == target[attempt]),
            response[attempt].kind == Answer.NONE,
        )
    )


@argument.lemma
def an_attempt_is_executed_once() -> BoolExpr:
    """There are no more executions, with the one that is asked for, than attempts that were sent."""
    is_sent = (phase == Phase.WAITING) | (phase == Phase.ENDED)
    asked = if_else(request == Request.NOWHERE, executions, executions + 1)
    return asked <= if_else(is_sent, attempt.ordinal + 1, attempt.ordinal)


@argument.lemma
def a_kept_response_is_too_early() -> BoolExpr:
    """As long as the call has not ended, a response is kept only because it expects more acknowledgements than came."""
    return ((phase != Phase.ENDED) & pending.is_some).implies(received < expected)


@argument.lemma
def a_response_is_of_an_execution() -> BoolExpr:
    """Where there is a normal response, under way, kept or given to the caller, the operation was executed."""
    is_normal = exists(call_ids, lambda number: response[number].kind == Answer.NORMAL)
    return (is_normal | pending.is_some | ended_by.is_some).implies(executions >= 1)


@argument.lemma
def an_overdue_attempt_keeps_no_earlier_response() -> BoolExpr:
    """An attempt that was answered by a call timeout, or that may be, keeps no response."""
    is_waiting = phase == Phase.WAITING
    return all_of(
        (is_waiting & (response[attempt].kind == Answer.CALL_TIMEOUT)).implies(is_overdue & pending.is_none),
        is_overdue.implies(is_waiting | (phase == Phase.ENDED)),
        (is_waiting & is_overdue & (request != Request.NOWHERE)).implies(pending.is_none),
    )


@argument.lemma
def backup_messages_are_of_the_last_execution() -> BoolExpr:
    """A backup message is of the present attempt: a write that was executed, from a listed member to a live one."""
    is_refused = response[attempt].kind.is_in(Answer.WRONG_TARGET, Answer.MIGRATING, Answer.CALL_TIMEOUT)
    return for_all(
        members,
        lambda one: (~backup_lane[one].is_empty).implies(
            all_of(
                backup_lane[one].head.attempt == attempt,
                backup_lane[one].head.slot > slots[0],
                kind != Kind.READ,
                executions >= 1,
                request == Request.NOWHERE,
                ~is_refused,
                (phase == Phase.WAITING) | (phase == Phase.ENDED),
                is_up[one],
                exists(members, lambda sender: (target[attempt] == sender) & listed[sender]),
            )
        ),
    )


@argument.lemma
def strict_calls_retry_only_what_was_not_executed() -> BoolExpr:
    """In indeterminate mode what was executed, or is about to be, is the last attempt."""
    is_refused = response[attempt].kind.is_in(Answer.WRONG_TARGET, Answer.MIGRATING, Answer.CALL_TIMEOUT)
    return (kind == Kind.STRICT_WRITE).implies(
        all_of(
            ((executions == 0) | (request == Request.NOWHERE)) & (executions <= 1),
            (executions == 1).implies(((phase == Phase.WAITING) | (phase == Phase.ENDED)) & ~is_refused),
        )
    )
