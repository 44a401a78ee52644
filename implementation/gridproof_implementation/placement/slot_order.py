"""Which replica of a row is the primary, which the first backup.

Who holds a partition is settled; members of a row only change places, and nothing is copied. Index by index each count
is brought inside its bounds such that the colder indices still can be.
"""

from collections.abc import Iterator
from functools import partial

from gridproof_implementation.placement.arrangement import Arrangement
from gridproof_implementation.placement.fair_shares import Bounds, Shares, leaving_room


def even_out_slots(arrangement: Arrangement, per_slot: Bounds) -> None:
    """Make the counts at every slot index fair, by exchanges inside rows: single ones first, then chains."""
    for index in range(arrangement.width - 1):
        rest = [sum(counts[index:]) for counts in zip(*arrangement.counts, strict=True)]
        group_rest = [sum(counts[index:]) for counts in zip(*arrangement.group_counts, strict=True)]
        bounds = leaving_room(per_slot, rest, group_rest, arrangement.width - 1 - index)
        shares = Shares(arrangement.grouping, bounds, arrangement.counts[index])
        if not shares.is_fair():
            _exchange_directly(arrangement, shares, index)
        while (chain := shares.find_chain(partial(_partners, arrangement, index))) is not None:
            for giver, taker in chain:
                partition, other = _find_row(arrangement, index, giver, taker)
                arrangement.swap(partition, index, other)
                shares.move(giver, taker)


def _exchange_directly(arrangement: Arrangement, shares: Shares, index: int) -> None:
    """Make every exchange that mends a count and spoils none."""
    for partition, row in enumerate(arrangement.rows):
        giver = row[index]
        other = next((i for i in range(index + 1, len(row)) if shares.mends(giver, row[i])), None)
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
