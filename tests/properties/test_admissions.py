"""What limits a system: what it admits itself, of the faults that struck, while they last."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest

from gridproof_implementation.adapter import FaultCondition, Options, Weakness
from gridproof_model.events.conditions import Admitted
from gridproof_model.events.words import Admission, Begins, Ends
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Record, RunRecord
from gridproof_properties.audits.conformance import check_conformance
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.incidents import FaultSpans
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.strategies.trace_builder import RUN, Row, TraceBuilder
from tests.front_door.few_keys import few_keys
from tests.properties.admitted_breaches import (
    BEFORE,
    BEHIND,
    BREACHES,
    CUT,
    DURING,
    HEALED,
    HOLE,
    LOST,
    UNEVEN,
    WHOLE,
    between_two_splits,
    broken,
    lost,
)
from tests.properties.honest_grid import adapter_of
from tests.properties.lies_about_copies import GarblesBackupsOnCrash
from tests.properties.polled_run import counts

CONVERGE = "backups-converge"
CRASH = (FaultCondition.CRASH,)
GARBLES = adapter_of(GarblesBackupsOnCrash)
LIMITED = {
    "nothing": GARBLES,
    "a named set": replace(GARBLES, admits=Admission.HAZELCAST),
    "its own": replace(GARBLES, weaknesses=(Weakness((CONVERGE,), CRASH, "its page 9", ends=Ends.NEVER),)),
}
"""One grid, by what limits it."""


class Audited(NamedTuple):
    """What was found of a grid, and recorded."""

    live: tuple[Verdict, ...]
    records: Sequence[Record]


@cache
def audited(limits: str) -> Audited:
    records: list[Record] = []
    return Audited(check_conformance(LIMITED[limits], Options(), records.append, extent=few_keys()()), records)


is_audited = pytest.mark.xdist_group("admissions")
"""One worker audits each grid once."""


def verdict(found: tuple[Verdict, ...], name: str = CONVERGE) -> Verdict:
    return next(one for one in found if one.property == name)


@is_audited
def test_what_hazelcast_admits_is_no_limit_of_anybody_else() -> None:
    own, theirs = audited("nothing").live, audited("a named set").live

    assert verdict(own).result is Result.BROKEN
    assert verdict(theirs).result is not Result.BROKEN
    sources = {out.source for one in own for out in one.out_of_scope}
    assert not any("limits." in source or "sync." in source for source in sources)


@is_audited
def test_what_a_system_admits_itself_limits_it_with_its_own_source() -> None:
    found = verdict(audited("its own").live)
    elsewhere = Weakness((CONVERGE,), (FaultCondition.CUT,), "its page 9", ends=Ends.NEVER)

    assert found.result is not Result.BROKEN
    assert [(out.cause, out.source) for out in found.out_of_scope] == [("crash", "its page 9 (the adapter says so)")]
    assert verdict(check_conformance(replace(GARBLES, weaknesses=(elsewhere,)), Options())).result is Result.BROKEN


def test_whoever_declines_a_weakness_is_held_to_its_promise() -> None:
    declining = replace(GARBLES, admits=Admission.HAZELCAST, declines=frozenset({CONVERGE}))

    assert verdict(check_conformance(declining, Options())).result is Result.BROKEN


@is_audited
@pytest.mark.parametrize("limits", LIMITED)
def test_a_trace_says_what_limits_its_system(limits: str) -> None:
    live, records = audited(limits)
    head = records[0]
    assert isinstance(head, RunRecord)

    recorded = judge_recorded(head, records)

    assert verdict(recorded).result is verdict(live).result
    assert verdict(recorded).out_of_scope == verdict(live).out_of_scope


def struck(*at: int) -> FaultSpans:
    """A split from one moment to another, and a rest at a third."""
    spans = FaultSpans(restored_within_ms=100)
    spans.begin(at[0], CUT)
    spans.heal(at[1], HEALED)
    spans.rest(at[2])
    return spans


@pytest.mark.parametrize(
    ("begins", "ends", "limited"),
    [
        (Begins.FAULT, Ends.HEAL, {15, 20}),
        (Begins.FAULT, Ends.REST, {15, 20, 25, 30}),
        (Begins.HEAL, Ends.REST, {20, 25, 30}),
        (Begins.HEAL, Ends.NEVER, {20, 25, 30, 99}),
    ],
)
def test_a_weakness_begins_and_ends_with_its_fault(begins: Begins, ends: Ends, limited: set[int]) -> None:
    weakness = Admitted(("full-rows",), ("split", "cut"), begins, ends, "page 4", "the hello")
    spans = struck(10, 20, 30)

    assert {at for at in (5, 15, 20, 25, 30, 99) if spans.find(weakness, at, at)} == limited
    assert spans.find(replace(weakness, faults=("pause",)), 15, 15) is None


def test_calm_is_before_the_first_fault_and_once_the_time_to_be_restored_is_over() -> None:
    spans = struck(10, 20, 30)

    assert [at for at in (5, 10, 15, 20, 50, 119, 120) if spans.is_calm(at, at)] == [5, 120]
    assert not spans.is_calm(5, 130)


@pytest.mark.parametrize(
    ("before", "during", "after", "found"),
    [
        (WHOLE, HOLE, WHOLE, Result.UNKNOWN),
        (HOLE, HOLE, WHOLE, Result.BROKEN),
        (WHOLE, HOLE, HOLE, Result.BROKEN),
        (WHOLE, WHOLE, WHOLE, Result.HOLDS),
    ],
)
def test_a_weakness_takes_only_rows_that_are_shown_while_its_fault_has_an_effect(
    before: list[Row], during: list[Row], after: list[Row], found: Result
) -> None:
    run = TraceBuilder().join(0, 1, 2).state(5, 5)
    run.event(Admitted(("full-rows",), ("split",), Begins.FAULT, Ends.REST, "page 4", "the hello"))
    run.wait(1).view("started", before).wait(9).event(CUT).wait(5).view("cut", during)
    run.wait(5).event(HEALED).wait(5).view("healed", WHOLE).wait(9).view("later", after)

    verdict = run.judged("full-rows")

    assert verdict.result is found
    shown_at = "7 ms ('started')" if before is HOLE else "40 ms ('later')"
    assert found is not Result.BROKEN or verdict.witness[0].startswith(f"at {shown_at}")


@pytest.mark.parametrize("when", [BEFORE, DURING, BEHIND])
@pytest.mark.parametrize("name", BREACHES)
def test_a_weakness_takes_only_what_came_about_while_its_fault_had_an_effect(name: str, when: str) -> None:
    run, is_taken = broken(name, when), when == DURING and not get_property(name).is_timeless

    verdict = run.judged(name)

    assert verdict.result is (Result.UNKNOWN if is_taken else Result.BROKEN), verdict
    assert [out.cause for out in verdict.out_of_scope] == (["split"] if is_taken else [])


def test_what_no_weakness_takes_is_found_among_very_much_that_one_does() -> None:
    verdict = between_two_splits().judged("full-rows")

    assert verdict.result is Result.BROKEN
    assert f" ms ('{BEHIND}') member 0" in verdict.witness[0]


@pytest.mark.parametrize(
    ("found", "again", "is_broken"),
    [(True, False, True), (False, False, False), (True, True, False)],
    ids=["found behind the fault", "not found", "in another fault"],
)
@pytest.mark.parametrize("name", LOST)
def test_a_fault_takes_no_write_that_was_there_at_rest_behind_it(
    name: str, found: bool, again: bool, is_broken: bool
) -> None:
    verdict = lost(name, found=found, again=again).judged(name)

    assert (verdict.result is Result.BROKEN) == is_broken, verdict
    assert is_broken != any(out.failed for out in verdict.out_of_scope)


def test_a_look_at_a_queue_shows_its_first_value_alone() -> None:
    run = lost("acknowledged-offer-kept", found=True)
    place = next(n for n, record in enumerate(run.records) if getattr(record, "kind", None) is OperationKind.OFFER)
    offer = run.records[place]
    assert isinstance(offer, OperationRecord)
    run.records.insert(place + 1, replace(offer, operation=1_000, client=1, value="behind it"))

    verdict = run.judged("acknowledged-offer-kept")

    assert (verdict.result, verdict.compared, [out.failed for out in verdict.out_of_scope]) == (Result.BROKEN, 1, [1])


@pytest.mark.parametrize(("looks", "result"), [((1, 1, 0), Result.BROKEN), ((0, 0), Result.UNKNOWN)])
def test_what_a_copy_counted_once_the_fault_was_over_is_no_longer_taken(looks: tuple[int, ...], result: Result) -> None:
    run = broken("acknowledged-writes-are-counted", "never")
    cut = next(place for place, record in enumerate(run.records) if getattr(record, "event", None) == CUT)
    behind, run.records, run.now_ms = run.records[cut:], run.records[:cut], 20
    run.write("before", "one", copies=2)
    run.records, run.now_ms = [*run.records, *behind], 100
    for counted in looks:
        counts(run, 1, 1, counted)

    assert run.judged("acknowledged-writes-are-counted").result is result


@pytest.mark.parametrize("name", [name for name in BREACHES if not name.startswith("refines")])
def test_a_promise_of_the_calm_is_held_in_the_calm_parts_of_a_run(name: str) -> None:
    found = {when: Panel([get_property(name)], {}) for when in (BEFORE, DURING)}
    for when, panel in found.items():
        for record in broken(name, when).records:
            panel.observe(record)
        panel.conclude()

    assert list(found[BEFORE].broken_in_calm()) == ([] if get_property(name).is_timeless else [name])
    assert not found[DURING].broken_in_calm()


def test_a_weakness_of_something_else_changes_no_sentence() -> None:
    run = TraceBuilder().join(0, 1).wait(1).view("two", [(0, 1), (0, 1), (0, 1)]).join(2).wait(1).view("three", UNEVEN)
    said = run.judged("balance-of-primaries")
    run.records.insert(
        1, EventRecord(RUN, 0, None, Admitted(("full-rows",), ("split",), Begins.FAULT, Ends.REST, "p", "h"))
    )

    assert said.result is Result.BROKEN
    assert run.judged("balance-of-primaries") == said
