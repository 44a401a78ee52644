"""The reference grid on the seeds' stories."""

from collections import Counter

import pytest

from gridproof_model.groups import GroupType, PartitionGroupConfig
from gridproof_model.membership import Member, MemberId, MembershipError
from gridproof_model.partition_table import PartitionTable
from tests.tables_only.grid import PartitionLost, ReferenceGrid

ZONES = PartitionGroupConfig(GroupType.ZONE_AWARE)


def grid_of(member_count: int, *, partition_count: int = 271, seed: int = 0) -> ReferenceGrid:
    """A settled grid whose members joined one after another."""
    grid = ReferenceGrid(seed, partition_count)
    for _ in range(member_count):
        grid.start()
        look(grid)
    return grid


def look(grid: ReferenceGrid) -> PartitionTable:
    """The table of the master at rest."""
    assert grid.members.master is not None
    grid.table_of(grid.members.master.id)
    while grid.why_unsettled() is not None:
        grid.wait(1)
    return grid.table_of(grid.members.master.id)


def owners(table: PartitionTable, index: int = 0) -> Counter[MemberId | None]:
    return Counter(row.slots[index] for row in table.rows)


def nth(grid: ReferenceGrid, index: int) -> Member:
    return grid.members.members[index]


def test_nothing_is_arranged_before_someone_looks() -> None:
    grid = ReferenceGrid()
    grid.start()
    grid.wait(1000)

    assert grid.why_unsettled() is None
    assert grid.table_of(nth(grid, 0).id).versions == (1,) * 271


def test_one_member_owns_271_partitions() -> None:
    grid = grid_of(1)

    assert owners(look(grid)) == {nth(grid, 0).id: 271}


def test_two_members_own_135_and_136_and_back_each_other_up() -> None:
    grid = grid_of(2)
    table = look(grid)

    assert sorted(owners(table).values()) == [135, 136]
    assert all(set(row.replicas) == {member.id for member in grid.members} for row in table.rows)


def test_four_members_own_67_or_68_partitions() -> None:
    assert sorted(owners(look(grid_of(4))).values()) == [67, 68, 68, 68]


def test_a_join_hands_the_newcomer_its_share_of_primaries_and_nobody_else() -> None:
    grid = grid_of(3)
    before = look(grid)
    newcomer = grid.start()
    changed = [b.primary for a, b in zip(before.rows, look(grid).rows, strict=True) if a.primary != b.primary]

    assert changed == [newcomer.id] * 67


def test_a_lite_member_owns_nothing_and_triggers_nothing() -> None:
    grid = grid_of(2)
    before = look(grid)
    lite = grid.start(lite=True)

    assert grid.why_unsettled() is None
    assert grid.table_of(lite.id) == before


def test_a_lite_member_can_be_the_master() -> None:
    grid = ReferenceGrid()
    lite, data = grid.start(lite=True), grid.start()

    assert grid.members.master == lite
    assert owners(look(grid)) == {data.id: 271}


def test_lite_members_alone_have_an_empty_table() -> None:
    grid = ReferenceGrid(partition_count=12)
    grid.start(lite=True)

    assert owners(look(grid)) == {None: 12}


def test_a_promoted_lite_member_gets_its_share() -> None:
    grid = grid_of(2)
    lite = grid.start(lite=True)
    grid.promote(lite.id)

    assert owners(look(grid))[lite.id] == 271 // 3


def test_a_data_member_cannot_be_promoted() -> None:
    grid = grid_of(1)

    with pytest.raises(MembershipError, match="is already a data member"):
        grid.promote(nth(grid, 0).id)


def test_a_crash_promotes_the_next_replica_of_each_row() -> None:
    grid = grid_of(3)
    before = look(grid)
    gone = nth(grid, 0).id
    grid.crash(gone)
    grid.wait(1)
    rows = zip(before.rows, grid.table_of(nth(grid, 0).id).rows, strict=True)

    assert all(after.primary == next(r for r in row.replicas if r != gone) for row, after in rows)


def test_every_promotion_is_reported_as_a_loss_of_the_primary_alone() -> None:
    grid = grid_of(3)
    owned = [partition for partition, row in enumerate(look(grid).rows) if row.primary == nth(grid, 0).id]
    grid.crash(nth(grid, 0).id)
    grid.wait(1)

    assert grid.lost == [PartitionLost(grid.now_ms, partition, 0) for partition in owned]


def test_a_partition_without_survivor_is_lost_with_all_backups() -> None:
    grid = grid_of(1)
    grid.crash(nth(grid_of_two := joined_unseen(grid), 0).id)
    look(grid_of_two)

    assert {loss.lost_backup_count for loss in grid.lost} == {6}
    assert len(grid.lost) == 271


def joined_unseen(grid: ReferenceGrid) -> ReferenceGrid:
    """The grid after one more member joined that no replica has reached yet."""
    grid.start()
    return grid


def test_a_graceful_shutdown_loses_nothing() -> None:
    grid = grid_of(3)
    grid.leave(nth(grid, 0).id)
    look(grid)

    assert grid.lost == []


def test_a_graceful_shutdown_of_the_only_owner_hands_everything_over() -> None:
    grid = joined_unseen(grid_of(1))
    grid.leave(nth(grid, 0).id)

    assert grid.lost == []
    assert owners(look(grid)) == {nth(grid, 0).id: 271}


def test_the_last_data_member_leaves_at_once() -> None:
    grid = grid_of(1)
    lite = grid.start(lite=True)
    before_ms = grid.now_ms
    grid.leave(nth(grid, 0).id)

    assert grid.now_ms == before_ms
    assert grid.members.members == (lite,)


def test_a_new_master_goes_on_from_the_newest_rows_of_anyone() -> None:
    grid = grid_of(3)
    newcomer = grid.start()
    grid.wait(4)
    ahead = grid.table_of(newcomer.id)
    grid.crash(nth(grid, 0).id)

    assert ahead.versions != grid_of(3).table_of(nth(grid_of(3), 0).id).versions
    assert all(old <= new for old, new in zip(ahead.versions, grid.table_of(nth(grid, 0).id).versions, strict=True))


def test_members_see_a_migration_late_and_agree_at_rest() -> None:
    grid = grid_of(3)
    newcomer = grid.start()
    grid.wait(3)
    assert grid.table_of(newcomer.id) != grid.table_of(nth(grid, 1).id)

    look(grid)
    assert len({grid.table_of(member.id) for member in grid.members}) == 1


def test_versions_count_changed_slots() -> None:
    grid = grid_of(3)
    before = look(grid)
    grid.start()
    after = look(grid)

    assert all(
        b.version - a.version >= sum(x != y for x, y in zip(a.slots, b.slots, strict=True))
        for a, b in zip(before.rows, after.rows, strict=True)
    )


def test_a_restarted_member_is_another_member() -> None:
    grid = grid_of(2)
    first = nth(grid, 0)
    grid.crash(first.id)
    second = grid.start()

    assert second.id.uuid != first.id.uuid
    assert first.id not in owners(look(grid))


def test_zones_separate_the_replicas_of_a_partition() -> None:
    grid = ReferenceGrid(groups=ZONES)
    zone_of = {
        grid.start(attributes=(("hazelcast.partition.group.zone", zone),)).id: zone
        for zone in ("a", "a", "b", "b", "c")
    }

    assert all(sorted(zone_of[r] for r in row.replicas) == ["a", "b", "c"] for row in look(grid).rows)


def test_equal_seeds_and_calls_give_equal_grids() -> None:
    assert look(grid_of(5, seed=7)) == look(grid_of(5, seed=7))


def test_other_seeds_give_other_members() -> None:
    assert nth(grid_of(1, seed=1), 0).id.uuid != nth(grid_of(1, seed=2), 0).id.uuid
