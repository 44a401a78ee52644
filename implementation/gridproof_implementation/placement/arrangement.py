"""The rows of the table while replicas are placed; all counts are kept up to date.

Members and groups are numbers; a slot holds a member or EMPTY. A row never has two members of one group: callers ask
`may_take` before they put a replica.
"""

from collections.abc import Iterable, Sequence

from gridproof_implementation.placement.fair_shares import Grouping

EMPTY = -1


class Arrangement:
    """The rows, with `width` slots for each partition, and the members that held each partition before."""

    def __init__(self, grouping: Grouping, holders: Sequence[Sequence[int]], width: int) -> None:
        """Start from the old holders of each row, by slot; EMPTY if a slot had no member, or its member has gone."""
        self.grouping = grouping
        self.width = width
        self.old = [frozenset(member for member in row if member != EMPTY) for row in holders]
        self.old_primary = [row[0] for row in holders]
        self.rows = [[EMPTY] * width for _ in holders]
        self.groups_in = [0] * len(holders)
        """For each row, the groups of its members, as a bit set."""
        self.loads = [0] * len(grouping.group_of)
        self.counts = [[0] * len(grouping.group_of) for _ in range(width)]
        """How many replicas each member has at each slot index."""
        self.group_counts = [[0] * len(grouping.members) for _ in range(width)]
        self.held: list[list[dict[int, None]]] = [[{} for _ in grouping.group_of] for _ in range(width)]
        """The partitions of each member at each slot index, in the order in which they were put there."""
        for partition, row in enumerate(holders):
            self._keep(partition, row)

    def may_take(self, partition: int, member: int) -> bool:
        """Whether no replica of the partition is in the member's group."""
        return not self.groups_in[partition] >> self.grouping.group_of[member] & 1

    def may_replace(self, partition: int, leaving: int, member: int) -> bool:
        """Whether a member could take over the replica of a member that leaves the row."""
        same_group = self.grouping.group_of[leaving] == self.grouping.group_of[member]
        return leaving != member and (same_group or self.may_take(partition, member))

    def put(self, partition: int, index: int, member: int) -> None:
        """Fill an empty slot."""
        group = self.grouping.group_of[member]
        self.rows[partition][index] = member
        self.groups_in[partition] |= 1 << group
        self.loads[member] += 1
        self.counts[index][member] += 1
        self.group_counts[index][group] += 1
        self.held[index][member][partition] = None

    def take(self, partition: int, index: int) -> int:
        """Empty a slot and return the member that held it."""
        member = self.rows[partition][index]
        group = self.grouping.group_of[member]
        self.rows[partition][index] = EMPTY
        self.groups_in[partition] &= ~(1 << group)
        self.loads[member] -= 1
        self.counts[index][member] -= 1
        self.group_counts[index][group] -= 1
        del self.held[index][member][partition]
        return member

    def swap(self, partition: int, first: int, second: int) -> None:
        """Let the members of two slots change places."""
        one, other = self.take(partition, first), self.take(partition, second)
        self.put(partition, first, other)
        self.put(partition, second, one)

    def holes(self, index: int) -> list[int]:
        """Return the partitions whose slot at this index is empty."""
        return [partition for partition, row in enumerate(self.rows) if row[index] == EMPTY]

    def copies(self) -> int:
        """Return how many replicas are on members that did not hold the partition before."""
        return sum(
            member != EMPTY and member not in old
            for row, old in zip(self.rows, self.old, strict=True)
            for member in row
        )

    def _keep(self, partition: int, row: Iterable[int]) -> None:
        """Keep old holders in their slots, one of each group; old holders from slots beyond the width fill empty
        slots."""
        spare: list[int] = []
        for index, member in enumerate(row):
            if member == EMPTY or not self.may_take(partition, member):
                continue
            if index < self.width:
                self.put(partition, index, member)
            else:
                spare.append(member)
        for index in range(self.width):
            if not spare:
                return
            if self.rows[partition][index] == EMPTY:
                hottest = next((member for member in spare if self.may_take(partition, member)), None)
                if hottest is None:
                    return
                spare.remove(hottest)
                self.put(partition, index, hottest)
