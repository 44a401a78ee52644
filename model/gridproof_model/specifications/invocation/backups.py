"""Updates at the backups, and their acknowledgements, which go to the caller itself.

An update stays under way for ever; one that a backup drops changes nothing. Versions, by which it drops what it has
already, are what `replication` is about.
"""

from collections.abc import Callable
from typing import cast

from gridproof_model.language import BoolExpr, IndexExpr, SetExpr, Step, Update, array_of, exists, if_else
from gridproof_model.specifications.invocation.state import (
    acknowledged,
    call_ids,
    copies,
    ended,
    executed,
    has_unrecorded,
    holds,
    listed,
    members,
    migrating,
    moves_left,
    repeated,
    row,
    shares_address,
    slots,
    specification,
    sync,
    updates,
)


@specification.definition(members, call_ids, slots)
def may_apply(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Whether an update has come to a member's address, of somebody it lists, for the slot that it has."""
    has_come = exists(members, lambda other: updates[number][slot][other] & shares_address(other, member))
    is_of_member = exists(members, lambda primary: executed[number][primary] & listed[member][primary])
    return has_come & is_of_member & ~migrating[member] & (row[member][slot] == member)


def applies(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> list[Update]:
    """Return the updates of a backup that applies: it acknowledges where it is asked to."""
    at_its_address = exists(
        members,
        lambda other: (other != member) & shares_address(other, member) & acknowledged[number][other],
    )
    return [
        copies[member].becomes(True),
        holds[number][member].becomes(True),
        repeated.becomes(repeated | at_its_address),
        acknowledged[number][member].becomes(acknowledged[number][member] | (slot <= sync[number])),
    ]


@specification.action(members, call_ids, slots, source="backups.10, backups.14, backups.16")
def backup_applies(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> Step:
    """A backup applies the update; a sync one acknowledges to the caller, not to the primary."""
    return Step(
        when=[~ended[member], may_apply(member, number, slot)],
        then=applies(member, number, slot),
    )


@specification.action(members, call_ids, slots, source="calls.3, backups.16")
def unrecorded_update_is_applied(member: IndexExpr, number: IndexExpr, slot: IndexExpr) -> Step:
    """The last step of a backup that has ended was an update: its acknowledgement is under way."""
    return Step(
        when=[ended[member], has_unrecorded[member], may_apply(member, number, slot)],
        then=[has_unrecorded[member].becomes(False), *applies(member, number, slot)],
    )


def copy_becomes(member: IndexExpr, has: Callable[[IndexExpr], BoolExpr | bool]) -> list[Update]:
    """Return the updates of a copy that is replaced: by call id, whether it has the change now."""

    def with_it(number: IndexExpr) -> SetExpr:
        # A set is an array of conditions.
        held = array_of(members, lambda one: if_else(one == member, has(number), holds[number][one]))
        return cast("SetExpr", held)

    return [moves_left.becomes(moves_left - 1), holds.becomes(array_of(call_ids, with_it))]


@specification.action(members, members, source="sync.1, migration.12; seed: Best-Effort Consistency")
def copy_is_brought(source: IndexExpr, member: IndexExpr) -> Step:
    """A migration or a sync replaces a member's copy by another one. Where runs are validated nobody looks at that."""
    return Step(
        when=[moves_left > 0, ~ended[member], source != member],
        then=copy_becomes(member, lambda number: holds[number][source]),
    )


@specification.action(members, source="calls.13")
def copy_is_dropped(member: IndexExpr) -> Step:
    """A member has lost its slot and drops its copy, or gets one that is older than the call."""
    return Step(
        when=[moves_left > 0, ~ended[member]],
        then=copy_becomes(member, lambda number: False),
    )
