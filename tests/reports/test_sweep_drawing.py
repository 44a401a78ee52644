"""Scales of a sweep's figures, and what is said of them."""

from typing import Any

import pytest

from gridproof_model.language.rates import read_rates
from gridproof_model.specifications.two_phase_commit import specification
from gridproof_properties.measuring import Measurer, Quantity, Question, predicates_of
from gridproof_properties.measuring.sweep import Sweep, Swept
from gridproof_reports.drawing import sweep_drawing
from gridproof_reports.drawing.sweep_drawing import Scale, draw_sweep, scales_of


def test_less_than_two_powers_of_ten_have_ticks_between() -> None:
    assert Scale.over([0.000578, 0.00636], 0, 1, is_logarithmic=True).ticks() == pytest.approx([0.001, 0.002, 0.005])


def test_what_is_not_taken_for_granted_is_said() -> None:
    even, far = Scale.over([2, 5], 0, 1, is_logarithmic=False), Scale.over([1, 1000], 0, 1, is_logarithmic=True)

    assert list(scales_of(far, even)) == ["logarithmic across", "up from 2, not from 0"]
    assert list(scales_of(far, far)) == ["logarithmic both ways"]


def test_no_probability_has_an_axis_beyond_one_and_world_and_time_stand_in_the_figure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = specification.world(size=1)
    rates = read_rates([action.name for action in specification.actions], ["*=1/s"])
    sure = predicates_of(specification, world, [])[:1]
    question = Question(world, rates, sure, (), 3600.0, quantities=frozenset((Quantity.WITHIN,)))
    found = Measurer().measure(question)
    highest: list[float] = []
    draw_axes = sweep_drawing.draw_axes

    def noticed(drawing: Any, x: Scale, y: Scale) -> None:
        highest.append(10**y.high if y.is_logarithmic else y.high)
        draw_axes(drawing, x, y)

    monkeypatch.setattr(sweep_drawing, "draw_axes", noticed)

    files = draw_sweep(Sweep(Swept.RATE, "vote", (1.0, 2.0)), [(1.0, found), (2.0, found)], "1 h")

    assert max(highest) <= 1
    assert b"exact, within 1 h" in files["probability-within-the-time.svg"]
    assert b"two_phase_commit(size=1)" in files["probability-within-the-time.svg"]
