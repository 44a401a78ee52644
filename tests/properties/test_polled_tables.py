"""Tables polled while clients are at work: groups, copies, primaries."""

import pytest

from gridproof_model.events.conditions import FaultBegun
from gridproof_model.events.harness import TablesPolled
from gridproof_properties.checkers.polled_tables import PROPERTIES
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder
from tests.properties.polled_run import again, poll

TABLE: list[Row] = [(0, 1), (1, 2), (2, 0)]
COPIES, PRIMARIES = "no-living-copy-dropped", "one-primary-answers"


def run() -> TraceBuilder:
    """Three members that all show the table at rest."""
    begun = TraceBuilder().join(0, 1, 2)
    for member in (0, 1, 2):
        begun.view("started", TABLE, observer=member)
    return begun


def judged(polled: TraceBuilder, name: str) -> Verdict:
    return polled.event(TablesPolled(1, 1, 0)).judged(name)


@pytest.mark.parametrize("prop", PROPERTIES, ids=lambda prop: prop.name)
def test_a_run_that_was_not_polled_is_unknown(prop: object) -> None:
    assert run().judged(getattr(prop, "name", "")).result is Result.UNKNOWN


def test_a_copy_that_ends_with_its_member_is_nobodys_fault() -> None:
    verdict = judged(poll(run().crash(1), [(0, None), (2, None), (2, 0)], 0), COPIES)

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 2)


def test_a_copy_is_dropped_while_its_member_lives() -> None:
    verdict = judged(poll(run().crash(1), [(0, None), (2, None), (0, None)], 0), COPIES)

    assert (verdict.result, verdict.compared) == (Result.BROKEN, 3)
    needed = "a row may not drop a copy on a living member while fewer than 2 copies are left"
    assert verdict.witness[0].endswith(f" and no longer on member 2 (host-2), though member 2 was alive; {needed}")


def test_a_copy_may_move_to_somebody_else() -> None:
    assert judged(poll(run(), [(0, 2), (1, 2), (2, 1)], 0), COPIES).result is Result.HOLDS


def test_while_there_may_be_two_clusters_nothing_is_said_of_copies() -> None:
    split = run().event(FaultBegun("split", ("messages", "trust"), (0,), "two groups"))

    assert judged(poll(split, [(0, None), (1, 2), (2, 0)], 0), COPIES).compared == 0


def test_two_primaries_that_are_seen_once_may_have_met_in_between() -> None:
    handed_over = poll(run(), [(1, 0), (1, 2), (2, 0)], 1)

    assert judged(again(handed_over, 1), PRIMARIES).result is Result.HOLDS


def test_two_primaries_that_both_are_seen_once_more_are_two() -> None:
    both = again(poll(run(), [(1, 0), (1, 2), (2, 0)], 1), 0, 1)

    verdict = judged(both, PRIMARIES)

    assert verdict.result is Result.BROKEN
    said = "(1 of 3 primaries appeared while an earlier one of its partition still showed itself)"
    assert said in verdict.sentence
    assert " both still showed themselves as the primary of partition 0, which may have only one" in verdict.witness[0]


def test_who_has_ended_is_nobodys_primary() -> None:
    promoted = poll(run().crash(0), [(1, None), (1, 2), (2, None)], 1)

    assert judged(again(promoted, 1), PRIMARIES).result is Result.HOLDS


def test_one_that_hears_of_it_late_is_one_primary_by_then() -> None:
    late = poll(poll(run(), [(1, 0), (1, 2), (2, 0)], 1), [(1, 0), (1, 2), (2, 0)], 0)

    assert judged(again(late, 0, 1), PRIMARIES).result is Result.HOLDS


def test_what_holds_beside_a_split_is_unknown_where_most_had_two_primaries() -> None:
    split = run().wait(50).event(FaultBegun("split", ("messages", "trust"), (0,), "two groups"))
    one = poll(split, [(1, 0), (1, 2), (2, 0)], 1)
    both = again(poll(one, [(0, 1), (2, 1), (2, 0)], 2), 0, 1, 2)

    verdict = judged(both, PRIMARIES)

    assert (verdict.result, verdict.compared) == (Result.UNKNOWN, 1)
    assert ") 2 failed, more than the " in verdict.sentence
