"""Correct grids are green, however grouped and backed up."""

import pytest
from _pytest.mark import ParameterSet

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters import get_adapter
from gridproof_model.grid_config import BackupCounts, GridConfig, StructureConfig, StructureKind
from gridproof_model.grid_properties import PARTITION_COUNT, PropertySet
from gridproof_model.groups import GroupType, PartitionGroupConfig
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, exit_status

PARTITIONS = 31
PLAN = Extent(grid=GridPlan(key_count=12, sampled_every=1, many_calls=1, crash_write_count=6, quiet_ms=10))
HOST_AWARE = PartitionGroupConfig(GroupType.HOST_AWARE)
TWO_RACKS = PartitionGroupConfig(GroupType.CUSTOM, (("10.0.1.*",), ("10.0.2.*", "10.0.3.*")))


def by_night(*values: int) -> list[ParameterSet]:
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


LATE = ("a", "a", "b", "b", "a", "b", "c", "c")
"""A host that begins when the others have several members already."""


def checked(
    groups: PartitionGroupConfig,
    hosts: tuple[str, ...],
    members: int,
    *,
    backups: BackupCounts | None = None,
    seed: int = 0,
    system: str = "reference",
) -> dict[str, Verdict]:
    """Return the verdicts on a grid of these members, by property."""
    counts = backups or BackupCounts()
    structures = (StructureConfig(StructureKind.MAP, "default", counts),)
    properties = PropertySet.of({PARTITION_COUNT.name: str(PARTITIONS)})
    config = GridConfig(partition_groups=groups, structures=structures, properties=properties)
    options = Options(
        seed, members, counts.total, PARTITIONS, config=config, hosts=hosts, async_backup_count=counts.asynchronous
    )
    verdicts = check_conformance(get_adapter(system), options, extent=PLAN)
    reported = [v for v in verdicts if v.promise is PromiseLevel.PROMISED and v.result is not Result.HOLDS]
    assert exit_status(verdicts) == 0, reported
    return {verdict.property: verdict for verdict in verdicts}


@pytest.mark.parametrize("members", [3, *by_night(4, 5), 7])
@pytest.mark.parametrize("hosts", [("a", "b"), ("a", "b", "c"), ("a", "a", "b"), LATE], ids=" ".join)
def test_members_that_share_hosts_are_green(hosts: tuple[str, ...], members: int) -> None:
    assert checked(HOST_AWARE, hosts, members, seed=members)["group-separation"].result is Result.HOLDS


@pytest.mark.parametrize("members", [4, 6])
def test_members_that_share_masks_are_green(members: int) -> None:
    assert checked(TWO_RACKS, ("10.0.1.1", "10.0.2.1", "10.0.3.1"), members)["full-rows"].result is Result.HOLDS


@pytest.mark.parametrize("backups", [BackupCounts(0, 0), BackupCounts(2, 0), BackupCounts(1, 1)], ids=str)
def test_grouped_members_are_green_whatever_the_backups(backups: BackupCounts) -> None:
    checked(HOST_AWARE, ("a", "b", "c"), 6, backups=backups)


def test_the_other_placement_is_green_with_groups_too() -> None:
    checked(HOST_AWARE, ("a", "b"), 4, system="reference-optimal")


def test_a_primary_that_moves_within_a_group_is_a_documented_weakness() -> None:
    found = checked(HOST_AWARE, LATE, 6)["movement-only-to-newcomer"]

    assert (found.result, found.promise) == (Result.BROKEN, PromiseLevel.WEAKNESS)


def test_members_that_are_groups_of_their_own_are_promised_more() -> None:
    found = checked(PartitionGroupConfig(), (), 5)["movement-only-to-newcomer"]

    assert (found.result, found.promise) == (Result.HOLDS, PromiseLevel.PROMISED)


@pytest.mark.parametrize("seed", [0, *by_night(1, 2, 3)])
@pytest.mark.parametrize("backups", [BackupCounts(0, 1), BackupCounts(0, 2), BackupCounts(1, 2)], ids=str)
def test_async_backups_are_green(backups: BackupCounts, seed: int) -> None:
    found = checked(PartitionGroupConfig(enabled=False), (), 3, backups=backups, seed=seed)

    assert found["backups-converge"].result is Result.HOLDS
