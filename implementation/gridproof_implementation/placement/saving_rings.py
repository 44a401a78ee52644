"""Rings of moves with a negative total cost.

These rings are the negative cycles of a minimum-cost flow: while there is a negative cycle, the flow can be made
cheaper; once there is none, the flow is the cheapest. The distances at the end of the search prove that there is no
negative cycle.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gridproof_implementation.placement.fair_shares import Shares

IMPOSSIBLE = 100
Costs = NDArray[np.int16]
"""The cost for each pair of a giving and a taking member: -1, 0, 1, or IMPOSSIBLE."""
_NOWHERE = -1


def find_saving_ring(costs: Costs, shares: Shares) -> list[tuple[int, int]] | None:
    """Return the moves of a ring with a negative total cost, or None if there is none.

    The search is by Bellman and Ford: distances keep decreasing as long as there is a negative ring, and the
    predecessors then form a ring.
    """
    if not (costs < 0).any():
        return None
    search = _RingSearch(costs, shares)
    while search.relax():
        ring = search.ring()
        if ring is not None:
            return ring
    return None


class _RingSearch:
    """The distance to each member, each group and the total, and the node from which it was reached."""

    def __init__(self, costs: Costs, shares: Shares) -> None:
        self._costs = costs
        self._shares = shares
        self._member_count = len(costs)
        self._whole = self._member_count + len(shares.group_counts)
        self._distance = np.zeros(self._whole + 1, np.int32)
        self._from = np.full(self._whole + 1, _NOWHERE)
        steps = list(_free_steps(shares))
        self._tails = np.array([tail for tail, _ in steps], np.int64)
        self._heads = np.array([head for _, head in steps], np.int64)

    def relax(self) -> bool:
        """Shorten all distances by paths with one more step; return whether any distance got shorter."""
        members = self._distance[: self._member_count]
        reached = members[:, None] + self._costs
        best = reached.argmin(axis=0)
        lengths = reached[best, np.arange(self._member_count)]
        shorter = np.flatnonzero(lengths < members)
        self._from[shorter] = best[shorter]
        self._distance[shorter] = lengths[shorter]
        changed = shorter.size > 0
        for tail, head in zip(self._tails.tolist(), self._heads.tolist(), strict=True):
            if self._distance[tail] < self._distance[head]:
                self._distance[head] = self._distance[tail]
                self._from[head] = tail
                changed = True
        return changed

    def ring(self) -> list[tuple[int, int]] | None:
        """Return the moves of a ring that the predecessors form; None if they form none."""
        seen = np.zeros(self._whole + 1, np.int64)
        came_from = self._from.tolist()
        for number, start in enumerate(range(self._whole + 1), 1):
            node = start
            while node != _NOWHERE and seen[node] == 0:
                seen[node] = number
                node = came_from[node]
            if node != _NOWHERE and seen[node] == number:
                return self._moves_of_ring(node, came_from)
        return None

    def _moves_of_ring(self, start: int, came_from: list[int]) -> list[tuple[int, int]]:
        nodes = [start]
        while came_from[nodes[-1]] != start:
            nodes.append(came_from[nodes[-1]])
        backwards = [*nodes, start]
        steps = [(backwards[i + 1], backwards[i]) for i in range(len(nodes))][::-1]
        return [(a, b) for a, b in steps if max(a, b) < self._member_count]


def _free_steps(shares: Shares) -> Iterable[tuple[int, int]]:
    """Yield the steps of a chain that move no replica: they only say which counts may still grow or shrink."""
    member_count = len(shares.counts)
    whole = member_count + len(shares.group_counts)
    for member, group in enumerate(shares.grouping.group_of):
        if shares.member_may_gain(member):
            yield member, member_count + group
        if shares.member_may_lose(member):
            yield member_count + group, member
    for group in range(len(shares.group_counts)):
        if shares.group_may_gain(group):
            yield member_count + group, whole
        if shares.group_may_lose(group):
            yield whole, member_count + group
