"""Chains whose numbers are known in closed form."""

from decimal import Decimal, localcontext
from math import exp, expm1, isclose

import pytest

from gridproof_model.language.rates import read_rates, read_time
from gridproof_properties.measuring import Estimate, Measurer, Quantity, Question, predicates_of
from tests.properties.measuring.small_worlds import copies

ACTIONS = ("fails", "is_repaired", "begins_anew")
CRASH_H, REPAIR_H = 1 / 720, 60.0
"""A crash in 30 days, a repair in a minute."""


def asked(count: int, of: str, quantity: Quantity, time: str = "1y", again: str = "never") -> Estimate:
    world = copies.world(count=count)
    rates = read_rates(ACTIONS, ["fails=1/30d", "is_repaired=1/min", f"begins_anew={again}"])
    question = Question(world, rates, predicates_of(copies, world, [of]), (), read_time(time))
    return Measurer().measure(question).value(of, quantity)


def mean_time_h(count: int) -> float:
    """Return the mean time to the loss of 2 or 3 copies with one repair at a time (anchors-and-papers 4.4)."""
    if count == 2:
        return (3 * CRASH_H + REPAIR_H) / (2 * CRASH_H**2)
    return (11 * CRASH_H**2 + 4 * CRASH_H * REPAIR_H + REPAIR_H**2) / (6 * CRASH_H**3)


@pytest.mark.parametrize(("count", "published_h"), [(2, 1.5553e7), (3, 2.2397e11)])
def test_the_mean_time_to_data_loss_is_the_published_one(count: int, published_h: float) -> None:
    found = asked(count, "all_are_lost", Quantity.TIME)

    assert isclose(found.value / 3600, mean_time_h(count), rel_tol=found.relative_error + 1e-15)
    assert isclose(found.value / 3600, published_h, rel_tol=5e-5)


def lost_within(crash: Decimal, repair: Decimal, time: Decimal) -> Decimal:
    """Return the probability of losing two copies within a time, from the two eigenvalues."""
    total = 3 * crash + repair
    root = (total**2 - 8 * crash**2).sqrt()
    fast, slow = (total + root) / 2, (total - root) / 2
    return 1 - (fast * (-slow * time).exp() - slow * (-fast * time).exp()) / (fast - slow)


@pytest.mark.parametrize("time", ["1ms", "1s", "1min", "1h", "30d", "1y", "1000y", "1000000y"])
def test_two_copies_are_lost_with_the_probability_of_the_closed_form(time: str) -> None:
    found = asked(2, "all_are_lost", Quantity.WITHIN, time)

    with localcontext() as context:
        context.prec = 80
        known = lost_within(Decimal(1) / Decimal(720 * 3600), Decimal(1) / Decimal(60), Decimal(read_time(time)))
        assert abs(Decimal(found.value) / known - 1) <= Decimal(found.relative_error) + Decimal("1e-15")
    assert found.relative_error < 1e-9


def test_a_probability_of_less_than_1e_15_has_all_its_digits() -> None:
    found = asked(2, "all_are_lost", Quantity.WITHIN, "10us")

    assert found.value < 1e-20
    assert isclose(found.value, (10e-6 / (720 * 3600)) ** 2, rel_tol=1e-6)


def test_the_first_failure_of_n_copies_is_exponential() -> None:
    found = asked(3, "some_is_down", Quantity.WITHIN, "10d")

    assert isclose(found.value, -expm1(-3 * 10 / 30), rel_tol=1e-12)


def test_the_chance_that_a_claim_is_broken_is_that_of_its_opposite() -> None:
    assert asked(2, "one_is_up", Quantity.WITHIN).value == asked(2, "all_are_lost", Quantity.WITHIN).value


def test_the_share_of_time_is_that_of_the_balance_equations() -> None:
    found = asked(2, "all_are_lost", Quantity.SHARE, again="1/10d")
    again = 1 / 240
    one_up = 2 * CRASH_H / (CRASH_H + REPAIR_H)
    lost = CRASH_H * one_up / again

    assert isclose(found.value, lost / (1 + one_up + lost), rel_tol=1e-13)


def test_what_is_never_left_has_the_whole_of_the_long_run() -> None:
    assert asked(2, "all_are_lost", Quantity.SHARE).value == 1.0


@pytest.mark.parametrize("time", ["1s", "1h", "1y"])
def test_events_are_counted_even_where_they_change_little(time: str) -> None:
    world = copies.world(count=1)
    rates = read_rates(ACTIONS, ["fails=1/30d", "is_repaired=never", "begins_anew=1/30d"])
    seconds = read_time(time)

    found = Measurer().measure(Question(world, rates, (), ("fails",), seconds)).value("fails", Quantity.EVENTS)

    rate = 1 / (30 * 86_400)
    known = rate * seconds / 2 + (1 - exp(-2 * rate * seconds)) / 4
    assert isclose(found.value, known, rel_tol=1e-9)
