"""Rings of moves that pass one row twice are cut."""

import numpy as np
import pytest

from gridproof_implementation.placement.rerouting import cut_ring
from gridproof_implementation.placement.saving_rings import Costs

RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
"""Five members, each giving to the next."""


def costs_of(*cheap: tuple[int, int]) -> Costs:
    """Return costs of 1 for every move but these, which save a copy."""
    costs = np.ones((5, 5), np.int16)
    for move in cheap:
        costs[move] = -1
    return costs


def test_the_inner_part_of_a_cut_ring_is_taken_where_it_saves() -> None:
    inner = [(2, 3), (3, 2)]

    assert cut_ring(costs_of(*inner), RING, 1, 3) == inner


def test_the_outer_part_of_a_cut_ring_is_taken_where_it_saves() -> None:
    outer = [(0, 1), (1, 4), (4, 0)]

    assert cut_ring(costs_of(*outer), RING, 1, 3) == outer


@pytest.mark.parametrize("cheap", [[(3, 2)], [(1, 4), (0, 1)]])
def test_a_cut_ring_is_a_ring_again(cheap: list[tuple[int, int]]) -> None:
    ring = cut_ring(costs_of(*cheap), RING, 1, 3)

    assert [taker for _, taker in ring] == [giver for giver, _ in [*ring[1:], ring[0]]]
