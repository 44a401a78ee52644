"""A grid that was split is one again."""

from dataclasses import replace

import pytest

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_implementation.protocol.structures.set import Add, Elements
from gridproof_model.events.merging import EntriesCollected, MergeEnded
from gridproof_model.grid_config import GridConfig, StructureConfig, StructureKind
from tests.implementation.protocol.grids import Grid, config_with, make_grid

MERGES_SOON = config_with(partition_count=5, merge_first_run_delay_seconds=100, merge_next_run_delay_seconds=20)
SHELF, CRATE = StructureId("map", "shelf"), StructureId("set", "crate")


def split_grid(config: GridConfig = MERGES_SOON) -> Grid:
    """Return a grid of five, cut into two and three that went on by themselves."""
    grid = make_grid(5, config=config)
    grid.ask(grid.running[0], Put(SHELF, "before", "0"))
    grid.cut(grid.world.hosts[:2], grid.world.hosts[2:])
    grid.run_for(85)
    return grid


def merge(grid: Grid) -> None:
    """Let the halves find each other."""
    grid.heal()
    grid.run_for(100)


def test_the_smaller_side_joins_the_larger_one() -> None:
    grid = split_grid()

    merge(grid)

    assert [sorted(members) for members in grid.lists()] == [[2, 3, 4, 5, 6]]


def test_merged_members_are_other_incarnations_at_the_same_addresses() -> None:
    grid = split_grid()

    merge(grid)

    before, after = grid.world.hosts[:2], grid.world.hosts[5:]
    assert {host.address_index for host in before} == {host.address_index for host in after}
    assert {host.description.id.uuid for host in before}.isdisjoint(host.description.id.uuid for host in after)


def test_a_larger_side_that_is_gone_leaves_the_merging_members_a_cluster_of_their_own() -> None:
    grid = split_grid()
    grid.heal()
    while not grid.events_of(EntriesCollected):
        grid.run_for(0.0005)

    for host in grid.world.hosts[2:5]:
        grid.world.crash(host)
    grid.run_for(200)

    assert [len(members) for members in grid.lists()] == [2]


def test_what_both_sides_acknowledged_is_decided_by_put_if_absent() -> None:
    grid = split_grid()
    smaller, larger = grid.world.hosts[0], grid.world.hosts[2]
    grid.ask(smaller, Put(SHELF, "mine", "1"))
    grid.ask(larger, Put(SHELF, "theirs", "2"))
    grid.ask(smaller, Put(SHELF, "both", "3"))
    grid.ask(larger, Put(SHELF, "both", "4"))

    merge(grid)

    assert values_of(grid, "before", "mine", "theirs", "both") == ["0", "1", "2", "4"]


@pytest.mark.parametrize(
    ("policy", "value"),
    [("PassThroughMergePolicy", "mine"), ("DiscardMergePolicy", "theirs"), ("LatestUpdateMergePolicy", "mine")],
)
def test_the_configured_policy_decides(policy: str, value: str) -> None:
    shelf = StructureConfig(StructureKind.MAP, "shelf", merge_policy=policy)
    grid = split_grid(replace(MERGES_SOON, structures=(shelf,)))
    grid.ask(grid.world.hosts[2], Put(SHELF, "a", "theirs"))
    grid.ask(grid.world.hosts[0], Put(SHELF, "a", "mine"))

    merge(grid)

    assert values_of(grid, "a") == [value]


def test_a_set_keeps_what_both_sides_added() -> None:
    grid = split_grid()
    grid.ask(grid.world.hosts[0], Add(CRATE, "apple"))
    grid.ask(grid.world.hosts[2], Add(CRATE, "pear"))

    merge(grid)

    answer = grid.ask(grid.running[0], Elements(CRATE))
    assert answer is not None
    assert answer.value == ("apple", "pear")


def test_a_merge_comes_to_an_end() -> None:
    grid = split_grid()
    grid.ask(grid.world.hosts[0], Put(SHELF, "mine", "1"))

    merge(grid)

    assert len(grid.events_of(MergeEnded)) >= 1


def test_what_back_pressure_refuses_is_brought_in_after_a_pause() -> None:
    # Refused entries were tried again in the same moment, five times, and given up: 3 of 12 were lost.
    narrow = config_with(
        partition_count=5,
        merge_first_run_delay_seconds=100,
        merge_next_run_delay_seconds=20,
        backpressure_enabled="true",
        backpressure_max_concurrent_invocations_per_partition=1,
        backpressure_backoff_timeout_millis=0,
    )
    grid = split_grid(narrow)
    keys = [f"key-{number}" for number in range(12)]
    for key in keys:
        grid.ask(grid.world.hosts[0], Put(SHELF, key, "1"))

    merge(grid)

    assert values_of(grid, *keys) == ["1"] * 12


def values_of(grid: Grid, *keys: str) -> list[object]:
    """Return what a client reads of some entries."""
    answers = [grid.ask(grid.running[0], Get(SHELF, key)) for key in keys]
    return [None if answer is None else answer.value for answer in answers]
