"""The dealer: what single moves reach, before anything is mended."""

from random import Random

from gridproof_implementation.placement.arrangement import Arrangement
from gridproof_implementation.placement.dealing import Dealer
from gridproof_implementation.placement.fair_shares import Grouping

A, B, C, D = range(4)


def shed(holders: list[list[int]], totals: list[int], *, width: int = 1) -> Arrangement:
    """What is left when four members, each a group of its own, gave up what is above these totals."""
    arrangement = Arrangement(Grouping.of_sizes([1, 1, 1, 1]), holders, width)
    Dealer(arrangement, totals, Random(0)).shed()
    return arrangement


def test_nobody_gives_up_more_than_is_above_its_total() -> None:
    holders = [[A, B], [A, B], [A, B], [D], [D], [D]]

    assert shed(holders, [2, 1, 1, 2]).loads == [2, 1, 1, 2]


def test_a_former_holder_gets_a_replica_before_anybody_else() -> None:
    holders = [[A], [A, C], [A]]

    assert shed(holders, [2, 1, 1, 1]).rows[1] == [C]


def test_nobody_above_its_total_gives_nothing_up() -> None:
    holders = [[A], [A], [B]]

    assert shed(holders, [2, 1, 0, 0]).rows == holders
