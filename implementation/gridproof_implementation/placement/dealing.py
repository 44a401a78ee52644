"""Assigns replicas to members below their share, in one pass.

The pass is fast, and is enough in most cases: empty slots are filled first, then members above their share give
replicas up. A replica for which no single move is found stays on a member above its share; `rerouting` finds a chain of
moves for it.
"""

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from random import Random

from gridproof_implementation.placement.arrangement import EMPTY, Arrangement


class Dealer:
    """Assigns replicas until every member holds as many as it has to hold, as far as single moves achieve this."""

    def __init__(self, arrangement: Arrangement, totals: Sequence[int], rng: Random) -> None:
        self._arrangement = arrangement
        self._totals = totals
        self._rng = rng
        self._members_by_need: dict[tuple[int, int], list[tuple[int, int]]] = {}
        """For each group and slot index, a heap of the members that have room there; these members lose no replica."""
        self._returnable: set[int] = set()
        """Partitions that one of their former holders could get back."""
        self._room = [
            sum(max(0, totals[member] - arrangement.loads[member]) for member in members)
            for members in arrangement.grouping.members
        ]

    def fill_holes(self) -> None:
        """Fill every empty slot, lowest index first; if no member with room may take a slot, use any member that may
        take it."""
        for index in range(self._arrangement.width):
            holes = self._arrangement.holes(index)
            self._rng.shuffle(holes)
            queue = self._queue(index)
            for partition in holes:
                if not self._give(partition, index, queue):
                    self._put(partition, index, self._least_over(partition))

    def shed(self) -> None:
        """Move replicas from members above their total to members below it: if possible to a former holder of the
        partition, else to a member of the same group, else to another member."""
        queues = [self._queue(index) for index in range(self._arrangement.width)]
        rows, old = self._arrangement.rows, self._arrangement.old
        self._returnable = {partition for partition, holders in enumerate(old) if not holders.issubset(rows[partition])}
        for member, total in enumerate(self._totals):
            while self._arrangement.loads[member] > total and self._shed_one(member, queues):
                pass

    def _shed_one(self, member: int, queues: list[list[tuple[int, int]]]) -> bool:
        """Move one replica away, at the slot index where the member has most replicas; of several such indices, at the
        index where another group has fewest."""
        counts = [counts[member] for counts in self._arrangement.counts]
        least = [queue[0][0] if queue else 0 for queue in queues]
        order = sorted(range(len(queues)), key=lambda index: (-counts[index], least[index], -index))
        return (
            self._return_one(member, order)
            or self._shed_inside(member, order)
            or any(
                self._give(partition, index, queues[index])
                for index in order
                for partition in self._partitions(member, index)
            )
        )

    def _return_one(self, member: int, order: Iterable[int]) -> bool:
        """Give a replica to a member that held the partition before, so that nothing is copied."""
        arrangement = self._arrangement
        for index in order:
            for partition in self._returnable.intersection(arrangement.held[index][member]):
                for former in sorted(arrangement.old[partition] - set(arrangement.rows[partition])):
                    if self._has_room(former) and arrangement.may_replace(partition, member, former):
                        self._replace(partition, index, former)
                        return True
        return False

    def _shed_inside(self, member: int, order: Sequence[int]) -> bool:
        """Give a replica of this member, at the slot index where it has most, to another member of its group."""
        group = self._arrangement.grouping.group_of[member]
        if self._room[group] == 0:
            return False
        self._replace(self._partitions(member, order[0])[0], order[0], self._neediest(group, order[0]))
        return True

    def _give(self, partition: int, index: int, queue: list[tuple[int, int]]) -> bool:
        """Give a slot, held or empty, to a group with room that may take the partition: of these groups, to the one
        with fewest replicas."""
        group = self._next_group(partition, queue)
        if group is None:
            return False
        self._replace(partition, index, self._neediest(group, index))
        heappush(queue, (self._arrangement.group_counts[index][group], group))
        return True

    def _replace(self, partition: int, index: int, member: int) -> None:
        if self._arrangement.rows[partition][index] != EMPTY:
            self._arrangement.take(partition, index)
        self._put(partition, index, member)

    def _put(self, partition: int, index: int, member: int) -> None:
        if self._has_room(member):
            self._room[self._arrangement.grouping.group_of[member]] -= 1
        self._arrangement.put(partition, index, member)

    def _has_room(self, member: int) -> bool:
        return self._arrangement.loads[member] < self._totals[member]

    def _neediest(self, group: int, index: int) -> int:
        """Return the member with room that has fewest replicas at this index; the group has to have such a member."""
        counts = self._arrangement.counts[index]
        queue = self._members_by_need.get((group, index))
        if queue is None:
            members = self._arrangement.grouping.members[group]
            queue = [(counts[member], member) for member in members if self._has_room(member)]
            heapify(queue)
            self._members_by_need[group, index] = queue
        while not self._has_room(queue[0][1]):
            heappop(queue)
        _, member = queue[0]
        heapreplace(queue, (counts[member] + 1, member))
        return member

    def _partitions(self, member: int, index: int) -> list[int]:
        """Return a member's partitions at an index, from a random start on, so that members stay mixed in all rows."""
        partitions = list(self._arrangement.held[index][member])
        first = self._rng.randrange(len(partitions)) if partitions else 0
        return partitions[first:] + partitions[:first]

    def _queue(self, index: int) -> list[tuple[int, int]]:
        """Return a heap of the groups that have room; those that have fewest replicas at this index come first."""
        counts = self._arrangement.group_counts[index]
        queue = [(counts[group], group) for group, room in enumerate(self._room) if room > 0]
        heapify(queue)
        return queue

    def _next_group(self, partition: int, queue: list[tuple[int, int]]) -> int | None:
        """Of the groups with room that may take the partition, return the group that has fewest replicas."""
        refused: list[tuple[int, int]] = []
        found = None
        while queue and found is None:
            entry = heappop(queue)
            if self._arrangement.groups_in[partition] >> entry[1] & 1:
                refused.append(entry)
            elif self._room[entry[1]] > 0:
                found = entry[1]
        for entry in refused:
            heappush(queue, entry)
        return found

    def _least_over(self, partition: int) -> int:
        """Of the members that may take the partition, return the member that exceeds its total least."""
        present = self._arrangement.groups_in[partition]
        members = [m for m, g in enumerate(self._arrangement.grouping.group_of) if not present >> g & 1]
        return min(members, key=lambda member: (self._arrangement.loads[member] - self._totals[member], member))
