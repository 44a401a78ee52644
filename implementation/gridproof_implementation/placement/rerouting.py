"""Moves of replicas that make totals fair and the number of copies smallest.

A replica may move from one member to another if the row allows it. The move costs a copy if the new member did not hold
the partition before, and saves a copy if the old member did not: its cost is 1, 0 or -1. Totals that are out of bounds
are corrected along chains of moves; then rings of moves that save a copy are made until there are none left. The number
of copies is then the smallest possible: such rings are the negative cycles of a minimum-cost flow.
"""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from gridproof_implementation.placement.arrangement import Arrangement
from gridproof_implementation.placement.fair_shares import Bounds, Shares
from gridproof_implementation.placement.saving_rings import IMPOSSIBLE, Costs, find_saving_ring

Chain = Sequence[tuple[int, int]]


def mend_totals(arrangement: Arrangement, bounds: Bounds) -> None:
    """Bring every total inside its bounds, by shortest chains of moves, one chain after another."""
    while not (shares := Shares(arrangement.grouping, bounds, arrangement.loads)).is_fair():
        costs = move_costs(arrangement)
        chain = shares.find_chain(partial(_takers, costs))
        assert chain is not None, "totals that are not fair leave a chain"
        _make_moves(arrangement, costs, chain)


def _takers(costs: Costs, member: int) -> list[int]:
    takers: list[int] = np.flatnonzero(costs[member] < IMPOSSIBLE).tolist()
    return takers


def save_copies(arrangement: Arrangement, bounds: Bounds) -> None:
    """Make rings of moves that save a copy, until no such ring is left."""
    while True:
        costs = move_costs(arrangement)
        ring = find_saving_ring(costs, Shares(arrangement.grouping, bounds, arrangement.loads))
        if ring is None:
            return
        _make_moves(arrangement, costs, ring)


def move_costs(arrangement: Arrangement) -> Costs:
    """Return, for each pair of members, the least cost of moving any replica from the first to the second."""
    group_of = np.array(arrangement.grouping.group_of)
    rows = np.array(arrangement.rows)
    in_groups = group_of[rows]
    kept = np.array([[m in old for m in row] for row, old in zip(arrangement.rows, arrangement.old, strict=True)])
    member_count, group_count = len(group_of), len(arrangement.grouping.members)
    costs_by_group = np.full((member_count, group_count), IMPOSSIBLE, np.int16)
    for cost, chosen in ((1, kept), (0, ~kept)):
        held = np.bincount(rows[chosen], minlength=member_count)
        shared = np.zeros((member_count * group_count), np.int64)
        for i in range(arrangement.width):
            for j in range(arrangement.width):
                if i != j:
                    pairs = rows[:, i] * group_count + in_groups[:, j]
                    shared += np.bincount(pairs[chosen[:, i]], minlength=shared.size)
        costs_by_group[held[:, None] > shared.reshape(member_count, group_count)] = cost
    costs: Costs = costs_by_group[:, group_of]
    np.fill_diagonal(costs, IMPOSSIBLE)
    for giver, taker, cost in _returns(arrangement):
        costs[giver, taker] = min(costs[giver, taker], cost)
    return costs


def _returns(arrangement: Arrangement) -> Iterable[tuple[int, int, int]]:
    """Yield the moves back to a former holder, each as the member that gives, the member that takes, and the cost."""
    for partition, (row, old) in enumerate(zip(arrangement.rows, arrangement.old, strict=True)):
        for former in old.difference(row):
            for member in row:
                if arrangement.may_replace(partition, member, former):
                    yield member, former, -(member not in old)


def _make_moves(arrangement: Arrangement, costs: Costs, moves: Chain) -> None:
    """Make all moves of a chain or ring; if a ring needs one row twice, make only the part of it that saves a copy."""
    choice = _ReplicaChoice(arrangement, costs, moves)
    while (rivals := choice.rivals()) is not None:
        moves = cut_ring(costs, moves, *rivals)
        choice = _ReplicaChoice(arrangement, costs, moves)
    for (_, taker), (partition, index) in zip(moves, choice.places(), strict=True):
        arrangement.take(partition, index)
        arrangement.put(partition, index, taker)


class _ReplicaChoice:
    """Chooses a replica for each move; in one row, at most one of the moves may change the groups."""

    def __init__(self, arrangement: Arrangement, costs: Costs, moves: Chain) -> None:
        self._found = [_replicas(arrangement, giver, taker, int(costs[giver, taker])) for giver, taker in moves]
        group_of = arrangement.grouping.group_of
        self._inside = [group_of[giver] == group_of[taker] for giver, taker in moves]
        self._user: dict[int, int] = {}
        """For each row, the move that changes the groups of the row."""

    def rivals(self) -> tuple[int, int] | None:
        """Return two moves that need the same row, the earlier move first; None if each move has a different row."""
        for number, inside in enumerate(self._inside):
            if not inside and number not in self._user.values() and not self._assign(number, set()):
                other = self._user[next(iter(self._found[number]))]
                return min(number, other), max(number, other)
        return None

    def places(self) -> list[tuple[int, int]]:
        """Return the partition and the slot of each move; call this only after `rivals` has returned None."""
        chosen = {number: partition for partition, number in self._user.items()}
        return [
            (partition := chosen.get(number, next(iter(found))), found[partition])
            for number, found in enumerate(self._found)
        ]

    def _assign(self, number: int, asked: set[int]) -> bool:
        """Give a move a row that no other move uses, if necessary by moving the row's present user to another row."""
        for partition in self._found[number]:
            if partition not in asked:
                asked.add(partition)
                user = self._user.get(partition)
                if user is None or self._assign(user, asked):
                    self._user[partition] = number
                    return True
        return False


def _replicas(arrangement: Arrangement, giver: int, taker: int, cost: int) -> dict[int, int]:
    """Return the replicas that can move at this cost, as slot by partition; the replicas whose move most improves the
    balance at an index come first."""
    counts = arrangement.counts
    by_gain = sorted(range(arrangement.width), key=lambda index: counts[index][taker] - counts[index][giver])
    return {
        partition: index
        for index in by_gain
        for partition in arrangement.held[index][giver]
        if (giver in arrangement.old[partition]) - (taker in arrangement.old[partition]) == cost
        and arrangement.may_replace(partition, giver, taker)
    }


def cut_ring(costs: Costs, ring: Chain, first: int, second: int) -> Chain:
    """Of a ring that uses one row twice, return the part that saves a copy: the ring, cut at that row, becomes two
    rings, and one of them saves a copy."""
    (giver, taker), (other_giver, other_taker) = ring[first], ring[second]
    outer = [*ring[:first], (giver, other_taker), *ring[second + 1 :]]
    inner = [*ring[first + 1 : second], (other_giver, taker)]
    parts = [[move for move in part if move[0] != move[1]] for part in (outer, inner)]
    return min(parts, key=lambda part: sum(int(costs[move]) for move in part))
