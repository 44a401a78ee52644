"""What nobody promises, and what the documents promise in vain.

Where a message taken twice would be the shortest way, the claim says that none was.
"""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, count, exists, for_all
from gridproof_model.specifications.invocation.safety import is_owed
from gridproof_model.specifications.invocation.state import (
    RETRYABLE,
    Departure,
    Kind,
    Outcome,
    Phase,
    answered_by,
    call_ids,
    caller,
    copies,
    counted,
    departure,
    ended,
    executed,
    executions,
    expected,
    has_unrecorded,
    holds,
    is_a_strict_success,
    is_a_success,
    is_answered,
    is_strict,
    kept,
    kind,
    leavers,
    listed,
    members,
    moves,
    moves_left,
    outcome,
    phase,
    present,
    received,
    refused,
    removed,
    repeated,
    row,
    sent,
    slots,
    specification,
    sync,
    target,
    updates,
)
from gridproof_model.specifications.invocation.targets import has_request, may_execute, owns


@specification.definition()
def the_change_is_gone() -> BoolExpr:
    """Whether the caller and somebody who takes itself for the owner live, and nobody who lives has the change."""
    has_it = exists(members, lambda member: ~ended[member] & exists(call_ids, lambda number: holds[number][member]))
    return all_of(~ended[caller], exists(members, lambda member: owns(member) & ~ended[member]), ~has_it)


@specification.definition()
def nobody_takes_it_up() -> BoolExpr:
    """Whether everybody at the address of a target has ended, and left no step unseen."""

    def is_asked(member: IndexExpr) -> BoolExpr:
        return exists(call_ids, lambda number: has_request(member, number))

    return for_all(members, lambda member: is_asked(member).implies(ended[member] & ~has_unrecorded[member]))


@specification.definition()
def everybody_is_listed() -> BoolExpr:
    """Whether everybody has everybody in its list."""
    return for_all(members, members, lambda member, other: listed[member][other])


@specification.sometimes(source="seed: Execution Guarantees; limits.2, calls.19")
def a_call_is_executed_twice() -> BoolExpr:
    """A call succeeds after two of its attempts were executed, and a copy has both."""
    return all_of(
        kind == Kind.WRITE,
        is_a_success(),
        executions == 2,
        ~repeated,
        exists(members, lambda member: count(call_ids, lambda number: holds[number][member]) == 2),
    )


@specification.sometimes(source="calls.2, table.3; docs/findings.md")
def one_attempt_is_executed_by_two() -> BoolExpr:
    """One request is executed by two members: it came twice, to a target and to its successor."""
    return exists(call_ids, lambda number: executed[number].count() == 2)


@specification.sometimes(source="calls.18, calls.12")
def a_success_was_never_executed() -> BoolExpr:
    """False as worded: an operation that waited in vain is a success, and nobody has executed it."""
    return is_a_success() & (executions == 0)


@specification.sometimes(source="strict.8, strict.2, calls.2")
def a_strict_success_was_executed_twice() -> BoolExpr:
    """False as worded: in indeterminate mode, without exception, a request that came twice was executed twice."""
    return is_a_strict_success() & (executions == 2)


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_never_executed() -> BoolExpr:
    """A call times out, and nobody has executed it nor will."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, sent > 0, executions == 0, nobody_takes_it_up())


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_executed_once() -> BoolExpr:
    """A call times out, and a primary has executed it once, and changed something."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, executions == 1, copies.is_any())


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_executed_twice() -> BoolExpr:
    """A call times out, and primaries have executed two of its attempts."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, executions == 2, ~repeated)


@specification.sometimes(source="calls.22, strict.5")
def a_strict_call_times_out_after_it_was_executed() -> BoolExpr:
    """Indeterminate mode, too, knows the OperationTimeoutException that says nothing of the outcome."""
    return all_of(is_strict(), outcome == Outcome.OPERATION_TIMEOUT, executions == 1)


@specification.sometimes(source="calls.22, calls.23")
def a_call_times_out_while_a_response_is_kept() -> BoolExpr:
    """False as worded: an attempt was executed, and a target's word that another request was late ends the call."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, kept.is_some, ~repeated)


@specification.sometimes(source="calls.6, calls.14")
def a_call_fails_as_its_owner_is_no_member() -> BoolExpr:
    """A call that was sent to nobody has failed, because whoever owns the partition is in no list of its caller."""
    return (outcome == Outcome.TARGET_NOT_MEMBER) & (sent == 0)


@specification.sometimes(source="calls.14")
def a_call_fails_as_it_cannot_be_sent() -> BoolExpr:
    """A call has failed because there is no connection to its target."""
    return outcome == Outcome.NOT_SENT


@specification.sometimes(source="calls.15: budget")
def a_call_runs_out_of_attempts() -> BoolExpr:
    """The last retryable exception is thrown, and the operation was executed."""
    return all_of(
        outcome.is_some, outcome.value.is_in(*RETRYABLE), executions > 0, ~repeated, departure == Departure.NONE
    )


@specification.sometimes(source="backups.18, limits.3")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """Nobody has ended, the response counted a backup, none has the change, and the call has succeeded."""
    return all_of(
        outcome == Outcome.UNACKNOWLEDGED,
        slots[0] < expected,
        copies.count() == 1,
        ended.is_empty(),
    )


@specification.sometimes(source="backups.20, backups.17; docs/findings.md")
def a_leaver_completes_a_call() -> BoolExpr:
    """A call is complete, and the only acknowledgement it has counted is that of a member that left."""
    return (outcome == Outcome.ACKNOWLEDGED) & (received > 0) & counted.is_empty()


@specification.sometimes(source="seed: Best-Effort Consistency; limits.5")
def an_acknowledged_write_is_lost() -> BoolExpr:
    """A write has succeeded, its primary ended while the backup lagged, and whoever owns it now knows nothing of it."""
    return all_of(kind == Kind.WRITE, is_a_success(), executed[present()].is_any(), the_change_is_gone())


@specification.sometimes(source="limits.4 dirty read")
def a_failed_write_is_seen_and_vanishes() -> BoolExpr:
    """An indeterminate write was executed, so that others might see it, and then it is gone."""
    return all_of(outcome == Outcome.INDETERMINATE, copies.is_any(), the_change_is_gone())


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; limits.4")
def a_failed_write_is_on_every_backup() -> BoolExpr:
    """False alarm: a call is indeterminate although it was executed once and all its backups have it."""
    return all_of(
        outcome == Outcome.INDETERMINATE,
        executions == 1,
        ended.is_empty(),
        slots[0] < expected,
        expected == sync[present()],
        copies.count() > expected.ordinal,
    )


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def an_indeterminate_write_was_never_executed() -> BoolExpr:
    """The target left before it did anything, and the call is indeterminate."""
    return all_of(outcome == Outcome.INDETERMINATE, sent > 0, executions == 0)


@specification.sometimes(source="backups.16")
def acknowledgements_come_before_the_response() -> BoolExpr:
    """An acknowledgement is counted of which the caller does not know yet whether it is needed."""
    return all_of(phase == Phase.WAITING, kept.is_none, counted.is_any())


@specification.sometimes(source="calls.19; defect HZ-68")
def a_call_waits_for_a_member_that_has_left() -> BoolExpr:
    """The target left between choice and registration: no removal will show it, only a timeout."""
    asks = target[present()]
    return all_of(phase == Phase.WAITING, asks.is_some, ~listed[caller][asks.value], ~removed[asks.value])


@specification.sometimes(source="migration.9")
def a_write_is_refused_while_its_partition_migrates() -> BoolExpr:
    """A write is bounced by a migration."""
    return (kind != Kind.READ) & exists(call_ids, lambda number: refused[number].migrating)


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def an_earlier_attempt_answers_for_the_last() -> BoolExpr:
    """The caller is given the response of an attempt that it has given up, as a retry does not forget it."""
    return all_of(is_a_success(), answered_by != present(), ~repeated)


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def a_call_is_about_to_be_executed_after_it_succeeded() -> BoolExpr:
    """The call has succeeded by an earlier attempt, and the target of the last one has its request to execute."""
    return all_of(
        is_a_success(),
        answered_by != present(),
        ~repeated,
        ~is_answered(present()),
        exists(members, lambda member: all_of(target[present()] == member, may_execute(member), ~ended[member])),
    )


@specification.sometimes(source="calls.16, backups.17")
def an_earlier_attempts_acknowledgement_counts_for_the_last() -> BoolExpr:
    """Completed by acknowledgements, no leaver counted, and nobody has acknowledged the attempt that answers."""
    return all_of(
        outcome == Outcome.ACKNOWLEDGED,
        leavers == 0,
        slots[0] < expected,
        answered_by == present(),
        counted.is_empty(),
        ~repeated,
    )


@specification.sometimes(source="backups.20; defect HZ-55")
def a_strict_success_lacks_a_backup_that_the_caller_knows() -> BoolExpr:
    """In indeterminate mode, without exception: the caller's row has a backup that lacks the change, as its primary
    sent nobody the change.
    """
    return all_of(
        is_strict(),
        is_a_success(),
        copies.count() == 1,
        exists(members, lambda member: (row[caller][slots[0]] != member) & listed[caller][member] & ~copies[member]),
    )


@specification.sometimes(source="strict.8, backups.20; invariant I1; defect HZ-55")
def a_strict_success_lacks_a_live_backup() -> BoolExpr:
    """No exception in indeterminate mode; primary and backup live, and the backup was sent the change and lacks it."""

    def lacks_what_it_was_sent(member: IndexExpr) -> BoolExpr:
        is_asked = exists(slots, lambda slot: updates[present()][slot][member] & (slot <= sync[present()]))
        return all_of(is_asked, ~ended[member], ~copies[member])

    return all_of(
        is_owed(),
        exists(members, lambda member: executed[present()][member] & ~ended[member] & holds[present()][member]),
        exists(members, lacks_what_it_was_sent),
    )


@specification.sometimes(source="strict.8; seed: Throwing an IndeterminateOperationStateException")
def a_strict_success_addresses_fewer_backups_than_configured() -> BoolExpr:
    """No exception in indeterminate mode, everybody listed; a hole in the row: the response asked for nobody's word."""
    return all_of(is_owed(), expected < sync[present()], copies.count() == 1, everybody_is_listed())


@specification.sometimes(source="strict.8, repair.13; invariant I1; defect HZ-55")
def a_strict_success_is_lost_with_one_member() -> BoolExpr:
    """No exception in indeterminate mode, all backups addressed, one member ended: nobody who lives has the change."""
    return all_of(
        is_owed(),
        slots[0] < expected,
        expected == sync[present()],
        ended.count() == 1,
        the_change_is_gone(),
    )


@specification.sometimes(source="strict.8, repair.13; invariant I2 AckDurable")
def a_strict_success_is_missing_at_its_owner() -> BoolExpr:
    """False as worded: no exception, no leaver counted, nothing replaced, fewer ended than backups were addressed;
    everybody who lives has one row, whose owner lives and lacks the change.
    """

    def lacks_it(member: IndexExpr) -> BoolExpr:
        is_named = for_all(members, lambda one: ended[one] | (row[one][slots[0]] == member))
        return all_of(is_named, ~ended[member], ~holds[present()][member])

    is_unmoved = (leavers == 0) & (moves_left == moves)
    return all_of(is_owed(), is_unmoved, ended.count() <= expected.ordinal, exists(members, lacks_it))
