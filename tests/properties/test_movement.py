"""Movement, counted on small tables."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gridproof_properties.invariants.movement import fewest_moves
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

TWO: list[Row] = [(0, 1), (0, 1), (1, 0)]


def joined(before: list[Row], after: list[Row]) -> TraceBuilder:
    """Members 0 and 1 settle, and member 2 joins."""
    run = TraceBuilder(partition_count=len(before)).join(0, 1).view("joined 2", before)
    return run.join(2).view("joined 3", after)


def test_what_only_the_newcomer_took_on_is_the_fewest() -> None:
    run = joined(TWO, [(2, 1), (0, 2), (1, 0)])

    verdict = run.judged("movement-of-copies")

    assert verdict.result is Result.HOLDS
    said = "in 1 join 2 copies moved, the fewest possible, 0 of them to members that were there before"
    assert verdict.sentence == said


def test_two_old_members_that_swap_primaries_moved_too_much() -> None:
    verdict = joined(TWO, [(1, 0), (2, 1), (0, 1)]).judged("movement-of-primaries")

    assert verdict.result is Result.BROKEN
    assert verdict.witness == (
        "between the tables of the stages 'joined 2' (at 4 ms) and 'joined 3' (at 6 ms), after member 2 (host-2) had "
        "joined, 3 primaries moved, 2 of them to members that were there before, though only 1 had to move; no more "
        "may move than have to",
        "member 0 (host-0) took on 1 primary and gave up 2",
        "for example, partition 2 was on members [1] and then on [0]",
    )


def test_a_change_of_slots_moves_no_copy() -> None:
    run = joined(TWO, [(1, 0), (0, 2), (0, 1)])

    assert run.judged("movement-of-copies").sentence.startswith("in 1 join 1 copy moved")
    assert run.judged("copies-only-to-newcomer").result is Result.HOLDS
    assert run.judged("movement-only-to-newcomer").result is Result.BROKEN


def test_a_copy_for_an_old_member_is_reported() -> None:
    three = TraceBuilder(partition_count=2).join(0, 1, 2).view("joined 3", [(0, 1), (1, 2)])

    verdict = three.join(3).view("joined 4", [(3, 1), (1, 0)]).judged("copies-only-to-newcomer")

    assert verdict.result is Result.BROKEN
    assert verdict.witness[-1] == "for example, partition 1 was on members [1, 2] and then on [0, 1]"


def test_slots_the_run_did_not_ask_for_are_not_counted() -> None:
    run = joined([(0, 1, None)], [(0, 1, 2)])

    assert "0 copies moved" in run.judged("movement-of-copies").sentence


def test_only_the_first_view_of_a_stage_counts() -> None:
    run = joined(TWO, [(2, 1), (0, 2), (1, 0)]).view("joined 3", [(0, 1), (0, 2), (1, 2)], observer=1)

    assert run.judged("movement-of-copies").sentence.startswith("in 1 join 2 copies")


def test_members_that_changed_their_group_are_not_judged() -> None:
    run = TraceBuilder().join(0, 1).view("joined 2", TWO)
    run.groups[0] = "another"

    assert run.join(2).view("joined 3", [(1, 0), (1, 2), (0, 2)]).judged("movement-of-copies").result is Result.UNKNOWN


def test_tables_between_which_somebody_came_and_went_are_not_judged() -> None:
    run = TraceBuilder(backup_count=0).join(0, 1).view("calm", [(0,), (1,), (0,)]).join(2).crash(2)

    moved = run.view("moved", [(0,), (0,), (1,)])

    assert moved.judged("movement-without-cause").result is Result.UNKNOWN


def test_replacing_what_a_lost_member_held_is_the_fewest() -> None:
    run = TraceBuilder().join(0, 1, 2).view("joined 3", [(0, 1), (1, 2), (2, 0)]).crash(2)

    assert run.view("crashed 1", [(0, 1), (1, 0), (0, 1)]).judged("movement-after-loss").result is Result.HOLDS


def test_moving_what_nobody_lost_is_too_much() -> None:
    run = TraceBuilder(backup_count=0).join(0, 1, 2).view("joined 3", [(0,), (1,), (2,)]).crash(2)

    assert run.view("crashed 1", [(1,), (0,), (0,)]).judged("movement-after-loss").result is Result.BROKEN


def test_nothing_moves_without_a_cause() -> None:
    run = TraceBuilder().join(0, 1).view("calm", TWO).join(2, lite=True)

    assert run.view("a lite member", TWO).judged("movement-without-cause").result is Result.HOLDS


def test_a_copy_that_moves_without_a_cause_is_reported() -> None:
    run = TraceBuilder(backup_count=0).join(0, 1).view("calm", [(0,), (1,), (0,)]).view("moved", [(0,), (0,), (1,)])

    assert run.judged("movement-without-cause").sentence == (
        "between the tables of the stages 'calm' (at 4 ms) and 'moved' (at 4 ms), 2 copies moved, though the owners "
        "and their groups stayed the same; without a change of these no copy may move (in 1 pair of successive tables "
        "with the same set of owners, 2 copies moved); also seen: member 0 (host-0) took on 1 copy and gave up 1; for "
        "example, partition 1 was on members [1] and then on [0]"
    )


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40))
def test_no_change_moves_less_than_the_fewest(owners: list[tuple[int, int]]) -> None:
    before = Counter(old for old, _ in owners)
    after = Counter(new for _, new in owners)

    assert sum(old != new for old, new in owners) >= fewest_moves(before, after)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_the_fewest_can_be_reached(old: list[int], wanted: list[int]) -> None:
    """Hand surplus partitions to members that lack some, and as many move as the formula says."""
    counts = Counter((wanted * len(old))[: len(old)])
    before = Counter(old)
    lacking = [member for member in counts for _ in range(counts[member] - before[member])]
    surplus = sum(max(0, before[member] - counts[member]) for member in before)

    assert len(lacking) == surplus == fewest_moves(before, counts)
