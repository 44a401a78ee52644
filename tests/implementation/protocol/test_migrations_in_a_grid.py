"""Replicas move when members join and go.

chapter placement, chapter migration, chapter repair; seed: Repartitioning.
"""

import pytest

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.simulator.host import Moment, PlannedCrash
from gridproof_model.events.migration import MigrationOrdered
from gridproof_model.events.partitioning import PartitionLost, PlanMade, Promoted
from gridproof_model.groups import GroupType, PartitionGroupConfig
from tests.implementation.protocol.filled_grids import (
    PARTITIONS,
    VALUES,
    arrange,
    config_of,
    filled,
    put,
    rows,
    values,
    why_unsettled,
)
from tests.implementation.protocol.grids import Grid, empty_grid

POLICIES = [HazelcastPlacement(), OptimalPlacement()]
STEPS = [
    "MigrationOrdered",
    "MigrationOpened",
    "MigrationReadied",
    "FragmentsMigrated",
    "MigrationCopied",
    "CommitOrdered",
    "MigrationCommitted",
    "MigrationEnded",
    "MigrationFinished",
    "CompletedMigrations",
    "MigrationForgotten",
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_newcomer_is_given_replicas_with_their_data(policy: PlacementPolicy) -> None:
    grid = filled(2, policy=policy)
    grid.start()

    grid.run_for(30)

    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_a_lite_newcomer_moves_nothing() -> None:
    grid = filled(2)
    before = rows(grid)

    grid.start(lite=True)
    grid.run_for(30)

    assert rows(grid) == before
    assert grid.events_of(PlanMade) == []


def test_a_lite_member_that_goes_moves_nothing() -> None:
    grid = filled(2)
    (lite,) = grid.start(lite=True)
    before = rows(grid)

    grid.world.crash(lite)
    grid.run_for(30)

    assert rows(grid) == before


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_a_crash_with_a_backup_loses_nothing(policy: PlacementPolicy) -> None:
    grid = filled(3, policy=policy)

    grid.world.crash(grid.running[1])
    grid.run_for(30)

    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_replicas_that_change_places_keep_their_data() -> None:
    grid = filled(3, policy=OptimalPlacement())

    grid.world.crash(grid.running[1])
    grid.run_for(30)

    assert "exchange" in {event.kind for event in grid.events_of(MigrationOrdered)}
    assert values(grid) == VALUES


def test_a_crash_of_the_master_loses_nothing() -> None:
    grid = filled(3)

    grid.world.crash(grid.running[0])
    grid.run_for(30)

    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_members_crash_one_after_another_until_one_is_left() -> None:
    grid = filled(4)
    for _ in range(3):
        grid.world.crash(grid.running[0])
        grid.run_for(30)

    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_every_promotion_from_slot_one_says_that_only_the_primary_was_lost() -> None:
    grid = filled(3)

    grid.world.crash(grid.running[1])
    grid.run_for(30)

    assert {event.lost_backup_count for event in grid.events_of(PartitionLost)} == {0}
    assert len(grid.events_of(PartitionLost)) == len(grid.events_of(Promoted)) > 0


def test_two_crashes_at_once_lose_what_had_one_backup_and_say_so() -> None:
    grid = filled(4)
    victims = grid.running[1:3]
    lost = [p for p, row in enumerate(rows(grid)) if set(row[:2]) == {host.number for host in victims}]

    for host in victims:
        grid.world.crash(host)
    grid.run_for(30)

    found = {event.partition for event in grid.events_of(PartitionLost) if event.lost_backup_count >= 1}
    assert why_unsettled(grid) is None
    assert {p for p, value in enumerate(values(grid)) if value is None} == found == set(lost)


def test_a_member_that_restarts_at_its_address_is_another_one() -> None:
    grid = filled(3)
    address_index = grid.running[1].address_index
    grid.world.crash(grid.running[1])

    grid.world.restart(address_index)
    grid.run_for(60)

    assert why_unsettled(grid) is None
    assert all(1 not in row for row in rows(grid))
    assert values(grid) == VALUES


@pytest.mark.parametrize("moment", [Moment.BEFORE, Moment.AMID, Moment.AFTER])
@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_any_step_of_a_migration_loses_nothing(step: str, moment: Moment) -> None:
    grid = filled(3)
    # The newcomer is the destination, the others are primaries, the oldest is the master: whoever takes the step dies.
    for host in grid.running:
        host.planned_crash = PlannedCrash(step, 2, moment)
    newcomer = grid.world.start_member()
    newcomer.planned_crash = PlannedCrash(step, 2, moment)

    while sum(not host.alive for host in grid.world.hosts) == 0 and grid.world.now_us < 60_000_000:
        grid.run_for(0.0001)
    for host in grid.running:
        host.planned_crash = None
    grid.run_for(60)

    assert len(grid.running) < 4
    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_messages_that_are_lost_stop_no_migration() -> None:
    grid = filled(3)
    newcomer = grid.world.start_member()
    for host in grid.running[:3]:
        grid.world.links.at(host.address_index, newcomer.address_index).drop_share = 0.2
        grid.world.links.at(newcomer.address_index, host.address_index).drop_share = 0.2

    grid.run_for(120)
    grid.heal()
    grid.run_for(400)

    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_writes_during_migrations_are_kept() -> None:
    grid = filled(3)
    grid.start()
    wanted = [f"w{partition}" for partition in range(PARTITIONS)]

    put(grid, wanted)
    grid.run_for(30)

    assert values(grid) == wanted


def test_groups_are_kept_apart() -> None:
    grid = zone_grid(PartitionGroupConfig(GroupType.ZONE_AWARE))

    grid.run_for(60)

    assert why_apart(grid) is None


def zone_grid(groups: PartitionGroupConfig) -> Grid:
    """Return a grid of two zones with two members each."""
    grid = empty_grid(1, config_of(groups=groups))
    for zone in ("a", "b", "a", "b"):
        grid.world.start_member(attributes=(("hazelcast.partition.group.zone", zone),))
        grid.run_for(0.1)
    arrange(grid)
    return grid


def why_apart(grid: Grid) -> int | None:
    """Return a partition with two replicas in one zone, or None; members alternate between two zones."""
    return next((p for p, row in enumerate(rows(grid)) if sorted(n % 2 for n in row if n is not None) != [0, 1]), None)


def test_a_promotion_waits_for_the_rebalance_delay() -> None:
    grid = filled(3, config=config_of(partition_rebalance_after_member_left_delay_seconds=20))
    grid.world.crash(grid.running[1])

    grid.run_for(15)
    early = len(grid.events_of(Promoted))
    grid.run_for(30)

    assert early == 0
    assert grid.events_of(Promoted) != []
    assert why_unsettled(grid) is None


def test_a_promoted_lite_member_is_given_replicas() -> None:
    grid = filled(2)
    (lite,) = grid.start(lite=True)

    grid.world.promote_lite(lite, 1)
    grid.run_for(30)

    assert why_unsettled(grid) is None
    assert any(lite.number in row for row in rows(grid))
