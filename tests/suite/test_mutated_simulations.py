"""Every judge of a simulated history kills a mutated run."""

from functools import cache

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.workloads import WORKLOADS_BY_NAME
from gridproof_model.trace import Record
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result, Verdict
from gridproof_properties.simulated import SIMULATED
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.mutated_simulations import TRACE_MUTATIONS
from suite.zoo.trace_mutation import NothingToMutateError, TraceMutation

BY_NAME = {prop.name: prop for prop in SIMULATED}
EVERY = pytest.mark.parametrize(
    ("trace_mutation", "name"),
    [pytest.param(d, name, id=f"{d.name}-{name}") for d in TRACE_MUTATIONS for name in d.breaks],
)


@cache
def calm_runs() -> tuple[tuple[Record, ...], ...]:
    """A few runs of every workload in which no fault strikes."""
    runs: list[tuple[Record, ...]] = []
    for workload in WORKLOADS_BY_NAME:
        for seed in range(4):
            records: list[Record] = []
            simulate(draw_scenario(seed, DrawOptions(3, 1, (), workload, 60)), records.append, recorded=())
            runs.append(tuple(records))
    return tuple(runs)


def run_for(trace_mutation: TraceMutation) -> tuple[tuple[Record, ...], list[Record]]:
    """Return the first calm run that has something to mutate, as it was and mutated."""
    for run in calm_runs():
        try:
            return run, list(trace_mutation.mutate(run))
        except NothingToMutateError:
            continue
    raise AssertionError(f"no run to mutate for {trace_mutation.name}")


def judged(records: tuple[Record, ...] | list[Record], name: str) -> Verdict:
    return judge_run(records, [BY_NAME[name]], {})[0]


def test_every_judge_has_something_to_kill() -> None:
    mutated = {name for trace_mutation in TRACE_MUTATIONS for name in trace_mutation.breaks}
    planted = {name for member_mutant in MEMBER_MUTANTS if member_mutant.is_proved for name in member_mutant.breaks}

    assert BY_NAME.keys() - mutated - planted == set()


@EVERY
def test_nothing_is_killed_in_a_run_as_it_was(trace_mutation: TraceMutation, name: str) -> None:
    assert judged(run_for(trace_mutation)[0], name).result is not Result.BROKEN


@EVERY
def test_a_mutated_run_is_killed(trace_mutation: TraceMutation, name: str) -> None:
    verdict = judged(run_for(trace_mutation)[1], name)

    assert verdict.result is Result.BROKEN
    assert verdict.witness != ()


@pytest.mark.parametrize("trace_mutation", TRACE_MUTATIONS, ids=lambda trace_mutation: trace_mutation.name)
def test_nothing_can_be_mutated_in_an_empty_run(trace_mutation: TraceMutation) -> None:
    with pytest.raises(NothingToMutateError):
        trace_mutation.mutate([])
