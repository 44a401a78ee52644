"""Which replica of a row is the primary.

Who holds a partition is settled; members of a row only change places, and nothing is copied. Index by index each count
is brought inside its bounds such that the colder indices still can be.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from gridproof_implementation.placement.arrangement import Arrangement
from gridproof_implementation.placement.fair_shares import Bounds, Shares, leaving_room
from gridproof_implementation.placement.saving_rings import IMPOSSIBLE, find_saving_ring


def even_out_slots(arrangement: Arrangement, per_slot: Bounds) -> None:
    """Make the counts at every slot index fair, by exchanges inside rows: single ones first, then chains."""
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
    """Change roles in rings until no more partitions can keep their primary, with these holders and bounds."""
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
    """Return, for each primary and backup of some row, the row where it costs least that they exchange roles.

    Cost, partition and slot of the backup; the cost is 1 where an old primary goes, -1 where one comes back.
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
    """Make every exchange that mends this many counts and spoils none."""
    for partition, row in enumerate(arrangement.rows):
        giver = row[index]
        other = next((i for i in range(index + 1, len(row)) if shares.mends(giver, row[i]) >= ends), None)
        if other is not None:
            shares.move(giver, row[other])
            arrangement.swap(partition, index, other)


def _partners(arrangement: Arrangement, index: int, member: int) -> Iterator[int]:
    """Yield the members that stand colder in the rows this member has at an index."""
    for partition in arrangement.held[index][member]:
        yield from arrangement.rows[partition][index + 1 :]


def _find_row(arrangement: Arrangement, index: int, giver: int, taker: int) -> tuple[int, int]:
    """Return a row where the two may change places, and the taker's index: first one where the giver is new anyway."""
    places = [
        (giver in arrangement.old[partition], partition, row.index(taker, index + 1))
        for partition in arrangement.held[index][giver]
        if taker in (row := arrangement.rows[partition])[index + 1 :]
    ]
    _, partition, other = min(places)
    return partition, other
