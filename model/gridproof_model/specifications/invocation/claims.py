"""What must always be true of a call, however little its members know of each other; what nobody promises; what comes.

A copy has *had* the change by a step of its own (`copies`), and *has* it as long as nobody replaces it (`holds`).

What nobody promises, and what the documents promise in vain, must be seen to happen. Where a message taken twice would
be the shortest way, the claim says that none was.

In the end fair are nine steps, of the caller alone: to send, to give up, to answer. Nothing that others do has to
happen, so this holds where every message is lost for ever. What a member reads of itself never times out, and has to be
executed.
"""

from gridproof_model.language import *
from gridproof_model.specifications.invocation.state import *
from gridproof_model.specifications.invocation.targets import has_request, may_execute, owns


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

    def has_had_it(number: IndexExpr, member: IndexExpr) -> BoolExpr:
        return acknowledged[number][member].implies(copies[member] & is_executed(number))

    counted_ones = for_all(members, lambda member: counted[member].implies(acknowledged[present()][member]))
    return for_all(call_ids, members, has_had_it) & counted_ones


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; calls.9")
def a_read_leaves_no_trace() -> BoolExpr:
    """A read changes no copy; where stale reads are served it is never refused because its partition migrates."""
    has_no_effect = copies.is_empty() & for_all(call_ids, lambda number: holds[number].is_empty())
    is_refused = exists(call_ids, lambda number: refused[number].migrating)
    return (kind == Kind.READ).implies(has_no_effect & ~(serves_stale_reads & is_refused))


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
    is_on_a_copy = exists(members, lambda member: count(call_ids, lambda number: holds[number][member]) == 2)
    return all_of(kind == Kind.WRITE, is_a_success(), executions == 2, ~repeated, is_on_a_copy)


@specification.sometimes(call_ids, source="calls.2, table.3; docs/findings.md")
def one_attempt_is_executed_by_two(number: IndexExpr) -> BoolExpr:
    """One request is executed by two members: it came twice, to a target and to its successor."""
    return executed[number].count() == 2


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
    return all_of(outcome == Outcome.UNACKNOWLEDGED, slots[0] < expected, copies.count() == 1, ended.is_empty())


@specification.sometimes(source="backups.20, backups.17; docs/findings.md")
def a_leaver_completes_a_call() -> BoolExpr:
    """A call is complete, and every acknowledgement that it has counted is that of a member that left."""
    return (outcome == Outcome.ACKNOWLEDGED) & (received > 0) & (received == leavers)


@specification.sometimes(source="seed: Best-Effort Consistency; limits.5")
def an_acknowledged_write_is_lost() -> BoolExpr:
    """A write has succeeded in either mode, and nobody who lives has it: whoever owns it now knows nothing of it."""
    return all_of(is_a_success(), answered_by.is_some & is_executed(answered_by.value), the_change_is_gone())


@specification.sometimes(source="limits.4 dirty read")
def a_failed_write_is_seen_and_vanishes() -> BoolExpr:
    """An indeterminate write was executed, so that others might see it, and then it is gone."""
    return all_of(outcome == Outcome.INDETERMINATE, copies.is_any(), the_change_is_gone())


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; limits.4")
def a_failed_write_is_on_every_backup() -> BoolExpr:
    """False alarm: a call is indeterminate although it was executed once and all its backups have it."""
    is_on_all = all_of(slots[0] < expected, expected == sync[present()], copies.count() > expected.ordinal)
    return all_of(outcome == Outcome.INDETERMINATE, executions == 1, ended.is_empty(), is_on_all)


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

    def will_execute_it(member: IndexExpr) -> BoolExpr:
        return all_of(target[present()] == member, may_execute(member), ~ended[member])

    is_awaited = ~is_answered(present()) & exists(members, will_execute_it)
    return all_of(is_a_success(), answered_by != present(), ~repeated, is_awaited)


@specification.sometimes(source="calls.16, backups.17")
def an_earlier_attempts_acknowledgement_counts_for_the_last() -> BoolExpr:
    """Completed by acknowledgements, no leaver counted, and nobody has acknowledged the attempt that answers."""
    is_complete = all_of(outcome == Outcome.ACKNOWLEDGED, leavers == 0, slots[0] < expected)
    return all_of(is_complete, answered_by == present(), counted.is_empty(), ~repeated)


@specification.sometimes(source="backups.20; defect HZ-55")
def a_strict_success_lacks_a_backup_that_the_caller_knows() -> BoolExpr:
    """In indeterminate mode, without exception: the caller's row has a backup that lacks the change, as its primary
    sent nobody the change.
    """

    def is_a_backup_without(member: IndexExpr) -> BoolExpr:
        return (row[caller][slots[0]] != member) & listed[caller][member] & ~copies[member]

    return all_of(is_strict(), is_a_success(), copies.count() == 1, exists(members, is_a_backup_without))


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
    return all_of(is_owed(), slots[0] < expected, expected == sync[present()], ended.count() == 1, the_change_is_gone())


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


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What others do may be for ever about to happen; what a caller has to do is fair."""
    return all_of()


@specification.eventually(source="calls.25; invariant I3 Completes")
def every_call_ends() -> LeadsTo:
    """Every call ends, whatever was lost and whoever left, unless its caller ends, or waits for a read of its own.

    A world has only so many call ids: a call that may wait and is sent again and again ends with the last of them here.
    """
    is_own_read = all_of(phase == Phase.WAITING, kind == Kind.READ, target[present()] == caller)
    has_no_id = (phase == Phase.RESOLVING) & (sent == attempts)
    return leads_to(phase != Phase.IDLE, any_of(phase == Phase.ENDED, ended[caller], is_own_read, has_no_id))
