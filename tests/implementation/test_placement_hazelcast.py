"""The documented policy on the seeds' examples and numbers."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from gridproof_implementation.placement.hazelcast import HazelcastPlacement, compact, is_near
from gridproof_implementation.placement.plan import Target
from gridproof_implementation.placement.policy import PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.partition_table import PartitionTable, TableError
from tests.implementation.placement_worlds import (
    arrange,
    groups_of,
    held,
    letters_of,
    member,
    row,
    singles,
    table_of,
)


def test_a_single_member_owns_all_271_partitions() -> None:
    assert held(arrange(singles([0])), 0) == {member(0).id: 271}


def test_two_members_own_135_and_136_and_back_each_other_up() -> None:
    target = arrange(singles([0, 1]))

    assert sorted(held(target, 0).values()) == [135, 136]
    assert all({slots[0], slots[1]} == {member(0).id, member(1).id} for slots in target)


def test_four_members_own_67_or_68_partitions() -> None:
    assert sorted(held(arrange(singles(range(4))), 0).values()) == [67, 68, 68, 68]


@pytest.mark.parametrize("groups", [(), (MemberGroup("empty", ()),)])
def test_without_a_member_there_is_no_target(groups: tuple[MemberGroup, ...]) -> None:
    assert HazelcastPlacement().place(PlacementRequest(groups, PartitionTable.empty(12)), Random(0)) is None


@pytest.mark.parametrize(
    ("before", "after"), [("A-CD", "ADC"), ("-BC", "CB"), ("ABC", "ABC"), ("A", "A"), ("-----FG", "GF"), ("", "")]
)
def test_holes_are_filled_by_the_coldest_replica(before: str, after: str) -> None:
    assert letters_of(compact(row(before))) == after


@pytest.mark.parametrize("member_count", [1, 2, 3, 5, 7, 8, 20, 40])
def test_a_first_arrangement_has_primaries_equal_to_within_one(member_count: int) -> None:
    counts = held(arrange(singles(range(member_count))), 0).values()

    assert len(counts) == member_count
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("member_count", [1, 2, 3, 7])
def test_up_to_seven_groups_hold_every_partition_once_each(member_count: int) -> None:
    everyone = {member(number).id for number in range(member_count)}

    assert all({*slots} - {None} == everyone for slots in arrange(singles(range(member_count))))


def test_a_join_moves_the_least_primaries_and_only_to_the_newcomer() -> None:
    table = table_of(arrange(singles([0])))
    for size in range(2, 31):
        target = arrange(singles(range(size)), table, seed=size)
        changed = [slots[0] for r, slots in zip(table.rows, target, strict=True) if r.primary != slots[0]]
        assert changed == [member(size - 1).id] * (271 // size)
        table = table_of(target)


@pytest.mark.parametrize("member_count", [1, 2, 4, 12, 40])
def test_a_second_run_changes_nothing(member_count: int) -> None:
    first = stable(arrange(singles(range(member_count))), member_count)

    assert arrange(singles(range(member_count)), table_of(first), seed=1) == first


def stable(target: Target, member_count: int) -> Target:
    """The target after as many runs as it needs to be balanced, up to ten."""
    for seed in range(10):
        target = arrange(singles(range(member_count)), table_of(target), seed=seed)
    return target


def test_backups_need_not_be_balanced_when_the_three_tries_are_over() -> None:
    spreads = [spread(arrange(singles(range(7)), seed=seed), index=6) for seed in range(20)]

    assert max(spreads) > 6, "about half of the fresh arrangements of seven members end unbalanced (placement.13)"


def test_a_group_above_the_average_gives_to_each_group_below_only_what_it_lacks() -> None:
    table = table_of([row(letter) for letter in "A" * 12 + "B" * 9 + "C" * 9])

    assert set(held(arrange(singles(range(3)), table, replica_count=1), 0).values()) == {10}


@pytest.mark.parametrize("count", [7, 10, 13])
def test_a_count_within_three_of_the_average_is_near(count: int) -> None:
    assert is_near(count, average=10)


@pytest.mark.parametrize("count", [6, 14])
def test_a_count_four_from_a_small_average_is_not_near(count: int) -> None:
    assert not is_near(count, average=10)


@pytest.mark.parametrize(("count", "average"), [(40, 44), (44, 40)])
def test_a_count_of_the_average_by_one_and_a_tenth_is_near(count: int, average: int) -> None:
    assert is_near(count, average)


@pytest.mark.parametrize(("count", "average"), [(39, 44), (45, 40)])
def test_a_count_beyond_one_and_a_tenth_is_not_near(count: int, average: int) -> None:
    assert not is_near(count, average)


def spread(target: Target, index: int) -> int:
    counts = held(target, index).values()
    return max(counts) - min(counts)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((1, 3), {136: 1, 45: 3}), ((10, 1, 1), {90: 2, 9: 9, 10: 1}), ((2, 2), {68: 3, 67: 1})],
)
def test_balance_is_per_group_not_per_member(sizes: tuple[int, ...], expected: dict[int, int]) -> None:
    assert Counter(held(arrange(groups_of(*sizes)), 0).values()) == expected


@pytest.mark.parametrize("sizes", [(1, 3), (2, 2, 3), (5, 5), (1, 1, 1, 4), (3,) * 9])
def test_replicas_of_a_partition_are_in_different_groups(sizes: tuple[int, ...]) -> None:
    groups = groups_of(*sizes)
    group_of = {m.id: group.name for group in groups for m in group.members}

    for slots in arrange(groups):
        used = [group_of[slot] for slot in slots if slot is not None]
        assert len(used) == len(set(used)) == min(len(sizes), 7)


def test_members_of_a_group_share_each_replica_index_to_within_one() -> None:
    target = arrange(groups_of(4, 3, 5))

    for index, first, size in ((i, start, size) for i in range(3) for start, size in ((0, 4), (4, 3), (7, 5))):
        counts = [held(target, index).get(member(number).id, 0) for number in range(first, first + size)]
        assert max(counts) - min(counts) <= 1


def test_partitions_out_of_scope_stay_and_those_in_scope_are_filled() -> None:
    groups = singles(range(10))
    table = PartitionTable.empty(100)
    target = arrange(groups, table, scope=range(0, 100, 3))

    assert all((None in slots) == (partition % 3 != 0) for partition, slots in enumerate(target))
    assert all(slots == row("") for partition, slots in enumerate(target) if partition % 3)


def test_fewer_replicas_can_be_asked_for() -> None:
    target = arrange(singles(range(5)), replica_count=2)

    assert all(sum(slot is not None for slot in slots) == 2 for slots in target)


def test_equal_dice_give_equal_targets() -> None:
    assert arrange(singles(range(9)), seed=5) == arrange(singles(range(9)), seed=5)


def test_other_dice_give_another_target() -> None:
    assert arrange(singles(range(9)), seed=5) != arrange(singles(range(9)), seed=6)


def test_a_member_in_two_groups_is_refused() -> None:
    with pytest.raises(TableError, match="is in two partition groups"):
        PlacementRequest((*singles([0, 1]), *singles([1])), PartitionTable.empty(3))


def test_a_replica_count_beyond_seven_is_refused() -> None:
    with pytest.raises(TableError, match="is 8; it must be from 1 to 7"):
        PlacementRequest(singles([0]), PartitionTable.empty(3), replica_count=8)


def test_after_a_crash_few_members_keep_uneven_primaries() -> None:
    """Each survivor holds every partition already, so no group may take one, and three slots leave nothing to free."""
    table = PartitionTable.empty()
    for size in range(1, 5):
        table = table_of(arrange(singles(range(size)), table, seed=size))
    rows = [r.without([member(0).id]).promoted() for r in table.rows]
    promoted = held([r.slots for r in rows], 0)

    assert max(promoted.values()) - min(promoted.values()) == 46
    assert held(arrange(singles([1, 2, 3]), table.with_rows(rows)), 0) == promoted


SWEEP = (3, 6, 9, 10, 11, 17, 57, 100, 130, 77, 179, 93, 37, 26, 15, 5)
"""The member counts of the upstream sweep (placement.9)."""


@pytest.mark.parametrize("partition_count", [271, 787, 1549, pytest.param(3217, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("group_size", [1, 3])
def test_counts_stay_within_a_factor_of_two_through_joins_and_leaves(partition_count: int, group_size: int) -> None:
    table = PartitionTable.empty(partition_count)
    sizes = [size for size in SWEEP if partition_count / size >= 10]
    for before, size in pairwise([0, *sizes]):
        rows = [r.without(member(number).id for number in range(size, before)).promoted() for r in table.rows]
        groups = groups_of(*[min(group_size, size - first) for first in range(0, size, group_size)])
        target = arrange(groups, table.with_rows(rows), seed=size)
        assert_within_a_factor_of_two(target, groups)
        table = table_of(target)


def assert_within_a_factor_of_two(target: Target, groups: tuple[MemberGroup, ...]) -> None:
    """Counts of groups, and of the members inside each, at every index (placement.9)."""
    for index in range(min(len(groups), 7)):
        counts = held(target, index)
        by_group = [sum(counts.get(m.id, 0) for m in group.members) for group in groups]
        assert_near(by_group, len(target) // len(groups))
        for group, total in zip(groups, by_group, strict=True):
            assert_near([counts.get(m.id, 0) for m in group.members], total // len(group.members))


def assert_near(counts: list[int], average: int) -> None:
    assert average <= 10 or all(average / 2 <= count <= 2 * average for count in counts), counts
