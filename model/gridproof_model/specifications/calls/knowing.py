"""What members learn: slots of the row, entries of the list, migrations; how they end, and who comes after them."""

from gridproof_model.language import IndexExpr, Step
from gridproof_model.specifications.calls.state import (
    Departure,
    address,
    caller,
    changes_left,
    departure,
    ended,
    endings_left,
    has_unrecorded,
    listed,
    members,
    migrating,
    reach,
    removed,
    row,
    slots,
    specification,
)

ONE_CHANGE = changes_left.becomes(changes_left - 1)


@specification.action(members, slots, members, source="reference partitioning 2.2, 2.7")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns that somebody has a slot; how its table comes about is what `tables` is about."""
    return Step(
        when=[changes_left > 0, row[member][slot] != holder],
        then=[ONE_CHANGE, row[member][slot].becomes(holder)],
    )


@specification.action(members, slots, source="reference partitioning 2.2, 2.7")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that nobody has a slot."""
    return Step(
        when=[changes_left > 0, row[member][slot].is_some],
        then=[ONE_CHANGE, row[member][slot].becomes(None)],
    )


@specification.action(members, members, source="reference partitioning 1")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list from now on."""
    return Step(
        when=[changes_left > 0, ~listed[observer][member]],
        then=[ONE_CHANGE, listed[observer][member].becomes(True)],
    )


@specification.action(members, members, source="reference replication 1.7; partitioning 1, 5.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list no more; a caller notifies its calls, those too that begin in this step."""
    return Step(
        when=[changes_left > 0, listed[observer][member]],
        then=[
            ONE_CHANGE,
            listed[observer][member].becomes(False),
            removed[member].becomes(removed[member] | (observer == caller)),
        ],
    )


@specification.action(members, slots, source="reference replication 2.1; partitioning 5.6")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member sends as far down the row as there are other partition groups, whatever slots are filled."""
    return Step(
        when=[changes_left > 0, reach[member] != coldest],
        then=[ONE_CHANGE, reach[member].becomes(coldest)],
    )


@specification.action(members, source="reference replication 3.7; partitioning 4.4")
def migration_begins(member: IndexExpr) -> Step:
    """The partition migrates for a member: it executes no writes, and applies none."""
    return Step(
        when=[changes_left > 0, ~migrating[member]],
        then=[ONE_CHANGE, migrating[member].becomes(True)],
    )


@specification.action(members, source="reference replication 3.7; partitioning 4.4")
def migration_ends(member: IndexExpr) -> Step:
    """A member has heard how the migration ended."""
    return Step(when=[migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, source="reference replication 10")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more; what it sent stays under way."""
    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            has_unrecorded[member].becomes(True),
        ],
    )


@specification.action(members, members, source="reference replication 0.2, 10; partitioning 2.1")
def member_starts_again(former: IndexExpr, member: IndexExpr) -> Step:
    """A member has the address of one that has ended, and gets what is sent there."""
    return Step(
        when=[changes_left > 0, ended[former], ~ended[member], address[member] != address[former]],
        then=[ONE_CHANGE, address[member].becomes(address[former])],
    )


@specification.action(source="reference replication 7.4")
def caller_merges() -> Step:
    """The caller collects what it has, and goes over to another cluster as a new incarnation."""
    return Step(
        when=[changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.MERGES)],
    )


@specification.action(source="reference replication 1.5, 6.1")
def caller_shuts_down() -> Step:
    """The caller leaves, or is refused for good."""
    return Step(
        when=[changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.SHUTS_DOWN)],
    )
