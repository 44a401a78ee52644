"""Timeouts: what the caller's periodic scan ends.

Time is not counted. A timeout may strike whenever what it waits for has not come; the call timeout of an attempt
strikes twice, first making its request too old to be executed.
"""

from gridproof_model.language import IndexExpr, Step, all_of, if_else
from gridproof_model.specifications.invocation.attempts import call_ends, call_is_retried, target_has_left
from gridproof_model.specifications.invocation.state import (
    Kind,
    Outcome,
    Phase,
    Request,
    callers_list,
    expected,
    is_overdue,
    is_owner,
    is_target,
    is_up,
    is_waiting_for_a_response,
    kind,
    leavers_counted,
    losses_left,
    members,
    pending,
    phase,
    received,
    request,
    rescans_targets,
    runs,
    specification,
    was_read,
)


@specification.action(source="calls.22", fair=True)
def attempt_is_overdue() -> Step:
    """The call timeout has passed since the attempt began: 60 seconds."""
    return Step(
        when=[is_waiting_for_a_response(), ~is_overdue],
        then=[is_overdue.becomes(True)],
    )


@specification.action(source="calls.22; seed: Invocation Lifecycle", fair=True)
def call_times_out() -> Step:
    """Another call timeout has passed without response or heartbeat: OperationTimeoutException, in any mode.

    A running operation sends heartbeats, so it must have been cut off: that counts as a loss.
    """
    is_running = request == Request.RUNNING
    return Step(
        when=[is_waiting_for_a_response(), is_overdue, is_running.implies(losses_left > 0)],
        then=[losses_left.becomes(if_else(is_running, losses_left - 1, losses_left)), *call_ends(Outcome.TIMED_OUT)],
    )


@specification.action(source="seed: Throwing an IndeterminateOperationStateException; strict.3", fair=True)
def missing_acknowledgement_is_indeterminate() -> Step:
    """In indeterminate mode a response that is kept for too long ends in the exception: a backup did not answer."""
    return Step(
        when=[phase == Phase.WAITING, pending.is_some, kind == Kind.STRICT_WRITE],
        then=call_ends(Outcome.INDETERMINATE),
    )


@specification.action(members, source="backups.18", fair=True)
def missing_acknowledgement_is_ignored(member: IndexExpr) -> Step:
    """Outside indeterminate mode a call that waited too long for acknowledgements succeeds with the kept response."""
    return Step(
        when=[
            phase == Phase.WAITING,
            pending.is_some,
            kind != Kind.STRICT_WRITE,
            is_target(member),
            callers_list[member],
        ],
        then=call_ends(Outcome.UNACKNOWLEDGED, by=pending),
    )


@specification.action(members, source="backups.19", fair=True)
def call_is_invoked_anew(member: IndexExpr) -> Step:
    """If the target is no member any more, everything is reset and the operation is invoked from the beginning.

    The number of attempts begins anew, too; here it does not, as call ids are bounded.
    """
    return Step(
        when=[
            phase == Phase.WAITING,
            pending.is_some,
            kind != Kind.STRICT_WRITE,
            is_target(member),
            ~callers_list[member],
        ],
        then=[
            pending.becomes(None),
            expected.becomes(0),
            received.becomes(0),
            leavers_counted.becomes(0),
            *call_is_retried(),
        ],
    )


@specification.action(members, source="calls.19: PR 23005", fair=True)
def scan_finds_the_target_gone(member: IndexExpr) -> Step:
    """Later versions: the scan fails a call whose target is no member, which no removal had found."""
    return Step(
        when=[rescans_targets, phase == Phase.WAITING, is_target(member), ~callers_list[member]],
        then=target_has_left(),
    )


@specification.action(members, source="backups.1, limits.4 dirty read")
def another_caller_sees_the_effect(member: IndexExpr) -> Step:
    """Another caller reads from the owner, which has executed the operation."""
    return Step(
        when=[is_owner(member), all_of(is_up[member], runs[member] > 0), ~was_read],
        then=[was_read.becomes(True)],
    )
