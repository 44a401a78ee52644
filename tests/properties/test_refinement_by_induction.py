"""Steps of one world as steps of another, by induction: for any number, of any width, and what is not shown."""

from collections.abc import Callable

import pytest

from gridproof_model.language import ANY_NUMBER, BoolExpr, Int, IntExpr, Specification, Step
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.refinement import Shown, show_refinement


def above(high: int | None, start: int = 0) -> tuple[Specification, IntExpr]:
    """Return a counter up to some number; without one up to a constant."""
    specification = Specification("counter", "It counts.", source="drawn")
    limit = specification.constant("limit", 3, "How far it goes.")
    total = specification.variable("total", Int(0, high), "How far it has come.", initial=start)

    @specification.action(source="drawn")
    def counts() -> Step:
        """It goes on by one."""
        return Step(when=[total < limit], then=[total.becomes(total + 1)])

    return specification, total


def shown(
    view: Callable[[IntExpr, IntExpr], IntExpr],
    *,
    with_lemma: bool = True,
    high: int | None = None,
    start: int = 0,
    step: int = 1,
    any_limit: bool = True,
) -> Shown:
    """Return whether two counters, of which the second follows the first, are one by a view of both."""
    specification = Specification("relay", "One counts, and another one follows.", source="drawn")
    limit = specification.constant("limit", 3, "How far it goes.")
    top = None if any_limit else 3
    first = specification.variable("first", Int(0, top), "How far the first has come.")
    second = specification.variable("second", Int(0, top), "How far the second has come.")

    @specification.action(source="drawn")
    def first_counts() -> Step:
        """The first goes on."""
        return Step(when=[first < limit], then=[first.becomes(first + 1)])

    @specification.action(source="drawn")
    def second_follows() -> Step:
        """The second follows."""
        return Step(when=[second < first], then=[second.becomes(second + step)])

    argument = Argument(specification, proved_in=({},), explored_in=())

    @argument.lemma
    def nobody_goes_too_far() -> BoolExpr:
        """The first stays within the limit."""
        return (first <= limit) | (first < 0) if with_lemma else first == first

    constants = {"limit": ANY_NUMBER} if any_limit else {}
    return show_refinement(
        argument, constants, above(high, start)[0].world(**constants), {"total": view(first, second)}
    )


def test_it_is_shown_for_any_number() -> None:
    assert shown(lambda first, second: second) == Shown(steps=1, leans_on=1)


def test_without_the_lemma_that_it_needs_a_step_is_named() -> None:
    found = shown(lambda first, second: second, with_lemma=False)

    assert found.lacks.startswith("second_follows(), in a state that may be out of reach: first = ")


def test_two_steps_at_once_are_none() -> None:
    assert shown(lambda first, second: second, step=2).lacks.startswith("second_follows()")


def test_another_start_is_named() -> None:
    assert shown(lambda first, second: second, start=1).lacks.startswith("it starts otherwise")


@pytest.mark.parametrize("high", [3, 200, None])
def test_numbers_of_different_widths_are_compared(high: int | None) -> None:
    assert shown(lambda first, second: second, any_limit=False, high=high).lacks == ""
    assert shown(lambda first, second: first + second, any_limit=False, high=high).lacks != ""


def test_a_view_that_leaves_the_domain_is_no_view() -> None:
    found = shown(lambda first, second: second, any_limit=False, high=1)

    assert found.lacks.startswith("in some state the view means nothing, or leaves a domain")
