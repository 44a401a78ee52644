"""Matrices in floats agree with plain states in fractions."""

from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis.strategies import randoms, sampled_from

from gridproof_model.language import ClaimKind, Specification, State, StepError, World
from gridproof_model.language.rates import Immediate, Rate, Timed
from gridproof_properties.measuring import Measurement, Measurer, Predicate, Quantity, Question, predicates_of
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED
from tests.properties.drawn_worlds import lowered_or_skip
from tests.properties.measuring.exact_chain import ExactChain, Goal, TooLargeError

DRAWN = settings(suppress_health_check=FILTERED)
SPEEDS = (Timed(0.0), Timed(1e-3), Timed(0.5), Timed(1.0), Timed(7.0), Immediate(1.0), Immediate(2.5))


def drawn(specification: Specification, dice: Random, speeds: tuple[Rate, ...]) -> tuple[ExactChain, Question]:
    """Return a drawn world with drawn rates, small and defined enough for fractions."""
    world = lowered_or_skip(specification).world
    rates = {action.name: dice.choice(speeds) for action in world.actions}
    try:
        exact = ExactChain(world, rates)
        predicates = tuple(p for p in predicates_of(specification, world, names(world)) if is_defined(exact, p))
    except (TooLargeError, StepError):
        assume(False)
        raise
    assume(predicates)
    return exact, Question(world, rates, predicates, (), 3.0)


def names(world: World) -> list[str]:
    wanted = [claim.name for claim in world.claims if claim.trigger is None and claim.kind is not ClaimKind.ALWAYS]
    assume(wanted)
    return wanted


def is_defined(exact: ExactChain, predicate: Predicate) -> bool:
    try:
        return bool([goal_of(exact, predicate)(state) for state in exact.timed])
    except StepError:
        return False


def goal_of(exact: ExactChain, predicate: Predicate) -> Goal:
    def holds(state: State) -> bool:
        return exact.runner.holds(predicate.condition, state)

    return holds


def close(found: Measurement, of: str, quantity: Quantity, known: Fraction | Decimal) -> bool:
    estimate = found.value(of, quantity)
    allowed = Fraction(estimate.relative_error) + Fraction(1, 10**13)
    return abs(Fraction(estimate.value) - Fraction(known)) <= allowed * max(abs(Fraction(known)), Fraction(1, 10**300))


@DRAWN
@given(specifications(), randoms(use_true_random=False))
def test_expected_times_and_shares_are_those_of_fractions(specification: Specification, dice: Random) -> None:
    exact, question = drawn(specification, dice, SPEEDS)

    found = Measurer().measure(question)

    assume(not any("for ever" in row.unknown for row in found.rows))
    assert found.is_complete, found
    for predicate in question.predicates:
        goal = goal_of(exact, predicate)
        assert close(found, predicate.name, Quantity.EVER, exact.ever(goal))
        assert close(found, predicate.name, Quantity.SHARE, exact.share(goal))
        expected = exact.expected_s(goal)
        reported = found.value(predicate.name, Quantity.TIME)
        assert reported.is_infinite if expected is None else close(found, predicate.name, Quantity.TIME, expected)


@DRAWN
@given(specifications(), randoms(use_true_random=False), sampled_from([1e-9, 0.01, 1.0, 30.0]))
def test_probabilities_within_a_time_are_those_of_sixty_digits(
    specification: Specification, dice: Random, time_s: float
) -> None:
    exact, question = drawn(specification, dice, SPEEDS[:5])
    question = Question(question.world, question.rates, question.predicates, (), time_s)

    found = Measurer().measure(question)

    for predicate in question.predicates:
        assert close(found, predicate.name, Quantity.WITHIN, exact.within(goal_of(exact, predicate), time_s))


def test_the_exact_chain_refuses_what_is_too_large() -> None:
    from gridproof_model.specifications import two_phase_commit

    world = two_phase_commit.specification.world()
    with pytest.raises(TooLargeError):
        ExactChain(world, {action.name: Timed(1.0) for action in world.actions})
