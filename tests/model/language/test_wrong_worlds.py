"""A world that means nothing is refused, with a line."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from gridproof_model.language import (
    ANY_NUMBER,
    EITHER,
    Bool,
    BoolExpr,
    Domain,
    IndexExpr,
    IndexSet,
    Int,
    Option,
    Plain,
    Sequence,
    Set,
    Specification,
    SpecificationError,
    Step,
    for_all,
)
from gridproof_model.language.lower_world import lower


def test_a_number_below_the_least_of_its_constant_is_refused() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.constant("copies", 3, "The copies.", least=2)

    with pytest.raises(SpecificationError, match="copies must be at least 2, not 1"):
        drawn.world(copies=1)


@pytest.mark.parametrize(
    ("default", "opened", "problem"),
    [
        (3, EITHER, "chosen must be a Int, not EITHER"),
        (True, ANY_NUMBER, "chosen must be a Bool, not ANY_NUMBER"),
    ],
)
def test_only_a_number_may_be_any_and_only_a_truth_value_either(default: Plain, opened: Plain, problem: str) -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.constant("chosen", default, "What is left open.")

    with pytest.raises(SpecificationError, match=problem):
        drawn.world(chosen=opened)


def test_an_update_that_never_fits_its_domain_is_refused_before_any_reading() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    limit = drawn.constant("limit", 3, "The limit.")
    level = drawn.variable("level", Int(0, limit), "A level.")

    @drawn.action(source="drawn")
    def overflow() -> Step:
        """Go past the limit."""
        return Step(when=[], then=[level.becomes(limit + 1)])

    with pytest.raises(SpecificationError, match="sets level outside its domain"):
        lower(drawn.world(limit=2))


def sized() -> tuple[Specification, IndexSet]:
    """Return a specification whose nodes are as many as a constant says."""
    drawn = Specification("drawn", "Drawn.", source="drawn")
    nodes = drawn.index("node", drawn.constant("size", 3, "How many.", least=1), ordered=True)
    return drawn, nodes


@pytest.mark.parametrize("position", [-1, -7])
def test_no_set_has_an_element_before_its_first(position: int) -> None:
    _, nodes = sized()

    with pytest.raises(SpecificationError, match=rf"{Path(__file__).name}:\d+: node has no element {position}"):
        nodes[position]


def test_an_element_that_a_world_lacks_is_refused_with_its_line_when_the_world_is_made() -> None:
    drawn, nodes = sized()
    up = drawn.variable("up", Set(nodes), "Who is up.")
    line = inspect.getsourcelines(test_an_element_that_a_world_lacks_is_refused_with_its_line_when_the_world_is_made)[1]

    @drawn.sometimes(source="drawn")
    def the_third_is_up() -> BoolExpr:
        """The third is up."""
        return up[nodes[2]]

    drawn.world(size=3)
    with pytest.raises(SpecificationError, match=rf"{Path(__file__).name}:{line + 8}: node has no element 2: it has 2"):
        drawn.world(size=2)


def test_a_start_that_a_world_lacks_is_refused() -> None:
    drawn, nodes = sized()
    drawn.variable("holder", nodes, "Who holds it.", initial=nodes[1])

    with pytest.raises(SpecificationError, match="node has no element 1: it has 1"):
        drawn.world(size=1)


def test_an_element_that_a_world_lacks_is_refused_inside_a_definition() -> None:
    drawn, nodes = sized()

    @drawn.definition(nodes)
    def is_second(node: IndexExpr) -> BoolExpr:
        """It is the second."""
        return node == nodes[1]

    @drawn.always(source="drawn")
    def nobody_is() -> BoolExpr:
        """Nobody is."""
        return for_all(nodes, lambda node: ~is_second(node))

    with pytest.raises(SpecificationError, match="node has no element 1: it has 1"):
        drawn.world(size=1)


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        (Int(3, 0), r"Int\(3, 0\) is empty"),
        (Option(Int()), "needs a lowest number"),
        (Sequence(Bool(), -1), "at least 0, not -1"),
    ],
)
def test_a_domain_without_values_is_refused_with_the_line_of_its_variable(domain: Domain[Any], problem: str) -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.variable("odd", domain, "Odd.")

    with pytest.raises(SpecificationError, match=rf"{Path(__file__).name}:\d+: .*{problem}"):
        drawn.world()


@pytest.mark.parametrize("initial", [9, "nine", (1, 2, 3)])
def test_a_start_outside_its_domain_is_refused_with_the_line_of_its_variable(initial: object) -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.variable("level", Int(0, 3), "A level.", initial=initial)

    with pytest.raises(SpecificationError, match=rf"{Path(__file__).name}:\d+: level has initial value .*outside Int"):
        drawn.world()


def test_a_quantifier_needs_an_end() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")

    @drawn.always(source="drawn")
    def every_number_is_small() -> BoolExpr:
        """Every number is small."""
        return for_all(Int(0), lambda number: number < 3)

    with pytest.raises(SpecificationError, match=r"number ranges over Int\(0 and more\), which has no end"):
        drawn.world()


def test_a_requirement_says_what_at_least_is_needed() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    copies = drawn.constant("copies", 3, "The copies.")
    drawn.requires(drawn.constant("hosts", 3, "The hosts.") >= copies + 1, "one host is spare")

    drawn.world(copies=2)
    with pytest.raises(
        SpecificationError, match="one host is spare: hosts must be at least 4; here copies is 3, hosts is 3"
    ):
        drawn.world()
