"""A user's implementation in lock-step with a specification."""

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from gridproof_model.language import State
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


def test_an_implementation_that_conforms_is_accepted() -> None:
    run_state_machine_as_test(Coordinator, settings=QUICK)


def test_an_implementation_that_departs_is_caught() -> None:
    with pytest.raises(AssertionError, match="heard is"):
        run_state_machine_as_test(Forgetful, settings=QUICK)
