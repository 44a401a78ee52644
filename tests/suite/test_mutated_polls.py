"""Every judge of polled tables, lists and versions kills a mutated run."""

import pytest

from gridproof_properties.checkers import polled_lists, polled_tables, polled_versions
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from suite.zoo.mutated_polls import TRACE_MUTATIONS
from suite.zoo.trace_mutation import NothingToMutateError, TraceMutation
from tests.properties.polled_run import polled_run

PROPERTIES = (*polled_tables.PROPERTIES, *polled_lists.PROPERTIES, *polled_versions.PROPERTIES)
EVERY = pytest.mark.parametrize("trace_mutation", TRACE_MUTATIONS, ids=lambda trace_mutation: trace_mutation.name)


def test_every_judge_has_something_to_kill() -> None:
    assert {name for one in TRACE_MUTATIONS for name in one.breaks} == {prop.name for prop in PROPERTIES}


def test_nothing_is_killed_in_a_run_as_it_was() -> None:
    assert {verdict.result for verdict in judge_run(polled_run().records, PROPERTIES, {})} == {Result.HOLDS}


@EVERY
def test_a_mutated_run_is_killed(trace_mutation: TraceMutation) -> None:
    verdicts = judge_run(list(trace_mutation.mutate(polled_run().records)), PROPERTIES, {})
    broken = {verdict.property for verdict in verdicts if verdict.result is Result.BROKEN}

    assert broken >= set(trace_mutation.breaks)
    assert all(verdict.witness for verdict in verdicts if verdict.property in broken)


@EVERY
def test_nothing_can_be_mutated_in_an_empty_run(trace_mutation: TraceMutation) -> None:
    with pytest.raises(NothingToMutateError):
        trace_mutation.mutate([])
