"""A user's implementation in lock-step with a specification."""

import subprocess
import sys

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_model.language import Bool, BoolExpr, Specification, State, Step
from gridproof_model.language.run import Event
from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.machines.lock_step import LockStepMachine

QUICK = settings(max_examples=60, stateful_step_count=20, database=None, phases=[Phase.generate])


class Coordinator(LockStepMachine):
    """A coordinator that remembers whom it heard from, and whether it has committed."""

    world = specification.world(size=2)

    def start(self, state: State) -> None:
        self.heard = [False, False]
        self.committed = False

    def take(self, event: Event) -> None:
        if event.action == "coordinator_hears_prepared":
            self.heard[event.arguments[0]] = True
        if event.action == "coordinator_commits":
            self.committed = True

    def show(self) -> dict[str, object]:
        return {"heard": tuple(self.heard), "commit_sent": self.committed}


class Forgetful(Coordinator):
    """Forgets one manager when it hears from the other."""

    def take(self, event: Event) -> None:
        if event.action == "coordinator_hears_prepared":
            self.heard = [False, False]
        super().take(event)


unsafe = Specification("unsafe", "A claim that does not hold.", source="a test")
is_on = unsafe.variable("is_on", Bool(), "Whether it is on.", initial=False)


@unsafe.action(source="a test")
def turn_on() -> Step:
    """It is turned on."""
    return Step(when=[~is_on], then=[is_on.becomes(True)])


@unsafe.always(source="a test")
def it_is_off() -> BoolExpr:
    """It is off."""
    return ~is_on


class Unsafe(LockStepMachine):
    """Follows a specification whose claim is false."""

    world = unsafe.world()

    def start(self, state: State) -> None: ...

    def take(self, event: Event) -> None: ...

    def show(self) -> dict[str, object]:
        return {"is_on": self.state is not None and self.state["is_on"]}


def test_an_implementation_that_conforms_is_accepted() -> None:
    run_state_machine_as_test(Coordinator, settings=QUICK)


def test_an_implementation_that_departs_is_caught() -> None:
    with pytest.raises(AssertionError, match="heard is"):
        run_state_machine_as_test(Forgetful, settings=QUICK)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ({}, "show names no variable, so nothing would be compared; show at least one"),
        ({"herd": ()}, "show names 'herd', which is no variable: did you mean heard"),
    ],
)
def test_one_that_shows_nothing_is_not_accepted(shown: dict[str, object], said: str) -> None:
    class Silent(Coordinator):
        def show(self) -> dict[str, object]:
            return shown

    with pytest.raises(AssertionError, match=said):
        run_state_machine_as_test(Silent, settings=QUICK)


@pytest.mark.parametrize("machine", ["Forgetful", "Unsafe"])
def test_one_that_departs_is_caught_where_python_leaves_assertions_out(machine: str) -> None:
    same = "settings(QUICK, max_examples=300, derandomize=True)"
    run = f"from {__name__} import *; run_state_machine_as_test({machine}, settings={same})"
    done = subprocess.run([sys.executable, "-O", "-c", run], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "AssertionError: " in done.stderr
