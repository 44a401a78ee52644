"""The optimal policy: fair, fewest copies, few changes."""

from collections.abc import Sequence
from random import Random

import pytest

from gridproof_implementation.placement.optimal import OptimalPlacement
from gridproof_implementation.placement.plan import Target
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.membership import MemberId
from gridproof_model.partition_table import PartitionTable
from tests.implementation.placement_certificate import copies_at_least
from tests.implementation.placement_worlds import arrange, groups_of, held, member, row, singles, table_of

OPTIMAL = OptimalPlacement()


def place(
    groups: Sequence[MemberGroup],
    table: PartitionTable | None = None,
    *,
    count: int = 271,
    copies: int = 7,
    seed: int = 0,
) -> Target:
    """The optimal target, with every promise about counts and groups checked."""
    target = arrange(groups, table, partition_count=count, replica_count=copies, policy=OPTIMAL, seed=seed)
    assert_fair(target, groups, min(len(groups), copies))
    return target


def assert_fair(target: Target, groups: Sequence[MemberGroup], width: int) -> None:
    group_of = {m.id: group.name for group in groups for m in group.members}
    for slots in target:
        assert len({group_of[slot] for slot in slots if slot is not None}) == width
        assert slots.index(None) == width if None in slots else width == 7
    for index in range(width):
        counts = held(target, index)
        by_group = [[counts.get(m.id, 0) for m in group.members] for group in groups]
        assert_even([sum(inside) for inside in by_group])
        for inside in by_group:
            assert_even(inside)


def assert_even(counts: list[int]) -> None:
    assert max(counts) - min(counts) <= 1, counts


def copied(table: PartitionTable, target: Target) -> int:
    """Replicas on members that did not hold the partition."""
    return sum(len({*slots} - {*r.slots, None}) for r, slots in zip(table.rows, target, strict=True))


def new_primaries(table: PartitionTable, target: Target) -> list[MemberId | None]:
    return [slots[0] for r, slots in zip(table.rows, target, strict=True) if r.primary != slots[0]]


def without(target: Target, *numbers: int) -> PartitionTable:
    """The table after these members crashed and backups were promoted."""
    gone = [member(number).id for number in numbers]
    table = table_of(target)
    return table.with_rows([r.without(gone).promoted() for r in table.rows])


@pytest.mark.parametrize("member_count", [1, 2, 3, 4, 7, 8, 20, 100])
def test_a_first_arrangement_is_fair_at_every_slot(member_count: int) -> None:
    place(singles(range(member_count)))


@pytest.mark.parametrize("sizes", [(1, 3), (2, 2, 3), (10, 1, 1), (5,) * 9, (1, 2, 3, 4, 5)])
def test_groups_of_any_size_are_fair_to_one_another_and_inside(sizes: tuple[int, ...]) -> None:
    place(groups_of(*sizes))


@pytest.mark.parametrize("copies", [1, 2, 3, 5])
def test_each_join_copies_only_what_the_newcomer_needs(copies: int) -> None:
    table = table_of(place(singles([0]), copies=copies))
    for size in range(2, 25):
        width, before = min(size, copies), min(size - 1, copies)
        target = place(singles(range(size)), table, copies=copies, seed=size)
        assert copied(table, target) == (271 if width > before else width * (271 // size))
        table = table_of(target)


@pytest.mark.parametrize("copies", [1, 2, 3, 7])
def test_each_join_moves_the_least_primaries_and_only_to_the_newcomer(copies: int) -> None:
    table = table_of(place(singles([0]), copies=copies))
    for size in range(2, 25):
        target = place(singles(range(size)), table, copies=copies, seed=size)
        assert new_primaries(table, target) == [member(size - 1).id] * (271 // size)
        table = table_of(target)


@pytest.mark.parametrize("member_count", [3, 4, 5, 6, 10])
def test_after_a_crash_everything_is_fair_again(member_count: int) -> None:
    target = place(singles(range(member_count)))

    place(singles(range(1, member_count)), without(target, 0))


def test_after_a_crash_among_few_only_roles_change() -> None:
    table = without(place(singles(range(4))), 0)

    assert copied(table, place(singles([1, 2, 3]), table)) == 0


def test_a_graceful_leave_copies_what_the_leaver_held() -> None:
    table = table_of(place(singles(range(10)), copies=3))
    gone = sum(r.slot_of(member(0).id) is not None for r in table.rows)

    assert copied(table, place(singles(range(1, 10)), table, copies=3)) == gone


@pytest.mark.parametrize("sizes", [(1,) * 12, (3, 3, 3), (2, 5, 1)])
def test_a_second_run_changes_nothing(sizes: tuple[int, ...]) -> None:
    target = place(groups_of(*sizes))

    assert place(groups_of(*sizes), table_of(target), seed=1) == target


def test_fewer_wanted_replicas_are_dropped_without_copies() -> None:
    table = table_of(place(singles(range(9)), copies=5))

    assert copied(table, place(singles(range(9)), table, copies=2)) == 0


def test_new_groups_over_old_members_separate_the_replicas() -> None:
    table = table_of(place(singles(range(12)), copies=3))

    place(groups_of(4, 4, 4), table, copies=3)


def test_without_a_member_there_is_no_target() -> None:
    assert OPTIMAL.place(PlacementRequest((), PartitionTable.empty(12)), Random(0)) is None


def test_rows_out_of_scope_stand_as_they_stood() -> None:
    target = arrange(singles(range(5)), partition_count=30, policy=OPTIMAL, scope=range(0, 30, 3))

    assert [slots for slots in target if slots != row("")] == list(target[::3])
    assert_fair(target[::3], singles(range(5)), 5)


def test_equal_dice_give_equal_targets() -> None:
    assert place(singles(range(9)), seed=5) == place(singles(range(9)), seed=5)


def test_backups_of_one_member_are_spread_over_the_others() -> None:
    target = place(singles(range(10)), copies=2)
    backups = {slots[1] for slots in target if slots[0] == member(0).id}

    assert len(backups) >= 7


def test_after_a_crash_as_many_primaries_stay_as_counts_allow() -> None:
    table = without(place(singles(range(100)), count=10_000, copies=3), 0)
    promoted = held([r.slots for r in table.rows], 0)
    too_many = sum(max(0, count - 102) for count in promoted.values())
    too_few = sum(max(0, 101 - promoted.get(member(number).id, 0)) for number in range(1, 100))

    target = place(singles(range(1, 100)), table, count=10_000, copies=3)
    assert len(new_primaries(table, target)) == max(too_many, too_few)


LARGE = {
    "one joins": (tuple(range(1000)), tuple(range(1001))),
    "two hundred join": (tuple(range(1000)), tuple(range(1200))),
    "one crashes": (tuple(range(1000)), tuple(range(1, 1000))),
    "a quarter crashes": (tuple(range(1000)), tuple(range(250, 1000))),
}


@pytest.mark.parametrize(("before", "after"), LARGE.values(), ids=LARGE.keys())
def test_ten_thousand_partitions_move_no_more_than_a_certificate_allows(
    before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    target = place(singles(before), count=10_000, copies=3)
    table = without(target, *sorted(set(before) - set(after)))
    moved = copied(table, place(singles(after), table, count=10_000, copies=3))

    assert moved == copies_at_least(table, singles(after), 3)


def test_a_zone_that_crashes_moves_no_more_than_a_certificate_allows() -> None:
    zones = groups_of(*[25] * 8)
    table = without(place(zones, count=2_000, copies=3), *range(25))
    moved = copied(table, place(zones[1:], table, count=2_000, copies=3))

    assert moved == copies_at_least(table, zones[1:], 3)


def test_a_skewed_table_moves_no_more_than_a_certificate_allows() -> None:
    rng = Random(1)
    table = table_of([tuple(member(m).id for m in rng.sample(range(40), 3)) + row("")[3:] for _ in range(2_000)])
    moved = copied(table, place(singles(range(100)), table, count=2_000, copies=3))

    assert moved == copies_at_least(table, singles(range(100)), 3)
