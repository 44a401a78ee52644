"""What a member that considers itself the master does to its own row: repair, promotion, and placement."""

from gridproof_model.language import *
from gridproof_model.specifications.ownership.state import *


@specification.definition(members)
def may_edit(member: IndexExpr) -> BoolExpr:
    """The member is a master with the newest rows, and it waits neither for a promotion nor for a migration."""
    return works(member) & promotion[member].is_none & underway[member].is_none


@specification.definition(members)
def lowest_survivor(member: IndexExpr) -> OptionExpr[IndexExpr]:
    """The first slot of the member's row that is not empty."""
    return first(slots, lambda slot: row[member][slot].is_some)


@specification.definition(members, members)
def is_named(member: IndexExpr, holder: IndexExpr) -> BoolExpr:
    """The holder has a slot in the member's row."""
    return exists(slots, lambda slot: row[member][slot] == holder)


@specification.definition(members, slots)
def can_be_replaced(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Another member may take over this slot of the master's row."""
    return exists(
        members, lambda other: may_own(member, other) & ~is_named(member, other) & is_apart(member, other, slot)
    )


@specification.definition(members, slots)
def is_leavers(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """This slot of the master's row is held by a member that has asked to leave."""
    return if_else(row[member][slot].is_some, leaving[row[member][slot].value], False)


def _edits() -> Update:
    return edits_left.becomes(if_else(any_way, edits_left - 1, edits_left))


def _edits_now(member: IndexExpr) -> list[BoolExpr]:
    return [~any_way | (edits_left > 0), may_edit(member)]


@specification.action(
    members, slots, members, source="table.10, placement.1, placement.2, placement.19, repair.14", fair=True
)
def master_fills_slot(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """The master arranges the row, or gives a lost partition an owner: a member without data gets an empty slot.

    Slot 0 is filled first, and two members of one group are put into the row only if the master knows no other group.
    """
    is_empty = lowest_survivor(member).is_none
    nobody_else_has_one = for_all(members, lambda other: (other == member) | (version[other] == 0))
    is_first = all_of(
        version[member] == count(slots, lambda other: row[member][other].is_some),
        sent[member].is_empty,
        nobody_else_has_one,
    )

    def has_it(other: IndexExpr) -> BoolExpr:
        return ~ended[other] & ((other == holder) | (holds[other] & ~is_empty))

    return Step(
        when=[
            *_edits_now(member),
            row[member][slot].is_none,
            may_own(member, holder),
            ~is_named(member, holder),
            is_apart(member, holder, slot) | is_lone(member),
            (slot == slots[0]) | (any_way & row[member][slots[0]].is_some),
            any_way | is_empty,
        ],
        then=[
            _edits(),
            row[member][slot].becomes(holder),
            version[member].becomes(version[member] + 1),
            holds.becomes(array_of(members, has_it)),
            begun.becomes(begun | (holder == member)),
            lost.becomes(lost | (begun & is_empty)),
            mixed.becomes(mixed | ~is_apart(member, holder, slot)),
            arranged.becomes(if_else(is_first, smaller(arranged + 1, backup_count + 1), arranged)),
            departs(~leaving[holder] & (is_first | (begun & is_empty))),
        ],
    )


@specification.action(members, slots, source="placement.19, leaving.4", fair=True)
def master_clears_slot(member: IndexExpr, slot: IndexExpr) -> Step:
    """While it plans, the master removes a backup from the row; slot 0 is never cleared."""
    is_due = (
        row[member][slots[0]].is_some
        & for_all(slots, lambda other: ~is_stranger(member, other))
        & is_leavers(member, slot)
        & ~can_be_replaced(member, slot)
    )
    return Step(
        when=[*_edits_now(member), slots[0] < slot, row[member][slot].is_some, any_way | is_due],
        then=[
            _edits(),
            row[member][slot].becomes(None),
            version[member].becomes(version[member] + 1),
            departs(is_due),
        ],
    )


@specification.action(members, slots, members, source="members.25")
def master_puts_back(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member that restarts at a missing member's address gets that member's slot before it is in the member list."""
    return Step(
        when=[
            any_way,
            edits_left > 0,
            is_master(member),
            promotion[member].is_none,
            underway[member].is_none,
            is_stranger(member, slot),
            role[holder] == Role.DATA,
            ~is_named(member, holder),
        ],
        then=[
            edits_left.becomes(edits_left - 1),
            row[member][slot].becomes(holder),
            version[member].becomes(version[member] + 1),
            mixed.becomes(mixed | ~is_apart(member, holder, slot)),
            unplanned.becomes(True),
            goes_without(works(member)),
        ],
    )


@specification.action(members, source="repair.1", fair=True)
def master_empties_slots(member: IndexExpr) -> Step:
    """The master removes members that are not in its list from its row; each slot emptied raises the version by one."""
    without_strangers = array_of(slots, lambda slot: if_else(is_stranger(member, slot), None, row[member][slot]))
    raised = version[member] + count(slots, lambda slot: is_stranger(member, slot))
    return Step(
        when=[may_edit(member), exists(slots, lambda slot: is_stranger(member, slot))],
        then=[row[member].becomes(without_strangers), version[member].becomes(raised)],
    )


def promoted(member: IndexExpr) -> Row:
    """Return a row after a promotion: the survivor from the lowest slot is in slot 0, and its former slot is empty."""
    lowest = lowest_survivor(member)
    return array_of(
        slots,
        lambda slot: if_else(
            slot == slots[0], row[member][lowest.value], if_else(lowest == slot, None, row[member][slot])
        ),
    )


@specification.action(members, source="repair.3, repair.5; invariant P1", fair=True)
def master_orders_promotion(member: IndexExpr) -> Step:
    """The row has no primary: the master sends the survivor in the lowest slot a table in which it is the primary.

    The table arrives at once, or stays under way if there is room for it.
    """
    survivor = row[member][lowest_survivor(member).value]
    table = TABLE(row=promoted(member), version=version[member] + 2, promotes=survivor)
    with_it = if_else(sent[member].is_full, sent[member], sent[member].append(table))
    has_no_stranger = for_all(slots, lambda slot: ~is_stranger(member, slot))
    return Step(
        when=[may_edit(member), row[member][slots[0]].is_none, lowest_survivor(member).is_some, has_no_stranger],
        then=[promotion[member].becomes(survivor), sent[member].becomes(with_it)],
    )


@specification.action(members, members, tables, source="repair.7; defect HZ-39", fair=True)
def backup_is_promoted(member: IndexExpr, master: IndexExpr, place: IntExpr) -> Step:
    """The member to be promoted takes its master's table, in which it is the primary."""
    table = sent[master].at(place)
    is_newer = version[member] < table.version
    is_there = place < sent[master].length
    return Step(
        when=[~ended[member], is_there, follows[member] == master, table.promotes == member, is_newer],
        then=[row[member].becomes(table.row), version[member].becomes(table.version), begins[member].becomes(True)],
    )


@specification.action(members, members, source="repair.7; defect HZ-39", fair=True)
def backup_is_promoted_at_once(member: IndexExpr, master: IndexExpr) -> Step:
    """The member to be promoted takes the table that its master has just sent; the master may have ended since."""
    survivor = lowest_survivor(master)
    return Step(
        when=[
            ~ended[member],
            follows[member] == master,
            promotion[master] == member,
            row[master][slots[0]].is_none,
            survivor.is_some,
            row[master][survivor.value] == member,
            version[member] < version[master] + 2,
        ],
        then=[
            row[member].becomes(promoted(master)),
            version[member].becomes(version[master] + 2),
            begins[member].becomes(True),
        ],
    )


@specification.action(members, source="repair.8", fair=True)
def primary_begins(member: IndexExpr) -> Step:
    """A promoted backup, after it has taken the table, turns its versions into those of a primary."""
    return Step(when=[~ended[member], begins[member]], then=[begins[member].becomes(False)])


@specification.action(members, source="repair.6", fair=True)
def master_records_promotion(member: IndexExpr) -> Step:
    """The promoted member has answered: the master swaps the two slots in its row, which raises the version by two."""
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


@specification.action(members, source="repair.6", fair=True)
def promotion_fails(member: IndexExpr) -> Step:
    """The member to be promoted has left the list: the version rises by three, above any that this member may have."""
    asked = promotion[member]
    return Step(
        when=[is_master(member), asked.is_some, ~is_listed(member, asked.value)],
        then=[version[member].becomes(version[member] + 3), promotion[member].becomes(None)],
    )


@specification.action(members, source="repair.6, repair.12", fair=True)
def promotion_ends(member: IndexExpr) -> Step:
    """The master ends a promotion, because its row has a primary again."""
    return Step(
        when=[~ended[member], promotion[member].is_some, row[member][slots[0]].is_some],
        then=[promotion[member].becomes(None)],
    )
