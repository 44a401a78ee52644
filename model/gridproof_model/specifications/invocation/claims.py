"""Claims about a call: what is always true, what is not promised and can be reached, and what eventually happens.

A member *had* the change if a step of its own made it (`copies`), and *has* it until its copy is replaced (`holds`).

Sometimes-claims show what is not promised, and what documents wrongly promise. If the shortest way to fulfil a
sometimes-claim is to handle a message twice, the claim excludes this way.

Nine actions are fair, all of them actions of the caller: it sends, gives up, or answers. Actions of other members need
not happen, so eventually-claims are true even if every message is lost. A read whose target is the caller itself never
times out, and has to be executed.
"""

from gridproof_model.language import *
from gridproof_model.specifications.invocation.state import *
from gridproof_model.specifications.invocation.targets import has_request, may_execute, owns


@specification.definition()
def is_owed() -> BoolExpr:
    """Whether a write in indeterminate mode succeeded, the answered attempt changed something, and no message was
    handled twice.
    """
    return all_of(is_a_strict_success(), ~repeated, answered_by.is_some & is_executed(answered_by.value))


@specification.definition()
def live_holders() -> IntExpr:
    """How many live members have the change made by the last attempt."""
    return count(members, lambda member: holds[present()][member] & ~ended[member])


@specification.always(source="calls.18; seed: Execution Guarantees, at-least-once")
def a_success_was_executed() -> BoolExpr:
    """A call that succeeded was executed by a primary at least once, whichever members left, unless its operation may
    wait at its target.

    Choice (calls.18): the seed makes this claim for a stable cluster whose primary is alive. The claim is true for
    other clusters, too. An operation whose wait ended without a change succeeds, too.
    """
    return (is_a_success() & ~may_wait).implies(executions >= 1)


@specification.always(source="strict.8, strict.2")
def indeterminate_mode_executes_at_most_once() -> BoolExpr:
    """In indeterminate mode, if no message is handled twice, the operation is executed at most once, and no copy has
    the changes of two attempts.

    Choice (strict.8): the seed makes this claim if connections deliver no message twice or to a later incarnation.
    """
    of_a_copy = for_all(members, lambda member: count(call_ids, lambda number: holds[number][member]) <= 1)
    return (is_strict() & ~repeated).implies((executions <= 1) & (count(call_ids, is_executed) <= 1) & of_a_copy)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.8")
def a_strict_success_was_executed_exactly_once() -> BoolExpr:
    """If no message was handled twice and the operation cannot wait at its target, a successful write in indeterminate
    mode was executed exactly once."""
    return all_of(is_a_strict_success(), ~repeated, ~may_wait).implies(executions == 1)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.8")
def a_strict_success_with_all_backups_addressed_is_on_every_backup() -> BoolExpr:
    """If a successful write in indeterminate mode was sent to all configured sync backups, no leaver was counted and no
    message was handled twice, each of these backups has had the change.

    Choice (strict.8): the claim of the seed document covers every cluster; the claim can be false with all members
    listed (docs/findings.md).
    """
    return all_of(is_owed(), expected == sync[present()], leavers == 0).implies(
        copies.count() > sync[present()].ordinal
    )


@specification.always(source="strict.8, backups.20; invariant I1 ExactlyOnceIfClean")
def a_strict_success_lacks_no_more_backups_than_leavers_were_counted() -> BoolExpr:
    """If no message was handled twice, a successful write in indeterminate mode has reached all backups that it was
    sent to, except at most one for each leaver counted.

    Choice (strict.8): invariant I1 says that no backup lacks the change. The claim allows any number of backups and
    migrations; a backup that had the change may have lost it since.
    """
    return is_owed().implies(copies.count() + leavers > expected.ordinal)


@specification.always(source="strict.8; defect HZ-55")
def without_counting_leavers_a_strict_success_is_on_every_backup_addressed() -> BoolExpr:
    """If no leaver was counted for a successful write in indeterminate mode, and no message was handled twice, each
    backup that had to acknowledge the write has had the change, or the next member at its address has."""
    number = answered_by.value

    def has_had_it(slot: IndexExpr, member: IndexExpr) -> BoolExpr:
        is_asked = updates[number][slot][member] & (slot <= sync[number])
        return is_asked.implies(exists(members, lambda one: copies[one] & shares_address(one, member)))

    return (is_owed() & (leavers == 0)).implies(for_all(slots, members, lambda slot, member: has_had_it(slot, member)))


@specification.always(source="strict.8, repair.13; invariant I2 AckDurable")
def without_counting_leavers_a_strict_success_survives() -> BoolExpr:
    """If no message was handled twice, then for a successful write in indeterminate mode there are more live
    copies, leavers counted, ended members and replaced copies together than sync backups to which
    the write was sent.

    Choice (strict.8): invariant I2 says that the owner has the change, but who considers itself the owner may lack it.
    """
    gone = leavers + count(members, lambda member: ended[member]) + (moves - moves_left)
    return is_owed().implies(live_holders() + gone > expected.ordinal)


@specification.always(source="strict.2; invariant I1")
def indeterminate_mode_never_retries_in_silence() -> BoolExpr:
    """In indeterminate mode, the departure of a target never leads to a new attempt."""
    return is_strict().implies(~retried_after_leave)


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; strict.2, strict.4")
def only_strict_writes_are_indeterminate() -> BoolExpr:
    """Only writes in indeterminate mode end with the indeterminate exception: no reads, and no other writes."""
    return (outcome == Outcome.INDETERMINATE).implies(is_strict())


@specification.always(source="backups.17, strict.3")
def indeterminate_mode_ignores_no_missing_acknowledgement() -> BoolExpr:
    """In indeterminate mode, a call whose backup timeout expires while acknowledgements are missing never succeeds."""
    return is_strict().implies(outcome != Outcome.UNACKNOWLEDGED)


@specification.always(source="backups.17")
def completed_means_counted() -> BoolExpr:
    """A call completed by acknowledgements has counted at least as many acknowledgements as the response asked for,
    leavers included."""
    return (outcome == Outcome.ACKNOWLEDGED).implies(expected.ordinal <= received)


@specification.always(source="calls.7; invariant I6 OneAnswer; defect HZ-65, HZ-73")
def a_call_ends_at_most_once() -> BoolExpr:
    """The outcome of a call is settled at most once, and is known if and only if the call is over."""
    is_over = phase.is_in(Phase.ENDING, Phase.ENDED)
    return all_of(ends <= 1, (ends == 1) == is_over, outcome.is_some == is_over)


@specification.always(source="invariant I6 OneAnswer; calls.7, calls.18")
def a_success_was_answered_by_an_attempt_of_its_own() -> BoolExpr:
    """The caller is given a result if and only if the call succeeds, and the result is from an attempt that a target
    has answered.

    Choice (calls.7): invariant I6 makes this claim for the last attempt, which is false (docs/findings.md).
    """
    return (answered_by.is_some == is_a_success()) & answered_by.is_some.implies(answered[answered_by.value].is_any())


@specification.always(source="backups.17")
def a_kept_response_misses_acknowledgements() -> BoolExpr:
    """A call under way keeps a response only while it has counted fewer acknowledgements than the response asks for."""
    is_under_way = phase.is_in(Phase.RESOLVING, Phase.WAITING)
    return (is_under_way & kept.is_some).implies(received < expected.ordinal)


@specification.always(source="calls.22; invariant I3 Completes")
def no_caller_gives_up_while_a_response_is_kept() -> BoolExpr:
    """The caller's own timeout never ends a call while a response is kept.

    A target's answer that a request was late may end the call (calls.23), after an earlier attempt was executed.
    """
    return ((outcome == Outcome.OPERATION_TIMEOUT) & (phase == Phase.ENDING)).implies(kept.is_none)


@specification.always(source="backups.17, backups.16; invariant R4; defect HZ-48")
def what_is_acknowledged_was_executed_and_applied() -> BoolExpr:
    """Every member that acknowledges an attempt has had the change, and a primary has executed that attempt; only such
    acknowledgements are counted."""

    def has_had_it(number: IndexExpr, member: IndexExpr) -> BoolExpr:
        return acknowledged[number][member].implies(copies[member] & is_executed(number))

    counted_ones = for_all(members, lambda member: counted[member].implies(acknowledged[present()][member]))
    return for_all(call_ids, members, has_had_it) & counted_ones


@specification.always(source="seed: Throwing an IndeterminateOperationStateException; calls.9")
def a_read_leaves_no_trace() -> BoolExpr:
    """A read changes no copy; if members serve stale reads, they never refuse a read because its partition migrates."""
    has_no_effect = copies.is_empty() & for_all(call_ids, lambda number: holds[number].is_empty())
    is_refused = exists(call_ids, lambda number: refused[number].migrating)
    return (kind == Kind.READ).implies(has_no_effect & ~(serves_stale_reads & is_refused))


@specification.definition()
def the_change_is_gone() -> BoolExpr:
    """Whether the caller and a member that considers itself the owner are alive, and no live member has the change."""
    has_it = exists(members, lambda member: ~ended[member] & exists(call_ids, lambda number: holds[number][member]))
    return all_of(~ended[caller], exists(members, lambda member: owns(member) & ~ended[member]), ~has_it)


@specification.definition()
def nobody_takes_it_up() -> BoolExpr:
    """Whether all members that may get a request of the call have ended, with no last step left unrecorded."""

    def is_asked(member: IndexExpr) -> BoolExpr:
        return exists(call_ids, lambda number: has_request(member, number))

    return for_all(members, lambda member: is_asked(member).implies(ended[member] & ~has_unrecorded[member]))


@specification.definition()
def everybody_is_listed() -> BoolExpr:
    """Whether each member has all members in its list."""
    return for_all(members, members, lambda member, other: listed[member][other])


@specification.sometimes(source="seed: Execution Guarantees; limits.2, calls.19")
def a_call_is_executed_twice() -> BoolExpr:
    """A call has succeeded after two of its attempts were executed, and a copy has the changes of both."""
    is_on_a_copy = exists(members, lambda member: count(call_ids, lambda number: holds[number][member]) == 2)
    return all_of(kind == Kind.WRITE, is_a_success(), executions == 2, ~repeated, is_on_a_copy)


@specification.sometimes(call_ids, source="calls.2, table.3; docs/findings.md")
def one_attempt_is_executed_by_two(number: IndexExpr) -> BoolExpr:
    """One request is executed by two members: it came to a target, and again to the next member at its address."""
    return executed[number].count() == 2


@specification.sometimes(source="calls.18, calls.12")
def a_success_was_never_executed() -> BoolExpr:
    """The documented claim is false as worded: an operation whose wait ended without a change succeeded without being
    executed."""
    return is_a_success() & (executions == 0)


@specification.sometimes(source="strict.8, strict.2, calls.2")
def a_strict_success_was_executed_twice() -> BoolExpr:
    """The documented claim is false as worded: a successful write in indeterminate mode, whose request came twice, was
    executed twice."""
    return is_a_strict_success() & (executions == 2)


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_never_executed() -> BoolExpr:
    """A call has timed out, and no member has executed it or will execute it."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, sent > 0, executions == 0, nobody_takes_it_up())


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_executed_once() -> BoolExpr:
    """A call has timed out, and a primary has executed it once, with a change."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, executions == 1, copies.is_any())


@specification.sometimes(source="seed: Execution Guarantees; limits.2")
def a_timed_out_call_was_executed_twice() -> BoolExpr:
    """A call has timed out, and primaries have executed two of its attempts."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, executions == 2, ~repeated)


@specification.sometimes(source="calls.22, strict.5")
def a_strict_call_times_out_after_it_was_executed() -> BoolExpr:
    """In indeterminate mode, too, a call may end with OperationTimeoutException after it was executed."""
    return all_of(is_strict(), outcome == Outcome.OPERATION_TIMEOUT, executions == 1)


@specification.sometimes(source="calls.22, calls.23")
def a_call_times_out_while_a_response_is_kept() -> BoolExpr:
    """The documented claim is false as worded: a call times out although a response is kept, since a target answered
    that another request of the call was late."""
    return all_of(outcome == Outcome.OPERATION_TIMEOUT, kept.is_some, ~repeated)


@specification.sometimes(source="calls.6, calls.14")
def a_call_fails_as_its_owner_is_no_member() -> BoolExpr:
    """A call that was never sent has failed, because the owner of the partition is not in its caller's list."""
    return (outcome == Outcome.TARGET_NOT_MEMBER) & (sent == 0)


@specification.sometimes(source="calls.14")
def a_call_fails_as_it_cannot_be_sent() -> BoolExpr:
    """A call has failed because there is no connection to its target."""
    return outcome == Outcome.NOT_SENT


@specification.sometimes(source="calls.15: budget")
def a_call_runs_out_of_attempts() -> BoolExpr:
    """A call ends with a retryable exception, as its attempts are used up, though the operation was executed."""
    return all_of(
        outcome.is_some, outcome.value.is_in(*RETRYABLE), executions > 0, ~repeated, departure == Departure.NONE
    )


@specification.sometimes(source="backups.18, limits.3")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """No member has ended and no backup has the change, yet a call has succeeded whose response asked for a backup."""
    return all_of(outcome == Outcome.UNACKNOWLEDGED, slots[0] < expected, copies.count() == 1, ended.is_empty())


@specification.sometimes(source="backups.20, backups.17; docs/findings.md")
def a_leaver_completes_a_call() -> BoolExpr:
    """A call is complete, and all acknowledgements that it has counted are of members that left."""
    return (outcome == Outcome.ACKNOWLEDGED) & (received > 0) & (received == leavers)


@specification.sometimes(source="seed: Best-Effort Consistency; limits.5")
def an_acknowledged_write_is_lost() -> BoolExpr:
    """A write has succeeded, in either mode, and no live member has its change, not even the present owner."""
    return all_of(is_a_success(), answered_by.is_some & is_executed(answered_by.value), the_change_is_gone())


@specification.sometimes(source="limits.4 dirty read, strict.7")
def a_failed_write_is_seen_and_vanishes() -> BoolExpr:
    """A write that ended as indeterminate was executed, so that reads may have seen it, and its change is gone now."""
    return all_of(outcome == Outcome.INDETERMINATE, copies.is_any(), the_change_is_gone())


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; limits.4, strict.7")
def a_failed_write_is_on_every_backup() -> BoolExpr:
    """A call ends as indeterminate although it was executed once and all its backups have the change."""
    is_on_all = all_of(slots[0] < expected, expected == sync[present()], copies.count() > expected.ordinal)
    return all_of(outcome == Outcome.INDETERMINATE, executions == 1, ended.is_empty(), is_on_all)


@specification.sometimes(source="seed: Throwing an IndeterminateOperationStateException; strict.2")
def an_indeterminate_write_was_never_executed() -> BoolExpr:
    """A call ends as indeterminate though the target left before it executed anything."""
    return all_of(outcome == Outcome.INDETERMINATE, sent > 0, executions == 0)


@specification.sometimes(source="backups.16")
def acknowledgements_come_before_the_response() -> BoolExpr:
    """An acknowledgement is counted before the response comes, which says how many are needed."""
    return all_of(phase == Phase.WAITING, kept.is_none, counted.is_any())


@specification.sometimes(source="calls.19; defect HZ-68")
def a_call_waits_for_a_member_that_has_left() -> BoolExpr:
    """The target left after it was chosen and before the attempt was registered: only a timeout will end the call."""
    asks = target[present()]
    return all_of(phase == Phase.WAITING, asks.is_some, ~listed[caller][asks.value], ~removed[asks.value])


@specification.sometimes(source="migration.9")
def a_write_is_refused_while_its_partition_migrates() -> BoolExpr:
    """A write is refused because its partition migrates."""
    return (kind != Kind.READ) & exists(call_ids, lambda number: refused[number].migrating)


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def an_earlier_attempt_answers_for_the_last() -> BoolExpr:
    """The caller is given the response of an earlier attempt, as a retry keeps that response."""
    return all_of(is_a_success(), answered_by != present(), ~repeated)


@specification.sometimes(source="invariant I6 OneAnswer; calls.16, backups.17")
def a_call_is_about_to_be_executed_after_it_succeeded() -> BoolExpr:
    """The call has succeeded by an earlier attempt, and the target of the last attempt can still execute it."""

    def will_execute_it(member: IndexExpr) -> BoolExpr:
        return all_of(target[present()] == member, may_execute(member), ~ended[member])

    is_awaited = ~is_answered(present()) & exists(members, will_execute_it)
    return all_of(is_a_success(), answered_by != present(), ~repeated, is_awaited)


@specification.sometimes(source="calls.16, backups.17")
def an_earlier_attempts_acknowledgement_counts_for_the_last() -> BoolExpr:
    """A call is completed by acknowledgements and without leavers, though no member has acknowledged the attempt that
    answers."""
    is_complete = all_of(outcome == Outcome.ACKNOWLEDGED, leavers == 0, slots[0] < expected)
    return all_of(is_complete, answered_by == present(), counted.is_empty(), ~repeated)


@specification.sometimes(source="backups.20; defect HZ-55")
def a_strict_success_lacks_a_backup_that_the_caller_knows() -> BoolExpr:
    """After a successful write in indeterminate mode, the caller's row has a backup without the change, as only the
    primary has it.
    """

    def is_a_backup_without(member: IndexExpr) -> BoolExpr:
        return (row[caller][slots[0]] != member) & listed[caller][member] & ~copies[member]

    return all_of(is_strict(), is_a_success(), copies.count() == 1, exists(members, is_a_backup_without))


@specification.sometimes(source="strict.8, backups.20; invariant I1; defect HZ-55")
def a_strict_success_lacks_a_live_backup() -> BoolExpr:
    """After a successful write in indeterminate mode, with primary and backup alive, the backup lacks the change that
    it was sent."""

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
    """A successful write in indeterminate mode was sent to fewer sync backups than configured, and only the primary has
    the change, though all members list each other."""
    return all_of(is_owed(), expected < sync[present()], copies.count() == 1, everybody_is_listed())


@specification.sometimes(source="strict.8, repair.13; invariant I1; defect HZ-55")
def a_strict_success_is_lost_with_one_member() -> BoolExpr:
    """A successful write in indeterminate mode was sent to all configured sync backups, one member has ended, and no
    live member has the change."""
    return all_of(is_owed(), slots[0] < expected, expected == sync[present()], ended.count() == 1, the_change_is_gone())


@specification.sometimes(source="strict.8, repair.13; invariant I2 AckDurable")
def a_strict_success_is_missing_at_its_owner() -> BoolExpr:
    """The documented claim is false as worded: a write in indeterminate mode succeeded, no leaver was counted, no copy
    was replaced, and at most as many members ended as sync backups were asked; yet a live owner, on which all live
    members agree, lacks the change.
    """

    def lacks_it(member: IndexExpr) -> BoolExpr:
        is_named = for_all(members, lambda one: ended[one] | (row[one][slots[0]] == member))
        return all_of(is_named, ~ended[member], ~holds[present()][member])

    is_unmoved = (leavers == 0) & (moves_left == moves)
    return all_of(is_owed(), is_unmoved, ended.count() <= expected.ordinal, exists(members, lacks_it))


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """A behaviour may end in any state: other members need not act, and the caller's own actions are fair."""
    return all_of()


@specification.eventually(source="calls.25; invariant I3 Completes")
def every_call_ends() -> LeadsTo:
    """Every call ends, whatever was lost and whoever left, unless its caller ends, or is also the target of its read.

    A world has a limited number of call ids: a call that is sent again and again counts as ended once all are used.
    """
    is_own_read = all_of(phase == Phase.WAITING, kind == Kind.READ, target[present()] == caller)
    has_no_id = (phase == Phase.RESOLVING) & (sent == attempts)
    return leads_to(phase != Phase.IDLE, any_of(phase == Phase.ENDED, ended[caller], is_own_read, has_no_id))
