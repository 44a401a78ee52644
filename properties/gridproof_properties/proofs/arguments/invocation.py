"""Why a call has one answer that claims no more than is true, although its members know different things.

The set of messages under way only grows, and every attempt has its own call id: so a message that was counted remains
in the set. A strict call is sent again only if nothing was executed. So, as long as no message is taken twice, only the
last attempt of a strict call is answered, and each counted acknowledgement either was sent (once per address that was
asked) or stands for a leaver.
"""

from gridproof_model.language import *
from gridproof_model.specifications.invocation.state import *
from gridproof_properties.proofs.argument import Argument

TWO_BACKUPS: dict[str, Plain] = {"members": 3, "backups": 2}
FEWER_KINDS: dict[str, Plain] = {
    "waiting_operations": False,
    "other_refusals": False,
    "last_steps": False,
    "departures": False,
}
"""Constants that switch off kinds of events which claims about copies do not need."""
ONCE: dict[str, Plain] = {"attempts": 1, "retries": 1, "handlings": 1}
CALM: dict[str, Plain] = {"changes": 0, "endings": 0}
THREE_ATTEMPTS: dict[str, Plain] = {"members": 3, "attempts": 3}
UNTIL_5_5: dict[str, Plain] = {"strict_counts_leavers": True, "registers_late": True}
WORLDS: tuple[dict[str, Plain], ...] = (
    {**FEWER_KINDS, "changes": 2},
    {**FEWER_KINDS, **ONCE, "members": 3, "changes": 2, "strict_counts_leavers": True},
    {**FEWER_KINDS, "registers_late": True},
    {**FEWER_KINDS, "backups": 0, "attempts": 1, "retries": 0, "changes": 2},
    {**CALM, "handlings": 3},
    {**CALM, **TWO_BACKUPS},
    {**CALM, **THREE_ATTEMPTS, "handlings": 1},
    {**CALM, **UNTIL_5_5},
)

BOUNDS = ("changes", "endings", "handlings", "retries", "moves")
WITHOUT_BOUNDS: dict[str, Plain] = {**dict.fromkeys(BOUNDS, ANY_NUMBER), "serves_stale_reads": EITHER}
ANY_SIZE: dict[str, Plain] = {
    **dict.fromkeys(("members", "attempts"), ANY_NUMBER),
    **WITHOUT_BOUNDS,
    **dict.fromkeys(UNTIL_5_5, EITHER),
}
"""The world with one backup, whose sizes are open. With two backups, Z3 gives up on four claims, which are proved for
three members."""

argument = Argument(
    specification,
    proved_in=(ANY_SIZE, TWO_BACKUPS | WITHOUT_BOUNDS),
    explored_in=WORLDS,
)


def is_sent_to(number: IndexExpr, member: IndexExpr) -> BoolExpr:
    """Whether the update of an attempt is under way to a member, for some slot."""
    return exists(slots, lambda slot: updates[number][slot][member])


def slots_waited_for(number: IndexExpr) -> IntExpr:
    """The number of slots to which an attempt's update was sent and whose holders have to acknowledge it."""
    return count(
        slots, lambda slot: (slot <= sync[number]) & exists(members, lambda member: updates[number][slot][member])
    )


@argument.lemma(members)
def who_starts_at_an_address_comes_after_its_first_one(member: IndexExpr) -> BoolExpr:
    """A member that is not the first at its address started after the first member there had ended."""

    def has_ended(first_one: IndexExpr) -> BoolExpr:
        return ended[first_one] & (address[first_one] == first_one)

    return (address[member] == member) | has_ended(address[member])


@argument.lemma
def a_call_that_waits_has_a_target() -> BoolExpr:
    """A call that waits for an answer has sent an attempt to a member."""
    is_there = (sent > 0) & asked.is_some & target[present()].is_some
    return (phase == Phase.WAITING).implies(is_there)


@argument.lemma
def a_caller_makes_another_attempt_within_its_budget() -> BoolExpr:
    """A caller's next attempt is its first attempt, or its budget allows another attempt; while a caller waits, it has
    made at least one attempt."""
    is_next, is_made = (tries == 0) | (tries < budget), (tries == 1) | ((tries > 1) & (tries <= budget))
    may_come = phase.is_in(Phase.IDLE, Phase.RESOLVING)
    return may_come.implies(is_next) & (phase == Phase.WAITING).implies(is_made)


@argument.lemma(call_ids)
def what_was_not_sent_is_nowhere(number: IndexExpr) -> BoolExpr:
    """No member has executed, answered, acknowledged, parked or passed on an attempt that was not sent."""
    return is_sent(number) | all_of(
        ~is_answered(number),
        executed[number].is_empty(),
        acknowledged[number].is_empty(),
        parked[number].is_empty(),
        holds[number].is_empty(),
        ~exists(members, lambda member: is_sent_to(number, member)),
    )


@argument.lemma
def before_a_call_there_is_nothing_of_it() -> BoolExpr:
    """Before a call begins, nothing was sent or counted for it, and it has no outcome and no history."""
    return (phase == Phase.IDLE).implies(
        all_of(
            all_of(sent == 0, kept.is_none, received == 0, counted.is_empty(), outcome.is_none, answered_by.is_none),
            all_of(executions == 0, leavers == 0, ends == 0, ~repeated, ~retried_after_leave, copies.is_empty()),
        )
    )


@argument.lemma
def only_what_may_wait_is_parked() -> BoolExpr:
    """Only a call whose operation may wait at its target is ever parked there, and no read is such an operation."""
    nothing_is_parked = for_all(call_ids, lambda number: parked[number].is_empty())
    return (may_wait | nothing_is_parked) & (may_wait.implies(kind != Kind.READ) | (phase == Phase.IDLE))


@argument.lemma
def a_kept_response_has_come() -> BoolExpr:
    """A response that the caller keeps was given by a target."""
    return kept.is_some.implies(answered[kept.value].is_any())


@argument.lemma
def what_is_expected_was_answered() -> BoolExpr:
    """The caller expects as many acknowledgements as a target stated in its response, whether the caller still keeps
    this response or has returned it."""
    is_kept = kept.is_some & phase.is_in(Phase.RESOLVING, Phase.WAITING)
    return is_kept.implies(answered[kept.value][expected]) & answered_by.is_some.implies(
        answered[answered_by.value][expected]
    )


@argument.lemma(call_ids)
def an_execution_is_an_answer(number: IndexExpr) -> BoolExpr:
    """Every attempt that was executed was also answered, and the member that executed it has had the change; an
    operation that cannot wait is answered only after it was executed."""
    return all_of(
        for_all(
            members,
            lambda member: executed[number][member].implies(answered[number].is_any() & copies[member]),
        ),
        (answered[number].is_any() & ~may_wait).implies(executions >= 1),
        is_executed(number).implies(executions >= 1),
    )


@argument.lemma(call_ids)
def what_is_had_was_executed(number: IndexExpr) -> BoolExpr:
    """If an attempt was not executed, no member has its change, was sent this change, or has to acknowledge it."""
    return is_executed(number) | all_of(
        holds[number].is_empty(),
        sync[number] == slots[0],
        ~exists(members, lambda member: is_sent_to(number, member)),
    )


@argument.lemma(call_ids, when=~repeated)
def an_answer_is_the_only_one(number: IndexExpr) -> BoolExpr:
    """If no message is taken twice, at most one member executes an attempt, and the attempt is either refused or
    answered at most once."""
    is_refused = any_of(*(getattr(refused[number], name) for name in REFUSALS.values()))
    return all_of(
        executed[number].count() <= 1,
        answered[number].count() <= 1,
        answered[number].is_any().implies(~is_refused),
    )


@argument.lemma
def a_strict_call_goes_on_where_nothing_was_executed() -> BoolExpr:
    """If no message is taken twice, all attempts of a strict call except the last attempt have ended without being
    executed; while the caller looks for another target, this is also true of the last attempt.
    """

    def has_failed(number: IndexExpr) -> BoolExpr:
        nothing = all_of(answered[number].is_empty(), acknowledged[number].is_empty(), holds[number].is_empty())
        return nothing & is_sent(number).implies(is_answered(number))

    return (is_strict() & ~repeated).implies(
        all_of(
            for_all(call_ids, lambda number: (number != present()).implies(has_failed(number))),
            (phase == Phase.RESOLVING).implies(has_failed(present())),
            executions <= 1,
            (executions == 1).implies(answered[present()].is_any()),
            kept.is_some.implies(kept == present()),
            answered_by.is_some.implies(answered_by == present()),
        )
    )


@argument.lemma
def a_strict_call_counts_each_once() -> BoolExpr:
    """If no message is taken twice, the number of acknowledgements that a strict call has counted is the number of
    members that acknowledged it plus the number of leavers that it counted."""
    return (is_strict() & ~repeated).implies(received == counted.count() + leavers)


@argument.lemma(call_ids, members, when=~repeated)
def nobody_acknowledges_itself(number: IndexExpr, member: IndexExpr) -> BoolExpr:
    """If no message is taken twice, a primary that executed an attempt sends the update to no member at its own
    address, and does not acknowledge it."""

    def sends_elsewhere(number: IndexExpr, primary: IndexExpr) -> BoolExpr:
        return ~acknowledged[number][primary] & for_all(
            members, lambda other: is_sent_to(number, other).implies(~shares_address(other, primary))
        )

    return executed[number][member].implies(sends_elsewhere(number, member))


@argument.lemma(call_ids, members)
def an_acknowledgement_comes_from_an_address_that_was_asked(number: IndexExpr, member: IndexExpr) -> BoolExpr:
    """If a member acknowledged an attempt, the update was sent to its address, for a slot whose acknowledgement the
    caller waits for; unless a message came twice, no other member at that address acknowledged the attempt."""

    def was_asked(number: IndexExpr, member: IndexExpr) -> BoolExpr:
        return exists(
            slots,
            lambda slot: (
                (slot <= sync[number])
                & exists(members, lambda other: updates[number][slot][other] & shares_address(other, member))
            ),
        )

    def another_has(number: IndexExpr, member: IndexExpr) -> BoolExpr:
        return exists(
            members,
            lambda other: (other != member) & shares_address(other, member) & acknowledged[number][other],
        )

    return acknowledged[number][member].implies(was_asked(number, member) & (repeated | ~another_has(number, member)))


@argument.lemma(call_ids, slots, when=~repeated)
def a_slot_is_sent_to_one_holder(number: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """If no message is taken twice, an attempt's update for a slot is under way to at most one member."""
    return count(members, lambda member: updates[number][slot][member]) <= 1


@argument.lemma(call_ids, slots, when=~repeated)
def a_response_counts_what_was_sent(number: IndexExpr, acks: IndexExpr) -> BoolExpr:
    """If no message is taken twice, a response states the number of slots for which the update was sent and has to be
    acknowledged."""
    return answered[number][acks].implies(acks.ordinal == slots_waited_for(number))


@argument.lemma
def what_was_had_is_held_or_was_replaced() -> BoolExpr:
    """If no message is taken twice, the number of members that once had the change of a strict call and now lack
    it is at most the number of replaced copies."""
    lacking = count(members, lambda member: copies[member] & ~holds[present()][member])
    return (moves_left <= moves) & (is_strict() & ~repeated).implies(lacking <= moves - moves_left)
