"""Rules about one row, on good rows and bad."""

import pytest

from gridproof_model.trace import RowRecord
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

RING: list[Row] = [(0, 1), (1, 2), (2, 0)]
EVERY_RULE = ["one-replica-per-member", "group-separation", "no-lite-owner", "full-rows"]


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_a_good_table_keeps_every_rule(rule: str) -> None:
    verdict = TraceBuilder().join(0, 1, 2).join(3, lite=True).view("joined 3", RING).judged(rule)

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 3)


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_rows_that_cannot_break_a_rule_say_nothing_of_it(rule: str) -> None:
    assert TraceBuilder().join(0, lite=True).view("lite only", [(None,)] * 3).judged(rule).result is Result.UNKNOWN


@pytest.mark.parametrize("rule", ["one-replica-per-member", "group-separation", "full-rows"])
def test_one_member_in_both_slots_is_neither_full_nor_apart(rule: str) -> None:
    run = TraceBuilder().join(0, 1, 2).view("joined 3", [(0, 0), (1, 2), (2, 0)])

    assert run.judged(rule).result is Result.BROKEN


def test_without_lite_members_nothing_is_said_of_them() -> None:
    assert TraceBuilder().join(0, 1, 2).view("joined 3", RING).judged("no-lite-owner").compared == 0


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_without_a_row_nothing_is_known(rule: str) -> None:
    assert TraceBuilder().join(0, 1, 2).judged(rule).result is Result.UNKNOWN


def test_a_member_in_two_slots_is_reported_with_partition_stage_and_name() -> None:
    verdict = TraceBuilder().join(0, 1, 2).view("joined 3", [(0, 1), (1, 1), (2, 0)]).judged("one-replica-per-member")

    assert verdict.sentence.endswith("(1 of 3 rows had a member in two slots)")
    assert verdict.witness == (
        "at 6 ms ('joined 3') member 0 (host-0) showed partition 1 on members [1, 1], where member 1 (host-1) is in "
        "slots 0 and 1; a member may be in only one slot",
    )


def test_a_member_in_two_slots_is_wrong_before_rest_too() -> None:
    run = TraceBuilder().join(0).view("joining", [(0, 0)], settled=False)

    assert run.judged("one-replica-per-member").result is Result.BROKEN


def test_two_members_of_one_group_may_not_share_a_row() -> None:
    run = TraceBuilder().join(0, 1, group="rack-a").join(2, group="rack-b")

    verdict = run.view("joined 3", [(0, 2), (1, 2), (0, 1)]).judged("group-separation")

    rule = "at rest the copies of a partition have to be in different groups"
    said = f"member 0 (host-0) and member 1 (host-1) are both of group 'rack-a'; {rule}"
    assert verdict.witness[0].endswith(f", where {said}")


def test_a_member_in_no_group_may_hold_nothing() -> None:
    run = TraceBuilder().join(0, group="").join(1, 2).view("joined 3", RING)

    assert run.judged("group-separation").result is Result.BROKEN


def test_groups_are_kept_apart_at_rest_only() -> None:
    run = TraceBuilder().join(0, 1, group="rack-a").view("joining", [(0, 1)] * 3, settled=False)

    assert run.judged("group-separation").result is Result.UNKNOWN


def test_a_group_too_heavy_to_be_kept_apart_owes_nothing() -> None:
    """Group a weighs three quarters of all: its share of two copies is more than one."""
    run = TraceBuilder().join(0, group="a", weight=4.0).join(1, 2, group="a").join(3, group="b", weight=2.0)

    assert run.view("joined 4", [(0, 1)] * 3).judged("group-separation").result is Result.UNKNOWN


def test_a_group_that_weighs_nothing_is_due_no_copy() -> None:
    run = TraceBuilder().join(0, 1).join(2, weight=0.0)

    assert run.view("joined 3", [(0, 1), (1, 0), (0, 1)]).judged("full-rows").result is Result.HOLDS
    assert run.view("joined 3", [(0,), (1, 0), (0, 1)]).judged("full-rows").result is Result.BROKEN


def test_groups_that_all_weigh_nothing_are_due_copies() -> None:
    run = TraceBuilder().join(0, 1, weight=0.0).view("joined 2", [(0,), (1,), (0,)])

    assert run.judged("full-rows").result is Result.BROKEN


def test_a_lite_member_may_hold_nothing() -> None:
    verdict = TraceBuilder().join(0, 1).join(2, lite=True).view("joined 3", RING).judged("no-lite-owner")

    said = "member 2 (host-2) in slot 1 is a lite member; a lite member may hold no copy"
    assert verdict.witness[0].endswith(f", where {said}")


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ((0, None), "slot 1 is empty; 2 copies are required among 3 groups"),
        ((0,), "slot 1 is empty; 2 copies are required among 3 groups"),
        ((None, 0), "slot 0 is empty; no slot in front of a filled one may be empty"),
        ((0, 1, None, 2), "slot 2 is empty; no slot in front of a filled one may be empty"),
        ((0, 3), "slot 1 names member 3 (host-3), which is gone; it has to name a living member"),
    ],
)
def test_a_row_with_too_little_is_not_full(row: Row, fault: str) -> None:
    run = TraceBuilder().join(0, 1, 2, 3).crash(3).view("crashed 1", [row, (1, 2), (2, 0)])

    assert run.judged("full-rows").witness[0].endswith(f", where {fault}")


def test_fewer_groups_than_copies_make_shorter_rows() -> None:
    run = TraceBuilder(backup_count=2).join(0, 1, group="a").join(2, group="b")

    assert run.view("joined 3", [(0, 2), (2, 1), (1, 2)]).judged("full-rows").result is Result.HOLDS


def test_a_lite_member_asks_for_no_copy() -> None:
    run = TraceBuilder().join(0).join(1, lite=True).view("joined 2", [(0, None)] * 3)

    assert run.judged("full-rows").result is Result.HOLDS


def test_the_witness_is_the_first_faulty_row() -> None:
    run = TraceBuilder().join(0, 1, 2).view("early", [(0, 1), (1, 2), (2, 2)]).view("late", [(0, 0), (1, 1), (2, 2)])

    assert run.judged("one-replica-per-member").witness[0].startswith("at 6 ms ('early')")


def test_a_row_before_any_view_is_not_judged() -> None:
    run = TraceBuilder()
    run.records.append(RowRecord("expected", 0, 0, (0, 0)))

    assert run.judged("one-replica-per-member").result is Result.UNKNOWN
