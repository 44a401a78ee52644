"""The state of one partition group while replicas are assigned.

Partitions are counted separately for each replica index, and kept in insertion order (placement.1). Members are numbers
here: the policy translates identities once, at its beginning and end.
"""

from collections import deque
from collections.abc import Iterator, Sequence

Held = dict[int, None]
"""Partition ids, in the order in which they were inserted."""


class GroupShare:
    """The partitions that one group holds, and how they are divided among its members."""

    def __init__(self, members: Sequence[int], replica_count: int) -> None:
        self._members = tuple(members)
        self._replica_count = replica_count
        self.clear()

    def clear(self) -> None:
        """Forget everything held."""
        self._anywhere: set[int] = set()
        self._held: list[Held] = [{} for _ in range(self._replica_count)]
        self._by_member: dict[int, list[Held]] = {
            member: [{} for _ in range(self._replica_count)] for member in self._members
        }

    @property
    def members(self) -> tuple[int, ...]:
        """The group's members, in the order in which they get the partitions that are left over after equal
        division."""
        return self._members

    def count(self, index: int) -> int:
        """Return how many partitions the group holds at a replica index."""
        return len(self._held[index])

    def partitions(self, index: int) -> tuple[int, ...]:
        """Return the partitions held at a replica index, in the order in which they were received."""
        return tuple(self._held[index])

    def take(self, index: int, partition: int, member: int | None = None) -> bool:
        """Take a partition, unless the group holds it at any index: a group has at most one replica (placement.1)."""
        if partition in self._anywhere:
            return False
        self._anywhere.add(partition)
        self._held[index][partition] = None
        if member is not None:
            self._by_member[member][index][partition] = None
        return True

    def give(self, index: int, partition: int) -> None:
        """Give up a partition held at a replica index."""
        self._anywhere.remove(partition)
        del self._held[index][partition]
        for held in self._by_member.values():
            held[index].pop(partition, None)

    def divide(self, index: int) -> None:
        """Divide the group's partitions among its members, whose shares then differ by at most one (placement.12)."""
        share = self.count(index) // len(self._members)
        waiting = deque(self._unassigned(index))
        below: list[Held] = []
        for member in self._members:
            held = self._by_member[member][index]
            if len(held) <= share:
                below.append(held)
            while len(held) > share:
                waiting.append(held.popitem()[0])
        for held in below:
            while waiting and len(held) < share:
                held[waiting.popleft()] = None
        # As documented, the remaining partitions go to the first members, whether old or new (docs/findings.md).
        for member in self._members:
            if waiting:
                self._by_member[member][index][waiting.popleft()] = None

    def assignments(self, index: int) -> Iterator[tuple[int, int]]:
        """Yield (partition, member) for every partition held at a replica index."""
        for member in self._members:
            for partition in self._by_member[member][index]:
                yield partition, member

    def _unassigned(self, index: int) -> list[int]:
        assigned = {partition for held in self._by_member.values() for partition in held[index]}
        return [partition for partition in self._held[index] if partition not in assigned]
