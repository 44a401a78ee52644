"""What a policy does while members come and go.

Every policy lives through the same joins, departures and crashes with a table of its own. Before each change the table
is the one the policy's own plan has led to; the plan is walked step by step, because separation is owed on the way too
(seed: Partition Group Configuration).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.partition_table import PartitionTable, Slots

REPLICA_COUNT = 3
MEMBERS_MIN, MEMBERS_MAX = 5, 20
ZONE_COUNT = 5
CRASH_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class PolicyPoint:
    """One policy after one change of the membership."""

    change: int
    """From 0, the first arrangement."""
    member_count: int
    copies_moved: int
    """Copies that went to a member without one, all changes so far; the first arrangement moves none."""
    copies_lost: int
    """Copies that went with crashed members, so far: they have to be made again by any policy."""
    primary_spread: int
    """Most less fewest primaries of a group."""
    backup_spread: int
    """The same of the worst other slot."""
    meetings: int
    """Steps so far after which two copies of a partition were in one group."""
    short: int
    """Copies missing on the way so far, summed over the steps that they were missing for: fewer than a partition has
    both before its plan and after it."""
    groups: tuple[MemberGroup, ...]
    table: PartitionTable

    @property
    def copysets(self) -> frozenset[frozenset[MemberId]]:
        """The sets of members that hold a partition."""
        return frozenset(frozenset(slot for slot in row.slots if slot is not None) for row in self.table.rows)


def run_history(policy: PlacementPolicy, seed: int, changes: int, partition_count: int) -> Iterator[PolicyPoint]:
    """Yield a point for the first arrangement and for every change; equal seeds give equal histories.

    Members carry zones in turn, and a zone is a partition group.
    """
    rng, dice = Random(seed), Random(seed)
    members = [zoned_member(number) for number in range(MEMBERS_MIN + 3)]
    next_number = len(members)
    table = PartitionTable.empty(partition_count)
    moved = lost = meetings = short = 0
    for change in range(changes + 1):
        if change > 0:
            if _is_join(rng, len(members)):
                members.append(zoned_member(next_number))
                next_number += 1
                leaver = None
            else:
                leaver = members.pop(rng.randrange(len(members)))
            if rng.random() < CRASH_SHARE and leaver is not None:
                lost += sum(leaver.id in row.slots for row in table.rows)
                table = table.with_rows([row.without([leaver.id]).promoted() for row in table.rows])
        groups = _zones(members)
        before = table
        way = follow(policy, PlacementRequest(groups, table, REPLICA_COUNT), dice)
        table = way.table
        meetings += way.meetings
        short += way.short
        moved += _copies(before, table) if change > 0 else 0
        spreads = [_spread(groups, table, slot) for slot in range(REPLICA_COUNT)]
        yield PolicyPoint(
            change, len(members), moved, lost, spreads[0], max(spreads[1:]), meetings, short, groups, table
        )


def _is_join(rng: Random, member_count: int) -> bool:
    if member_count <= MEMBERS_MIN:
        return True
    return member_count < MEMBERS_MAX and rng.random() < 0.5


@dataclass(frozen=True, slots=True)
class Way:
    """What a plan led to, and what happened to copies on the way."""

    table: PartitionTable
    meetings: int
    short: int


def follow(policy: PlacementPolicy, request: PlacementRequest, dice: Random) -> Way:
    """Walk a plan step by step; each partition takes one at a time."""
    target = policy.place(request, dice)
    assert target is not None, "there are always members"
    plan = policy.plan(request, target)
    group_of = {member.id: group.name for group in request.groups for member in group.members}
    rows, meetings, short = list(plan.table.rows), 0, 0
    for partition, queue in plan.queues.items():
        held = []
        for migration in queue:
            held.append(_filled(rows[partition].slots))
            rows[partition] = apply_migration(rows[partition], migration)
            meetings += _do_meet(rows[partition].slots, group_of)
        owed = min(_filled(request.table.rows[partition].slots), _filled(rows[partition].slots))
        short += sum(max(0, owed - copies) for copies in held)
    return Way(plan.table.with_rows(rows), meetings, short)


def _filled(slots: Slots) -> int:
    return sum(slot is not None for slot in slots)


def _do_meet(slots: Slots, group_of: dict[MemberId, str]) -> bool:
    held = [group_of[slot] for slot in slots if slot is not None and slot in group_of]
    return len(held) != len(set(held))


def _copies(before: PartitionTable, after: PartitionTable) -> int:
    return sum(len({*new.slots} - {*old.slots, None}) for old, new in zip(before.rows, after.rows, strict=True))


def _spread(groups: Sequence[MemberGroup], table: PartitionTable, slot: int) -> int:
    held = Counter(row.slots[slot] for row in table.rows)
    counts = [sum(held[member.id] for member in group.members) for group in groups]
    return max(counts) - min(counts)


def _zones(members: Iterable[Member]) -> tuple[MemberGroup, ...]:
    by_zone: dict[str, list[Member]] = {}
    for member in members:
        by_zone.setdefault(member.attributes[0][1], []).append(member)
    return tuple(MemberGroup(zone, tuple(inside)) for zone, inside in sorted(by_zone.items()))


def zoned_member(number: int) -> Member:
    """Return a member by its number; its zone is the number's turn."""
    identity = MemberId(Address(f"10.0.{number // 250}.{number % 250 + 1}", 5701), UUID(int=number + 1))
    return Member(identity, attributes=(("zone", f"zone {number % ZONE_COUNT}"),))
