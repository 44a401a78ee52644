"""Machines find a planted bug, and shrinking leaves little of the story."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_properties.machines.members import (
    AntiEntropyMachine,
    InvocationMachine,
    MemberMachine,
    MigrationMachine,
    ReplicationMachine,
)
from suite.zoo.members import MEMBER_MUTANTS
from tests.properties.split_machine import SplitMachine
from tests.properties.test_snapshot_machine import Crashing

SHRINKING = settings(
    max_examples=200,
    stateful_step_count=25,
    database=None,
    deadline=None,
    derandomize=True,
    report_multiple_bugs=False,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
"""Derandomised, whatever the profile. Even so Hypothesis draws by the constants of the modules that are loaded."""
SLACK = 2
"""So many times the steps that were found are short, too: another draw may shrink to another story."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What shrinking left of a story."""

    machine: type[MemberMachine]
    mutant: str
    """Its number in the zoo."""
    failure: str
    steps: int
    """The size found when this was written, with the first and the last step."""
    needed: Sequence[str]
    """Steps without which the bug does no harm."""


SHRUNK = (
    Shrunk(ReplicationMachine, "M23", "dirty False, where the specification says True", 9, ["write", "lose", "write"]),
    Shrunk(AntiEntropyMachine, "M20", "summary-sent .* version 0, where the specification says 1", 3, ["fire"]),
    Shrunk(InvocationMachine, "E14", "refuses the action response_ends_the_call", 5, ["crash", "write"]),
    Shrunk(MigrationMachine, "M39", "refuses the action primary_executes_write", 7, ["join", "write"]),
    Shrunk(SplitMachine, "E06", "PutIfAbsentMergePolicy left", 6, ["split", "heal"]),
    Shrunk(Crashing, "X08", "it states number 0, where the specification says", 6, ["crash"]),
)

SLOW = frozenset({"E06", "E14", "M23", "M39", "X08"})
"""Mutants whose stories take ten seconds or more to be made short."""


@pytest.mark.parametrize(
    "shrunk",
    [
        pytest.param(one, id=f"{one.machine.__name__}-{one.mutant}", marks=[pytest.mark.nightly] * (one.mutant in SLOW))
        for one in SHRUNK
    ],
)
def test_what_is_found_is_made_short(shrunk: Shrunk) -> None:
    mutant = next(mutant for mutant in MEMBER_MUTANTS if mutant.number == shrunk.mutant)

    with mutant.plant(), pytest.raises(AssertionError, match=shrunk.failure) as failure:
        run_state_machine_as_test(shrunk.machine, settings=SHRINKING)

    steps = steps_of(failure.value)
    assert Counter(steps) >= Counter(shrunk.needed)
    assert len(steps) <= SLACK * shrunk.steps


def steps_of(failure: AssertionError) -> list[str]:
    """Return the names of the steps in what Hypothesis reports, without invariants."""
    lines = [line for note in failure.__notes__ for line in note.splitlines() if line.startswith("state.")]
    names = [line.partition("(")[0].removeprefix("state.") for line in lines]
    return [name for name in names if not name.startswith(("every_step_is", "what_must_be"))]
