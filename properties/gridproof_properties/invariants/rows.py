"""What every single row must be.

Each rule looks at one row of one view and needs nothing else, so that columns are judged at once. The slots of
a row are judged as far as they are shown; who is alive, who may own and in which group stands in the row's view.
"""

from gridproof_model.trace import RowRecord
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.row_rule import RowRule, owed_always, owed_at_rest
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.shares import NO_GROUP, group_of, separation_is_owed


def find_member_twice(scene: Scene, row: RowRecord) -> str | None:
    """A member stands in two slots (invariant A1)."""
    first: dict[int, int] = {}
    for slot, member in enumerate(row.slots):
        if member is None:
            continue
        if member in first:
            return f"{scene.call(member)} stands in slots {first[member]} and {slot}"
        first[member] = slot
    return None


def find_shared_group(scene: Scene, row: RowRecord) -> str | None:
    """Two owners in the row are of one group, or one is in no group (invariant A3, placement.2).

    An owner that stands in two slots shares its group with itself.
    """
    taken: dict[str, int] = {}
    for member in _owners_in(scene, row):
        assert scene.view is not None, "a row has a view"
        name = group_of(scene.view, member)
        if name == NO_GROUP:
            return f"{scene.call(member)} is in no partition group and should hold nothing"
        if taken.get(name) == member:
            return f"{scene.call(member)} stands in two slots, so that both are of group {name!r}"
        if taken.setdefault(name, member) != member:
            return f"{scene.call(taken[name])} and {scene.call(member)} are both of group {name!r}"
    return None


def find_lite_owner(scene: Scene, row: RowRecord) -> str | None:
    """A member that is alive and may own nothing stands in a slot (invariant A4)."""
    for slot, member in enumerate(row.slots):
        if member in scene.alive and member not in scene.owners:
            return f"{scene.call(member)} is a lite member and stands in slot {slot}"
    return None


def find_empty_slot(scene: Scene, row: RowRecord) -> str | None:
    """A wanted slot has no living owner of its own, or one below a filled one is empty (invariant A7).

    Wanted are as many copies as the run asks for, at most one a group that is due any.
    """
    wanted, filled = scene.wanted, _filled(row)
    first: dict[int, int] = {}
    for slot in range(max(wanted, filled)):
        member = row.slots[slot] if slot < len(row.slots) else None
        if member is None and slot < filled:
            return f"slot {slot} is empty below a filled one"
        if member is None:
            return f"{wanted} copies are wanted among {scene.sharing_groups} groups, and slot {slot} is empty"
        if member not in scene.alive:
            return f"slot {slot} names {scene.call(member)}, who is gone"
        if first.setdefault(member, slot) != slot:
            return f"slot {slot} names {scene.call(member)}, who stands in slot {first[member]} already"
    return None


def owed_where_it_fits(scene: Scene) -> bool:
    """Owed at rest where no group's share of the copies is more than one (systems.7)."""
    return scene.settled and separation_is_owed(scene.groups, scene.weights, scene.copies)


def has_two_holders(scene: Scene, row: RowRecord) -> bool:
    """Whether at least two slots are filled."""
    return len(row.slots) - row.slots.count(None) > 1


def has_owners_to_separate(scene: Scene, row: RowRecord) -> bool:
    """Whether at least two slots name owners, or one names an owner in no group."""
    owners, view = _owners_in(scene, row), scene.view
    return len(owners) > 1 or (view is not None and any(group_of(view, member) == NO_GROUP for member in owners))


def has_lite_members(scene: Scene, row: RowRecord) -> bool:
    """Whether a lite member is alive, and a slot is filled."""
    return not scene.alive <= scene.owners and _filled(row) > 0


def has_slots_to_fill(scene: Scene, row: RowRecord) -> bool:
    """Whether a copy is wanted, or shown."""
    return scene.wanted > 0 or _filled(row) > 0


def _filled(row: RowRecord) -> int:
    """Return how many slots there are up to the last filled one."""
    slots = len(row.slots)
    while slots and row.slots[slots - 1] is None:
        slots -= 1
    return slots


def _owners_in(scene: Scene, row: RowRecord) -> list[int]:
    owners = scene.owners
    return [member for member in row.slots if member is not None and member in owners]


ONE_REPLICA_PER_MEMBER = RowRule(
    name="one-replica-per-member",
    sentence="No member holds two replicas of a partition.",
    source="seed: Partition Group Configuration; invariant A1; table.2",
    severity=Severity.REDUNDANCY,
    fault=find_member_twice,
    owed=owed_always,
    can_fail=has_two_holders,
    counted="{failed} of {compared:row} had a member in two slots",
    unseen="no row with two copies was shown",
)
GROUP_SEPARATION = RowRule(
    name="group-separation",
    sentence="At rest the replicas of a partition are in different groups, wherever the groups' weights allow it.",
    source="seed: Partition Group Configuration; invariant A3; placement.1, placement.2; systems.7",
    severity=Severity.REDUNDANCY,
    fault=find_shared_group,
    owed=owed_where_it_fits,
    can_fail=has_owners_to_separate,
    counted="{failed} of {compared:row} at rest had two copies in one group, or one in no group",
    unseen="no row with two copies was shown at rest with room to keep the groups apart",
)
NO_LITE_OWNER = RowRule(
    name="no-lite-owner",
    sentence="A lite member holds no replica.",
    source="seed: Lite Members; invariant A4; members.4, placement.2",
    severity=Severity.PROTOCOL,
    fault=find_lite_owner,
    owed=owed_always,
    can_fail=has_lite_members,
    counted="{failed} of {compared:row} had a lite member in a slot",
    unseen="no row was shown while a lite member was there",
)
FULL_ROWS = RowRule(
    name="full-rows",
    sentence="At rest every wanted slot, one a group at most, names a living member, and no row has a hole.",
    source="seed: Data Partitioning and Replication; invariant A7; placement.8",
    severity=Severity.REDUNDANCY,
    fault=find_empty_slot,
    owed=owed_at_rest,
    can_fail=has_slots_to_fill,
    counted="{failed} of {compared:row} at rest had an empty slot, or one of a member that was gone",
    unseen="no row was shown at rest",
)
RULES = (ONE_REPLICA_PER_MEMBER, GROUP_SEPARATION, NO_LITE_OWNER, FULL_ROWS)
PROPERTIES: tuple[Property, ...] = tuple(rule.as_property() for rule in RULES)
