"""How many replicas each member and group may hold.

The counts are nested (laminar): the count of a group is the sum of its members' counts, and each count has a floor and
a ceiling. `Shares` finds the chains of moves that bring counts inside their bounds; the caller decides what a move is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the most replicas that each member and each group may hold."""

    member_least: Sequence[int]
    member_most: Sequence[int]
    group_least: Sequence[int]
    group_most: Sequence[int]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Members and groups, both numbered from 0; every group has at least one member."""

    members: tuple[tuple[int, ...], ...]
    """The members of each group."""
    group_of: tuple[int, ...]
    """The group of each member."""

    @staticmethod
    def of_sizes(sizes: Iterable[int]) -> "Grouping":
        """Return the grouping with groups of these sizes; members are numbered from group to group."""
        members: list[tuple[int, ...]] = []
        group_of: list[int] = []
        for group, size in enumerate(sizes):
            members.append(tuple(range(len(group_of), len(group_of) + size)))
            group_of.extend([group] * size)
        return Grouping(tuple(members), tuple(group_of))

    def bounds_per_slot(self, partition_count: int) -> Bounds:
        """Return the bounds at one slot index: two groups, or two members of a group, differ by one replica at most."""
        least, more = divmod(partition_count, len(self.members))
        most = least + (more > 0)
        sizes = [len(self.members[group]) for group in self.group_of]
        return Bounds(
            [least // size for size in sizes],
            [-(-most // size) for size in sizes],
            [least] * len(self.members),
            [most] * len(self.members),
        )


def times(bounds: Bounds, factor: int) -> Bounds:
    """Return the bounds for the sum over several slot indices.

    If the sums are within these bounds, reordering the rows can bring each index inside its own bounds: a bipartite
    multigraph has an equitable edge colouring with any number of colours, also over laminar counts (de Werra).
    """
    return Bounds(
        [factor * least for least in bounds.member_least],
        [factor * most for most in bounds.member_most],
        [factor * least for least in bounds.group_least],
        [factor * most for most in bounds.group_most],
    )


def leaving_room(bounds: Bounds, rest: Sequence[int], group_rest: Sequence[int], later: int) -> Bounds:
    """Return bounds at one slot index that leave enough replicas, and not too many, for `later` more indices to be
    fair."""
    return Bounds(
        [max(least, r - later * most) for least, most, r in _zip(bounds.member_least, bounds.member_most, rest)],
        [min(most, r - later * least) for least, most, r in _zip(bounds.member_least, bounds.member_most, rest)],
        [max(least, r - later * most) for least, most, r in _zip(bounds.group_least, bounds.group_most, group_rest)],
        [min(most, r - later * least) for least, most, r in _zip(bounds.group_least, bounds.group_most, group_rest)],
    )


class Shares:
    """How many replicas members and groups have, compared with their bounds.

    The nodes of a chain are the members, by number, then the groups, and one last node for the total. A step from a
    member to a member is a move; other steps only say where a count may change.
    """

    def __init__(self, grouping: Grouping, bounds: Bounds, counts: Sequence[int]) -> None:
        self.grouping = grouping
        self.bounds = bounds
        self.counts = list(counts)
        self.group_counts = [sum(counts[member] for member in members) for members in grouping.members]
        self._first_group = len(grouping.group_of)
        self._whole = self._first_group + len(grouping.members)

    def move(self, source: int, to: int) -> None:
        """Move one replica of `source` to `to` in the counts."""
        self.counts[source] -= 1
        self.counts[to] += 1
        self.group_counts[self.grouping.group_of[source]] -= 1
        self.group_counts[self.grouping.group_of[to]] += 1

    def is_fair(self) -> bool:
        """Whether every count is inside its bounds."""
        return next(self._violations(), None) is None

    def mends(self, source: int, to: int) -> int:
        """Return how many counts a move brings nearer to their bounds: of members or of groups, whichever are more; 0
        if the move takes a count out of its bounds."""
        bounds, counts = self.bounds, self.counts
        group, other = self.grouping.group_of[source], self.grouping.group_of[to]
        if not (self.member_may_lose(source) and self.member_may_gain(to)):
            return 0
        members = (counts[source] > bounds.member_most[source]) + (counts[to] < bounds.member_least[to])
        if group == other:
            return members
        if not (self.group_may_lose(group) and self.group_may_gain(other)):
            return 0
        groups = self.group_counts
        return max(members, (groups[group] > bounds.group_most[group]) + (groups[other] < bounds.group_least[other]))

    def find_chain(self, neighbours: Callable[[int], Iterable[int]]) -> list[tuple[int, int]] | None:
        """Return the shortest list of moves that brings one count nearer to its bounds; None if all counts are inside.

        `neighbours` returns the members to which a replica of one member may move.
        """
        stuck = False
        for start, goal in self._violations():
            chain = self._search(start, goal, neighbours)
            if chain is not None:
                return [(a, b) for a, b in pairwise(chain) if max(a, b) < self._first_group]
            stuck = True
        assert not stuck, "bounds that can be kept leave a way to keep them"
        return None

    def _violations(self) -> Iterator[tuple[int, int]]:
        """Yield, for each count out of bounds, the node that has to lose a replica and the node that has to gain it."""
        bounds, whole = self.bounds, self._whole
        for member, count in enumerate(self.counts):
            group = self._first_group + self.grouping.group_of[member]
            if count > bounds.member_most[member]:
                yield member, group
            elif count < bounds.member_least[member]:
                yield group, member
        for number, count in enumerate(self.group_counts):
            if count > bounds.group_most[number]:
                yield self._first_group + number, whole
            elif count < bounds.group_least[number]:
                yield whole, self._first_group + number

    def _search(self, start: int, goal: int, neighbours: Callable[[int], Iterable[int]]) -> list[int] | None:
        came_from = {start: start}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for following in self._following(node, neighbours):
                if following not in came_from:
                    came_from[following] = node
                    if following == goal:
                        return _trace(came_from, goal)
                    queue.append(following)
        return None

    def _following(self, node: int, neighbours: Callable[[int], Iterable[int]]) -> Iterator[int]:
        if node < self._first_group:
            if self.member_may_gain(node):
                yield self._first_group + self.grouping.group_of[node]
            yield from neighbours(node)
        elif node < self._whole:
            group = node - self._first_group
            if self.group_may_gain(group):
                yield self._whole
            yield from (member for member in self.grouping.members[group] if self.member_may_lose(member))
        else:
            yield from (
                self._first_group + group for group in range(len(self.group_counts)) if self.group_may_lose(group)
            )

    def member_may_gain(self, member: int) -> bool:
        """Whether the member is still inside its bounds with one replica more."""
        return self.counts[member] < self.bounds.member_most[member]

    def member_may_lose(self, member: int) -> bool:
        """Whether the member is still inside its bounds with one replica less."""
        return self.counts[member] > self.bounds.member_least[member]

    def group_may_gain(self, group: int) -> bool:
        """Whether the group is still inside its bounds with one replica more."""
        return self.group_counts[group] < self.bounds.group_most[group]

    def group_may_lose(self, group: int) -> bool:
        """Whether the group is still inside its bounds with one replica less."""
        return self.group_counts[group] > self.bounds.group_least[group]


def choose_totals(
    grouping: Grouping, bounds: Bounds, held: Sequence[int], total: int, primaries: Sequence[int]
) -> list[int]:
    """Return how many replicas each member is to hold: within bounds, `total` in all, as near as possible to `held`.

    No other choice has a smaller sum of the members' gains: each count is first brought to its nearest bound; then
    units are only added, or only subtracted, until the total is right. Of two members with equal counts, the member
    with more primaries may hold more, so that fewer primaries have to change.
    """
    chosen = [
        min(max(count, least), most)
        for count, least, most in zip(held, bounds.member_least, bounds.member_most, strict=True)
    ]
    sums = [sum(chosen[member] for member in members) for members in grouping.members]
    wanted = [
        min(max(count, least), most)
        for count, least, most in zip(sums, bounds.group_least, bounds.group_most, strict=True)
    ]
    group_primaries = [sum(primaries[member] for member in members) for members in grouping.members]
    spread = _Spread(bounds.group_least, bounds.group_most, group_primaries)
    spread.over(wanted, range(len(wanted)), total - sum(wanted))
    spread = _Spread(bounds.member_least, bounds.member_most, primaries)
    for members, before, after in zip(grouping.members, sums, wanted, strict=True):
        spread.over(chosen, members, after - before)
    return chosen


@dataclass(frozen=True, slots=True)
class _Spread:
    """Adds units to counts, or subtracts units, one by one, where the most room is left."""

    least: Sequence[int]
    most: Sequence[int]
    primaries: Sequence[int]

    def over(self, counts: list[int], places: Sequence[int], amount: int) -> None:
        """Change the counts at these places, one unit at a time, until the amount is used up."""
        step = 1 if amount > 0 else -1
        while amount:
            open_places = [p for p in places if (counts[p] < self.most[p] if step > 0 else counts[p] > self.least[p])]
            assert open_places, "bounds that can be kept leave room"
            open_places.sort(key=lambda place: (step * counts[place], -step * self.primaries[place]))
            for place in open_places[: abs(amount)]:
                counts[place] += step
                amount -= step


def _zip(least: Sequence[int], most: Sequence[int], rest: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    return zip(least, most, rest, strict=True)


def _trace(came_from: dict[int, int], goal: int) -> list[int]:
    path = [goal]
    while came_from[path[-1]] != path[-1]:
        path.append(came_from[path[-1]])
    return path[::-1]
