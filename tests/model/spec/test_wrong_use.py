"""Wrong use of the language fails with the author's line."""

import inspect
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import pytest

from gridproof_model.spec import (
    Array,
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    IndexSet,
    Int,
    OneOf,
    Option,
    Record,
    RecordExpr,
    Sequence,
    Set,
    Specification,
    SpecificationError,
    Step,
    array_of,
    count,
    first,
    for_all,
    if_else,
)
from gridproof_model.spec.lower_world import lower


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Message(RecordExpr):
    colour: EnumExpr[Colour]
    ready: BoolExpr


spec = Specification("wrong", "Wrong uses.", source="drawn")
members = spec.index("member", 2)
slots = spec.index("slot", 3, ordered=True)
flag = spec.variable("flag", Bool(), "A flag.")
number = spec.variable("number", Int(0, 3), "A number.")
colour = spec.variable("colour", OneOf(Colour), "A colour.")
owner = spec.variable("owner", Option(members), "An owner.")
counts = spec.variable("counts", Array(members, Int(0, 3)), "Counts.")
messages = Record(Message, colour=OneOf(Colour), ready=Bool())
lane = spec.variable("lane", Sequence(messages, 2), "A lane.")

WRONG: dict[str, Callable[[], object]] = {
    "if": lambda: 1 if flag else 2,  # type: ignore[redundant-expr]
    "and": lambda: flag and (number == 1),  # type: ignore[redundant-expr]
    "not": lambda: not flag,  # pyright: ignore
    "chained": lambda: 0 <= number <= 3,
    "kinds": lambda: number == colour,
    "enum": lambda: colour == "red",
    "truth as number": lambda: number + flag,  # type: ignore[operator]
    "number as truth": lambda: flag & number,  # type: ignore[operator]
    "outside": lambda: number.becomes(4),
    "other kind": lambda: colour.becomes(3),  # type: ignore[arg-type]
    "wrong index": lambda: for_all(slots, lambda slot: counts[slot] == 0),
    "no order": lambda: for_all(members, lambda one: for_all(members, lambda other: one < other)),
    "no first": lambda: first(members, lambda member: counts[member] == 0),
    "no element": lambda: members[0],
    "past the end": lambda: slots[3],
    "body": lambda: for_all(members, lambda member: counts[member]),  # type: ignore[arg-type,return-value]
    "two elements": lambda: count(members, lambda one, other: flag),  # type: ignore[arg-type,misc]
    "not a cell": lambda: (number + 1).becomes(2),
    "no field": lambda: lane.head.size,
    "field kind": lambda: messages(colour=True),
    "no domain": lambda: if_else(flag, 1, 2),  # type: ignore[call-overload]
    "no expression": lambda: array_of(members, lambda member: 3),  # type: ignore[type-var]
    "guard": lambda: Step(when=[True], then=[]),  # type: ignore[list-item]
    "change": lambda: Step(when=[], then=[flag]),  # type: ignore[list-item]
    "one cell twice": lambda: Step(when=[], then=[number.becomes(1), number.becomes(2)]),
    "part and whole": lambda: for_all(
        members,
        lambda member: Step(when=[], then=[counts[member].becomes(1), counts.becomes(counts)]),  # type: ignore[arg-type,return-value]
    ),
    "declared twice": lambda: spec.variable("flag", Bool(), "Again."),
    "no such constant": lambda: spec.world(size=3),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_refused_with_the_line(name: str) -> None:
    with pytest.raises(SpecificationError, match=rf"{Path(__file__).name}:\d+: "):
        WRONG[name]()


def test_the_message_names_the_cure() -> None:
    with pytest.raises(SpecificationError, match=r"write & \| ~ and if_else"):
        bool(flag)


def test_an_action_must_return_a_step() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.index("member", 2)

    with pytest.raises(SpecificationError, match="must return a Step"):

        @drawn.action(source="drawn")
        def nothing() -> Step:
            """Do nothing."""
            return None  # type: ignore[return-value]


def test_every_parameter_needs_a_domain() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")

    with pytest.raises(SpecificationError, match="takes 1 parameters but 0 domains"):

        @drawn.action(source="drawn")  # type: ignore[arg-type]
        def lost(member: IndexExpr) -> Step:
            """Take a parameter from nowhere."""
            return Step(when=[], then=[])


def test_an_action_needs_a_sentence() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")

    with pytest.raises(SpecificationError, match="needs a docstring"):

        @drawn.action(source="drawn")
        def silent() -> Step:
            return Step(when=[], then=[])


def test_a_number_below_the_least_of_its_constant_is_refused() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.constant("copies", 3, "The copies.", least=2)

    with pytest.raises(SpecificationError, match="copies must be at least 2, not 1"):
        drawn.world(copies=1)


def test_an_update_that_never_fits_its_domain_is_refused_before_any_reading() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    limit = drawn.constant("limit", 3, "The limit.")
    level = drawn.variable("level", Int(0, limit), "A level.")

    @drawn.action(source="drawn")
    def overflow() -> Step:
        """Go past the limit."""
        return Step(when=[], then=[level.becomes(limit + 1)])

    with pytest.raises(SpecificationError, match="takes level outside its domain"):
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


def test_an_element_is_named_by_a_number() -> None:
    _, nodes = sized()

    with pytest.raises(SpecificationError, match="element_at"):
        nodes[number]  # type: ignore[index]


@pytest.mark.parametrize("count_through", [list, lambda index: 3 in index])
def test_an_index_set_is_not_counted_through_by_python(count_through: Callable[[object], object]) -> None:
    _, nodes = sized()

    with pytest.raises(SpecificationError, match="write for_all, exists, count or array_of"):
        count_through(nodes)
