"""What nobody promises, and what the documents promise in vain."""

from gridproof_model.language import BoolExpr, all_of, exists, for_all
from gridproof_model.specifications.invocation.safety import backups_that_applied, is_a_strict_success
from gridproof_model.specifications.invocation.state import (
    Answer,
    Kind,
    Outcome,
    Phase,
    Request,
    attempt,
    backup_lane,
    call_ids,
    callers_list,
    counts_leavers,
    crashes,
    crashes_left,
    ended_by,
    executions,
    expected,
    is_a_success,
    is_owner,
    is_replica,
    is_target,
    is_up,
    kind,
    leavers_counted,
    losses,
    losses_left,
    members,
    outcome,
    pending,
    phase,
    received,
    request,
    response,
    row,
    runs,
    specification,
    sync_backups,
    was_read,
)


@specification.definition()
def owner_lacks_the_operation() -> BoolExpr:
    """Whether a live owner has no trace of the operation."""
    return exists(members, lambda member: all_of(is_owner(member), is_up[member], runs[member] == 0))


@specification.definition()
def nobody_has_crashed() -> BoolExpr:
    """Whether every member is up."""
    return for_all(members, lambda member: is_up[member])


@specification.sometimes(source="seed: Execution Guarantees; limits.2, calls.19")
def a_call_is_executed_twice() -> BoolExpr:
    """A call succeeds after it was executed twice, and a copy has it twice."""
    return all_of(
        kind == Kind.WRITE,
        is_a_success(),
        executions == 2,
        exists(members, lambda member: runs[member] == 2),
    )


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_never_executed() -> BoolExpr:
    """A call times out, and nobody has executed it nor will."""
    return (outcome == Outcome.TIMED_OUT) & (executions == 0) & (request == Request.NOWHERE)


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_executed_once() -> BoolExpr:
    """A call times out, and a primary has executed it once."""
    return (outcome == Outcome.TIMED_OUT) & (executions == 1)


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_executed_twice() -> BoolExpr:
    """A call times out, and primaries have executed it twice."""
    return (outcome == Outcome.TIMED_OUT) & (executions == 2)


@specification.sometimes(source="calls.22, strict.5")
def a_strict_call_times_out_after_it_was_executed() -> BoolExpr:
    """Indeterminate mode, too, knows the OperationTimeoutException that says nothing of the outcome."""
    return all_of(kind == Kind.STRICT_WRITE, outcome == Outcome.TIMED_OUT, executions == 1)


@specification.sometimes(source="backups.18, limits.3")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """Nobody crashed, the backups exist, none has the operation, and the call has succeeded."""
    return all_of(
        nobody_has_crashed(),
        outcome == Outcome.UNACKNOWLEDGED,
        expected > 0,
        backups_that_applied() == 0,
    )


@specification.sometimes(source="seed: Best-Effort Consistency; limits.5")
def an_acknowledged_write_is_lost() -> BoolExpr:
    """A write has succeeded, its owner died while the backup lagged, and the new owner knows nothing of it."""
    return all_of(kind == Kind.WRITE, is_a_success(), owner_lacks_the_operation())


@specification.sometimes(source="limits.4 dirty read")
def a_failed_write_is_seen_and_vanishes() -> BoolExpr:
    """Another caller has seen the effect of an indeterminate write, and then it is gone."""
    return all_of(outcome == Outcome.INDETERMINATE, was_read, owner_lacks_the_operation())


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; limits.4")
def a_failed_write_is_on_every_backup() -> BoolExpr:
    """False alarm: a call is indeterminate although it was executed once and all its backups have it."""
    return all_of(
        outcome == Outcome.INDETERMINATE,
        executions == 1,
        nobody_has_crashed(),
        expected == sync_backups,
        backups_that_applied() >= expected,
    )


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def an_indeterminate_write_was_never_executed() -> BoolExpr:
    """The target left before it did anything, and the call is indeterminate."""
    return all_of(outcome == Outcome.INDETERMINATE, executions == 0, request == Request.NOWHERE)


@specification.sometimes(source="backups.16")
def acknowledgements_come_before_the_response() -> BoolExpr:
    """An acknowledgement is counted of which the caller does not know yet whether it is needed."""
    return all_of(phase == Phase.WAITING, pending.is_none, received > leavers_counted)


@specification.sometimes(source="calls.15: budget")
def a_call_runs_out_of_attempts() -> BoolExpr:
    """The last retryable exception is thrown, and the operation was executed."""
    return (outcome == Outcome.EXHAUSTED) & (executions > 0)


@specification.sometimes(source="calls.19; defect HZ-68")
def a_call_waits_for_a_member_that_has_left() -> BoolExpr:
    """The target left between choice and registration: no removal will show it, only a timeout."""
    return exists(members, lambda member: all_of(phase == Phase.WAITING, is_target(member), ~callers_list[member]))


@specification.sometimes(source="migration.9")
def a_write_is_refused_while_its_partition_migrates() -> BoolExpr:
    """A write is bounced by a migration."""
    return exists(call_ids, lambda number: response[number].kind == Answer.MIGRATING)


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def an_earlier_attempt_answers_for_the_last() -> BoolExpr:
    """The caller is given the response of an attempt it has given up, as a retry does not forget the kept response."""
    return is_a_success() & (ended_by != attempt)


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def a_call_is_about_to_be_executed_after_it_succeeded() -> BoolExpr:
    """The call has succeeded, and the request of its last attempt is at the owner and will be executed."""
    return is_a_success() & (request == Request.RUNNING)


@specification.sometimes(source="calls.16, backups.17")
def an_earlier_attempts_acknowledgement_counts_for_the_last() -> BoolExpr:
    """Completed by acknowledgements, no leaver counted, and the message to the only backup is still under way."""
    return all_of(
        outcome == Outcome.ACKNOWLEDGED,
        leavers_counted == 0,
        expected == 1,
        sync_backups == 1,
        exists(
            members,
            lambda member: (
                ~backup_lane[member].is_empty
                & (row[backup_lane[member].head.slot] == member)
                & (ended_by == backup_lane[member].head.attempt)
            ),
        ),
    )


@specification.sometimes(source="strict.8, backups.20; invariant I1; defect HZ-55")
def a_strict_success_lacks_a_live_backup() -> BoolExpr:
    """No exception in indeterminate mode; owner and backup live, and the backup does not have the operation."""
    return ~counts_leavers | all_of(
        is_a_strict_success(),
        expected == sync_backups,
        exists(members, lambda member: is_owner(member) & is_up[member] & (runs[member] == 1)),
        exists(
            members,
            lambda member: all_of(is_replica(member), is_up[member], ~is_owner(member), runs[member] == 0),
        ),
    )


@specification.sometimes(source="strict.8; seed: Throwing an IndeterminateOperationStateException")
def a_strict_success_addresses_fewer_backups_than_configured() -> BoolExpr:
    """No exception in indeterminate mode; there was a hole in the row, so the response asked for nobody's word."""
    return all_of(is_a_strict_success(), expected < sync_backups, backups_that_applied() == 0)


@specification.sometimes(source="strict.8, repair.13; invariant I1; defect HZ-55")
def a_strict_success_is_lost_with_one_member() -> BoolExpr:
    """No exception in indeterminate mode, all backups addressed, nothing lost, one crash: the live owner has none."""
    return ~counts_leavers | all_of(
        is_a_strict_success(),
        expected == sync_backups,
        crashes - crashes_left == 1,
        losses_left == losses,
        owner_lacks_the_operation(),
        for_all(members, lambda member: backup_lane[member].is_empty),
    )
