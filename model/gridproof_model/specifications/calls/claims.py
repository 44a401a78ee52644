"""What holds however little members know of each other, and what does not."""

from gridproof_model.language import BoolExpr, all_of, count, exists, for_all
from gridproof_model.specifications.calls.state import (
    Kind,
    Outcome,
    Phase,
    acknowledged,
    answered,
    answered_by,
    call_ids,
    caller,
    copies,
    counted,
    ended,
    executed,
    expected,
    is_a_success,
    is_executed,
    is_strict,
    kept,
    kind,
    listed,
    members,
    outcome,
    phase,
    present,
    received,
    row,
    sent,
    slots,
    specification,
)


@specification.always(source="calls.7; invariant I6 OneAnswer")
def a_call_is_settled_once() -> BoolExpr:
    """What comes of a call is known exactly when it is over, and whose response it is exactly when it succeeds."""
    is_over = phase.is_in(Phase.ENDING, Phase.ENDED)
    return (outcome.is_some == is_over) & (answered_by.is_some == is_a_success())


@specification.always(source="calls.18; seed: Execution Guarantees, at-least-once")
def a_success_was_answered_by_one_of_its_targets() -> BoolExpr:
    """A call that succeeded is given the response of one of its attempts, however often that was executed."""
    return answered_by.is_some.implies(answered[answered_by.value].is_any())


@specification.always(source="backups.17")
def completed_means_counted() -> BoolExpr:
    """A call completed by acknowledgements has counted as many as the response stated, leavers included."""
    return (outcome == Outcome.ACKNOWLEDGED).implies(expected.ordinal <= received)


@specification.always(source="backups.17")
def a_kept_response_misses_acknowledgements() -> BoolExpr:
    """A call under way keeps a response only as long as it has counted fewer acknowledgements than that stated."""
    is_under_way = phase.is_in(Phase.RESOLVING, Phase.WAITING)
    return (is_under_way & kept.is_some).implies(received < expected.ordinal)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def indeterminate_is_for_strict_writes() -> BoolExpr:
    """Only a write in indeterminate mode is reported as indeterminate, and it never succeeds for want of a word."""
    return (outcome == Outcome.INDETERMINATE).implies(is_strict()) & is_strict().implies(
        outcome != Outcome.UNACKNOWLEDGED
    )


@specification.always(source="backups.17, backups.16; invariant R4; defect HZ-48")
def what_is_acknowledged_was_executed_and_applied() -> BoolExpr:
    """Who acknowledges an attempt, and is counted, has the change; and a primary has executed that attempt."""
    acknowledged_ones = for_all(
        call_ids,
        lambda number: for_all(
            members,
            lambda member: acknowledged[number][member].implies(copies[member] & is_executed(number)),
        ),
    )
    counted_ones = for_all(members, lambda member: counted[member].implies(acknowledged[present()][member]))
    return acknowledged_ones & counted_ones


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; calls.9")
def a_read_leaves_no_trace() -> BoolExpr:
    """A read changes no copy."""
    return (kind == Kind.READ).implies(copies.is_empty())


@specification.sometimes(source="seed: Execution Guarantees; limits.2, calls.19")
def a_call_is_executed_twice() -> BoolExpr:
    """A call succeeds after two of its attempts were executed."""
    return is_a_success() & (count(call_ids, is_executed) == 2)


@specification.sometimes(source="calls.2, table.3; docs/findings.md")
def one_attempt_is_executed_by_two() -> BoolExpr:
    """One request is executed by two members: it came twice, to a target and to its successor."""
    return exists(call_ids, lambda number: executed[number].count() == 2)


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; limits.4")
def an_indeterminate_write_is_on_every_copy() -> BoolExpr:
    """False alarm: a call is indeterminate although everybody has the change, and nobody has ended."""
    return all_of(
        outcome == Outcome.INDETERMINATE,
        for_all(members, lambda member: copies[member] & ~ended[member]),
    )


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def an_indeterminate_write_was_never_executed() -> BoolExpr:
    """The target left before it did anything, and the call is indeterminate."""
    return (outcome == Outcome.INDETERMINATE) & (sent > 0) & copies.is_empty()


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_call_that_timed_out_was_executed() -> BoolExpr:
    """A call times out, and a primary has executed it."""
    return (outcome == Outcome.OPERATION_TIMEOUT) & copies.is_any()


@specification.sometimes(source="calls.6, calls.14")
def a_call_fails_as_its_owner_is_no_member() -> BoolExpr:
    """A call that was sent to nobody has failed, because whoever owns the partition is in no list of its caller."""
    return (outcome == Outcome.TARGET_NOT_MEMBER) & (sent == 0)


@specification.sometimes(source="calls.14")
def a_call_fails_as_it_cannot_be_sent() -> BoolExpr:
    """A call has failed because there is no connection to its target."""
    return outcome == Outcome.NOT_SENT


@specification.sometimes(source="backups.18, limits.3")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """Nobody has ended, the response counted a backup, none has the change, and the call has succeeded."""
    return all_of(
        outcome == Outcome.UNACKNOWLEDGED,
        slots[0] < expected,
        copies.count() == 1,
        for_all(members, lambda member: ~ended[member]),
    )


@specification.sometimes(source="backups.20, backups.17; docs/findings.md")
def a_leaver_completes_a_call() -> BoolExpr:
    """A call is complete, and the only acknowledgement it has counted is that of a member that left."""
    return (outcome == Outcome.ACKNOWLEDGED) & (received > 0) & counted.is_empty()


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def an_earlier_attempt_answers_for_the_last() -> BoolExpr:
    """The caller is given the response of an attempt that it has given up, as a retry does not forget it."""
    return is_a_success() & (answered_by != present())


@specification.sometimes(source="backups.16")
def an_acknowledgement_comes_before_the_response() -> BoolExpr:
    """An acknowledgement is counted of which the caller does not know yet whether it is needed."""
    return all_of(phase == Phase.WAITING, kept.is_none, counted.is_any())


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


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What is under way may be for ever: nothing is promised to come."""
    return all_of()
