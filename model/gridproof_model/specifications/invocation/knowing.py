"""What members learn: slots of the row, entries of the list, migrations; how they end, and who comes after them."""

from gridproof_model.language import BoolExpr, IndexExpr, Step, all_of, exists, for_all
from gridproof_model.specifications.invocation.state import (
    Departure,
    address,
    call_ids,
    caller,
    changes_left,
    departure,
    departures,
    ended,
    endings_left,
    executed,
    false_removals,
    has_unrecorded,
    last_steps,
    listed,
    members,
    migrating,
    reach,
    removed,
    row,
    shares_address,
    slots,
    specification,
    target,
    updates,
)

ONE_CHANGE = changes_left.becomes(changes_left - 1)


def learns(member: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a member that learns something: it has not ended."""
    return [changes_left > 0, ~ended[member]]


@specification.action(members, slots, members, source="table.4, table.14")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns that somebody has a slot, and no other; how its table comes is what `ownership` is about."""
    return Step(
        when=[*learns(member), ~exists(slots, lambda other: row[member][other] == holder)],
        then=[ONE_CHANGE, row[member][slot].becomes(holder)],
    )


@specification.action(members, slots, source="table.4, table.14")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that nobody has a slot."""
    return Step(
        when=[*learns(member), row[member][slot].is_some],
        then=[ONE_CHANGE, row[member][slot].becomes(None)],
    )


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list from now on; a caller has nothing more to notify its calls of."""
    return Step(
        when=[*learns(observer), ~listed[observer][member]],
        then=[
            ONE_CHANGE,
            listed[observer][member].becomes(True),
            removed[member].becomes(removed[member] & (observer != caller)),
        ],
    )


@specification.action(members, members, source="calls.19, members.2, repair.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody else in its list no more; a caller notifies its calls, even those begun in this step."""
    return Step(
        when=[*learns(observer), observer != member, listed[observer][member], ended[member] | false_removals],
        then=[
            ONE_CHANGE,
            listed[observer][member].becomes(False),
            removed[member].becomes(removed[member] | (observer == caller)),
        ],
    )


@specification.action(members, slots, source="placement.8")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member sends as far down the row as there are other partition groups, whatever slots are filled."""
    return Step(
        when=[*learns(member), reach[member] != coldest],
        then=[ONE_CHANGE, reach[member].becomes(coldest)],
    )


@specification.action(members, source="migration.9, migration.12")
def migration_begins(member: IndexExpr) -> Step:
    """The partition migrates for a member: it executes no writes, and applies none."""
    return Step(
        when=[*learns(member), ~migrating[member]],
        then=[ONE_CHANGE, migrating[member].becomes(True)],
    )


@specification.action(members, source="migration.9, migration.12")
def migration_ends(member: IndexExpr) -> Step:
    """A member has heard how the migration ended."""
    return Step(when=[~ended[member], migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more; what it sent stays under way."""
    return Step(
        when=[endings_left > 0, ~ended[member]],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            has_unrecorded[member].becomes(last_steps),
        ],
    )


@specification.definition(members)
def may_not_have_started(member: IndexExpr) -> BoolExpr:
    """Whether a member is at an address of its own, where nobody has asked it for or sent it anything."""
    is_asked = exists(
        call_ids,
        lambda number: (
            (target[number] == member)
            | executed[number][member]
            | exists(slots, lambda slot: updates[number][slot][member])
        ),
    )
    return all_of(member != caller, ~ended[member], address[member] == member, ~is_asked)


@specification.action(members, members, source="calls.4, table.3")
def member_starts_again(former: IndexExpr, member: IndexExpr) -> Step:
    """A member starts at the address of one that has ended, the last one there, and gets what is sent there."""
    return Step(
        when=[
            changes_left > 0,
            may_not_have_started(member),
            for_all(members, lambda other: shares_address(other, former).implies(ended[other])),
        ],
        then=[ONE_CHANGE, address[member].becomes(address[former])],
    )


@specification.action(source="splits.6")
def caller_merges() -> Step:
    """The caller collects what it has, and goes over to another cluster as a new incarnation."""
    return Step(
        when=[departures, changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.MERGES)],
    )


@specification.action(source="calls.20, leaving.1")
def caller_shuts_down() -> Step:
    """The caller leaves, or is refused for good."""
    return Step(
        when=[departures, changes_left > 0, ~ended[caller], departure == Departure.NONE],
        then=[ONE_CHANGE, departure.becomes(Departure.SHUTS_DOWN)],
    )
