"""Balance, on tables whose counts are plain to see."""

from typing import Any

import pytest

from gridproof_model.events.conditions import StatedTable
from gridproof_model.groups import CUT
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder


def rows(*counts: int) -> list[Row]:
    """Rows of one slot: member i owns counts[i] of them."""
    return [(member,) for member, count in enumerate(counts) for _ in range(count)]


def grown(*counts: int) -> TraceBuilder:
    """A grid without backups that only grew, each member owning this many."""
    run = TraceBuilder(partition_count=sum(counts), backup_count=0).join(*range(len(counts)))
    return run.view("joined", rows(*counts))


def test_counts_within_one_are_even() -> None:
    assert grown(4, 5, 4).judged("balance-of-primaries").result is Result.HOLDS


def test_counts_two_apart_are_not_and_both_ends_are_named() -> None:
    verdict = grown(6, 5, 4).judged("balance-of-primaries")

    held = "group 'group-0' had 6 primaries, group 'group-2' had 4 primaries, where a fair share is 5"
    assert verdict.witness[0].endswith(f": {held}, and no two groups may differ by more than 1")


@pytest.mark.parametrize(
    ("prop", "rows", "result"),
    [
        ("balance-of-primaries", [(0, 1), (0, 1), (0, 2), (2, 0)], Result.UNKNOWN),
        ("group-separation", [(0, 1), (0, 1), (0, 2), (2, 0)], Result.UNKNOWN),
        ("one-replica-per-member", [(0, 1), (0, 1), (0, 2), (2, 2)], Result.BROKEN),
        ("full-rows", [(0, 1), (0, 1), (0, 2), (2, 0)], Result.HOLDS),
        ("full-rows", [(0, 1), (0, 1), (0, 2), (2, None)], Result.BROKEN),
    ],
)
def test_a_lone_group_is_cut_in_two_and_nobody_says_how(prop: str, rows: list[Row], result: Result) -> None:
    run = TraceBuilder(partition_count=4, backup_count=1).join(0, 1, 2, group=f"zone{CUT}")

    assert run.view("joined 3", rows).judged(prop).result is result


def test_groups_are_balanced_before_members() -> None:
    """A group of two owns as much as a group of one (placement.9)."""
    run = TraceBuilder(partition_count=8, backup_count=0).join(0, group="a").join(1, 2, group="b")

    assert run.view("joined 3", rows(4, 2, 2)).judged("balance-of-primaries").result is Result.HOLDS


def test_members_of_a_group_share_evenly() -> None:
    run = TraceBuilder(partition_count=8, backup_count=0).join(0, group="a").join(1, 2, group="b")

    verdict = run.view("joined 3", rows(4, 3, 1)).judged("balance-of-primaries")

    held = "member 1 (host-1) had 3 primaries, member 2 (host-2) had 1 primary"
    assert f": {held}, where a fair share is 2, and " in verdict.witness[0]


@pytest.mark.parametrize(("backups", "result"), [((2, 2), Result.HOLDS), ((3, 1), Result.BROKEN)])
def test_members_of_a_group_share_backups_evenly(backups: tuple[int, int], result: Result) -> None:
    run = TraceBuilder(partition_count=8, backup_count=1).join(0, group="a").join(1, 2, group="b")
    holders = [member for member, number in zip((1, 2), backups, strict=True) for _ in range(number)]

    table: list[Row] = [*((0, member) for member in holders), *((member, 0) for member in (1, 1, 2, 2))]

    assert run.view("joined 3", table).judged("balance-of-backups").result is result


def test_nothing_is_said_of_backups_where_each_member_is_a_group() -> None:
    run = TraceBuilder(partition_count=2, backup_count=1).join(0).join(1)

    assert run.view("joined 2", [(0, 1), (0, 1)]).judged("balance-of-backups").result is Result.UNKNOWN


def test_weights_decide_the_shares() -> None:
    run = TraceBuilder(partition_count=9, backup_count=0).join(0, weight=2.0).join(1)

    assert run.view("joined 2", rows(6, 3)).judged("balance-of-primaries").result is Result.HOLDS
    assert run.view("again", rows(4, 5)).judged("balance-of-primaries").result is Result.BROKEN


def test_after_a_loss_primaries_are_owed_a_wider_balance() -> None:
    run = TraceBuilder(partition_count=20, backup_count=0).join(0, 1, 2).crash(2).view("crashed 1", rows(13, 7))

    assert run.judged("balance-of-primaries").result is Result.UNKNOWN
    assert run.judged("balance-after-loss").result is Result.HOLDS


def test_more_than_three_and_a_tenth_off_is_uneven_after_a_loss() -> None:
    run = TraceBuilder(partition_count=20, backup_count=0).join(0, 1, 2).crash(2).view("crashed 1", rows(14, 6))

    verdict = run.judged("balance-after-loss")

    share = "a fair share is 10, rounded down, and 7 to 13 are allowed"
    limit = "a group may be off its share by 3, or by a factor of 1.1 if that allows more"
    held = "group 'group-0' had 14 primaries, group 'group-1' had 6 primaries"
    assert verdict.witness[0].endswith(f": {held}, where {share}; {limit}")


def test_a_share_of_ten_is_too_small_to_be_held_to_anything() -> None:
    assert grown(20, 0).judged("balance-of-copies").result is Result.UNKNOWN


def test_one_owner_cannot_be_out_of_balance() -> None:
    assert grown(40).judged("balance-of-primaries").result is Result.UNKNOWN


def test_a_share_of_more_than_ten_may_not() -> None:
    verdict = grown(17, 5).judged("balance-of-copies")

    assert verdict.result is Result.BROKEN
    share = "where a fair share is 11, and 6 to 22 are allowed, half that share to double that share"
    said = f"group 'group-1' had 5 copies in slot 0, member 1 (host-1) had 5 copies, {share}"
    assert verdict.witness[0].endswith(f": {said}")


def test_members_are_balanced_over_all_copies() -> None:
    """Slot by slot the groups are even, and one member of a group carries everything."""
    run = TraceBuilder(partition_count=30, backup_count=0).join(0, group="a").join(1, 2, group="b")

    verdict = run.view("joined 3", rows(15, 14, 1)).judged("balance-of-copies")

    assert verdict.result is Result.HOLDS, "7.5 is too small a share"
    wide = TraceBuilder(partition_count=60, backup_count=0).join(0, group="a").join(1, 2, group="b")
    said = (
        "member 2 (host-2) had 2 copies, where a fair share is 15, "
        "and 8 to 30 are allowed, half that share to double that share"
    )
    assert wide.view("joined 3", rows(30, 28, 2)).judged("balance-of-copies").witness[0].endswith(f": {said}")


def test_a_table_whose_rows_did_not_all_come_is_not_judged() -> None:
    run = grown(6, 5, 4)
    del run.records[-1]

    assert run.judged("balance-of-primaries").result is Result.UNKNOWN


def test_the_witness_has_the_fewest_members() -> None:
    run = TraceBuilder(partition_count=12, backup_count=0).join(0, 1, 2).view("three", rows(6, 3, 3)).crash(2)

    verdict = run.view("two", rows(11, 1)).judged("balance-after-loss")

    spread = "spread the primaries of 12 partitions over 2 members in 2 groups, but not by fair shares"
    assert f" ms (stage 'two') the table of member 0 (host-0) {spread}: " in verdict.witness[0]


@pytest.mark.parametrize(
    ("weights", "counts"), [((0, 1), (0, 12)), ((0, 0), (6, 6)), ((0, 2, 1), (0, 8, 4)), ((0, 0, 3), (0, 0, 12))]
)
def test_a_member_of_weight_0_is_owed_nothing(weights: tuple[float, ...], counts: tuple[int, ...]) -> None:
    run = TraceBuilder(partition_count=12, backup_count=0)
    for member, weight in enumerate(weights):
        run.join(member, weight=weight)
    verdicts = judge_run(run.view("joined", rows(*counts)).records, INVARIANTS, {})

    assert [one.property for one in verdicts if one.reason is Reason.JUDGE_FAILED or one.result is Result.BROKEN] == []


def test_a_member_of_weight_0_that_holds_something_holds_too_much() -> None:
    run = TraceBuilder(partition_count=12, backup_count=0).join(0, weight=0.0).join(1)
    run.view("joined", rows(4, 8))

    assert run.judged("balance-of-primaries").result is Result.BROKEN


def test_a_lone_member_whose_weight_is_0_is_judged() -> None:
    """Nobody else says a weight: in a division of its group's share stood its weight over itself."""
    run = TraceBuilder(partition_count=3, backup_count=1).join(0, weight=0.0).join(1, 2)
    run.view("joined 3", [(1, 2), (2, 1), (1, 2)])

    assert Reason.JUDGE_FAILED not in {one.reason for one in judge_run(run.records, INVARIANTS, {})}


def stated(run: TraceBuilder, **said: Any) -> TraceBuilder:
    return run.event(StatedTable(source="its page", **said))


@pytest.mark.parametrize(("counts", "result"), [((139, 132), Result.HOLDS), ((171, 100), Result.BROKEN)])
@pytest.mark.parametrize("name", ["balance-of-primaries", "balance-of-copies"])
def test_a_documented_factor_is_what_a_member_may_hold(name: str, counts: tuple[int, ...], result: Result) -> None:
    run = stated(TraceBuilder(partition_count=271, backup_count=0).join(0, 1), balance_factor=1.25)

    assert run.view("joined 2", rows(*counts)).judged(name).result is result


@pytest.mark.parametrize(("unlike", "result"), [(0, Result.HOLDS), (30, Result.BROKEN)])
def test_where_slots_have_no_rank_all_copies_are_counted_together(unlike: int, result: Result) -> None:
    run = stated(TraceBuilder(partition_count=40).join(0, 1), ranked=False)

    table: list[Row] = [*[(0, 1)] * (40 - unlike), *[(0, 0)] * unlike]
    assert run.view("joined 2", table).judged("balance-of-copies").result is result
    assert run.judged("balance-of-primaries").result is result


@pytest.mark.parametrize(("first", "result"), [((0, 3), Result.HOLDS), ((0, 1), Result.BROKEN)])
def test_a_zone_is_due_what_its_devices_weigh_where_the_system_says_so(first: Row, result: Result) -> None:
    """Zones of 3 + 2 + 2 equal devices: of three copies the first is due 9/7, of two 6/7."""
    run = TraceBuilder(partition_count=7, backup_count=len(first) - 1)
    for zone, devices in (("a", (0, 1, 2)), ("b", (3, 4)), ("c", (5, 6))):
        run.join(*devices, group=zone)
    three = stated(TraceBuilder(partition_count=7, backup_count=2), by_weight=True)
    for zone, devices in (("a", (0, 1, 2)), ("b", (3, 4)), ("c", (5, 6))):
        three.join(*devices, group=zone)

    apart = stated(run, by_weight=True).view("joined 7", [first, *[(1, 4), (2, 5), (3, 6)] * 2])
    assert apart.judged("group-separation").result is result
    assert three.view("joined 7", [(0, 1, 3)] * 7).judged("group-separation").result is Result.UNKNOWN


@pytest.mark.parametrize(("counts", "result"), [((30, 10), Result.HOLDS), ((20, 20), Result.BROKEN)])
def test_a_member_is_due_what_it_weighs_where_the_system_says_so(counts: tuple[int, ...], result: Result) -> None:
    run = TraceBuilder(partition_count=40, backup_count=0).join(0, weight=3.0).join(1)

    assert stated(run, by_weight=True).view("joined 2", rows(*counts)).judged("balance-of-primaries").result is result


def test_a_number_that_no_member_had_ends_no_growth() -> None:
    """A log may number its members 0, 2 and 3."""
    run = TraceBuilder(partition_count=6, backup_count=0).join(0)
    run.groups.append("")
    run.join(2).view("joined 2", [(0,), (0,), (0,), (2,), (2,), (2,)])
    run.join(3).view("joined 3", [(0,), (0,), (3,), (2,), (2,), (3,)])

    names = ("balance-of-primaries", "movement-of-primaries", "balance-after-loss")
    found = [run.judged(name).result for name in names]
    assert found == [Result.HOLDS, Result.HOLDS, Result.UNKNOWN]
