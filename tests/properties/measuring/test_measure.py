"""Measures of worlds."""

from math import isclose

import pytest

from gridproof_model.language import BoolExpr, Int, Specification, Step
from gridproof_model.language.rates import Immediate, Rate, Timed, read_rates
from gridproof_model.specifications import two_phase_commit
from gridproof_properties.measuring import Measurement, Measurer, Quantity, Question, long_run, predicates_of, within
from tests.properties.measuring.small_worlds import copies

forks = Specification("forks", "A road that forks.", source="-")
place = forks.variable("place", Int(0, 4), "Where we are.")


@forks.action(source="-")
def goes_to_the_fork() -> Step:
    """From the start to the fork."""
    return Step(when=[place == 0], then=[place.becomes(1)])


@forks.action(source="-")
def turns_left() -> Step:
    """At the fork, to the left."""
    return Step(when=[place == 1], then=[place.becomes(2)])


@forks.action(source="-")
def turns_right() -> Step:
    """At the fork, to the right."""
    return Step(when=[place == 1], then=[place.becomes(3)])


@forks.action(source="-")
def comes_back() -> Step:
    """From the left back to the fork."""
    return Step(when=[place == 2], then=[place.becomes(1)])


@forks.sometimes(source="-")
def is_at_the_fork() -> BoolExpr:
    """At the fork."""
    return place == 1


@forks.sometimes(source="-")
def is_right() -> BoolExpr:
    """To the right."""
    return place == 3


@forks.sometimes(source="-")
def is_nowhere() -> BoolExpr:
    """Off the road."""
    return place == 4


NOW = Immediate(1)
PASSING: dict[str, Rate] = {
    "goes_to_the_fork": Timed(2.0),
    "turns_left": Immediate(3),
    "turns_right": NOW,
    "comes_back": NOW,
}


def measured(specification: Specification, rates: dict[str, Rate], *events: str, time_s: float = 1.0) -> Measurement:
    world = specification.world()
    return Measurer().measure(Question(world, rates, predicates_of(specification, world, []), events, time_s))


def test_what_takes_no_time_is_passed_through() -> None:
    found = measured(forks, PASSING)

    assert found.value("is_right", Quantity.TIME).value == 0.5
    assert (found.states, found.timed_states) == (4, 2)


def test_a_goal_that_is_only_passed_through_is_reached() -> None:
    found = measured(forks, PASSING)

    assert found.value("is_at_the_fork", Quantity.TIME).value == 0.5
    assert found.value("is_at_the_fork", Quantity.SHARE).value == 0.0


def test_alternatives_of_one_moment_are_chosen_by_weight() -> None:
    found = measured(forks, {**PASSING, "comes_back": Timed(0.0)})

    assert isclose(found.value("is_right", Quantity.EVER).value, 0.25)
    assert found.value("is_right", Quantity.TIME).is_infinite


def test_what_happens_at_once_is_counted_as_often_as_it_happens() -> None:
    found = measured(forks, PASSING, "turns_left", "turns_right", time_s=1000.0)

    assert isclose(found.value("turns_left", Quantity.EVENTS).value, 3.0)
    assert isclose(found.value("turns_right", Quantity.EVENTS).value, 1.0)


def test_immediate_actions_that_go_on_for_ever_are_reported() -> None:
    found = measured(forks, {**PASSING, "turns_right": Timed(1.0)})

    assert not found.is_complete
    assert "(comes_back, turns_left) follow one another for ever" in found.rows[0].unknown


def test_what_cannot_be_reached_has_probability_0_for_certain() -> None:
    found = measured(forks, PASSING)

    assert found.value("is_nowhere", Quantity.WITHIN).value == 0.0
    assert found.value("is_nowhere", Quantity.WITHIN).relative_error == 0.0


def test_a_world_that_does_not_fit_is_unknown() -> None:
    world = two_phase_commit.specification.world(size=7)
    rates = read_rates([action.name for action in world.actions], ["*=1/s"])
    question = Question(world, rates, predicates_of(two_phase_commit.specification, world, []))

    found = Measurer(memory_bytes=1 << 20).measure(question)

    assert {row.estimate for row in found.rows} == {None}
    assert "1 MiB" in found.rows[0].unknown


def test_a_stiff_world_is_unknown_and_the_cure_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "DENSE_MAX", 10)
    world = two_phase_commit.specification.world()
    rates = read_rates([action.name for action in world.actions], ["*=1/1us"])
    predicates = predicates_of(two_phase_commit.specification, world, ["all_managers_commit"])

    row = Measurer().measure(Question(world, rates, predicates, (), 3e10)).rows[0]

    assert row.estimate is None
    assert row.unknown.startswith("the world is stiff")
    assert "now" in row.unknown


def every_number(rates: str) -> list[float]:
    """Return all numbers about two-phase commit and about copies."""
    values: list[float] = []
    for specification in (two_phase_commit.specification, copies):
        world = specification.world()
        actions = [action.name for action in world.actions]
        known = read_rates(actions, [rates, *(f"{a}=1/h" for a in actions if a == "fails")])
        question = Question(world, known, predicates_of(specification, world, []), tuple(actions[:2]), 3.0)
        values += [row.estimate.value for row in Measurer().measure(question).rows if row.estimate is not None]
    return values


def test_uniformisation_and_squaring_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(within, "SQUARING_S", 1e9)
    stepped = every_number("*=5/s")
    monkeypatch.setattr(within, "SQUARING_S", 0.0)
    monkeypatch.setattr(within, "STEP_S", 1e-3)

    assert every_number("*=5/s") == pytest.approx(stepped, rel=1e-11)


def test_sparse_solutions_and_elimination_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    eliminated = every_number("*=2/s")
    monkeypatch.setattr(long_run, "ELIMINATED_MAX", 1)

    assert every_number("*=2/s") == pytest.approx(eliminated, rel=1e-9)


def test_a_sparse_solution_that_is_far_off_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_run, "ELIMINATED_MAX", 1)
    world = copies.world(count=3)
    rates = read_rates(
        ["fails", "is_repaired", "begins_anew"], ["fails=1/1000y", "is_repaired=1/us", "begins_anew=never"]
    )

    found = Measurer().measure(Question(world, rates, predicates_of(copies, world, [])))

    unknown = [row.quantity for row in found.rows if row.estimate is None]
    assert unknown == [Quantity.TIME]


def test_states_that_differ_by_renaming_make_the_same_chain() -> None:
    world = two_phase_commit.specification.world()
    rates = read_rates([action.name for action in world.actions], ["*=1/s"])
    question = Question(
        world, rates, predicates_of(two_phase_commit.specification, world, []), ("manager_prepares",), 2.0
    )

    whole, lumped = Measurer().measure(question), Measurer(symmetry=True).measure(question)

    assert lumped.states < whole.states
    values = [[row.estimate.value for row in found.rows if row.estimate] for found in (whole, lumped)]
    assert values[1] == pytest.approx(values[0], rel=1e-11)


def test_a_second_question_of_one_world_searches_no_second_time() -> None:
    world = copies.world()
    seen: list[object] = []
    measurer = Measurer(progress=seen.append)

    def ask(failing: float) -> int:
        rates: dict[str, Rate] = {"fails": Timed(failing), "is_repaired": Timed(1.0), "begins_anew": Timed(1.0)}
        measurer.measure(Question(world, rates, predicates_of(copies, world, [])))
        return len(seen)

    assert ask(2.0) == ask(1.0) > 0
