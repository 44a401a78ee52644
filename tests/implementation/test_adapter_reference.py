"""The reference as a system under test."""

import pytest

from gridproof_implementation.adapter import AdapterError, Options
from gridproof_implementation.adapters.reference import open_reference, open_reference_optimal
from gridproof_implementation.reference.port import ReferencePort
from gridproof_model.membership import Member
from gridproof_model.trace import OperationKind, Outcome

SMALL = Options(partition_count=11)


def settled(grid: ReferencePort, count: int, *groups: str) -> tuple[Member, ...]:
    """Start members, in these groups in turn, and let the grid settle."""
    for index in range(count):
        member = grid.start_member(group=groups[index % len(groups)] if groups else None)
        grid.view_table(member)
    come_to_rest(grid)
    return grid.members()


def come_to_rest(grid: ReferencePort) -> None:
    """Let time pass until nothing is awaited."""
    while grid.why_unsettled() is not None:
        grid.wait(100)


def test_two_runs_of_one_seed_are_identical() -> None:
    first, second = ReferencePort(Options(seed=3)), ReferencePort(Options(seed=3))

    assert settled(first, 4) == settled(second, 4)
    assert [first.view_table(m) for m in first.members()] == [second.view_table(m) for m in second.members()]
    assert first.now_ms == second.now_ms


def test_a_view_shows_the_slots_that_the_backup_count_uses() -> None:
    with open_reference(Options(backup_count=2)) as grid:
        first, *_ = settled(grid, 5)

        assert {len(row.slots) for row in grid.view_table(first)} == {3}


def test_a_look_at_the_table_makes_the_first_arrangement() -> None:
    grid = ReferencePort(SMALL)
    first = grid.start_member()

    assert {row.slots[0] for row in grid.view_table(first)} == {first.id}


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
    grid = ReferencePort(SMALL)
    settled(grid, 2)

    assert grid.group_of(grid.start_member(lite=True)) == ""


@pytest.mark.parametrize("groups", [("a", None), (None, "a")])
def test_groups_are_named_for_all_members_or_for_none(groups: tuple[str | None, str | None]) -> None:
    grid = ReferencePort(SMALL)
    grid.start_member(group=groups[0])

    with pytest.raises(AdapterError, match="give all a group, or none"):
        grid.start_member(group=groups[1])


def test_without_a_member_there_is_nobody_to_write_through() -> None:
    with pytest.raises(AdapterError, match="start a member first"):
        ReferencePort(SMALL).write("key", "value")


def test_a_written_entry_is_read_through_every_member() -> None:
    grid = ReferencePort(SMALL)
    members = settled(grid, 3)
    written = grid.write("key", "value")

    assert written.outcome is Outcome.OK
    assert [grid.read("key", through=member).value for member in members] == ["value"] * 3


def test_an_absent_entry_is_read_as_absent() -> None:
    grid = ReferencePort(SMALL)
    settled(grid, 2)

    answer = grid.read("key")

    assert (answer.outcome, answer.value) == (Outcome.OK, None)


def test_a_removed_entry_is_read_as_absent_and_counted_no_more() -> None:
    grid = ReferencePort(SMALL)
    settled(grid, 2)
    grid.write("first", "1")
    grid.write("second", "2")

    assert grid.remove("first").outcome is Outcome.OK
    assert (grid.read("first").value, grid.operate(OperationKind.SIZE, "").value) == (None, "1")


@pytest.mark.parametrize(
    ("asked", "came_back"),
    [
        ([(OperationKind.ADD, "counter", None, None)] * 2, ["1", "2"]),
        (
            [(OperationKind.COMPARE_AND_SET, "key", "new", "value"), (OperationKind.CONTAINS, "key", None, None)],
            2 * ["true"],
        ),
        ([(OperationKind.APPEND, "list", "a", None), (OperationKind.READ, "list", None, None)], [None, "a"]),
        (
            [(OperationKind.OFFER, "queue", "a", None)] + [(OperationKind.POLL, "queue", None, None)] * 2,
            [None, "a", None],
        ),
    ],
)
def test_operations_are_those_of_the_audited_map_and_of_structures_of_their_own(
    asked: list[tuple[OperationKind, str, str | None, str | None]], came_back: list[str | None]
) -> None:
    grid = ReferencePort(SMALL)
    settled(grid, 2)
    grid.write("key", "value")

    assert [grid.operate(*one).value for one in asked] == came_back


def test_a_lock_is_its_clients_until_that_one_gives_it_back() -> None:
    grid = ReferencePort(SMALL)
    settled(grid, 2)
    asked = [(OperationKind.LOCK, 1), (OperationKind.LOCK, 2), (OperationKind.UNLOCK, 1), (OperationKind.LOCK, 2)]

    assert [grid.operate(kind, "lock", client=client).value for kind, client in asked] == ["true", "false", "0", "true"]
    assert grid.operate(OperationKind.READ, "lock").value == "true"


def test_as_many_members_hold_an_entry_as_there_are_copies() -> None:
    grid = ReferencePort(Options(partition_count=11, backup_count=2))
    members = settled(grid, 4)
    grid.write("key", "value")

    held = [grid.read_replica(member, grid.partition_of("key")) for member in members]

    roles = [content.role for content in held if content is not None and content.entries == {"key": "value"}]
    assert sorted(roles) == ["backup 1", "backup 2", "primary"]


def test_an_entry_survives_as_many_crashes_as_there_are_backups() -> None:
    grid = ReferencePort(Options(partition_count=11, backup_count=2))
    members = settled(grid, 4)
    for number in range(30):
        grid.write(f"key-{number}", f"value-{number}")
    come_to_rest(grid)

    for member in members[:2]:
        grid.crash(member)
    come_to_rest(grid)

    assert [grid.read(f"key-{number}").value for number in range(30)] == [f"value-{number}" for number in range(30)]


def test_a_crash_is_noticed_after_a_while() -> None:
    grid = ReferencePort(SMALL)
    first, *_ = settled(grid, 3)
    grid.crash(first)

    assert grid.why_unsettled() is not None
    come_to_rest(grid)

    assert first not in grid.members()


def test_a_member_that_leaves_is_gone_when_leave_returns_and_takes_nothing_along() -> None:
    grid = ReferencePort(Options(partition_count=11, backup_count=0))
    first, *_ = settled(grid, 3)
    for number in range(30):
        grid.write(f"key-{number}", "value")
    grid.leave(first)

    assert first not in grid.members()
    assert {grid.read(f"key-{number}").value for number in range(30)} == {"value"}


def test_a_member_that_is_gone_cannot_be_asked() -> None:
    grid = ReferencePort(SMALL)
    first, *_ = settled(grid, 2)
    grid.crash(first)

    with pytest.raises(AdapterError, match="has ended or was never started"):
        grid.view_table(first)


def test_the_optimal_reference_keeps_primaries_equal_after_a_crash() -> None:
    with open_reference_optimal(Options()) as grid:
        first, *others = settled(grid, 4)
        grid.crash(first)
        come_to_rest(grid)
        owners = [row.slots[0] for row in grid.view_table(others[0])]

    assert sorted(owners.count(member.id) for member in others) == [90, 90, 91]


def test_the_optimal_reference_fills_no_slot_that_no_structure_uses() -> None:
    grid = ReferencePort(SMALL)
    settled(grid, 4)
    with open_reference_optimal(SMALL) as optimal:
        settled(optimal, 4)

        assert max(filled_slots(grid)) == 4
        assert max(filled_slots(optimal)) == 2


def filled_slots(grid: ReferencePort) -> list[int]:
    """Return how many slots are filled in each row of the oldest member's table, beyond what a view shows."""
    grid.backup_count = 6
    return [sum(slot is not None for slot in row.slots) for row in grid.view_table(grid.members()[0])]
