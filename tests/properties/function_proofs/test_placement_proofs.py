"""The optimal policy against Z3, on small worlds."""

from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_model.partition_table import pad_slots
from tests.implementation.placement_worlds import arrange, groups_of, member, table_of
from tests.profiles import examples
from tests.properties.function_proofs.placement import fewest_copies


@dataclass(frozen=True)
class World:
    """Groups, and who holds which partition; members beyond the groups are gone."""

    sizes: tuple[int, ...]
    replica_count: int
    rows: tuple[tuple[int, ...], ...]

    @property
    def holders(self) -> list[set[int]]:
        return [{number for number in row if number < sum(self.sizes)} for row in self.rows]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    sizes = tuple(draw(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=1, max_size=5)))
    everyone = range(sum(sizes) + draw(st.integers(0, 2)))
    lengths = draw(st.lists(st.integers(0, min(7, len(everyone))), min_size=1, max_size=6))
    rows = tuple(tuple(draw(st.permutations(everyone))[:length]) for length in lengths)
    return World(sizes, draw(st.integers(1, len(sizes))), rows)


def copies_of(world: World) -> int:
    """How many replicas the optimal policy puts on members that did not hold the partition."""
    table = table_of([pad_slots([member(number).id for number in row]) for row in world.rows])
    target = arrange(groups_of(*world.sizes), table, replica_count=world.replica_count, policy=OptimalPlacement())
    return sum(
        slot is not None and slot not in row.slots
        for slots, row in zip(target, table.rows, strict=True)
        for slot in slots
    )


HOLE_OF_WHO_LACKS_MOST = World((1, 1, 1), 2, ((2,), (0, 1), (0, 1), (1, 0)))
"""The member that lacks a replica has the row with the hole already: counts say one copy, rows say two."""
ONE_ROW_TWICE_IN_A_RING = World(
    (1, 1, 3, 1, 1),
    4,
    (
        (0, 4, 1, 5),
        (1, 0, 4, 2),
        (1, 0, 4),
        (4, 1, 0),
        (1, 5, 3, 4),
        (1, 0, 4, 5),
        (1, 4, 3, 0),
        (4, 0, 1, 3),
    ),
)


@settings(max_examples=examples(150))
@given(worlds())
@example(HOLE_OF_WHO_LACKS_MOST)
@example(ONE_ROW_TWICE_IN_A_RING)
def test_no_fair_placement_moves_fewer_copies(world: World) -> None:
    assert copies_of(world) == fewest_copies(world.sizes, world.holders, world.replica_count)


def test_rows_can_need_more_copies_than_counts_say() -> None:
    assert fewest_copies((1, 1, 1), HOLE_OF_WHO_LACKS_MOST.holders, 2) == 2


def test_z3_counts_what_an_empty_table_needs() -> None:
    assert fewest_copies((1, 1, 1), [set()] * 4, 2) == 8


def test_z3_finds_nothing_to_move_in_a_fair_table() -> None:
    assert fewest_copies((1, 1), [{0, 1}, {1, 0}], 2) == 0


@pytest.mark.parametrize("partition_count", [3, 4, 6])
def test_z3_knows_what_a_newcomer_must_get(partition_count: int) -> None:
    fair = [{p % 2} for p in range(partition_count)]

    assert fewest_copies((1, 1, 1), fair, 1) == partition_count // 3


def test_z3_catches_a_policy_that_forgets_the_table() -> None:
    fair = World((1, 1, 1), 2, ((0, 1), (1, 2), (2, 0)))
    afresh = World(fair.sizes, fair.replica_count, ((),) * 3)
    target = arrange(groups_of(*fair.sizes), partition_count=3, replica_count=2, policy=OptimalPlacement(), seed=1)
    moved = sum(
        slot is not None and slot.uuid.int - 1 not in row
        for slots, row in zip(target, fair.rows, strict=True)
        for slot in slots
    )

    assert copies_of(afresh) == 6
    assert moved > fewest_copies(fair.sizes, fair.holders, 2) == copies_of(fair) == 0
