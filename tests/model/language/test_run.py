"""The run reading: steps, walks, replay."""

from random import Random

import pytest

from gridproof_model.language import Specification, StepError
from gridproof_model.language.run import Event, Runner, table
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.specifications.two_phase_commit import Manager, specification


@pytest.fixture
def runner() -> Runner:
    return Runner(specification.world(size=2))


def test_a_step_changes_what_its_action_names_and_nothing_else(runner: Runner) -> None:
    start = next(runner.initial_states())

    after = runner.step(start, Event("manager_prepares", (1,)))

    assert after["manager_state"] == (Manager.WORKING, Manager.PREPARED)
    assert after["prepared_sent"] == (False, True)
    assert {name for name in start.names if start[name] != after[name]} == {"manager_state", "prepared_sent"}


def test_a_refused_event_names_its_first_false_guard(runner: Runner) -> None:
    start = next(runner.initial_states())

    assert runner.refusal(start, Event("coordinator_commits")) == 1


def test_what_is_refused_cannot_be_done(runner: Runner) -> None:
    start = next(runner.initial_states())

    with pytest.raises(StepError, match=r"coordinator_commits\(\): guard 2 does not hold"):
        runner.step(start, Event("coordinator_commits"))


@pytest.mark.parametrize("specification", SPECIFICATIONS, ids=lambda one: one.name)
def test_the_events_of_a_state_are_the_choices_that_no_guard_refuses(specification: Specification) -> None:
    runner = Runner(specification.world())

    for _, state in runner.walk(Random(1), 20):
        assert list(runner.events(state)) == [one for one in runner.choices() if runner.refusal(state, one) is None]


def test_a_walk_is_repeated_by_its_seed(runner: Runner) -> None:
    assert list(runner.walk(Random(7), 20)) == list(runner.walk(Random(7), 20))


def test_a_walk_can_be_replayed(runner: Runner) -> None:
    walked = list(runner.walk(Random(7), 20))

    replayed = list(runner.replay(walked[0][1], [event for event, _ in walked if event is not None]))

    assert replayed == walked


def test_a_table_says_what_each_event_changed(runner: Runner) -> None:
    start = next(runner.initial_states())
    behaviour = list(runner.replay(start, [Event("manager_chooses_to_abort", (0,))]))

    found = table(runner, behaviour).splitlines()

    assert found[-2].endswith("manager_chooses_to_abort(manager 0)")
    assert "working → aborted" in found[-1]


def test_a_claim_holds_or_not_in_a_state(runner: Runner) -> None:
    start = next(runner.initial_states())
    claims = {claim.name: claim for claim in runner.world.claims}

    assert runner.holds(claims["managers_agree"], start)
    assert not runner.holds(claims["all_managers_abort"], start)
