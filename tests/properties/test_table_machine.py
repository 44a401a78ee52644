"""Hypothesis drives the reference grid, and the invariants hold."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.tables_only.machine import GrowingMachine, TableMachine


@pytest.mark.hypothesis
@pytest.mark.parametrize("machine", [GrowingMachine, TableMachine])
def test_the_invariants_hold_whoever_comes_and_goes(machine: type[GrowingMachine]) -> None:
    examples = 3 * settings().max_examples
    run_state_machine_as_test(machine, settings=settings(max_examples=examples))
