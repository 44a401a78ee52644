"""Mutants of the arrangement: who gets which replica."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from random import Random

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.hazelcast_group import GroupShare
from gridproof_implementation.placement.plan import Target
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_implementation.protocol.partitioning.control import Planning
from gridproof_model.groups import MemberGroup, compute_groups, split_lone_group
from gridproof_model.identity import MemberId
from suite.zoo.member_mutant import MemberMutant
from suite.zoo.mutant import replacing
from suite.zoo.scenario_search import scripted, writes

_divide = GroupShare.divide
_place = HazelcastPlacement.place


def _take_it_twice(share: GroupShare, index: int, partition: int, member: int | None = None) -> bool:
    share._anywhere.add(partition)
    share._held[index][partition] = None
    if member is not None:
        share._by_member[member][index][partition] = None
    return True


def _favour_the_first(share: GroupShare, index: int) -> None:
    _divide(share, index)
    first, *_, last = [share._by_member[member][index] for member in (*share.members, share.members[-1])]
    if index > 0 and first is not last and last:
        first[last.popitem()[0]] = None


def _ignore_groups(policy: HazelcastPlacement, request: PlacementRequest, rng: Random) -> Target | None:
    alone = [MemberGroup(str(member.id), (member,)) for group in request.groups for member in group.members]
    return _place(policy, replace(request, groups=alone), rng)


def _count_lite_members(planning: Planning, excluded: Collection[MemberId] = ()) -> Sequence[MemberGroup]:
    node = planning._node
    everybody = [replace(member, lite=False) for member in node.membership.members]
    return compute_groups(node.config.partition_groups, everybody, excluded)


def _leave_a_lone_group_whole(planning: Planning, excluded: Collection[MemberId] = ()) -> Sequence[MemberGroup]:
    node = planning._node
    groups = compute_groups(node.config.partition_groups, node.membership.members.data_members, excluded)
    members = tuple(member for group in groups for member in group.members)
    zones = {value for member in members for _, value in member.attributes}
    lone = (MemberGroup("alone", members),)
    return lone if len(zones) == 1 and split_lone_group(lone) != lone else groups


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="M04",
        name="taken-twice",
        defect_class="C2",
        rule="A group takes a partition that it holds already at another index.",
        source="defect P-30",
        breaks=("no-member-fails",),
        plant=replacing(GroupShare, "take", _take_it_twice),
        witness=scripted(writes(4), members=5, sync_backups=2),
        quick=True,
    ),
    MemberMutant(
        number="X06",
        name="groups-ignored",
        defect_class="C2",
        rule="Replicas are spread over members, whatever their groups.",
        source="invariant A3",
        breaks=("group-separation",),
        plant=replacing(HazelcastPlacement, "place", _ignore_groups),
        witness=scripted(writes(4), members=4, zones=2),
        quick=True,
    ),
    MemberMutant(
        number="M05",
        name="lite-members-counted",
        defect_class="C2",
        rule="Lite members are grouped, too.",
        source="defect HZ-06",
        breaks=("no-lite-owner",),
        plant=replacing(Planning, "groups", _count_lite_members),
        witness=scripted(writes(4), members=3, lite=(2,)),
    ),
    MemberMutant(
        number="M06",
        name="no-backup-in-a-lone-group",
        defect_class="C2",
        rule="Where one group is left its members keep no backups of each other.",
        source="defect HZ-07",
        breaks=("full-rows",),
        plant=replacing(Planning, "groups", _leave_a_lone_group_whole),
        witness=scripted(writes(4), members=2, zones=1),
    ),
    MemberMutant(
        number="X55",
        name="backups-of-the-first",
        defect_class="C2",
        rule="The first member of a group takes one backup more than its share from the last.",
        source="placement.12",
        breaks=("balance-of-backups",),
        plant=replacing(GroupShare, "divide", _favour_the_first),
        witness=scripted(writes(4), members=4, zones=2),
        quick=True,
    ),
)
