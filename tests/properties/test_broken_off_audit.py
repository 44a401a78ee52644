"""An audit that is broken off keeps what it has found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gridproof_implementation.trace import open_trace, write_trace
from gridproof_model.trace import Record, RunRecord
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.strategies.trace_builder import TraceBuilder
from gridproof_reports.pipeline.audit import audit_traces

OVER = "the time limit is reached"


def a_run() -> TraceBuilder:
    """Return a run with a member twice in a row."""
    return TraceBuilder().join(0, 1).view("joined 2", [(0, 0), (1, 0), (0, 1)]).wait(1).write("k", "v").read("k", "v")


def interrupted(records: list[Record]) -> Iterator[Record]:
    yield from records
    raise KeyboardInterrupt


def judged() -> dict[str, Verdict]:
    records = a_run().records
    head = records[0]
    assert isinstance(head, RunRecord)
    return {one.property: one for one in judge_recorded(head, interrupted(records), lambda: OVER)}


def test_what_was_broken_until_then_is_broken() -> None:
    assert judged()["one-replica-per-member"].result is Result.BROKEN


def test_what_held_until_then_is_unknown() -> None:
    verdict = judged()["read-was-written"]

    said = f"nothing is concluded, as the run stopped before its end: {OVER}"
    assert (verdict.result, verdict.sentence) == (Result.UNKNOWN, said)


def test_an_interruption_by_hand_is_passed_on() -> None:
    records = a_run().records
    head = records[0]
    assert isinstance(head, RunRecord)
    with pytest.raises(KeyboardInterrupt):
        judge_recorded(head, interrupted(records))


def test_a_judge_that_takes_too_long_at_the_end_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    panel = Panel(CATALOGUE[:3], {})
    judge_of = Panel._verdict

    def slow_at_first(self: Panel, prop: object, judge: object) -> Verdict:
        if prop is CATALOGUE[0]:
            raise KeyboardInterrupt
        return judge_of(self, prop, judge)  # type: ignore[arg-type]

    monkeypatch.setattr(Panel, "_verdict", slow_at_first)

    assert [one.property for one in panel.break_off(OVER)] == [prop.name for prop in CATALOGUE[:3]]


def test_runs_behind_the_one_that_was_cut_are_not_judged(tmp_path: Path) -> None:
    with write_trace(tmp_path / "two.jsonl") as trace:
        for run in ("one", "two"):
            trace.write(RunRecord(run, "any", "1", 0, 3, 1))
    over = iter([None, OVER])
    audited = audit_traces([open_trace(tmp_path / "two.jsonl").path], over=lambda: next(over))

    assert [(one.head.run, one.is_cut) for one in audited.runs] == [("one", False), ("two", True)]
