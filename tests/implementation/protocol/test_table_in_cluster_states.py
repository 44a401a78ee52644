"""The table in a cluster that allows not everything.

members.24, placement.17, members.25, repair.14.
"""

from gridproof_implementation.simulator.host import Moment, PlannedCrash
from gridproof_model.events.migration import MigrationOrdered
from gridproof_model.events.partitioning import FetchBegun, PlanMade, RowInstalled, RowsFetched, TableRefused
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.filled_grids import (
    PARTITIONS,
    VALUES,
    filled,
    part_of,
    rows,
    values,
    why_unsettled,
)


def test_without_migrations_backups_are_promoted_and_nothing_is_copied() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.NO_MIGRATION)
    grid.run_for(5)
    ordered = len(grid.events_of(MigrationOrdered))

    grid.world.crash(grid.running[1])
    grid.run_for(30)

    assert len(grid.events_of(MigrationOrdered)) == ordered
    assert all(row[0] is not None for row in rows(grid))
    assert values(grid) == VALUES


def test_without_migrations_lost_partitions_are_filled_at_once() -> None:
    grid = filled(1)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.NO_MIGRATION)
    grid.run_for(5)
    grid.start(2)

    grid.world.crash(grid.running[0])
    grid.run_for(30)

    assert [sorted(row, key=str) for row in rows(grid)] == [[1, 2]] * PARTITIONS
    assert grid.events_of(MigrationOrdered) == []


def test_what_was_held_back_migrates_when_the_cluster_is_active_again() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.NO_MIGRATION)
    grid.run_for(5)
    grid.world.crash(grid.running[1])
    grid.run_for(30)

    grid.world.change_cluster_state(grid.running[0], 2, ClusterState.ACTIVE)
    grid.run_for(30)

    assert why_unsettled(grid) is None


def test_a_change_of_state_alone_moves_nothing() -> None:
    grid = filled(3)
    before = len(grid.events_of(PlanMade))

    for state in (ClusterState.FROZEN, ClusterState.ACTIVE, ClusterState.NO_MIGRATION, ClusterState.ACTIVE):
        grid.world.change_cluster_state(grid.running[0], 1, state)
        grid.run_for(5)

    assert len(grid.events_of(PlanMade)) == before


def test_a_frozen_table_stays_as_it_is_when_a_member_crashes() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)
    grid.run_for(5)
    before = tuple(part_of(grid.running[0]).rows)

    grid.world.crash(grid.running[1])
    grid.run_for(30)

    assert tuple(part_of(grid.running[0]).rows) == before


def test_a_member_that_returns_to_a_frozen_cluster_has_its_slots_again() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)
    grid.run_for(5)
    before = rows(grid)
    grid.world.crash(grid.running[1])
    grid.run_for(30)

    grid.world.restart(1)
    grid.run_for(30)

    assert rows(grid) == [[3 if number == 1 else number for number in row] for row in before]
    assert len({part_of(host).stamp for host in grid.running}) == 1


def test_a_frozen_cluster_follows_its_next_master() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[1], 1, ClusterState.FROZEN)
    grid.run_for(5)

    grid.world.crash(grid.running[0])
    grid.run_for(60)

    assert grid.events_of(TableRefused) == []


def test_a_master_that_dies_while_the_state_changes_is_succeeded() -> None:
    grid = filled(3)
    grid.running[0].planned_crash = PlannedCrash("LockState", 1, Moment.AFTER)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)

    grid.run_for(200)

    assert len(grid.running) == 2
    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_slots_of_missing_members_are_repaired_when_members_may_join_again() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)
    grid.run_for(5)
    grid.world.crash(grid.running[1])
    grid.run_for(30)

    grid.world.change_cluster_state(grid.running[0], 2, ClusterState.ACTIVE)
    grid.run_for(60)

    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_a_new_master_collects_rows_before_it_repairs_any_when_missing_members_go_for_good() -> None:
    grid = filled(4)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)
    grid.run_for(5)
    for number in (2, 0):
        grid.world.crash(grid.world.hosts[number])
        grid.run_for(30)
    before = len(grid.seen.events)

    grid.world.change_cluster_state(grid.running[0], 2, ClusterState.ACTIVE)
    grid.run_for(60)

    ordered = [type(event) for member, event in grid.seen.events[before:] if member == 1]
    assert ordered.count(FetchBegun) == 1
    assert FetchBegun in ordered[: ordered.index(RowInstalled)]
    assert ordered.index(RowsFetched) < ordered.index(MigrationOrdered)


def test_a_new_master_collects_rows_once_though_two_masters_are_missing() -> None:
    grid = filled(4)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)
    grid.run_for(5)
    for number in (0, 1):
        grid.world.crash(grid.world.hosts[number])
        grid.run_for(30)

    grid.world.change_cluster_state(grid.running[0], 2, ClusterState.ACTIVE)
    grid.run_for(60)

    assert len(grid.events_of(FetchBegun)) == 1
    assert why_unsettled(grid) is None


def test_rows_collected_while_the_state_changed_are_not_collected_again_when_the_old_master_goes() -> None:
    grid = filled(3)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.FROZEN)
    grid.run_for(5)
    grid.running[0].planned_crash = PlannedCrash("LockState", 1, Moment.AFTER)
    grid.world.change_cluster_state(grid.running[0], 2, ClusterState.ACTIVE)
    grid.run_for(200)

    grid.world.change_cluster_state(grid.running[0], 3, ClusterState.ACTIVE)
    grid.run_for(60)

    assert len(grid.events_of(FetchBegun)) == 1
    assert why_unsettled(grid) is None
