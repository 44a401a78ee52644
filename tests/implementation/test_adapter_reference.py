"""The reference as a system under test."""

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters.reference import open_reference
from gridproof_implementation.adapters.reference_optimal import open_reference_optimal
from gridproof_implementation.reference.port import ReferencePort
from gridproof_model.identity import Member


def settled(grid: ReferencePort, count: int, *groups: str) -> tuple[Member, ...]:
    """Start members, in these groups in turn, and let the grid settle."""
    for index in range(count):
        member = grid.start_member(group=groups[index % len(groups)] if groups else None)
        grid.view_table(member)
    while grid.why_unsettled() is not None:
        grid.wait(10)
    return grid.members()


def test_two_runs_of_one_seed_are_identical() -> None:
    first, second = ReferencePort(Options(seed=3)), ReferencePort(Options(seed=3))

    assert settled(first, 4) == settled(second, 4)
    assert [first.view_table(m) for m in first.members()] == [second.view_table(m) for m in second.members()]
    assert first.now_ms == second.now_ms


def test_a_view_shows_the_slots_that_the_backup_count_uses() -> None:
    with open_reference(Options(backup_count=2)) as grid:
        first, *_ = settled(grid, 5)

        assert {len(row.slots) for row in grid.view_table(first)} == {3}


def test_named_groups_are_zones_that_share_no_partition() -> None:
    grid = ReferencePort(Options())
    first, *_ = settled(grid, 6, "a", "b", "c")
    zone_of = {member.id: grid.group_of(member) for member in grid.members()}

    assert set(zone_of.values()) == {"a", "b", "c"}
    assert all(
        zone_of[row.slots[0]] != zone_of[row.slots[1]]
        for row in grid.view_table(first)
        if row.slots[0] and row.slots[1]
    )


def test_a_lite_member_is_in_no_group() -> None:
    grid = ReferencePort(Options())
    settled(grid, 2)

    assert grid.group_of(grid.start_member(lite=True)) == ""


@pytest.mark.parametrize("groups", [("a", None), (None, "a")])
def test_groups_are_named_for_all_members_or_for_none(groups: tuple[str | None, str | None]) -> None:
    grid = ReferencePort(Options())
    grid.start_member(group=groups[0])

    with pytest.raises(AdapterError, match="either every data member is started in a group, or none is"):
        grid.start_member(group=groups[1])


def test_there_is_no_data_to_write() -> None:
    with pytest.raises(AdapterError, match="tables only"):
        ReferencePort(Options()).write("key", "value")


def test_a_member_that_leaves_is_gone_when_leave_returns() -> None:
    grid = ReferencePort(Options())
    first, *_ = settled(grid, 3)
    grid.leave(first)

    assert first not in grid.members()


def test_the_optimal_reference_keeps_primaries_equal_after_a_crash() -> None:
    with open_reference_optimal(Options()) as grid:
        first, *others = settled(grid, 4)
        grid.crash(first)
        while grid.why_unsettled() is not None:
            grid.wait(10)
        owners = [row.slots[0] for row in grid.view_table(others[0])]

    assert sorted(owners.count(member.id) for member in others) == [90, 90, 91]
