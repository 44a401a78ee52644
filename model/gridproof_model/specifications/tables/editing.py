"""What whoever takes itself for the master does to its own row: repair, promotion, and what placement wants."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    OptionExpr,
    Step,
    array_of,
    count,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.specifications.tables.state import (
    TABLE,
    Row,
    begins,
    edits_left,
    ended,
    fetching,
    follows,
    is_listed,
    is_master,
    is_stranger,
    members,
    promotion,
    row,
    sent,
    slots,
    specification,
    tables,
    underway,
    version,
)


@specification.definition(members)
def may_edit(member: IndexExpr) -> BoolExpr:
    """The member is the master, has the newest rows, and waits for no promotion and no migration."""
    return is_master(member) & ~fetching[member] & promotion[member].is_none & underway[member].is_none


@specification.definition(members, members)
def is_named(member: IndexExpr, holder: IndexExpr) -> BoolExpr:
    """Somebody has a slot in a member's row."""
    return exists(slots, lambda slot: row[member][slot] == holder)


@specification.action(members, slots, members, source="table.10, placement.19, repair.14")
def master_fills_slot(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """The master arranges the row, or gives a lost partition an owner: somebody gets an empty slot, with no data."""
    return Step(
        when=[
            edits_left > 0,
            may_edit(member),
            row[member][slot].is_none,
            is_listed(member, holder),
            ~is_named(member, holder),
        ],
        then=[
            edits_left.becomes(edits_left - 1),
            row[member][slot].becomes(holder),
            version[member].becomes(version[member] + 1),
        ],
    )


@specification.action(members, slots, source="placement.19")
def master_clears_slot(member: IndexExpr, slot: IndexExpr) -> Step:
    """The master removes a backup while it plans; slot 0 is never cleared."""
    return Step(
        when=[edits_left > 0, may_edit(member), slots[0] < slot, row[member][slot].is_some],
        then=[
            edits_left.becomes(edits_left - 1),
            row[member][slot].becomes(None),
            version[member].becomes(version[member] + 1),
        ],
    )


@specification.action(members, slots, members, source="members.25")
def master_puts_back(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """Whoever comes back to the address of a missing member gets its slots, before it is listed."""
    return Step(
        when=[
            edits_left > 0,
            is_master(member),
            is_stranger(member, slot),
            ~is_named(member, holder),
        ],
        then=[
            edits_left.becomes(edits_left - 1),
            row[member][slot].becomes(holder),
            version[member].becomes(version[member] + 1),
        ],
    )


@specification.action(members, source="repair.1")
def master_empties_slots(member: IndexExpr) -> Step:
    """Whoever is off the master's list is taken out of its row: holes, each raising the version by one."""
    return Step(
        when=[may_edit(member), exists(slots, lambda slot: is_stranger(member, slot))],
        then=[
            row[member].becomes(
                array_of(slots, lambda slot: if_else(is_stranger(member, slot), None, row[member][slot]))
            ),
            version[member].becomes(version[member] + count(slots, lambda slot: is_stranger(member, slot))),
        ],
    )


@specification.definition(members)
def lowest_survivor(member: IndexExpr) -> OptionExpr[IndexExpr]:
    """The first slot of a member's row that is not empty."""
    return first(slots, lambda slot: row[member][slot].is_some)


def promoted(member: IndexExpr) -> Row:
    """Return a row after a promotion: the lowest survivor in slot 0, its own slot empty."""
    lowest = lowest_survivor(member)
    return array_of(
        slots,
        lambda slot: if_else(
            slot == slots[0],
            row[member][lowest.value],
            if_else(lowest == slot, None, row[member][slot]),
        ),
    )


@specification.action(members, source="repair.3, repair.5; invariant P1")
def master_orders_promotion(member: IndexExpr) -> Step:
    """The row has no primary: the master sends the lowest survivor the table by which it is the primary."""
    survivor = row[member][lowest_survivor(member).value]
    table = TABLE(row=promoted(member), version=version[member] + 2, promotes=survivor)
    return Step(
        when=[
            may_edit(member),
            row[member][slots[0]].is_none,
            lowest_survivor(member).is_some,
            for_all(slots, lambda slot: ~is_stranger(member, slot)),
            ~sent[member].is_full,
        ],
        then=[promotion[member].becomes(survivor), sent[member].becomes(sent[member].append(table))],
    )


@specification.action(members, members, tables, source="repair.7; defect HZ-39")
def backup_is_promoted(member: IndexExpr, master: IndexExpr, place: IntExpr) -> Step:
    """The member that is meant takes its master's table, in which it is the primary."""
    table = sent[master].at(place)
    return Step(
        when=[
            ~ended[member],
            place < sent[master].length,
            follows[member] == master,
            table.promotes == member,
            version[member] < table.version,
        ],
        then=[
            row[member].becomes(table.row),
            version[member].becomes(table.version),
            begins[member].becomes(True),
        ],
    )


@specification.action(members, source="repair.8")
def primary_begins(member: IndexExpr) -> Step:
    """A backup turns its versions into a primary's: the table has come first."""
    return Step(when=[~ended[member], begins[member]], then=[begins[member].becomes(False)])


@specification.action(members, source="repair.6")
def master_records_promotion(member: IndexExpr) -> Step:
    """The promoted member has answered: the master swaps the two slots, which raises the version by two."""
    asked = promotion[member]
    return Step(
        when=[
            is_master(member),
            asked.is_some,
            row[member][slots[0]].is_none,
            lowest_survivor(member).is_some,
            row[member][lowest_survivor(member).value] == asked,
            version[member] + 2 <= version[asked.value],
        ],
        then=[row[member].becomes(promoted(member)), version[member].becomes(version[member] + 2)],
    )


@specification.action(members, source="repair.6")
def promotion_fails(member: IndexExpr) -> Step:
    """The member to be promoted is off the list: the version rises by three, past anything that it may have."""
    asked = promotion[member]
    return Step(
        when=[is_master(member), asked.is_some, ~is_listed(member, asked.value)],
        then=[version[member].becomes(version[member] + 3), promotion[member].becomes(None)],
    )


@specification.action(members, source="repair.6, repair.12")
def promotion_ends(member: IndexExpr) -> Step:
    """The row has a primary again."""
    return Step(
        when=[~ended[member], promotion[member].is_some, row[member][slots[0]].is_some],
        then=[promotion[member].becomes(None)],
    )
