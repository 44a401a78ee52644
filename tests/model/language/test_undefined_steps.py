"""What is undefined, and what protects from it."""

import pytest

from gridproof_model.language import (
    ANY,
    Array,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    Option,
    Sequence,
    Specification,
    Step,
    StepError,
    Update,
    if_else,
)
from gridproof_model.language.run import Event, Runner

specification = Specification("partial", "Partial things.", source="drawn")
slots = specification.index("slot", 2, ordered=True)
lane = specification.variable("lane", Sequence(Int(0, 3), 1), "A lane.")
holder = specification.variable("holder", Option(slots), "A holder.")
level = specification.variable("level", Int(0, 3), "A level.")
marks = specification.variable("marks", Array(slots, Int(0, 3)), "Marks.", initial=ANY)


def declare(name: str, when: list[BoolExpr], then: list[Update]) -> None:
    def step() -> Step:
        """Try it."""
        return Step(when=when, then=then)

    step.__name__ = name
    specification.action(source="drawn")(step)


declare("head_of_nothing", [], [level.becomes(lane.head)])
declare("guarded_head", [~lane.is_empty, lane.head == 0], [level.becomes(lane.head)])
declare("head_in_a_condition", [~lane.is_empty & (lane.head == 0)], [])
declare("head_in_a_choice", [], [level.becomes(if_else(lane.is_empty, 0, lane.head))])
declare("value_of_none", [], [marks[holder.value].becomes(1)])
declare("past_the_bounds", [], [level.becomes(level - 1)])
declare("division_by_nothing", [], [level.becomes(level // level)])


@specification.action(slots, slots, source="drawn")
def mark_two(one: IndexExpr, other: IndexExpr) -> Step:
    """Mark two slots."""
    return Step(when=[], then=[marks[one].becomes(1), marks[other].becomes(2)])


@specification.action(slots, source="drawn")
def take_one_mark(slot: IndexExpr) -> Step:
    """Take one mark away, even where there is none."""
    return Step(when=[], then=[marks[slot].becomes(marks[slot] - 1)])


@pytest.fixture
def runner() -> Runner:
    return Runner(specification.world())


@pytest.mark.parametrize("action", ["head_of_nothing", "value_of_none", "past_the_bounds", "division_by_nothing"])
def test_a_step_past_what_is_defined_is_an_error(runner: Runner, action: str) -> None:
    with pytest.raises(StepError):
        runner.step(next(runner.initial_states()), Event(action))


@pytest.mark.parametrize("action", ["guarded_head", "head_in_a_condition"])
def test_what_comes_first_protects_what_follows(runner: Runner, action: str) -> None:
    assert runner.refusal(next(runner.initial_states()), Event(action)) == 0


def test_a_choice_looks_at_one_side_only(runner: Runner) -> None:
    start = next(runner.initial_states())

    assert runner.step(start, Event("head_in_a_choice")) == start


def test_two_updates_that_meet_in_one_cell_are_an_error(runner: Runner) -> None:
    start = next(runner.initial_states())

    assert runner.step(start, Event("mark_two", (0, 1)))["marks"] == (1, 2)
    with pytest.raises(StepError, match="one step updates a cell of"):
        runner.step(start, Event("mark_two", (1, 1)))


def test_a_cell_cannot_leave_its_domain(runner: Runner) -> None:
    with pytest.raises(StepError, match=r"take_one_mark\(slot 1\): marks would be \(0, -1\), outside its domain"):
        runner.step(next(runner.initial_states()), Event("take_one_mark", (1,)))


def test_any_start_is_every_start(runner: Runner) -> None:
    assert len(list(runner.initial_states())) == 16


def test_numbers_are_spoken_of_with_number_expressions() -> None:
    assert isinstance(lane.head, IntExpr)
