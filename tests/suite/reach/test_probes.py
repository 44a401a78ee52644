"""Probes record what is executed, and change nothing."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from suite.reach.probes import PROBE, Kind, probe_module
from tests.suite.reach import deciding

Deciding = Callable[[int], object]


def executed(function: Deciding, argument: int) -> tuple[object, list[str]]:
    """Return what a function with probes returns, and the words of the rule and of the ways that were reached."""
    probed = probe_module("m", inspect.getsource(function), first=10)
    expected: dict[int, None] = {}
    names: dict[str, Any] = {**vars(deciding), PROBE: expected.setdefault}
    exec(compile(probed.tree, "m", "exec"), names)
    result = names[function.__name__](argument)
    points = [probed.points[number - 10] for number in expected]
    return result, [point.words or "called" for point in points if point.kind is not Kind.STEP]


@pytest.mark.parametrize("argument", range(5))
@pytest.mark.parametrize("function", deciding.DECIDING)
def test_probes_change_no_value(function: Deciding, argument: int) -> None:
    assert executed(function, argument)[0] == function(argument)


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        (deciding.early_return, 2, ["called", "when `x > 1`"]),
        (deciding.early_return, 1, ["called", "unless `x > 1`"]),
        (deciding.several_conditions, 0, ["called", "unless `x > 2`", "unless `x == 1`"]),
        (deciding.loop_to_its_end, 0, ["called", "no longer `x`"]),
        (deciding.items, 0, ["called"]),
        (deciding.items, 1, ["called", "for `i` in `range(x)`", "unless `i == 2`"]),
        (deciding.cases, 2, ["called", "where `x` is `1 | 2 if x > 1`"]),
        (deciding.cases, 4, ["called", "where `x` is none of these"]),
        (deciding.caught, 0, ["called", "caught `ZeroDivisionError`"]),
        (deciding.caught, 1, ["called"]),
        (deciding.conditional, 1, ["called", "when `x % 2`"]),
        (deciding.negated, 0, ["called", "unless `x`"]),
        (deciding.filters, 2, ["called", "unless `i % 2`", "when `i % 2`"]),
    ],
)
def test_probes_say_how_each_decision_came_out(function: Deciding, argument: int, expected: list[str]) -> None:
    assert executed(function, argument)[1] == expected


def test_what_only_says_what_others_have_is_no_rule() -> None:
    source = "class Part:\n    def start(self):\n        ...\n    def stop(self):\n        '''Do nothing.'''"

    assert [point.name for point in probe_module("m", source).points] == ["m.Part.stop"]


def test_a_case_for_the_type_checker_is_no_way() -> None:
    source = (
        "def f(x):\n    match x:\n        case 1:\n            return 1\n        case _:\n            assert_never(x)"
    )

    assert ways(source) == ["where `x` is `1`"]


def test_equal_words_in_one_rule_are_numbered() -> None:
    source = "def f(x):\n    if x:\n        x = 0\n    if x:\n        x = 1"

    assert ways(source) == ["when `x`", "unless `x`", "when `x` (2)", "unless `x` (2)"]


def ways(source: str) -> list[str]:
    return [point.words for point in probe_module("m", source).points if point.kind is Kind.WAY]
