"""Wrong use of the language fails with the author's line."""

from collections.abc import Callable
from enum import Enum
from pathlib import Path

import pytest

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    Int,
    IntExpr,
    LeadsTo,
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
    leads_to,
)


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
    "comparison without brackets": lambda: number > 0 & number < 2,  # type: ignore[operator]
    "brackets forgotten once": lambda: flag & number > 0,  # type: ignore[operator]
    "truth first": lambda: True & flag,  # type: ignore[operator]
    "guards without a list": lambda: Step(when=number > 0, then=[]),  # type: ignore[arg-type]
    "updates without a list": lambda: Step(when=[], then=number.becomes(1)),  # type: ignore[arg-type]
    "set of records": lambda: Set(messages),  # type: ignore[arg-type]
    "array over an enumeration": lambda: Array(OneOf(Colour), Bool()),  # type: ignore[arg-type]
    "array of nothing": lambda: Array(OneOf(Colour)),  # type: ignore[arg-type]
    "array of a number": lambda: Array(members, 3),  # type: ignore[arg-type]
    "sequence of a number": lambda: Sequence(3, 2),  # type: ignore[arg-type]
    "field of a number": lambda: Record(Message, colour=3, ready=Bool()),  # type: ignore[arg-type]
    "enumeration of a number": lambda: OneOf(3),  # type: ignore[arg-type]
    "constant of text": lambda: spec.constant("text", "state", "A text."),  # type: ignore[call-overload]
    "order of none": lambda: owner < owner,  # type: ignore[operator]
    "order of an enumeration": lambda: colour < Colour.RED,  # type: ignore[operator]
    "element plus one": lambda: for_all(slots, lambda slot: slot + 1 == slot),  # type: ignore[operator,arg-type,return-value]
    "division": lambda: number / 2,  # type: ignore[operator]
    "place in a sequence": lambda: lane[0],  # type: ignore[index]
    "length of a sequence": lambda: len(lane),  # type: ignore[arg-type]
    "loop over a sequence": lambda: list(lane),  # type: ignore[call-overload]
    "loop over an array": lambda: list(counts),  # type: ignore[call-overload]
    "range": lambda: range(number),  # type: ignore[call-overload]
    "not a lambda": lambda: for_all(members, flag),  # type: ignore[call-overload]
    "one element of two": lambda: for_all(members, slots, lambda one: flag),  # type: ignore[arg-type,misc]
    "no lambda at all": lambda: for_all(members, slots),  # type: ignore[call-overload]
    "start that reads": lambda: spec.variable("start", Int(0, 3), "A start.", initial=number + 1),
    "requirement that reads": lambda: spec.requires(number > 1, "It is so."),
    "name of a specification": lambda: Specification("two words", "Two.", source="drawn"),
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

    with pytest.raises(SpecificationError, match="has 1 parameters, but 0 domains"):

        @drawn.action(source="drawn")  # type: ignore[arg-type]
        def lost(member: IndexExpr) -> Step:
            """Take a parameter from nowhere."""
            return Step(when=[], then=[])


def test_only_the_noun_of_an_element_may_have_spaces() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.index("last step", 2)

    with pytest.raises(SpecificationError, match="'step 0' cannot be a name"):
        drawn.variable("step 0", Bool(), "A name that a proof has.")


def test_an_action_needs_a_sentence() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")

    with pytest.raises(SpecificationError, match="needs a docstring"):

        @drawn.action(source="drawn")
        def silent() -> Step:
            return Step(when=[], then=[])


def test_an_element_is_named_by_a_number() -> None:
    with pytest.raises(SpecificationError, match="element_at"):
        slots[number]  # type: ignore[index]


@pytest.mark.parametrize("count_through", [list, lambda index: 3 in index])
def test_an_index_set_is_not_counted_through_by_python(count_through: Callable[[object], object]) -> None:
    with pytest.raises(SpecificationError, match="write for_all, exists, count or array_of"):
        count_through(slots)


class Named(RecordExpr):
    node: IntExpr  # type: ignore[assignment]


def test_a_field_cannot_hide_what_every_record_has() -> None:
    with pytest.raises(SpecificationError, match="a field cannot be called 'node'"):
        Record(Named, node=Int(0, 3))


def test_only_an_eventually_leads_to_something() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    up = drawn.variable("up", Bool(), "Whether it is up.")

    with pytest.raises(SpecificationError, match="is an always-claim, but returns leads_to"):

        @drawn.always(source="drawn")  # type: ignore[arg-type]
        def it_comes_up() -> LeadsTo:
            """It comes up."""
            return leads_to(~up, up)


def test_a_definition_says_how_many_arguments_it_has() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")

    @drawn.definition(Int(0, 3))
    def is_small(count: IntExpr) -> BoolExpr:
        """It is small."""
        return count < 2

    with pytest.raises(SpecificationError, match="is_small takes 1 arguments, not 2"):
        is_small(count(members, lambda member: flag), 3)  # type: ignore[call-arg]


def test_it_is_said_twice_where_it_may_stop() -> None:
    drawn = Specification("drawn", "Drawn.", source="drawn")
    drawn.may_stop(lambda: True)

    with pytest.raises(SpecificationError, match="may_stop is already declared at"):
        drawn.may_stop(lambda: True)
