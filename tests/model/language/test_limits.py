"""A world that is too large is refused at once."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest

from gridproof_model.language import (
    Array,
    BoolExpr,
    IndexExpr,
    Int,
    Sequence,
    Set,
    Specification,
    SpecificationError,
    Step,
)
from gridproof_model.language.cells import width
from gridproof_model.language.limits import (
    CHOICES_MAX,
    COUNT_MAX,
    DEPTH_MAX,
    EXPRESSIONS_MAX,
    PACKED_CELLS_MAX,
    RANGE_MAX,
    cells_in,
    count_of,
)
from gridproof_model.language.lower_world import lower
from gridproof_model.language.values import values_of
from tests.house.source_tree import ROOT

HERE = rf"{Path(__file__).name}:\d+: "
drawn = Specification("drawn", "Drawn.", source="drawn")
members = drawn.index("member", 3)
DOMAINS = [Int(0, 3), Set(members), Array(members, Int(-1, 1)), Array(members, Set(members))]


def large(many: int) -> Specification:
    """Return a specification in which everything is as large as a constant says."""
    specification = Specification("large", "Large.", source="drawn")
    size = specification.constant("size", many, "How large.")
    nodes = specification.index("node", size, ordered=True)
    lane = specification.variable("lane", Sequence(Int(0, 1), size), "A lane.")

    @specification.action(nodes, nodes, source="drawn")
    def meet(one: IndexExpr, other: IndexExpr) -> Step:
        """Two meet."""
        return Step(when=[one != other, lane.length < one.ordinal + other.ordinal], then=[])

    return specification


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        (10**30, r"the index set 'node' has more than 10\^18 values, but the limit is 10,000"),
        (2_000, "with the action meet there are 4,000,000 ways to choose parameters of actions, but the limit is"),
    ],
)
def test_a_limit_is_reported_with_the_line(size: int, problem: str) -> None:
    with pytest.raises(SpecificationError, match=HERE + problem):
        large(size).world()


def test_a_packed_state_has_room_for_the_longest_sequence() -> None:
    specification = Specification("long", "Long.", source="drawn")
    specification.variable("lane", Sequence(Int(0, 1), 10_000), "A lane.")

    with pytest.raises(SpecificationError, match=HERE + "with the variable lane a state takes 10,001 numbers, but"):
        lower(specification.world())


def test_rules_that_unroll_too_far_are_refused() -> None:
    with pytest.raises(SpecificationError, match=HERE + "the actions up to this line unroll to more than 50"):
        lower(large(20).world(), expressions_max=50)


def test_expressions_within_one_another_have_a_limit() -> None:
    specification = Specification("deep", "Deep.", source="drawn")
    level = specification.variable("level", Int(0, 3), "A level.")

    @specification.always(source="drawn")
    def sum_is_small() -> BoolExpr:
        """A sum that a loop built is small."""
        return reduce(lambda total, _: total + level, range(200), level) < 9

    with pytest.raises(SpecificationError, match=HERE + "an expression is nested more than 150 deep"):
        specification.world()


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.describe())
def test_sizes_are_computed_as_they_are(domain: Int | Set) -> None:
    assert cells_in(domain) == width(domain)
    assert count_of(domain) == len(list(values_of(domain)))


@pytest.mark.parametrize("make", [lambda: Int(0, 10**40), lambda: Array(members, Int(0, 10**9))])
def test_what_cannot_be_counted_is_not_counted(make: Callable[[], Int]) -> None:
    assert count_of(make()) == COUNT_MAX


def test_the_page_has_the_limits() -> None:
    page = (ROOT / "docs" / "specification-language.md").read_text("utf-8")

    said = f"{PACKED_CELLS_MAX:,} numbers in a state, {CHOICES_MAX:,} choices of parameters, {RANGE_MAX:,} elements"
    assert said in page
    assert f"{DEPTH_MAX} levels of nested" in page
    assert f"at most {EXPRESSIONS_MAX:,} expressions" in page
