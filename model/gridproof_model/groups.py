"""Partition groups: no two members of one group have replicas of the same partition.

The replicas of a partition are put into different groups (seed: Partition Group Configuration). The configuration says
how members are grouped; the seed document names the strategies, and chapter placement of the protocol has their
details. Only data members that are not excluded (as those that shut down are) are grouped, and a member in no group has
no replica.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from gridproof_model.interfaces import is_matching
from gridproof_model.membership import Member, MemberId
from gridproof_model.partition_table import MAX_BACKUP_COUNT

ZONE_ATTRIBUTE = "hazelcast.partition.group.zone"
RACK_ATTRIBUTE = "hazelcast.partition.group.rack"
HOST_ATTRIBUTE = "hazelcast.partition.group.host"
NODE_ATTRIBUTE = "hazelcast.partition.group.node"
PLACEMENT_ATTRIBUTE = "hazelcast.partition.group.placement"

GroupStrategy = Callable[[Sequence[Member]], Iterable[Iterable[Member]]]
"""A user's own grouping strategy: takes the data members, oldest first, and returns groups of them."""


class GroupError(ValueError):
    """The members cannot be grouped as the configuration says; the message is one line with the cure."""


class GroupType(StrEnum):
    """How members are grouped."""

    PER_MEMBER = "PER_MEMBER"
    HOST_AWARE = "HOST_AWARE"
    CUSTOM = "CUSTOM"
    ZONE_AWARE = "ZONE_AWARE"
    NODE_AWARE = "NODE_AWARE"
    PLACEMENT_AWARE = "PLACEMENT_AWARE"
    SPI = "SPI"


@dataclass(frozen=True, slots=True)
class MemberGroup:
    """A partition group; no two of its members have replicas of the same partition."""

    name: str
    """The name of the group, unique among groups that are computed together."""
    members: tuple[Member, ...]
    """The members of the group, oldest first."""


@dataclass(frozen=True, slots=True)
class PartitionGroupConfig:
    """The `partition-group` section of a configuration; this class does not check whether its groups make sense."""

    type: GroupType = GroupType.PER_MEMBER
    member_groups: tuple[tuple[str, ...], ...] = ()
    """For CUSTOM: the interfaces of each group, in order of precedence."""
    spi: GroupStrategy | None = None
    """For SPI: the user's own grouping strategy."""
    enabled: bool = True
    """If false, members are grouped as with PER_MEMBER, whatever the type says (placement.3)."""

    @property
    def effective_type(self) -> GroupType:
        """The group type that takes effect: PER_MEMBER if groups are disabled."""
        return self.type if self.enabled else GroupType.PER_MEMBER


def compute_groups(
    config: PartitionGroupConfig, members: Iterable[Member], excluded: Collection[MemberId] = ()
) -> tuple[MemberGroup, ...]:
    """Return the partition groups of the data members that are not excluded; `members` come oldest first.

    Raise GroupError if a member lacks the attribute that its strategy reads, or if a user's own strategy fails or puts
    a member into two groups.
    """
    owners = tuple(member for member in members if not member.lite and member.id not in excluded)
    match config.effective_type:
        case GroupType.PER_MEMBER:
            return tuple(MemberGroup(str(member.id), (member,)) for member in owners)
        case GroupType.HOST_AWARE:
            groups = _group_by(owners, lambda member: member.id.address.host)
        case GroupType.CUSTOM:
            groups = _group_by_interface(owners, config.member_groups)
        case GroupType.ZONE_AWARE:
            # Choice (placement.6): the seed groups by zone, else rack, else host; since 5.0 Hazelcast reads only zones.
            # If some members have a zone and others only a rack, the name alone distinguishes groups.
            # A zone and a rack of the same name are therefore one group, as they were in Hazelcast 3.7 to 4.2.
            wanted = (ZONE_ATTRIBUTE, RACK_ATTRIBUTE, HOST_ATTRIBUTE)
            groups = _group_by(owners, lambda member: _first_attribute(member, wanted, GroupType.ZONE_AWARE))
        case GroupType.NODE_AWARE:
            groups = _group_by(owners, lambda member: _first_attribute(member, [NODE_ATTRIBUTE], GroupType.NODE_AWARE))
        case GroupType.PLACEMENT_AWARE:
            wanted_one = (PLACEMENT_ATTRIBUTE,)
            groups = _group_by(owners, lambda member: _first_attribute(member, wanted_one, GroupType.PLACEMENT_AWARE))
        case GroupType.SPI:
            groups = _group_by_strategy(owners, config.spi)
        case unreachable:
            assert_never(unreachable)
    return split_lone_group(groups)


_HALVES = (" (1 of 2)", " (2 of 2)")
CUT = " (cut in two)"
"""The end of the name of a lone group if it is not known in which half of the group a member is."""


def uncut(name: str) -> str:
    """Return the name of a group; for one half of a group that was cut in two, return the name of the whole group."""
    for ending in (*_HALVES, CUT):
        name = name.removesuffix(ending)
    return name


def split_lone_group(groups: tuple[MemberGroup, ...]) -> tuple[MemberGroup, ...]:
    """Return the groups, but cut a group in two if it is the only one and has several members (placement.7).

    Without the cut, a cluster in one zone would have no backups at all. The second group may consist of any floor(size
    / 2) members; here these are the oldest, so that the same members are always divided in the same way.
    """
    if len(groups) != 1 or len(groups[0].members) < 2:
        return groups
    name, members = groups[0].name, groups[0].members
    half = len(members) // 2
    younger, older = (name + half_name for half_name in _HALVES)
    return MemberGroup(younger, members[half:]), MemberGroup(older, members[:half])


def max_allowed_backup_count(group_count: int) -> int:
    """Return how many backups of a partition this many groups have room for (placement.8)."""
    return max(min(group_count - 1, MAX_BACKUP_COUNT), 0)


def _group_by(members: Iterable[Member], key: Callable[[Member], str | None]) -> tuple[MemberGroup, ...]:
    """Return a group for each key, in the order of their oldest members; a member with the key None is in no group."""
    found: dict[str, list[Member]] = {}
    for member in members:
        name = key(member)
        if name is not None:
            found.setdefault(name, []).append(member)
    return tuple(MemberGroup(name, tuple(grouped)) for name, grouped in found.items())


def _first_attribute(member: Member, names: Sequence[str], strategy: GroupType) -> str:
    values = (member.attribute(name) for name in names)
    found = next((value for value in values if value is not None), None)
    if found is None:
        wanted = " or ".join(names)
        raise GroupError(f"{member} has no {wanted}, by which {strategy} groups; set it in the member-attributes")
    return found


def _group_by_interface(owners: Sequence[Member], configured: Sequence[Sequence[str]]) -> tuple[MemberGroup, ...]:
    """Return the groups in configured order; a member is in the first group that matches its host (placement.4)."""
    claims = {
        member.id: next((number for number, masks in enumerate(configured, 1) if _is_meant(member, masks)), None)
        for member in owners
    }
    groups = (
        MemberGroup(f"group {number}", tuple(member for member in owners if claims[member.id] == number))
        for number in range(1, len(configured) + 1)
    )
    return tuple(group for group in groups if group.members)


def _is_meant(member: Member, masks: Iterable[str]) -> bool:
    return any(is_matching(mask, member.id.address.host) for mask in masks)


def _group_by_strategy(owners: tuple[Member, ...], strategy: GroupStrategy | None) -> tuple[MemberGroup, ...]:
    """Return the groups that a user's own strategy makes (seed: Partition Group Configuration, SPI).

    Choice (placement.2): a strategy may know machines, but not which members run on them, so members that are not
    grouped now (lite, gone, shutting down) are taken out of its groups; members that the strategy leaves out own
    nothing, as in CUSTOM.
    """
    if strategy is None:
        raise GroupError("group-type SPI needs a strategy: a function that takes members and returns groups of them")
    try:
        answered: list[set[object]] = [set(group) for group in strategy(owners)]
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise GroupError(f"the partition group strategy failed with {said}; correct the strategy") from error
    for number, group in enumerate(answered, 1):
        stranger = next((item for item in group if not isinstance(item, Member)), None)
        if stranger is not None:
            what = f"{stranger!r}, which is no member, into group {number}"
            raise GroupError(f"the partition group strategy puts {what}; return groups of members only")
    for member in owners:
        twice = [number for number, group in enumerate(answered, 1) if member in group]
        if len(twice) > 1:
            both = f"both group {twice[0]} and group {twice[1]}"
            raise GroupError(f"the partition group strategy puts {member} into {both}; put each member into one group")
    grouped = (tuple(member for member in owners if member in group) for group in answered)
    return tuple(MemberGroup(f"group {number}", group) for number, group in enumerate(grouped, 1) if group)
