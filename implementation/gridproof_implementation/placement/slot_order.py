"""Decides which replica of each row is the primary.

Which members hold each partition is already decided; members of a row only change places, and nothing is copied. For
one index after another, each count is brought inside its bounds so that the counts of higher indices can still be
brought inside theirs.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from gridproof_implementation.placement.arrangement import Arrangement
from gridproof_implementation.placement.fair_shares import Bounds, Shares, leaving_room
from gridproof_implementation.placement.saving_rings import IMPOSSIBLE, find_saving_ring


def even_out_slots(arrangement: Arrangement, per_slot: Bounds) -> None:
    """Make the counts at every slot index fair, by exchanges within rows: single exchanges first, then chains."""
    for index in range(arrangement.width - 1):
        rest = [sum(counts[index:]) for counts in zip(*arrangement.counts, strict=True)]
        group_rest = [sum(counts[index:]) for counts in zip(*arrangement.group_counts, strict=True)]
        bounds = leaving_room(per_slot, rest, group_rest, arrangement.width - 1 - index)
        shares = Shares(arrangement.grouping, bounds, arrangement.counts[index])
        if not shares.is_fair():
            for ends in (2, 1):
                _exchange_directly(arrangement, shares, index, ends)
        while (chain := shares.find_chain(partial(_partners, arrangement, index))) is not None:
            for giver, taker in chain:
                partition, other = _find_row(arrangement, index, giver, taker)
                arrangement.swap(partition, index, other)
                shares.move(giver, taker)
        if index == 0:
            _keep_primaries(arrangement, shares)


def _keep_primaries(arrangement: Arrangement, shares: Shares) -> None:
    """Exchange roles in rings until as many partitions keep their primary as the given holders and bounds allow."""
    while True:
        exchanges = _role_exchanges(arrangement)
        costs = np.full((len(shares.counts), len(shares.counts)), IMPOSSIBLE, np.int16)
        for (giver, taker), (cost, _, _) in exchanges.items():
            costs[giver, taker] = cost
        ring = find_saving_ring(costs, shares)
        if ring is None:
            return
        for giver, taker in ring:
            _, partition, other = exchanges[giver, taker]
            arrangement.swap(partition, 0, other)
            shares.move(giver, taker)


def _role_exchanges(arrangement: Arrangement) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Return, for each primary and each backup, the row in which exchanging their roles costs least.

    The values are the cost, the partition and the backup's slot; the cost is 1 if an old primary loses its role, -1 if
    an old primary gets its role back.
    """
    exchanges: dict[tuple[int, int], tuple[int, int, int]] = {}
    for partition, (row, old) in enumerate(zip(arrangement.rows, arrangement.old_primary, strict=True)):
        for other in range(1, len(row)):
            exchange = ((row[0] == old) - (row[other] == old), partition, other)
            ends = row[0], row[other]
            if ends not in exchanges or exchange < exchanges[ends]:
                exchanges[ends] = exchange
    return exchanges


def _exchange_directly(arrangement: Arrangement, shares: Shares, index: int, ends: int) -> None:
    """Make every exchange that brings this many counts nearer to their bounds, and takes none out of its bounds."""
    for partition, row in enumerate(arrangement.rows):
        giver = row[index]
        other = next((i for i in range(index + 1, len(row)) if shares.mends(giver, row[i]) >= ends), None)
        if other is not None:
            shares.move(giver, row[other])
            arrangement.swap(partition, index, other)


def _partners(arrangement: Arrangement, index: int, member: int) -> Iterator[int]:
    """Yield the members at higher indices in those rows in which this member is at this index."""
    for partition in arrangement.held[index][member]:
        yield from arrangement.rows[partition][index + 1 :]


def _find_row(arrangement: Arrangement, index: int, giver: int, taker: int) -> tuple[int, int]:
    """Return a row in which giver and taker may change places, and the taker's index; prefer rows that the giver did
    not hold before."""
    places = [
        (giver in arrangement.old[partition], partition, row.index(taker, index + 1))
        for partition in arrangement.held[index][giver]
        if taker in (row := arrangement.rows[partition])[index + 1 :]
    ]
    _, partition, other = min(places)
    return partition, other
