"""Every judge of a simulated history catches a doctored run."""

from functools import cache

import pytest

from gridproof_implementation.simulator.draw import Wishes, draw_scenario
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.workloads import WORKLOADS_BY_NAME
from gridproof_model.trace import Record
from gridproof_properties.judging.judge import judge_run
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.simulated import SIMULATED
from gridproof_properties.zoo.doctored_simulations import DOCTORINGS
from gridproof_properties.zoo.doctoring import Doctoring, NothingToDoctorError
from gridproof_properties.zoo.members import SPECIMENS

BY_NAME = {prop.name: prop for prop in SIMULATED}
EVERY = pytest.mark.parametrize(
    ("doctoring", "name"), [pytest.param(d, name, id=f"{d.name}-{name}") for d in DOCTORINGS for name in d.breaks]
)


@cache
def calm_runs() -> tuple[tuple[Record, ...], ...]:
    """A few runs of every workload in which no fault strikes."""
    runs: list[tuple[Record, ...]] = []
    for workload in WORKLOADS_BY_NAME:
        for seed in range(4):
            records: list[Record] = []
            simulate(draw_scenario(seed, Wishes(3, 1, (), workload, 60)), records.append, told=())
            runs.append(tuple(records))
    return tuple(runs)


def run_for(doctoring: Doctoring) -> tuple[tuple[Record, ...], list[Record]]:
    """Return the first calm run that has something to doctor, as it was and doctored."""
    for run in calm_runs():
        try:
            return run, list(doctoring.doctor(run))
        except NothingToDoctorError:
            continue
    raise AssertionError(f"no run to doctor for {doctoring.name}")


def judged(records: tuple[Record, ...] | list[Record], name: str) -> Verdict:
    return judge_run(records, [BY_NAME[name]], {})[0]


def test_every_judge_has_something_to_catch() -> None:
    doctored = {name for doctoring in DOCTORINGS for name in doctoring.breaks}
    planted = {name for specimen in SPECIMENS if specimen.is_proved for name in specimen.breaks}

    assert BY_NAME.keys() - doctored - planted == set()


@EVERY
def test_nothing_is_caught_in_a_run_as_it_was(doctoring: Doctoring, name: str) -> None:
    assert judged(run_for(doctoring)[0], name).result is not Result.BROKEN


@EVERY
def test_a_doctored_run_is_caught(doctoring: Doctoring, name: str) -> None:
    verdict = judged(run_for(doctoring)[1], name)

    assert verdict.result is Result.BROKEN
    assert verdict.witness != ()


@pytest.mark.parametrize("doctoring", DOCTORINGS, ids=lambda doctoring: doctoring.name)
def test_nothing_can_be_doctored_in_an_empty_run(doctoring: Doctoring) -> None:
    with pytest.raises(NothingToDoctorError):
        doctoring.doctor([])
