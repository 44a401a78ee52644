"""What must always be true of a call."""

from gridproof_model.language import BoolExpr, IntExpr, all_of, count, exists, for_all, smaller
from gridproof_model.specifications.invocation.state import (
    Answer,
    Kind,
    Outcome,
    Phase,
    async_backups,
    call_ids,
    counts_leavers,
    crashes,
    crashes_left,
    ended_by,
    ends,
    executions,
    expected,
    is_a_success,
    is_overdue,
    is_owner,
    is_up,
    kind,
    leavers_counted,
    listed,
    members,
    migrations,
    migrations_left,
    number_of_members,
    outcome,
    pending,
    phase,
    received,
    response,
    retried_after_leave,
    runs,
    specification,
    sync_backups,
)


@specification.definition()
def is_a_strict_success() -> BoolExpr:
    """Whether a write in indeterminate mode returned without an exception."""
    return (kind == Kind.STRICT_WRITE) & is_a_success()


@specification.definition()
def backups_that_applied() -> IntExpr:
    """How many copies have had the operation, besides the one where it was executed."""
    return count(members, lambda member: runs[member] > 0) - 1


@specification.always(source="calls.18; seed: Execution Guarantees, at-least-once")
def a_success_was_executed() -> BoolExpr:
    """A call that succeeded was executed by a primary at least once, whoever left meanwhile.

    Choice (calls.18): the seed says it of a stable cluster whose primary is alive. It needs neither.
    """
    return is_a_success().implies(executions >= 1)


@specification.definition()
def nothing_migrated() -> BoolExpr:
    """Whether every slot is where it was arranged, or where a promotion brought it."""
    return migrations_left == migrations


@specification.always(source="strict.8, strict.2")
def indeterminate_mode_executes_at_most_once() -> BoolExpr:
    """In indeterminate mode no call is executed twice, however it ends, nor by a copy: one backup, or none migrated.

    Choice (strict.8): the seed says it of executions. A copy may have it twice with two backups and migrations:
    docs/findings.md.
    """
    is_ordered = (sync_backups + async_backups <= 1) | nothing_migrated()
    return (kind == Kind.STRICT_WRITE).implies(
        (executions <= 1) & is_ordered.implies(for_all(members, lambda member: runs[member] <= 1)),
    )


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.8")
def a_strict_success_was_executed_exactly_once() -> BoolExpr:
    """In indeterminate mode, without exception: a primary executed the operation exactly once."""
    return is_a_strict_success().implies(executions == 1)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.8")
def a_strict_success_in_a_full_cluster_is_on_every_backup() -> BoolExpr:
    """In indeterminate mode, without exception, nobody removed: every configured sync backup applied the operation.

    Choice (strict.8): the seed says it of every cluster. Once a member has left it is false: docs/findings.md.
    """
    is_full = for_all(members, lambda member: listed[member])
    configured = smaller(sync_backups, number_of_members - 1)
    return (is_a_strict_success() & is_full).implies(backups_that_applied() >= configured)


@specification.always(source="strict.8, backups.20; invariant I1 ExactlyOnceIfClean")
def a_strict_success_lacks_no_more_backups_than_leavers_were_counted() -> BoolExpr:
    """In indeterminate mode, without exception, one sync backup, nothing migrated: only leavers counted are missing.

    Choice (strict.8): invariant I1 says that none is missing of those the response counted. With two sync backups or
    after migrations not even that number less the leavers is sure: docs/findings.md.
    """
    return all_of(is_a_strict_success(), sync_backups <= 1, nothing_migrated()).implies(
        backups_that_applied() + leavers_counted >= expected
    )


@specification.always(source="strict.8; defect HZ-55")
def without_counting_leavers_a_strict_success_is_on_every_backup_addressed() -> BoolExpr:
    """If leavers count for nothing and nothing migrated, I1 holds of all backups that the operation was sent to."""
    return all_of(is_a_strict_success(), ~counts_leavers, nothing_migrated()).implies(
        backups_that_applied() >= expected
    )


@specification.always(source="strict.8, repair.13; invariant I2 AckDurable")
def without_counting_leavers_a_strict_success_survives() -> BoolExpr:
    """If leavers count for nothing and nothing migrated, a strict success survives a crash per addressed backup."""
    return all_of(
        ~counts_leavers, is_a_strict_success(), nothing_migrated(), crashes - crashes_left <= expected
    ).implies(for_all(members, lambda member: (is_owner(member) & is_up[member]).implies(runs[member] == 1)))


@specification.always(source="strict.2; invariant I1")
def indeterminate_mode_never_retries_in_silence() -> BoolExpr:
    """In indeterminate mode no MemberLeftException leads to a new attempt."""
    return (kind == Kind.STRICT_WRITE).implies(~retried_after_leave)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def only_strict_writes_are_indeterminate() -> BoolExpr:
    """The exception meets neither reads nor calls that did not ask for it."""
    return (outcome == Outcome.INDETERMINATE).implies(kind == Kind.STRICT_WRITE)


@specification.always(source="backups.17")
def completed_means_counted() -> BoolExpr:
    """A call completed by acknowledgements has counted as many as the response stated, leavers included."""
    return (outcome == Outcome.ACKNOWLEDGED).implies(received >= expected)


@specification.always(source="backups.17, strict.3")
def indeterminate_mode_ignores_no_missing_acknowledgement() -> BoolExpr:
    """In indeterminate mode no call succeeds because a timeout passed."""
    return (kind == Kind.STRICT_WRITE).implies(outcome != Outcome.UNACKNOWLEDGED)


@specification.always(source="calls.7; invariant I6 OneAnswer; defect HZ-65, HZ-73")
def a_call_ends_at_most_once() -> BoolExpr:
    """No call is completed twice."""
    return (ends <= 1) & ((ends == 1) == (phase == Phase.ENDED)) & (outcome.is_some == (phase == Phase.ENDED))


@specification.always(source="invariant I6 OneAnswer; calls.7")
def a_success_was_answered_by_an_attempt_of_its_own() -> BoolExpr:
    """The caller is given a result exactly when it succeeds, and it is that of one of its attempts.

    Choice (calls.7): invariant I6 says of the last one. That is false: docs/findings.md.
    """
    return is_a_success() == ended_by.is_some


@specification.always(source="backups.17")
def a_kept_response_misses_acknowledgements() -> BoolExpr:
    """A waiting call keeps a response only as long as it has counted fewer acknowledgements than that stated."""
    return ((phase == Phase.WAITING) & pending.is_some).implies(received < expected)


@specification.always(source="calls.22; invariant I3 Completes")
def no_call_times_out_early() -> BoolExpr:
    """An OperationTimeoutException comes only after the call timeout, and never while a response is kept."""
    return (outcome == Outcome.TIMED_OUT).implies(is_overdue & pending.is_none)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; calls.9, migration.9")
def a_read_leaves_no_trace() -> BoolExpr:
    """A read changes no copy and is never refused because its partition migrates."""
    return (kind == Kind.READ).implies(
        for_all(members, lambda member: runs[member] == 0)
        & ~exists(call_ids, lambda number: response[number].kind == Answer.MIGRATING)
    )
