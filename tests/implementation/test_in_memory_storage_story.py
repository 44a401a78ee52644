"""The In-Memory Storage seed: three members, twelve partitions.

The seed's picture numbers partitions round robin and shows backups spread evenly. The algorithm shuffles: which
partition goes where is illustration, the counts of primaries always hold, those of backups hold for most shuffles.
"""

from collections import Counter

import pytest

from gridproof_model.membership import MemberId
from gridproof_model.partition_table import PartitionTable
from tests.implementation.test_reference_grid import look, nth, owners
from tests.tables_only.grid import PartitionLost, ReferenceGrid

SEEDS = range(20)
PRIMARY, BACKUP = 0, 1


def three_members(seed: int) -> ReferenceGrid:
    """Three members that were all there when the table was made."""
    grid = ReferenceGrid(seed, 12)
    for _ in range(3):
        grid.start()
    look(grid)
    return grid


def given(before: PartitionTable, after: PartitionTable, newcomer: MemberId, index: int) -> Counter[MemberId | None]:
    """How many replicas at an index the newcomer took over from whom."""
    rows = zip(before.rows, after.rows, strict=True)
    return Counter(old.slots[index] for old, new in rows if new.slots[index] == newcomer)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_of_three_members_owns_four_partitions(seed: int) -> None:
    assert sorted(owners(look(three_members(seed))).values()) == [4, 4, 4]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fourth_member_receives_one_primary_from_each(seed: int) -> None:
    grid = three_members(seed)
    before, founders = look(grid), [member.id for member in grid.members]
    newcomer = grid.start()

    assert given(before, look(grid), newcomer.id, PRIMARY) == dict.fromkeys(founders, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_fourth_member_receives_three_backups(seed: int) -> None:
    grid = three_members(seed)
    before = look(grid)
    newcomer = grid.start()

    assert given(before, look(grid), newcomer.id, BACKUP).total() == 3
    assert sorted(owners(look(grid), BACKUP).values()) == [3, 3, 3, 3]


@pytest.mark.parametrize("seed", SEEDS)
def test_it_receives_one_backup_from_each_where_backups_were_even(seed: int) -> None:
    grid = three_members(seed)
    before, founders = look(grid), [member.id for member in grid.members]
    if set(owners(before, BACKUP).values()) == {4}:
        assert given(before, look_with_fourth(grid), nth(grid, 3).id, BACKUP) == dict.fromkeys(founders, 1)


def look_with_fourth(grid: ReferenceGrid) -> PartitionTable:
    grid.start()
    return look(grid)


def test_backups_are_even_in_most_shuffles_as_in_the_picture() -> None:
    even = sum(set(owners(look(three_members(seed)), BACKUP).values()) == {4} for seed in SEEDS)

    assert len(SEEDS) / 2 < even < len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_when_the_first_member_fails_its_four_partitions_are_promoted_from_their_backups(seed: int) -> None:
    grid = three_members(seed)
    before, gone = look(grid), nth(grid, 0).id
    grid.crash(gone)
    grid.wait(1)
    after = grid.table_of(nth(grid, 0).id)

    owned = [partition for partition, row in enumerate(before.rows) if row.primary == gone]
    assert len(owned) == 4
    assert all(after.rows[p].primary == before.rows[p].slots[BACKUP] for p in owned)
    assert grid.lost == [PartitionLost(grid.now_ms, p, 0) for p in owned]


@pytest.mark.parametrize("seed", SEEDS)
def test_after_the_failure_the_survivors_back_each_other_up(seed: int) -> None:
    grid = three_members(seed)
    grid.crash(nth(grid, 0).id)

    assert all(set(row.slots[:2]) == {member.id for member in grid.members} for row in look(grid).rows)


def test_two_promotions_fall_on_each_survivor_in_most_shuffles() -> None:
    shares = Counter(promotions(seed) for seed in SEEDS)

    assert shares[2, 2] > len(SEEDS) / 2


def promotions(seed: int) -> tuple[int, ...]:
    """How many promotions each survivor got."""
    grid = three_members(seed)
    before, gone = look(grid), nth(grid, 0).id
    promoted = Counter(before.rows[p].slots[BACKUP] for p, row in enumerate(before.rows) if row.primary == gone)
    return tuple(promoted[member.id] for member in grid.members if member.id != gone)
