"""Judges of steps, shown real runs."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gridproof_implementation.simulator.scenario import Strike
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.simulated import STEPS_WATCHED, acknowledgements, endings, orders, resources
from gridproof_properties.verdict import Result
from tests.properties.followed_runs import doctored, judged, run_of, scenario

CRASH = scenario(Strike("crash", 300, 1_500, (0,)), members=4)
LEAVE = scenario(Strike("leave", 300, 1_500, (1,)), members=4)
THEMES = (endings, orders, acknowledgements, resources)
BY_NAME = {prop.name: prop for theme in THEMES for prop in theme.PROPERTIES}


def result_of(name: str, records: Sequence[Record]) -> Result:
    return judged(BY_NAME[name], records).result


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - {"leaves-end"}))
def test_a_run_as_it_was_holds(name: str) -> None:
    assert result_of(name, list(run_of(CRASH))) is Result.HOLDS


def test_a_call_that_is_under_way_may_hold_what_it_needs() -> None:
    *records, last = (one for one in run_of(CRASH) if isinstance(one, EventRecord) and one.name == resources.RESOURCES)
    begun = replace(last, name="call-begun", detail="invocation=99")
    holding = replace(last, detail=last.detail.replace(" calls=0", " calls=1"))

    assert result_of("resources-return", [*records, begun, holding]) is Result.HOLDS
    assert result_of("resources-return", [*records, replace(begun, name="call-ended"), holding]) is Result.BROKEN


def test_a_job_that_goes_on_may_hold_what_it_needs() -> None:
    held = doctored(run_of(CRASH), resources.RESOURCES, lambda told: told.replace(" executions=0", " executions=1"))

    assert result_of("resources-return", held) is Result.HOLDS


def test_a_member_that_leaves_goes() -> None:
    assert result_of("leaves-end", list(run_of(LEAVE))) is Result.HOLDS


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_run_without_steps_shows_nothing(name: str) -> None:
    assert result_of(name, []) is Result.UNKNOWN


def test_every_step_looked_at_is_asked_for() -> None:
    records = [r for r in run_of(CRASH) if not isinstance(r, EventRecord) or r.name in STEPS_WATCHED]

    assert {name for name in BY_NAME if result_of(name, records) is Result.HOLDS} == BY_NAME.keys() - {"leaves-end"}
