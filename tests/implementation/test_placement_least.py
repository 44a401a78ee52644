"""The optimal policy against every fair placement of small worlds."""

from collections.abc import Sequence
from itertools import permutations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_model.partition_table import Slots, pad_slots
from tests.implementation.placement_enumeration import Order, least_cost
from tests.implementation.placement_worlds import arrange, groups_of, member, table_of
from tests.profiles import examples

SIZES = [(1, 1), (1, 1, 1), (1,) * 4, (1, 2), (2, 2), (1, 3), (1, 1, 2), (2, 1, 1)]
LEAVER = 8

olds = st.builds(
    lambda order, mask: [who if mask >> place & 1 else None for place, who in enumerate(order)],
    st.permutations([0, 1, 2, 3, LEAVER]),
    st.integers(0, 31),
)
"""A row before: any order of four members and one that is going, with holes."""


TWO_MOVES_IN_ONE_ROW = [[3, 1], [0, 4], [3, 0, 4, 1], [0, 4], [1, 4, 2, 3]]
"""Copies are saved by moves of which two, inside their groups, need the same row."""


@settings(max_examples=examples(20, nightly=3_000))
@given(st.sampled_from(SIZES), st.lists(olds, min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 3))
@example((1, 2, 2), TWO_MOVES_IN_ONE_ROW, 2, 1)
def test_no_fair_placement_copies_less(
    sizes: tuple[int, ...], old: list[list[int | None]], copies: int, seed: int
) -> None:
    placed = place(sizes, old, copies, seed)

    assert sum(lacking(old, *row) for row in enumerate(placed)) == least_cost(
        sizes, [separated(sizes, len(placed[0]))] * len(old), lambda partition, order: lacking(old, partition, order)
    )


@settings(max_examples=examples(150))
@given(st.sampled_from(SIZES), st.lists(olds, min_size=1, max_size=6), st.integers(2, 3), st.integers(0, 3))
def test_no_fair_order_of_the_same_holders_keeps_more_primaries(
    sizes: tuple[int, ...], old: list[list[int | None]], copies: int, seed: int
) -> None:
    placed = place(sizes, old, copies, seed)

    assert sum(order[0] != row[0] for order, row in zip(placed, old, strict=True)) == least_cost(
        sizes, [list(permutations(order)) for order in placed], lambda partition, order: order[0] != old[partition][0]
    )


def place(sizes: tuple[int, ...], old: Sequence[Sequence[int | None]], copies: int, seed: int) -> list[Order]:
    """The optimal target of members with these numbers; whoever is beyond the groups is no member any more."""
    table = table_of([slots_of(row) for row in old])
    target = arrange(groups_of(*sizes), table, replica_count=copies, policy=OptimalPlacement(), seed=seed)
    numbers = {member(number).id: number for number in range(sum(sizes))}
    return [tuple(numbers[slot] for slot in slots if slot is not None) for slots in target]


def slots_of(row: Sequence[int | None]) -> Slots:
    return pad_slots([None if who is None else member(who).id for who in row])


def lacking(old: Sequence[Sequence[int | None]], partition: int, order: Order) -> int:
    return len({*order}.difference(old[partition]))


def separated(sizes: tuple[int, ...], width: int) -> list[Order]:
    """Every row of this many members, no two of a group."""
    group_of = [number for number, size in enumerate(sizes) for _ in range(size)]
    return [
        order for order in permutations(range(len(group_of)), width) if len({group_of[who] for who in order}) == width
    ]
