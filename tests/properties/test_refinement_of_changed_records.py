"""Records that no run could have left: validation refuses them, or cannot say; no judge fails."""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_model.events.invocation import AttemptSent
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.refinement import EVENTS_READ, REFINEMENTS
from tests.profiles import examples

RUNS = {8: DrawOptions(), 20001910: DrawOptions(workload="jobs"), 500067: DrawOptions(is_varied=True)}
"""By seed: a run in which partitions migrate, and two with a job."""


@cache
def recorded(seed: int) -> tuple[Sequence[Record], Sequence[int]]:
    """A run, and where in it the events are that validation reads."""
    records: list[Record] = []
    simulate(draw_scenario(seed, RUNS[seed]), records.append, recorded=EVENTS_READ)
    read = [at for at, one in enumerate(records) if isinstance(one, EventRecord) and one.kind in EVENTS_READ]
    return records, read


def failed(records: Sequence[Record]) -> list[str]:
    """What judges say that failed themselves."""
    verdicts = judge_run(records, REFINEMENTS, {})
    return [verdict.sentence for verdict in verdicts if verdict.reason is Reason.JUDGE_FAILED]


def with_another_number(record: EventRecord, by: int) -> EventRecord:
    """A record of which one number is another one."""
    numbers = [one.name for one in fields(record.event) if type(getattr(record.event, one.name, None)) is int]
    name = numbers[by % len(numbers)] if numbers else None
    event = record.event if name is None else replace(record.event, **{name: getattr(record.event, name) + by})
    return replace(record, event=event)


def test_what_somebody_does_whose_start_nobody_recorded_is_unknown() -> None:
    records, _ = recorded(8)
    sent = ((at, one) for at, one in enumerate(records) if isinstance(one, EventRecord))
    at, record = next((at, one) for at, one in sent if isinstance(one.event, AttemptSent))

    verdicts = judge_run([*records[:at], replace(record, member=40), *records[at + 1 :]], REFINEMENTS, {})

    verdict = next(verdict for verdict in verdicts if verdict.property == "refines-invocation")
    assert verdict.result is Result.UNKNOWN
    assert "attempt-sent of member 40 at" in verdict.sentence


@pytest.mark.hypothesis
@pytest.mark.parametrize("seed", [8, pytest.param(20001910, marks=pytest.mark.nightly), 500067])
def test_no_judge_fails_over_an_event_that_is_missing_repeated_or_another(seed: int) -> None:
    records, read = recorded(seed)

    @given(
        st.integers(0, len(read) - 1),
        st.sampled_from(["missing", "repeated", "another", "stranger"]),
        st.integers(1, 60),
    )
    @settings(max_examples=examples(15))
    def no_judge_fails(number: int, how: str, by: int) -> None:
        at = read[number]
        record = records[at]
        assert isinstance(record, EventRecord)
        instead = {
            "missing": [],
            "repeated": [record, record],
            "another": [with_another_number(record, by)],
            "stranger": [replace(record, member=by)],
        }[how]
        assert failed([*records[:at], *instead, *records[at + 1 :]]) == []

    no_judge_fails()
