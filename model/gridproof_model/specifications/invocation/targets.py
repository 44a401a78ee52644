"""How the receiver of a request checks, executes and answers it, by its own row and list; and what its backups do.

A request stays under way for ever: it may arrive late, twice, or at the next member at its target's address. An update,
too, stays under way for ever; a backup acknowledges it straight to the caller, and an update that a backup drops
changes nothing. `replication` specifies the versions by which a backup drops updates that it already has.
"""

from collections.abc import Callable
from typing import cast

from gridproof_model.language import *
from gridproof_model.specifications.invocation.state import *

ONCE_MORE = executions.becomes(executions + 1)


def is_taken_up(number: IndexExpr) -> list[Update]:
    """Return the updates of a target that handles a request, perhaps not for the first time."""
    return [handlings_left.becomes(handlings_left - 1), repeated.becomes(repeated | is_answered(number))]


@specification.definition(members, call_ids)
def has_request(member: IndexExpr, number: IndexExpr) -> BoolExpr:
    """Whether the attempt was sent to the address of the member."""
    asks = target[number]
    return is_sent(number) & asks.is_some & (address[asks.value] == address[member])


@specification.definition(members)
def knows_the_caller(member: IndexExpr) -> BoolExpr:
    """Whether the member has the caller in its list; this is the first check of a request."""
    return listed[member][caller]


@specification.definition(members)
def is_closed(member: IndexExpr) -> BoolExpr:
    """Whether the member refuses the operation because its partition migrates."""
    is_served = (kind == Kind.READ) & serves_stale_reads
    return migrating[member] & ~is_served


@specification.definition(members)
def owns(member: IndexExpr) -> BoolExpr:
    """Whether the member is the primary in its own row."""
    return row[member][slots[0]] == member


@specification.definition(members)
def may_execute(member: IndexExpr) -> BoolExpr:
    """Whether the member passes all checks of its own row, list and migration (calls.9)."""
    return knows_the_caller(member) & ~is_closed(member) & owns(member)


def takes_up(member: IndexExpr, number: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a step in which a member handles a request."""
    return [handlings_left > 0, ~ended[member], has_request(member, number)]


def refuses(number: IndexExpr, why: Outcome) -> list[Update]:
    """Return the updates of a step in which a request is refused."""
    return [*is_taken_up(number), getattr(refused[number], REFUSALS[why]).becomes(True)]


@specification.action(members, call_ids, source="calls.4, calls.9")
def target_refuses_a_stranger(member: IndexExpr, number: IndexExpr) -> Step:
    """A target refuses a request whose caller is not in its list."""
    return Step(
        when=[*takes_up(member, number), ~knows_the_caller(member)], then=refuses(number, Outcome.CALLER_NOT_MEMBER)
    )


@specification.action(members, call_ids, source="calls.9, members.24")
def target_is_not_allowed(member: IndexExpr, number: IndexExpr) -> Step:
    """A target refuses a request because the cluster state forbids operations."""
    return Step(
        when=[*takes_up(member, number), other_refusals, knows_the_caller(member)],
        then=refuses(number, Outcome.ILLEGAL_STATE),
    )


@specification.action(members, call_ids, source="calls.23")
def target_refuses_late_request(member: IndexExpr, number: IndexExpr) -> Step:
    """A target refuses a request that, when its turn comes, is older than the call timeout."""
    return Step(
        when=[*takes_up(member, number), knows_the_caller(member)], then=refuses(number, Outcome.OPERATION_TIMEOUT)
    )


@specification.action(members, call_ids, source="calls.9, migration.9")
def target_refuses_while_it_migrates(member: IndexExpr, number: IndexExpr) -> Step:
    """A target refuses writes while the partition migrates; by default, reads are served."""
    return Step(
        when=[*takes_up(member, number), knows_the_caller(member), is_closed(member)],
        then=refuses(number, Outcome.MIGRATING),
    )


@specification.action(members, call_ids, source="calls.9, migration.9")
def wrong_target_refuses(member: IndexExpr, number: IndexExpr) -> Step:
    """A member that is not the primary refuses a request."""
    return Step(
        when=[*takes_up(member, number), knows_the_caller(member), ~is_closed(member), ~owns(member)],
        then=refuses(number, Outcome.WRONG_TARGET),
    )


@specification.action(members, call_ids, source="splits.2: split-brain protection")
def target_is_protected(member: IndexExpr, number: IndexExpr) -> Step:
    """A target refuses a request because there are fewer members than the structure requires."""
    return Step(
        when=[*takes_up(member, number), other_refusals, may_execute(member)], then=refuses(number, Outcome.PROTECTED)
    )


@specification.action(members, call_ids, source="calls.11")
def operation_throws(member: IndexExpr, number: IndexExpr) -> Step:
    """The operation itself fails at its target with an exception, and changes nothing."""
    return Step(
        when=[*takes_up(member, number), other_refusals, may_execute(member)], then=refuses(number, Outcome.THROWN)
    )


@specification.definition(members, slots, slots)
def is_addressed(primary: IndexExpr, slot: IndexExpr, coldest: IndexExpr) -> BoolExpr:
    """Whether the primary sends its writes to a slot: the slot is configured, within the primary's reach and filled,
    and its holder is a listed member at another address; so slot 0, the primary's own, is never addressed.
    """
    holder = row[primary][slot]
    is_meant = (slot <= coldest) & (slot <= reach[primary])
    return all_of(is_meant, holder.is_some, listed[primary][holder.value], ~shares_address(holder.value, primary))


def changes_and_sends(member: IndexExpr, number: IndexExpr, waited_for: IndexExpr, coldest: IndexExpr) -> list[Update]:
    """Return the updates of a write: it is sent to the backups, and the response has the number of sync backups."""

    def updates_to(slot: IndexExpr) -> ArrayExpr[BoolExpr]:
        sent_to = is_addressed(member, slot, coldest)
        return array_of(members, lambda other: updates[number][slot][other] | (sent_to & (row[member][slot] == other)))

    acks = count(slots, lambda slot: (slot <= waited_for) & is_addressed(member, slot, coldest))
    return [
        *is_taken_up(number),
        ONCE_MORE,
        executed[number][member].becomes(True),
        copies[member].becomes(True),
        holds[number][member].becomes(True),
        updates[number].becomes(array_of(slots, updates_to)),
        sync[number].becomes(if_else(sync[number] < waited_for, waited_for, sync[number])),
        answered[number][element_at(slots, acks)].becomes(True),
    ]


@specification.action(members, call_ids, slots, slots, source="calls.10, backups.4, backups.21, calls.1")
def primary_executes_write(member: IndexExpr, number: IndexExpr, waited_for: IndexExpr, coldest: IndexExpr) -> Step:
    """The primary executes a write and sends it in one step to any number of backups, any number of them sync."""
    return Step(
        when=[*takes_up(member, number), may_execute(member), kind != Kind.READ, waited_for <= coldest],
        then=changes_and_sends(member, number, waited_for, coldest),
    )


@specification.action(members, call_ids, source="calls.11")
def primary_executes_without_change(member: IndexExpr, number: IndexExpr) -> Step:
    """The primary executes a read, or a write that finds nothing to change; it sends nothing to backups."""
    return Step(
        when=[*takes_up(member, number), may_execute(member)],
        then=[*is_taken_up(number), ONCE_MORE, answered[number][slots[0]].becomes(True)],
    )


@specification.action(members, call_ids, source="calls.12, calls.13")
def request_waits(member: IndexExpr, number: IndexExpr) -> Step:
    """The operation waits at its target until something changes; then the target makes all checks again."""
    return Step(
        when=[*takes_up(member, number), may_execute(member), may_wait],
        then=[*is_taken_up(number), parked[number][member].becomes(True)],
    )


@specification.action(members, call_ids, source="calls.12")
def request_waits_in_vain(member: IndexExpr, number: IndexExpr) -> Step:
    """The wait that the caller asked for is over, or was zero; the target answers that nothing has changed."""
    has_waited = parked[number][member] | may_execute(member)
    return Step(
        when=[*takes_up(member, number), may_wait, has_waited],
        then=[*is_taken_up(number), answered[number][slots[0]].becomes(True)],
    )


@specification.action(members, call_ids, source="calls.13")
def waiting_request_is_sent_back(member: IndexExpr, number: IndexExpr) -> Step:
    """A waiting request is refused because the partition has moved to another member. No record shows this step, so it
    may have been the last step of a member that has ended."""
    return Step(
        when=[handlings_left > 0, parked[number][member]],
        then=[parked[number][member].becomes(False), *refuses(number, Outcome.MIGRATING)],
    )


@specification.action(members, call_ids, source="calls.24")
def waiting_request_is_late(member: IndexExpr, number: IndexExpr) -> Step:
    """A wait ends at the call timeout, and the caller has to send the request again. No record shows this step."""
    return Step(
        when=[handlings_left > 0, parked[number][member]],
        then=[parked[number][member].becomes(False), *refuses(number, Outcome.OPERATION_TIMEOUT)],
    )


@specification.definition(members, call_ids, OneOf(Outcome))
def may_refuse(member: IndexExpr, number: IndexExpr, why: EnumExpr[Outcome]) -> BoolExpr:
    """Whether the member may refuse a request for the given reason."""
    known, is_next = knows_the_caller(member), ~is_closed(member)
    return any_of(
        (why == Outcome.CALLER_NOT_MEMBER) & ~known,
        why.is_in(Outcome.ILLEGAL_STATE, Outcome.OPERATION_TIMEOUT) & known,
        all_of(why == Outcome.MIGRATING, known, is_closed(member)),
        all_of(why == Outcome.WRONG_TARGET, known, is_next, ~owns(member)),
        why.is_in(Outcome.PROTECTED, Outcome.THROWN) & may_execute(member),
    )


def last_step(member: IndexExpr, number: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a request that a member handled in its last step, which left no record."""
    return [handlings_left > 0, ended[member], has_unrecorded[member], has_request(member, number)]


@specification.action(members, call_ids, slots, source="calls.3, calls.10, backups.4")
def unrecorded_write_is_sent(member: IndexExpr, number: IndexExpr, waited_for: IndexExpr) -> Step:
    """The last step of a member that has ended was a write: its messages are under way, but no record shows the write.

    The write is sent to all possible backups: an update that was not sent is like an update that never arrives.
    """
    coldest = element_at(slots, backup_count)
    return Step(
        when=[*last_step(member, number), may_execute(member), kind != Kind.READ],
        then=[has_unrecorded[member].becomes(False), *changes_and_sends(member, number, waited_for, coldest)],
    )


@specification.action(members, call_ids, source="calls.3, calls.11")
def unrecorded_answer_is_sent(member: IndexExpr, number: IndexExpr) -> Step:
    """In its last step, a member that has ended executed a request without a change; its answer is under way."""
    return Step(
        when=[*last_step(member, number), may_execute(member)],
        then=[
            *is_taken_up(number),
            ONCE_MORE,
            has_unrecorded[member].becomes(False),
            answered[number][slots[0]].becomes(True),
        ],
    )


@specification.action(members, call_ids, OneOf(Outcome), source="calls.3, calls.9")
def unrecorded_refusal_is_sent(member: IndexExpr, number: IndexExpr, why: EnumExpr[Outcome]) -> Step:
    """In its last step, a member that has ended refused a request; the refusal is under way."""

    def is_it(reason: Outcome, name: str) -> Update:
        is_said: BoolExpr = getattr(refused[number], name)
        return is_said.becomes(is_said | (why == reason))

    return Step(
        when=[*last_step(member, number), may_refuse(member, number, why)],
        then=[
            *is_taken_up(number),
            has_unrecorded[member].becomes(False),
            *(is_it(reason, name) for reason, name in REFUSALS.items()),
        ],
    )


@specification.definition(members, call_ids, slots)
def may_apply(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Whether an update was sent to the member's address, for its slot, by a primary that it lists."""
    has_come = exists(members, lambda other: updates[number][slot][other] & shares_address(other, member))
    is_of_member = exists(members, lambda primary: executed[number][primary] & listed[member][primary])
    return has_come & is_of_member & ~migrating[member] & (row[member][slot] == member)


def applies(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> list[Update]:
    """Return the updates of a backup that applies an update; it sends an acknowledgement if one is asked for."""
    at_its_address = exists(
        members, lambda other: (other != member) & shares_address(other, member) & acknowledged[number][other]
    )
    return [
        copies[member].becomes(True),
        holds[number][member].becomes(True),
        repeated.becomes(repeated | at_its_address),
        acknowledged[number][member].becomes(acknowledged[number][member] | (slot <= sync[number])),
    ]


@specification.action(members, call_ids, slots, source="backups.10, backups.14, backups.16")
def backup_applies(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> Step:
    """A backup applies an update; a sync backup sends its acknowledgement to the caller, not to the primary."""
    return Step(when=[~ended[member], may_apply(member, number, slot)], then=applies(member, number, slot))


@specification.action(members, call_ids, slots, source="calls.3, backups.16")
def unrecorded_update_is_applied(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> Step:
    """In its last step, a backup that has ended applied an update; its acknowledgement is under way."""
    return Step(
        when=[ended[member], has_unrecorded[member], may_apply(member, number, slot)],
        then=[has_unrecorded[member].becomes(False), *applies(member, number, slot)],
    )


def copy_becomes(member: IndexExpr, has: Callable[[IndexExpr], BoolExpr | bool]) -> list[Update]:
    """Return the updates of a copy that is replaced; `has` says for each call id if the new copy has this change."""

    def with_it(number: IndexExpr) -> SetExpr:
        # A set is stored as an array with one condition for each element: whether the set contains it.
        held = array_of(members, lambda one: if_else(one == member, has(number), holds[number][one]))
        return cast("SetExpr", held)

    return [moves_left.becomes(moves_left - 1), holds.becomes(array_of(call_ids, with_it))]


@specification.action(members, members, source="sync.1, migration.12; seed: Best-Effort Consistency")
def copy_is_brought(source: IndexExpr, member: IndexExpr) -> Step:
    """A migration or a sync replaces a member's copy with another copy. Runs are validated without this action."""
    return Step(
        when=[moves_left > 0, ~ended[member], source != member],
        then=copy_becomes(member, lambda number: holds[number][source]),
    )


@specification.action(members, source="calls.13")
def copy_is_dropped(member: IndexExpr) -> Step:
    """A member that lost its slot drops its copy, or a member gets a copy that is older than the call."""
    return Step(when=[moves_left > 0, ~ended[member]], then=copy_becomes(member, lambda number: False))
