"""Backup counts, and which configurations may join."""

from dataclasses import replace

import pytest

from gridproof_model.grid_config import (
    BackupCounts,
    GridConfig,
    GridConfigError,
    StructureConfig,
    StructureKind,
    why_not_joining,
)
from gridproof_model.grid_properties import PropertySet
from gridproof_model.groups import GroupType, PartitionGroupConfig

ONE, TWO, THREE = BackupCounts(1), BackupCounts(2), BackupCounts(3)


def maps(**backups: BackupCounts) -> GridConfig:
    """Maps by name; a double underscore stands for a star."""
    names = {name.replace("__", "*"): counts for name, counts in backups.items()}
    return GridConfig(structures=tuple(StructureConfig(StructureKind.MAP, name, c) for name, c in names.items()))


def backups_of(config: GridConfig, name: str) -> BackupCounts:
    return config.backups_of(StructureKind.MAP, name)


def test_a_structure_has_one_sync_backup_unless_stated() -> None:
    assert backups_of(GridConfig(), "orders") == BackupCounts(1, 0)


def test_the_default_serves_structures_without_their_own() -> None:
    config = maps(default=TWO, orders=THREE)

    assert (backups_of(config, "orders"), backups_of(config, "bills")) == (THREE, TWO)


def test_a_default_for_maps_is_none_for_queues() -> None:
    assert maps(default=TWO).backups_of(StructureKind.QUEUE, "jobs") == ONE


def test_a_configuration_is_found_by_the_name_before_the_separator() -> None:
    assert backups_of(maps(orders=TWO), "orders@region1") == TWO


def test_a_pattern_serves_the_names_it_fits() -> None:
    config = maps(or__rs=TWO)

    assert (backups_of(config, "orders"), backups_of(config, "order")) == (TWO, ONE)


def test_a_name_beats_a_pattern_and_a_long_pattern_a_short_one() -> None:
    config = maps(orders=THREE, o__=ONE, order__=TWO)

    assert (backups_of(config, "orders"), backups_of(config, "order7")) == (THREE, TWO)


def test_maps_of_stream_jobs_keep_one_backup_whatever_other_maps_keep() -> None:
    config = maps(default=BackupCounts(0))

    assert backups_of(config, "__jet.snapshot.sums.0") == ONE
    assert config.merge_policy_of(StructureKind.MAP, "__jet.snapshot.sums.0") == "DiscardMergePolicy"


def test_two_patterns_that_fit_alike_are_refused() -> None:
    with pytest.raises(GridConfigError, match=r'^map "orders" fits the patterns "\*ers" and "ord\*"'):
        backups_of(maps(ord__=ONE, __ers=TWO), "orders")


@pytest.mark.parametrize(("sync", "asynchronous"), [(6, 0), (0, 6), (3, 3), (0, 0)])
def test_six_backups_are_allowed(sync: int, asynchronous: int) -> None:
    assert BackupCounts(sync, asynchronous).total == sync + asynchronous


@pytest.mark.parametrize(("sync", "asynchronous"), [(7, 0), (1, 6), (4, 3)])
def test_seven_backups_are_refused(sync: int, asynchronous: int) -> None:
    with pytest.raises(
        GridConfigError, match=r"sync and . async backups are 7 in all; a partition has at most 6 backups,"
    ):
        BackupCounts(sync, asynchronous)


def test_fewer_than_no_backups_are_refused() -> None:
    with pytest.raises(GridConfigError, match="3 sync and -1 async backups: both must be 0 or more"):
        BackupCounts(3, -1)


def test_like_configurations_join() -> None:
    assert why_not_joining(GridConfig(), GridConfig(lite=True, structures=maps(default=TWO).structures)) is None


def test_interfaces_are_not_compared_at_a_join() -> None:
    one, other = (
        GridConfig(partition_groups=PartitionGroupConfig(GroupType.CUSTOM, (masks,))) for masks in (("a",), ("b",))
    )

    assert why_not_joining(one, other) is None


@pytest.mark.parametrize(
    ("joiner", "reason"),
    [
        (GridConfig(cluster_name="prod"), "cluster name is dev in the cluster and prod at the member that joins"),
        (
            GridConfig(partition_groups=PartitionGroupConfig(GroupType.HOST_AWARE, enabled=False)),
            "partition grouping is PER_MEMBER (disabled) in the cluster and HOST_AWARE (disabled) at the member",
        ),
        (GridConfig(partition_groups=PartitionGroupConfig()), "and PER_MEMBER (enabled) at the member that joins"),
        (
            GridConfig(properties=PropertySet.of({"hazelcast.partition.count": "271"})),
            "hazelcast.partition.count is not set in the cluster and 271 at the member that joins",
        ),
    ],
)
def test_an_unlike_configuration_does_not_join(joiner: GridConfig, reason: str) -> None:
    said = why_not_joining(GridConfig(), joiner)

    assert said is not None
    assert reason in said


def test_notes_make_no_difference() -> None:
    assert replace(GridConfig(), notes=("seen",)) == GridConfig()
