"""The chain of copies in another checker's words: musil's exact fractions, against our matrices."""

from fractions import Fraction
from importlib import import_module
from math import exp, isclose
from typing import Any

import pytest

from gridproof_model.language.rates import read_time
from gridproof_properties.measuring import Quantity
from tests.properties.measuring.test_closed_forms import asked

pytestmark = pytest.mark.nightly
CRASH, REPAIR = Fraction(1, 720 * 3600), Fraction(1, 60)
"""A crash of a copy in 30 days, a repair in a minute; per second."""


def musil() -> tuple[Any, Any]:
    """Return musil and its reading of probabilities; it needs Python 3.12."""
    pytest.importorskip("musil", reason="needs Python 3.12 and musil: pip install '.[nightly]'")
    return import_module("musil"), import_module("musil.probabilistic")


def copies_up(checker: Any, count: int) -> Any:
    """Return a model whose state is how many copies are up."""
    fails = checker.Action("fails", lambda up: up > 0, lambda up: up - 1)
    is_repaired = checker.Action("is_repaired", lambda up: 0 < up < count, lambda up: up + 1)
    waits = checker.Action("waits", lambda up: True, lambda up: up)
    return checker.Model(init=count, actions=[fails, is_repaired, waits])


def rate(action: str, up: int) -> Fraction:
    """Return how often an action happens a second."""
    return {"fails": up * CRASH, "is_repaired": REPAIR, "waits": Fraction()}[action]


@pytest.mark.parametrize("count", [2, 3])
def test_musil_expects_the_loss_at_the_same_time(count: int) -> None:
    checker, exact = musil()

    def stay_s(_action: str, up: int) -> Fraction:
        return 1 / (up * CRASH + (REPAIR if up < count else 0))

    known_s = exact.expected_reward(copies_up(checker, count), lambda up: up == 0, weight=rate, cost=stay_s)
    found = asked(count, "all_are_lost", Quantity.TIME)

    assert isclose(found.value, known_s, rel_tol=found.relative_error + 1e-15)


@pytest.mark.parametrize("time", ["1s", "1min", "10min"])
def test_musil_has_the_same_probability_of_a_loss_within_a_time(time: str) -> None:
    """By uniformisation: as many steps as a Poisson process makes, in the chain that waits meanwhile."""
    checker, exact = musil()
    fastest, model = REPAIR + 2 * CRASH, copies_up(checker, 2)

    def weight(action: str, up: int) -> Fraction:
        busy = rate("fails", up) + (REPAIR if 0 < up < 2 else 0)
        return fastest - busy if action == "waits" else rate(action, up)

    mean = float(fastest) * read_time(time)
    chance, known, steps = exp(-mean), 0.0, 0
    while steps < mean or chance > 1e-18:
        lost = exact.reach_probability(model, lambda up: up == 0, weight=weight, steps=steps)
        known += chance * float(lost)
        steps += 1
        chance *= mean / steps
    found = asked(2, "all_are_lost", Quantity.WITHIN, time)

    assert isclose(found.value, known, rel_tol=1e-9)
