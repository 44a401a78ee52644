"""Every judge of steps kills a mutated run."""

from dataclasses import replace

import pytest

from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.trace import Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from suite.zoo.mutated_steps import TRACE_MUTATIONS
from suite.zoo.trace_mutation import NothingToMutateError, TraceMutation
from tests.properties.validated_runs import judged, run_of, scenario

CRASH = scenario(FaultEvent("crash", 300, 1_500, (0,)), members=4)
MOVING = replace(scenario(FaultEvent("crash", 300, 2_000, (1,)), members=4), partition_count=5)
LEAVE = scenario(FaultEvent("leave", 300, 1_500, (1,)), members=4)
LOSSY = scenario(FaultEvent("drop", 200, 20_000, (0, 1, 2), 30), pause_ms=1_700)
EVERY = pytest.mark.parametrize(
    ("trace_mutation", "name"),
    [pytest.param(d, name, id=f"{d.name}-{name}") for d in TRACE_MUTATIONS for name in d.breaks],
)


def run_for(trace_mutation: TraceMutation) -> tuple[tuple[Record, ...], list[Record]]:
    """Return the first run that has something to mutate, as it was and mutated."""
    for given in (CRASH, MOVING, LEAVE, LOSSY):
        try:
            return run_of(given), list(trace_mutation.mutate(run_of(given)))
        except NothingToMutateError:
            continue
    raise AssertionError(f"no run to mutate for {trace_mutation.name}")


@EVERY
def test_nothing_is_killed_in_a_run_as_it_was(trace_mutation: TraceMutation, name: str) -> None:
    assert judged(get_property(name), run_for(trace_mutation)[0]).result is not Result.BROKEN


@EVERY
def test_a_mutated_run_is_killed(trace_mutation: TraceMutation, name: str) -> None:
    finding = judged(get_property(name), run_for(trace_mutation)[1])

    assert finding.result is Result.BROKEN
    assert finding.witness != ()


@pytest.mark.parametrize("trace_mutation", TRACE_MUTATIONS, ids=lambda trace_mutation: trace_mutation.name)
def test_nothing_can_be_mutated_in_an_empty_run(trace_mutation: TraceMutation) -> None:
    with pytest.raises(NothingToMutateError):
        trace_mutation.mutate([])
