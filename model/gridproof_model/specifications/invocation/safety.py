"""What must always be true of a call, however little its members know of each other.

A copy has *had* the change by a step of its own (`copies`), and *has* it as long as nobody replaces it (`holds`).
"""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, all_of, count, exists, for_all
from gridproof_model.specifications.invocation.state import (
    Kind,
    Outcome,
    Phase,
    acknowledged,
    answered,
    answered_by,
    call_ids,
    copies,
    counted,
    ended,
    ends,
    executions,
    expected,
    holds,
    is_a_strict_success,
    is_a_success,
    is_executed,
    is_strict,
    kept,
    kind,
    leavers,
    may_wait,
    members,
    moves,
    moves_left,
    outcome,
    phase,
    present,
    received,
    refused,
    repeated,
    retried_after_leave,
    serves_stale_reads,
    shares_address,
    slots,
    specification,
    sync,
    updates,
)


@specification.definition()
def is_owed() -> BoolExpr:
    """Whether a write in indeterminate mode returned without an exception, as it was executed and changed something,
    and no message was taken twice.
    """
    return all_of(is_a_strict_success(), ~repeated, answered_by.is_some & is_executed(answered_by.value))


@specification.definition()
def live_holders() -> IntExpr:
    """How many members that have not ended have the change of the last attempt."""
    return count(members, lambda member: holds[present()][member] & ~ended[member])


@specification.always(source="calls.18; seed: Execution Guarantees, at-least-once")
def a_success_was_executed() -> BoolExpr:
    """A call that succeeded was executed by a primary at least once, whoever left, unless it may wait at its target.

    Choice (calls.18): the seed says it of a stable cluster whose primary is alive. It needs neither. Who waits in vain
    succeeds, too.
    """
    return (is_a_success() & ~may_wait).implies(executions >= 1)


@specification.always(source="strict.8, strict.2")
def indeterminate_mode_executes_at_most_once() -> BoolExpr:
    """In indeterminate mode, no message taken twice: one attempt is executed at most, once, and no copy has two.

    Choice (strict.8): the seed says it of connections that deliver nothing twice, not to the next member either.
    """
    of_a_copy = for_all(members, lambda member: count(call_ids, lambda number: holds[number][member]) <= 1)
    return (is_strict() & ~repeated).implies((executions <= 1) & (count(call_ids, is_executed) <= 1) & of_a_copy)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.8")
def a_strict_success_was_executed_exactly_once() -> BoolExpr:
    """In indeterminate mode, without exception, no message taken twice: executed exactly once, unless it may wait."""
    return all_of(is_a_strict_success(), ~repeated, ~may_wait).implies(executions == 1)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.8")
def a_strict_success_with_all_backups_addressed_is_on_every_backup() -> BoolExpr:
    """In indeterminate mode, without exception, all configured sync backups addressed, no leaver counted: all had it.

    Choice (strict.8): the seed says it of every cluster, and of a full one it is not true either: docs/findings.md.
    """
    return all_of(is_owed(), expected == sync[present()], leavers == 0).implies(
        copies.count() > sync[present()].ordinal
    )


@specification.always(source="strict.8, backups.20; invariant I1 ExactlyOnceIfClean")
def a_strict_success_lacks_no_more_backups_than_leavers_were_counted() -> BoolExpr:
    """In indeterminate mode, without exception: of the backups addressed only as many as leavers were counted lack it.

    Choice (strict.8): invariant I1 says that none lacks it. Any number of backups and migrations: who had it may have
    lost it since.
    """
    return is_owed().implies(copies.count() + leavers > expected.ordinal)


@specification.always(source="strict.8; defect HZ-55")
def without_counting_leavers_a_strict_success_is_on_every_backup_addressed() -> BoolExpr:
    """If no leaver was counted each backup that was to acknowledge had it, or the next member on its address."""
    number = answered_by.value

    def has_had_it(slot: IndexExpr, member: IndexExpr) -> BoolExpr:
        is_asked = updates[number][slot][member] & (slot <= sync[number])
        return is_asked.implies(exists(members, lambda one: copies[one] & shares_address(one, member)))

    return (is_owed() & (leavers == 0)).implies(for_all(slots, members, lambda slot, member: has_had_it(slot, member)))


@specification.always(source="strict.8, repair.13; invariant I2 AckDurable")
def without_counting_leavers_a_strict_success_survives() -> BoolExpr:
    """It has one live copy more than backups were addressed, but for leavers counted, members ended, copies replaced.

    Choice (strict.8): invariant I2 says it of the owner. Whoever takes itself for it may be a member without a copy.
    """
    gone = leavers + count(members, lambda member: ended[member]) + (moves - moves_left)
    return is_owed().implies(live_holders() + gone > expected.ordinal)


@specification.always(source="strict.2; invariant I1")
def indeterminate_mode_never_retries_in_silence() -> BoolExpr:
    """In indeterminate mode no target that has left leads to a new attempt."""
    return is_strict().implies(~retried_after_leave)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def only_strict_writes_are_indeterminate() -> BoolExpr:
    """The exception meets neither reads nor calls that did not ask for it."""
    return (outcome == Outcome.INDETERMINATE).implies(is_strict())


@specification.always(source="backups.17, strict.3")
def indeterminate_mode_ignores_no_missing_acknowledgement() -> BoolExpr:
    """In indeterminate mode no call succeeds because a timeout passed."""
    return is_strict().implies(outcome != Outcome.UNACKNOWLEDGED)


@specification.always(source="backups.17")
def completed_means_counted() -> BoolExpr:
    """A call completed by acknowledgements has counted as many as the response stated, leavers included."""
    return (outcome == Outcome.ACKNOWLEDGED).implies(expected.ordinal <= received)


@specification.always(source="calls.7; invariant I6 OneAnswer; defect HZ-65, HZ-73")
def a_call_ends_at_most_once() -> BoolExpr:
    """What comes of a call is settled once, and is known exactly when it is over."""
    is_over = phase.is_in(Phase.ENDING, Phase.ENDED)
    return all_of(ends <= 1, (ends == 1) == is_over, outcome.is_some == is_over)


@specification.always(source="invariant I6 OneAnswer; calls.7, calls.18")
def a_success_was_answered_by_an_attempt_of_its_own() -> BoolExpr:
    """The caller is given a result exactly when it succeeds, and a target has answered that attempt of its own so.

    Choice (calls.7): invariant I6 says of the last one. That is false: docs/findings.md.
    """
    return (answered_by.is_some == is_a_success()) & answered_by.is_some.implies(answered[answered_by.value].is_any())


@specification.always(source="backups.17")
def a_kept_response_misses_acknowledgements() -> BoolExpr:
    """A call under way keeps a response only as long as it has counted fewer acknowledgements than that stated."""
    is_under_way = phase.is_in(Phase.RESOLVING, Phase.WAITING)
    return (is_under_way & kept.is_some).implies(received < expected.ordinal)


@specification.always(source="calls.22; invariant I3 Completes")
def no_caller_gives_up_while_a_response_is_kept() -> BoolExpr:
    """The caller's own timeout never strikes while a response is kept.

    The target's word that a request was late may (calls.23), where an earlier attempt was executed.
    """
    return ((outcome == Outcome.OPERATION_TIMEOUT) & (phase == Phase.ENDING)).implies(kept.is_none)


@specification.always(source="backups.17, backups.16; invariant R4; defect HZ-48")
def what_is_acknowledged_was_executed_and_applied() -> BoolExpr:
    """Who acknowledges an attempt, and is counted, has had the change; and a primary has executed that attempt."""
    acknowledged_ones = for_all(
        call_ids,
        members,
        lambda number, member: acknowledged[number][member].implies(copies[member] & is_executed(number)),
    )
    counted_ones = for_all(members, lambda member: counted[member].implies(acknowledged[present()][member]))
    return acknowledged_ones & counted_ones


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; calls.9")
def a_read_leaves_no_trace() -> BoolExpr:
    """A read changes no copy; where stale reads are served it is never refused because its partition migrates."""
    has_no_effect = copies.is_empty() & for_all(call_ids, lambda number: holds[number].is_empty())
    is_refused = exists(call_ids, lambda number: refused[number].migrating)
    return (kind == Kind.READ).implies(has_no_effect & ~(serves_stale_reads & is_refused))
