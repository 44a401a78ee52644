"""A property that never caught a mutant is not trusted."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_model.trace import Record
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import judge_run
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.machines.table import ALWAYS, WHILE_GROWING, GridMachine, GrowingMachine, TableMachine
from gridproof_properties.zoo import DOCTORINGS, ZOO
from gridproof_properties.zoo.caught import bugs_caught
from gridproof_properties.zoo.doctoring import Doctoring, NothingToDoctorError
from gridproof_properties.zoo.mutant import Mutant
from gridproof_properties.zoo.tour import tour
from tests.mutants.good_runs import good_run, good_tour

BREAKS = {m.name: m.breaks for m in ZOO} | {d.name: d.breaks for d in DOCTORINGS}
EVERY_MUTANT = pytest.mark.parametrize(
    ("mutant", "name"), [pytest.param(m, name, id=f"{m.name}-{name}") for m in ZOO for name in m.breaks]
)
EVERY_DOCTORING = pytest.mark.parametrize(
    ("doctoring", "name"), [pytest.param(d, name, id=f"{d.name}-{name}") for d in DOCTORINGS for name in d.breaks]
)
EVERY_SEARCH = pytest.mark.parametrize("mutant", [pytest.param(m, id=m.name) for m in ZOO])


def judged(records: list[Record] | tuple[Record, ...], name: str) -> Verdict:
    return judge_run(records, [get_property(name)], {})[0]


def test_every_property_has_something_to_catch() -> None:
    assert {prop.name for prop in CATALOGUE} - bugs_caught().keys() == set(), (
        "plant a mutant, or doctor a run, for these"
    )


def test_names_in_the_zoo_are_unique() -> None:
    assert len(BREAKS) == len(ZOO) + len(DOCTORINGS)


@EVERY_MUTANT
def test_nothing_is_caught_where_nothing_is_planted(mutant: Mutant, name: str) -> None:
    assert judged(good_tour(), name).result is Result.HOLDS


@EVERY_MUTANT
def test_a_planted_mutant_is_caught(mutant: Mutant, name: str) -> None:
    with mutant.plant():
        records = tour()

    verdict = judged(records, name)

    assert verdict.result is Result.BROKEN
    assert verdict.witness != ()


@EVERY_DOCTORING
def test_nothing_is_caught_in_a_run_as_it_was(doctoring: Doctoring, name: str) -> None:
    assert judged(good_run(), name).result is Result.HOLDS


@EVERY_DOCTORING
def test_a_doctored_run_is_caught(doctoring: Doctoring, name: str) -> None:
    verdict = judged(list(doctoring.doctor(good_run())), name)

    assert verdict.result is Result.BROKEN
    assert verdict.witness != ()


@pytest.mark.parametrize("doctoring", DOCTORINGS, ids=lambda doctoring: doctoring.name)
def test_nothing_can_be_doctored_in_an_empty_run(doctoring: Doctoring) -> None:
    with pytest.raises(NothingToDoctorError):
        doctoring.doctor([])


@EVERY_SEARCH
def test_search_finds_the_mutant(mutant: Mutant) -> None:
    """Hypothesis knows no script: it finds a life in which the mutant shows, or in which the grid itself stumbles."""
    machine: type[GridMachine] = TableMachine if set(mutant.breaks) & set(ALWAYS) else GrowingMachine
    assert set(mutant.breaks) & set(WHILE_GROWING), "some machine holds what this mutant breaks"

    with mutant.plant(), pytest.raises((AssertionError, ValueError, TimeoutError)):
        run_state_machine_as_test(machine, settings=settings(phases=[Phase.generate], database=None, print_blob=False))
