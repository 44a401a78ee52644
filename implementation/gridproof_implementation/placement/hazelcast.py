"""Hazelcast's documented placement algorithm.

Replicas stay where they are if they may; the others are assigned to groups below the average, and then moved from
groups above the average, for one replica index after another (chapter placement). The algorithm makes up to three
tries; the second and third also free the replicas at high indices, and the third result is final even if it is not
balanced (placement.13). Only the shuffling of partitions is random.
"""

from collections import deque
from dataclasses import dataclass
from random import Random

from gridproof_implementation.placement.hazelcast_group import GroupShare
from gridproof_implementation.placement.plan import Plan, Target
from gridproof_implementation.placement.planner import plan
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_model.partition_table import Slots, pad_slots

TRIES_MAX = 3
RETRY_MULTIPLIER = 10
ALLOWED_RATIO = 1.1
ALLOWED_DISTANCE = 3
AGGRESSIVE_KEEPS = 3
"""How many of a row's first slots an aggressive try keeps; the later slots are freed."""


@dataclass(frozen=True, slots=True)
class HazelcastPlacement:
    """Numbers of primaries differ by at most one; backups are balanced as far as three tries achieve that."""

    name: str = "hazelcast"
    summary: str = "the documented algorithm: three tries, at most one replica per group"

    def place(self, request: PlacementRequest, rng: Random) -> Target | None:
        """Return the target, or None if no group has a member (placement.11)."""
        if not any(group.members for group in request.groups):
            return None
        arrangement = _Arrangement(request, rng)
        for number in range(TRIES_MAX):
            arrangement.attempt(aggressive=number > 0)
            if arrangement.is_balanced():
                break
        return arrangement.target()

    def plan(self, request: PlacementRequest, target: Target) -> Plan:
        """Return the documented migrations; a pure cycle is cancelled (placement.18)."""
        return plan(request.table, target)


def compact(slots: Slots) -> Slots:
    """Return the row, with each hole filled by the last replica of the row (placement.10).

    Promotion, in contrast, takes the first replica after the hole (repair.4).
    """
    row = list(slots)
    coldest = len(row) - 1
    for index in range(len(row)):
        if row[index] is not None:
            continue
        while coldest > index and row[coldest] is None:
            coldest -= 1
        if coldest <= index:
            break
        row[index], row[coldest] = row[coldest], None
    return tuple(row)


def is_near(count: int, average: int) -> bool:
    """Whether a group's count at an index is near enough to the average of all groups (placement.14)."""
    return abs(count - average) <= ALLOWED_DISTANCE or average / ALLOWED_RATIO <= count <= average * ALLOWED_RATIO


class _Arrangement:
    """The target while it is computed; members are numbers, by their position in the groups."""

    def __init__(self, request: PlacementRequest, rng: Random) -> None:
        groups = [group for group in request.groups if group.members]
        self._rng = rng
        self._table = request.table
        self._scope = request.scope
        self._replica_count = min(len(groups), request.replica_count)
        self._average = request.table.partition_count // len(groups)
        self._members = [member.id for group in groups for member in group.members]
        numbers = {member: number for number, member in enumerate(self._members)}
        self._shares = [
            GroupShare([numbers[member.id] for member in group.members], self._replica_count) for group in groups
        ]
        self._share_of = {member: share for share in self._shares for member in share.members}
        self._rotation = deque(self._shares)
        self._rows = [
            [
                None if slot is None else numbers.get(slot)
                for slot in (compact(row.slots) if self._may_change(partition) else row.slots)[: self._replica_count]
            ]
            for partition, row in enumerate(request.table.rows)
        ]

    def attempt(self, aggressive: bool) -> None:
        """Make one try, which starts from the result of the previous try (placement.13)."""
        self._register(aggressive)
        for index in range(self._replica_count):
            self._deal(index)
            for share in self._shares:
                share.divide(index)
                for partition, member in share.assignments(index):
                    self._rows[partition][index] = member

    def is_balanced(self) -> bool:
        """Whether every group is near enough to the average at every index (placement.14)."""
        return all(
            is_near(count, self._average)
            for share in self._shares
            for count in map(share.count, range(self._replica_count))
        )

    def target(self) -> Target:
        """Return the target with members' identities; partitions out of scope are unchanged (placement.17)."""
        return tuple(
            pad_slots([None if member is None else self._members[member] for member in self._rows[partition]])
            if self._may_change(partition)
            else row.slots
            for partition, row in enumerate(self._table.rows)
        )

    def _may_change(self, partition: int) -> bool:
        return self._scope is None or partition in self._scope

    def _register(self, aggressive: bool) -> None:
        """Keep each replica whose group may hold it, and clear every other slot (placement.11)."""
        for share in self._shares:
            share.clear()
        for partition, row in enumerate(self._rows):
            for index, member in enumerate(row):
                if member is None or not self._share_of[member].take(index, partition, member):
                    row[index] = None
                elif aggressive and index < AGGRESSIVE_KEEPS and self._may_change(partition):
                    row[AGGRESSIVE_KEEPS:] = [None] * (self._replica_count - AGGRESSIVE_KEEPS)

    def _deal(self, index: int) -> None:
        """Give every partition a group at this index; then move partitions until groups are even (placement.11)."""
        free = deque(self._free_partitions(index))
        under = deque(share for share in self._rotation if share.count(index) < self._average)
        over = [share for share in self._rotation if share.count(index) > self._average]
        larger_shares = len(self._rows) - self._average * len(self._shares)
        larger_shares = self._fill_under(index, free, under, larger_shares)
        self._deal_leftovers(index, free)
        # Evening out the groups would also move partitions that are outside the scope (placement.17).
        if self._scope is None:
            self._transfer(index, under, over, larger_shares)

    def _free_partitions(self, index: int) -> list[int]:
        free = [p for p, row in enumerate(self._rows) if row[index] is None and self._may_change(p)]
        self._rng.shuffle(free)
        return free

    def _fill_under(self, index: int, free: deque[int], under: deque[GroupShare], larger_shares: int) -> int:
        """Give free partitions to groups below the average; return how many groups may still hold one partition more
        than the average (placement.11)."""
        for _ in range(len(free) * len(under)):
            if not free or not under:
                break
            share = under.popleft()
            _take_first(share, index, free)
            count = share.count(index)
            if larger_shares > 0 and count == self._average + 1:
                larger_shares -= 1
                if larger_shares == 0:
                    below = [other for other in under if other.count(index) < self._average]
                    under.clear()
                    under.extend(below)
            elif count < self._average or (larger_shares > 0 and count < self._average + 1):
                under.append(share)
        return larger_shares

    def _deal_leftovers(self, index: int, free: deque[int]) -> None:
        """Give the remaining partitions to all groups in turn, starting where the last turn ended (placement.11)."""
        for _ in range(len(free) * len(self._shares) * RETRY_MULTIPLIER):
            if not free:
                break
            if self._rotation[0].take(index, free[0]):
                free.popleft()
            self._rotation.rotate(-1)
        assert not free, "every partition finds a group: there are at least as many groups as replicas"

    def _transfer(self, index: int, under: deque[GroupShare], over: list[GroupShare], larger_shares: int) -> None:
        """Move partitions from groups above the average to groups below it (placement.11)."""
        larger = self._average + 1
        for _ in range(len(under) * len(over) * RETRY_MULTIPLIER):
            if not under:
                break
            to = under.popleft()
            for source in list(over):
                expected = larger if larger_shares > 0 else self._average
                _move_some(index, source, to, expected)
                larger_shares -= larger_shares > 0 and source.count(index) == larger
                expected = larger if larger_shares > 0 else self._average
                if source.count(index) <= expected:
                    over.remove(source)
                larger_shares -= larger_shares > 0 and to.count(index) == larger
                expected = larger if larger_shares > 0 else self._average
                if to.count(index) >= expected:
                    break
            if to.count(index) < self._average:
                under.append(to)


def _take_first(share: GroupShare, index: int, free: deque[int]) -> None:
    """Give a group the first free partition that it may take; partitions that it refuses go to the end of the queue."""
    for _ in range(len(free)):
        partition = free.popleft()
        if share.take(index, partition):
            return
        free.append(partition)


def _move_some(index: int, source: GroupShare, to: GroupShare, expected: int) -> None:
    for partition in source.partitions(index):
        if source.count(index) <= expected or to.count(index) >= expected:
            return
        if to.take(index, partition):
            source.give(index, partition)
