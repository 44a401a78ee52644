"""Judging: pushed or pulled, and nothing holds by accident."""

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.trace import Record
from gridproof_properties.campaign.scenarios import judge_scenario
from gridproof_properties.catalogue import CATALOGUE, UnknownPropertyError, get_property
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.judge import Finding, Judge, Property, Severity
from gridproof_properties.judging.panel import Panel, judge_run
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, exit_status
from gridproof_properties.strategies.trace_builder import TraceBuilder

RUN = TraceBuilder().join(0, 1).view("joined 2", [(0, 1), (1, 0), (0, 0)])


@dataclass(slots=True)
class StumblingJudge(Judge):
    """Falls over a record, or at the end."""

    COUNTS = False
    at_end: bool

    def observe(self, record: Record) -> None:
        if not self.at_end:
            raise KeyError("a record nobody expected")

    def conclude(self) -> Finding:
        if self.at_end:
            raise ZeroDivisionError("no rows")
        return Finding(Result.HOLDS, "never looked")


def stumbling(at_end: bool) -> Property:
    return Property("stumbling", "It stumbles.", "this test", Severity.PROTOCOL, lambda: StumblingJudge(at_end))


@pytest.mark.parametrize("at_end", [False, True])
def test_a_judge_that_crashes_is_unknown(at_end: bool) -> None:
    verdict = judge_run(RUN.records, [stumbling(at_end)], {})[0]

    assert verdict.result is Result.UNKNOWN
    assert verdict.sentence.startswith("the judge itself failed")


def test_a_judge_that_crashes_takes_no_other_with_it() -> None:
    verdicts = judge_run(RUN.records, [stumbling(False), get_property("one-replica-per-member")], {})

    assert [verdict.result for verdict in verdicts] == [Result.UNKNOWN, Result.BROKEN]


@dataclass(slots=True)
class PatientJudge(Judge):
    """Takes records in late, and falls over one of them if it is to."""

    IS_PATIENT = True
    COUNTS = False
    seen: list[Record]
    falls_over: Record | None = None

    def observe(self, record: Record) -> None:
        if record is self.falls_over:
            raise KeyError("a record nobody expected")
        self.seen.append(record)

    def conclude(self) -> Finding:
        return Finding(Result.HOLDS, f"{len(self.seen)} records", compared=len(self.seen))


@dataclass(slots=True)
class HastyJudge(Judge):
    """Shows another judge each record at once."""

    COUNTS = False
    other: Judge

    def observe(self, record: Record) -> None:
        self.other.observe(record)


def started_by(judge: Judge) -> Property:
    return Property("waiting", "It waits, or not.", "this test", Severity.PROTOCOL, lambda: judge)


def test_a_patient_judge_is_shown_every_record_in_order_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_properties.judging.panel.WAITING_MAX", 4)
    judge = PatientJudge([])
    panel = Panel([started_by(judge)], {})
    records = [*RUN.records, *RUN.records]
    for number, record in enumerate(records):
        panel.observe(record)
        assert number + 1 - len(judge.seen) < 4

    assert len(judge.seen) < len(records), "some wait until the end"
    panel.conclude()
    assert judge.seen == records


def test_a_patient_judge_that_crashes_says_over_which_record() -> None:
    records = [*RUN.records]
    falls = PatientJudge([], records[2]), HastyJudge(PatientJudge([], records[2]))
    waiting, at_once = (judge_run(records, [started_by(judge)], {})[0] for judge in falls)

    assert waiting.result is Result.UNKNOWN
    assert waiting.sentence == at_once.sentence
    assert " over " in waiting.sentence


def test_watching_and_reading_say_the_same() -> None:
    panel = Panel(CATALOGUE, {})
    for record in RUN.records:
        panel.observe(record)

    assert panel.conclude() == judge_run(iter(RUN.records), CATALOGUE, {})


def test_conditions_are_taken_in_where_a_property_asks_for_them() -> None:
    asking, not_asking = Panel([get_property("acknowledged-write-kept")], {}), Panel([stumbling(True)], {})
    for record in RUN.records:
        asking.observe(record)
        not_asking.observe(record)

    assert asking.conditions.scene.run is not None
    assert not_asking.conditions.scene.run is None


def test_a_run_without_records_is_unknown_throughout() -> None:
    assert {verdict.result for verdict in judge_run([], CATALOGUE, {})} == {Result.UNKNOWN}


def test_a_property_no_one_promised_has_no_promise() -> None:
    verdicts = judge_run([], CATALOGUE[:2], {CATALOGUE[0].name: PromiseLevel.PROMISED})

    assert [verdict.promise for verdict in verdicts] == [PromiseLevel.PROMISED, PromiseLevel.NONE]


def test_names_are_unique_and_hyphenated() -> None:
    names = [prop.name for prop in CATALOGUE]

    assert len(set(names)) == len(names)
    assert all(name == name.lower() and " " not in name and "_" not in name for name in names)


def test_every_property_says_what_holds_and_who_says_so() -> None:
    assert [prop.name for prop in CATALOGUE if not prop.sentence.endswith(".") or not prop.source] == []


def test_an_unknown_property_is_answered_with_the_names_there_are() -> None:
    with pytest.raises(UnknownPropertyError, match="no property is called 'full-row': did you mean full-rows"):
        get_property("full-row")


@pytest.mark.parametrize(
    ("results", "status"),
    [
        ([], ExitStatus.UNKNOWN),
        ([Result.HOLDS], ExitStatus.HOLDS),
        ([Result.HOLDS, Result.UNKNOWN], ExitStatus.UNKNOWN),
        ([Result.UNKNOWN, Result.BROKEN, Result.HOLDS], ExitStatus.BROKEN),
    ],
)
def test_broken_beats_unknown_beats_holds(results: Iterable[Result], status: int) -> None:
    assert exit_status([Verdict("p", result, "") for result in results]) == status


def test_what_was_not_promised_fails_no_run() -> None:
    broken = [Verdict("p", Result.BROKEN, "", (), level) for level in (PromiseLevel.NONE, PromiseLevel.WEAKNESS)]

    assert exit_status([*broken, Verdict("q", Result.HOLDS, "")]) == ExitStatus.HOLDS


def test_judges_read_nothing_but_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which records, and which operations, a judge is not shown makes no difference."""
    scenario = draw_scenario(24, DrawOptions(workload="mixed", client_operations=60))
    spared = judge_scenario(scenario).verdicts
    monkeypatch.setattr("gridproof_properties.judging.panel._is_of", lambda kind, kinds: True)

    assert judge_scenario(scenario).verdicts == spared


class StumblingAtTables(Judge):
    """Falls over a whole table."""

    def observe(self, record: Record) -> None:
        """Read no single record."""

    def look_at(self, table: object, scene: object) -> None:
        raise KeyError("a table nobody expected")

    def conclude(self) -> Finding:
        return Finding(Result.HOLDS, "never looked")


def test_a_judge_that_crashes_at_a_table_is_unknown() -> None:
    prop = Property("stumbling", "It stumbles.", "this test", Severity.PROTOCOL, StumblingAtTables)

    verdict = judge_run(RUN.records, [prop], {})[0]

    assert verdict.sentence.startswith("the judge itself failed")
    assert verdict.result is Result.UNKNOWN
