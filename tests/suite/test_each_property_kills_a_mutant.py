"""A property that never killed a mutant is not trusted."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_model.trace import Record
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result, Verdict
from suite.commands.killed import bugs_killed
from suite.zoo import TRACE_MUTATIONS, ZOO
from suite.zoo.mutant import Mutant
from suite.zoo.trace_mutation import NothingToMutateError, TraceMutation
from tests.suite.good_runs import good_run, good_tour
from tests.suite.tour import tour
from tests.tables_only.machine import ALWAYS, WHILE_GROWING, GridMachine, GrowingMachine, TableMachine

BREAKS = {m.name: m.breaks for m in ZOO} | {d.name: d.breaks for d in TRACE_MUTATIONS}
EVERY_MUTANT = pytest.mark.parametrize(
    ("mutant", "name"), [pytest.param(m, name, id=f"{m.name}-{name}") for m in ZOO for name in m.breaks]
)
EVERY_TRACE_MUTATION = pytest.mark.parametrize(
    ("trace_mutation", "name"),
    [pytest.param(d, name, id=f"{d.name}-{name}") for d in TRACE_MUTATIONS for name in d.breaks],
)
EVERY_SEARCH = pytest.mark.parametrize("mutant", [pytest.param(m, id=m.name) for m in ZOO])


def judged(records: list[Record] | tuple[Record, ...], name: str) -> Verdict:
    return judge_run(records, [get_property(name)], {})[0]


def test_every_property_has_something_to_kill() -> None:
    assert {prop.name for prop in CATALOGUE} - bugs_killed().keys() == set(), (
        "plant a mutant, or mutate a run, for these"
    )


def test_names_in_the_zoo_are_unique() -> None:
    assert len(BREAKS) == len(ZOO) + len(TRACE_MUTATIONS)


@EVERY_MUTANT
def test_nothing_is_killed_where_nothing_is_planted(mutant: Mutant, name: str) -> None:
    assert judged(good_tour(), name).result is Result.HOLDS


@EVERY_MUTANT
def test_a_planted_mutant_is_killed(mutant: Mutant, name: str) -> None:
    with mutant.plant():
        records = tour()

    verdict = judged(records, name)

    assert verdict.result is Result.BROKEN
    assert verdict.witness != ()


@EVERY_TRACE_MUTATION
def test_nothing_is_killed_in_a_run_as_it_was(trace_mutation: TraceMutation, name: str) -> None:
    assert judged(good_run(), name).result is Result.HOLDS


@EVERY_TRACE_MUTATION
def test_a_mutated_run_is_killed(trace_mutation: TraceMutation, name: str) -> None:
    verdict = judged(list(trace_mutation.mutate(good_run())), name)

    assert verdict.result is Result.BROKEN
    assert verdict.witness != ()


@pytest.mark.parametrize("trace_mutation", TRACE_MUTATIONS, ids=lambda trace_mutation: trace_mutation.name)
def test_nothing_can_be_mutated_in_an_empty_run(trace_mutation: TraceMutation) -> None:
    with pytest.raises(NothingToMutateError):
        trace_mutation.mutate([])


@EVERY_SEARCH
def test_search_finds_the_mutant(mutant: Mutant) -> None:
    """Hypothesis knows no script: it finds a schedule in which the mutant shows, or the grid itself stumbles."""
    machine: type[GridMachine] = TableMachine if set(mutant.breaks) & set(ALWAYS) else GrowingMachine
    assert set(mutant.breaks) & set(WHILE_GROWING), "some machine holds what this mutant breaks"

    with mutant.plant(), pytest.raises((AssertionError, ValueError, TimeoutError)):
        run_state_machine_as_test(machine, settings=settings(phases=[Phase.generate], database=None, print_blob=False))
