"""Every judge of steps catches a doctored run."""

from dataclasses import replace

import pytest

from gridproof_implementation.simulator.scenario import Strike
from gridproof_model.trace import Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from gridproof_properties.zoo.doctored_steps import DOCTORINGS
from gridproof_properties.zoo.doctoring import Doctoring, NothingToDoctorError
from tests.properties.followed_runs import judged, run_of, scenario

CRASH = scenario(Strike("crash", 300, 1_500, (0,)), members=4)
MOVING = replace(scenario(Strike("crash", 300, 2_000, (1,)), members=4), partition_count=5)
LEAVE = scenario(Strike("leave", 300, 1_500, (1,)), members=4)
LOSSY = scenario(Strike("drop", 200, 20_000, (0, 1, 2), 30), pause_ms=1_700)
EVERY = pytest.mark.parametrize(
    ("doctoring", "name"), [pytest.param(d, name, id=f"{d.name}-{name}") for d in DOCTORINGS for name in d.breaks]
)


def run_for(doctoring: Doctoring) -> tuple[tuple[Record, ...], list[Record]]:
    """Return the first run that has something to doctor, as it was and doctored."""
    for given in (CRASH, MOVING, LEAVE, LOSSY):
        try:
            return run_of(given), list(doctoring.doctor(run_of(given)))
        except NothingToDoctorError:
            continue
    raise AssertionError(f"no run to doctor for {doctoring.name}")


@EVERY
def test_nothing_is_caught_in_a_run_as_it_was(doctoring: Doctoring, name: str) -> None:
    assert judged(get_property(name), run_for(doctoring)[0]).result is not Result.BROKEN


@EVERY
def test_a_doctored_run_is_caught(doctoring: Doctoring, name: str) -> None:
    finding = judged(get_property(name), run_for(doctoring)[1])

    assert finding.result is Result.BROKEN
    assert finding.witness != ()


@pytest.mark.parametrize("doctoring", DOCTORINGS, ids=lambda doctoring: doctoring.name)
def test_nothing_can_be_doctored_in_an_empty_run(doctoring: Doctoring) -> None:
    with pytest.raises(NothingToDoctorError):
        doctoring.doctor([])
