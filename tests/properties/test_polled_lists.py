"""Member lists polled while clients are at work."""

import pytest

from gridproof_model.events.conditions import FaultBegun
from gridproof_model.events.harness import TableShownAgain
from gridproof_model.trace import MemberRecord
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.properties.polled_run import again, lists

STAYS, GONE = "living-member-stays-listed", "ended-member-is-removed"
STATED_MS = 100


def run() -> TraceBuilder:
    """Three members that list each other, of a system that takes calls again within 100 ms."""
    return lists(TraceBuilder().state(STATED_MS, 1_000).join(0, 1, 2), (0, 1, 2), 0, 1, 2)


def test_a_member_that_lives_is_removed() -> None:
    shown = lists(run().wait(50), (0, 1), 0)
    at_ms, verdict = shown.now_ms, shown.wait(5_000).judged(STAYS)

    assert (verdict.result, verdict.compared) == (Result.BROKEN, 3)
    assert verdict.witness[0].startswith(f"at {at_ms} ms the list of member 0 (host-0) no longer named member 2 (")


def test_one_whose_end_is_recorded_a_moment_later_had_ended() -> None:
    verdict = lists(run().wait(50), (0, 1), 0).wait(50).crash(2).judged(STAYS)

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 2)


def test_one_that_leaves_is_removed_before_it_has_left() -> None:
    verdict = lists(run().wait(50), (0, 1), 0).wait(5_000).leave(2).judged(STAYS)

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 2)


def test_while_others_may_take_it_for_dead_nothing_is_said() -> None:
    paused = run().event(FaultBegun("pause", ("trust",), (2,), "a member pauses"))

    assert lists(paused.wait(50), (0, 1), 0).judged(STAYS).compared == 0


@pytest.mark.parametrize(("later_ms", "result"), [(STATED_MS, Result.UNKNOWN), (STATED_MS + 1, Result.BROKEN)])
def test_a_member_that_ended_is_listed_beyond_the_stated_time(later_ms: int, result: Result) -> None:
    crashed = run().crash(2)
    ended = crashed.records[-1]
    assert isinstance(ended, MemberRecord)
    crashed.now_ms = ended.at_ms + later_ms

    assert crashed.event(TableShownAgain(), 0).judged(GONE).result is result


def test_a_member_that_ended_is_removed_in_time() -> None:
    verdict = again(lists(run().crash(2).wait(50), (0, 1), 0, 1).wait(STATED_MS), 0, 1).judged(GONE)

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 2)


def test_a_list_is_held_once_against_each_member_that_ended() -> None:
    shown = lists(run().crash(2).wait(50), (0, 1), 0).wait(STATED_MS)

    assert again(again(shown, 0), 0).judged(GONE).compared == 1


@pytest.mark.parametrize("name", [STAYS, GONE])
def test_a_run_without_lists_is_unknown(name: str) -> None:
    assert TraceBuilder().join(0, 1).judged(name).result is Result.UNKNOWN
