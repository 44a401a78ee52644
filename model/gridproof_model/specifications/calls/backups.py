"""Updates at the backups, and their acknowledgements, which go to the caller itself.

An update stays under way for ever; one that a backup drops changes nothing. Versions, by which it drops what it has
already, are what `replicas` is about.
"""

from gridproof_model.language import BoolExpr, IndexExpr, Step, Update, exists
from gridproof_model.specifications.calls.state import (
    acknowledged,
    call_ids,
    copies,
    ended,
    executed,
    has_unrecorded,
    listed,
    members,
    migrating,
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
    return [
        copies[member].becomes(True),
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
