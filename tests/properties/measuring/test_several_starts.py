"""Worlds that may start in several states."""

from math import exp, isclose

from gridproof_model.language import ANY, BoolExpr, Int, Specification, Step
from gridproof_model.language.rates import Immediate, Rate, Timed
from gridproof_properties.measuring import Measurement, Measurer, Quantity, Question, predicates_of

scattered = Specification("scattered", "A place anywhere, and a way home.", source="-")
place = scattered.variable("place", Int(0, 3), "Where we are; 3 is home.", initial=ANY)


@scattered.action(source="-")
def walks() -> Step:
    """Home, from 0 or 1."""
    return Step(when=[place < 2], then=[place.becomes(3)])


@scattered.action(source="-")
def rides() -> Step:
    """Home, from 2."""
    return Step(when=[place == 2], then=[place.becomes(3)])


@scattered.sometimes(source="-")
def is_home() -> BoolExpr:
    """At home."""
    return place == 3


def measured(rides_at: Rate, time_s: float = 1.0) -> Measurement:
    world = scattered.world()
    rates: dict[str, Rate] = {"walks": Timed(1.0), "rides": rides_at}
    question = Question(world, rates, predicates_of(scattered, world, []), ("walks", "rides"), time_s)
    return Measurer().measure(question)


def test_every_start_is_as_likely_as_any_other() -> None:
    found = measured(Timed(0.5))

    assert isclose(found.value("is_home", Quantity.TIME).value, 2 / 4 * 1 + 1 / 4 * 2)


def test_whoever_starts_in_the_goal_has_reached_it() -> None:
    found = measured(Timed(0.5), time_s=2.0)

    known = 1 / 4 + 2 / 4 * (1 - exp(-2)) + 1 / 4 * (1 - exp(-1))
    assert isclose(found.value("is_home", Quantity.WITHIN).value, known)


def test_a_start_that_is_left_at_once_counts_as_where_it_leads() -> None:
    found = measured(Immediate(1.0))

    assert isclose(found.value("is_home", Quantity.TIME).value, 2 / 4)
    assert isclose(found.value("is_home", Quantity.WITHIN).value, 2 / 4 + 2 / 4 * (1 - exp(-1)))
    assert found.value("rides", Quantity.EVENTS).value == 1 / 4


def test_of_a_goal_that_some_starts_never_reach_the_probability_is_that_of_the_others() -> None:
    found = measured(Timed(0.0))

    assert isclose(found.value("is_home", Quantity.EVER).value, 3 / 4)
    assert isclose(found.value("is_home", Quantity.SHARE).value, 3 / 4)
    assert found.value("is_home", Quantity.TIME).is_infinite
