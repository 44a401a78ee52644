"""The words in which the rules of ownership are stated."""

from gridproof_model.language import (
    ArrayExpr,
    BoolExpr,
    IndexExpr,
    IntExpr,
    OptionExpr,
    array_of,
    count,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.specifications.ownership.state import (
    ROW,
    Life,
    Promotion,
    Stage,
    arranged,
    fetching,
    follows,
    groups,
    life,
    listed,
    lite,
    master,
    members,
    migrations,
    plan,
    predecessor,
    promotion,
    row,
    slots,
    specification,
    stage,
)

Row = ArrayExpr[OptionExpr[IndexExpr]]


@specification.definition(members)
def is_running(member: IndexExpr) -> BoolExpr:
    """The member runs and can be reached."""
    return life[member].is_in(Life.RUNNING, Life.LEAVING)


@specification.definition(members)
def takes_orders(member: IndexExpr) -> BoolExpr:
    """The member runs, stands in the list, and takes the master for its master."""
    return is_running(member) & listed[member] & (follows[member] == master)


@specification.definition()
def master_works() -> BoolExpr:
    """The master runs and has the newest rows."""
    return is_running(master) & ~fetching


@specification.definition(members)
def is_lite(member: IndexExpr) -> BoolExpr:
    """The member is lite: it owns nothing."""
    return member.ordinal < lite


@specification.definition(members)
def may_own(member: IndexExpr) -> BoolExpr:
    """Replicas may be given to the member: it is listed, no lite member, and has not asked to leave."""
    return listed[member] & ~is_lite(member) & (life[member] != Life.LEAVING)


@specification.definition(members)
def group_of(member: IndexExpr) -> IntExpr:
    """The member's partition group: members take turns; a restarted member is where its address is."""
    return if_else(predecessor[member].is_some, predecessor[member].value.ordinal, member.ordinal) % groups


@specification.definition()
def wanted_copies() -> IntExpr:
    """How many copies there are to be, if there are slots: one in each group that has a member which may own it."""
    return count(
        members,
        lambda member: (
            may_own(member)
            & ~exists(members, lambda older: (older < member) & may_own(older) & (group_of(older) == group_of(member)))
        ),
    )


@specification.definition(ROW, members)
def is_in(slots_of: Row, member: IndexExpr) -> BoolExpr:
    """The member has a slot in a row."""
    return exists(slots, lambda slot: slots_of[slot] == member)


@specification.definition(slots)
def is_unknown(slot: IndexExpr) -> BoolExpr:
    """Someone who is not in the member list is in this slot of the master's row."""
    return if_else(row[master][slot].is_some, ~listed[row[master][slot].value], False)


@specification.definition(slots)
def is_leaving(slot: IndexExpr) -> BoolExpr:
    """Someone who has asked to leave is in this slot of the master's row."""
    return if_else(row[master][slot].is_some, life[row[master][slot].value] == Life.LEAVING, False)


@specification.definition(migrations)
def is_in_progress(migration: IndexExpr) -> BoolExpr:
    """The master has ordered the migration and does not know its end."""
    return (plan[migration].master == master) & ~stage[migration].is_in(Stage.UNUSED, Stage.ENDED)


@specification.definition()
def master_may_edit() -> BoolExpr:
    """The master works, the first arrangement is complete, and no migration or promotion is under way."""
    return (
        master_works()
        & arranged
        & (promotion == Promotion.NONE)
        & for_all(migrations, lambda migration: ~is_in_progress(migration))
    )


@specification.definition()
def is_repaired() -> BoolExpr:
    """Every slot of the master's row is empty or has a listed member, and slot 0 is not empty."""
    return row[master][slots[0]].is_some & for_all(slots, lambda slot: ~is_unknown(slot))


@specification.definition(migrations)
def committed_version(migration: IndexExpr) -> IntExpr:
    """The row version after the migration succeeded: one more for every slot that changed."""
    change = plan[migration]
    return change.initial + count(
        slots,
        lambda slot: (change.slot == slot) | (change.left_slot == slot) | (change.lower_slot == slot),
    )


@specification.definition(migrations)
def failed_version(migration: IndexExpr) -> IntExpr:
    """The row version after the migration failed: above anything its destination may have had."""
    return committed_version(migration) + 1


@specification.definition(ROW, migrations)
def migrated(slots_of: Row, migration: IndexExpr) -> Row:
    """A row after a migration: the destination in, the old occupant out or down, the slot left behind empty."""
    change = plan[migration]
    return array_of(
        slots,
        lambda slot: if_else(
            slot == change.slot,
            change.destination,
            if_else(
                change.lower_slot == slot,
                slots_of[change.slot],
                if_else(change.left_slot == slot, None, slots_of[slot]),
            ),
        ),
    )


@specification.definition(ROW)
def lowest_survivor(slots_of: Row) -> OptionExpr[IndexExpr]:
    """The first slot that is not empty."""
    return first(slots, lambda slot: slots_of[slot].is_some)


@specification.definition(ROW)
def promoted(slots_of: Row) -> Row:
    """A row after a promotion: the lowest survivor in slot 0, its own slot empty."""
    return array_of(
        slots,
        lambda slot: if_else(
            slot == slots[0],
            slots_of[lowest_survivor(slots_of).value],
            if_else(lowest_survivor(slots_of) == slot, None, slots_of[slot]),
        ),
    )
