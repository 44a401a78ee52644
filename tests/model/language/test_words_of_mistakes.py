"""A newcomer's mistakes end in one sentence of the language, with the line and the cure."""

from collections.abc import Callable
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any, cast

import pytest

from gridproof_model.language import (
    Array,
    EnumExpr,
    Int,
    IntExpr,
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
    element_at,
    first,
    for_all,
    if_else,
    leads_to,
)


class Kind(Enum):
    ONE = "one"
    TWO = "two"


class Twice(Enum):
    ONE = 1
    UNO = 1  # noqa: PIE796


class Level(IntEnum):
    LOW = 0


class Message(RecordExpr):
    kind: EnumExpr[Kind]
    number: IntExpr


spec: Any = Specification("mistakes", "Mistakes.", source="drawn")
top: Any = spec.constant("top", 3, "The most.")
members: Any = spec.index("member", 2)
slots: Any = spec.index("slot", 2, ordered=True)
x: Any = spec.variable("x", Int(0, top), "A number.")
flag: Any = x == 1
st: Any = spec.variable("st", Set(members), "A set.")
who: Any = spec.variable("who", Option(members), "Who.")
last: Any = spec.variable("last", Option(Int(0, 1)), "The last.")
counts: Any = spec.variable("counts", Array(members, Int(0, 3)), "Counts.")
messages: Any = Record(Message, kind=OneOf(Kind), number=Int(0, top))
lane: Any = spec.variable("lane", Sequence(messages, 2), "A lane.")
unsaid: Any = Step

else_, at, leads, each = (cast("Any", one) for one in (if_else, element_at, leads_to, array_of))

MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a method that is not called": (lambda: Step(when=[st.is_empty], then=[]), r"call it, \.is_empty\(\)"),
    "its negation": (lambda: ~st.is_empty, r"call it, \.is_empty\(\)"),
    "its comparison": (lambda: st.count > 1, r"call it, \.count\(\)"),
    "a method in a condition": (lambda: flag & st.is_within, r"call it, \.is_within\(\)"),
    "a property that is called": (lambda: lane.is_empty(), r"without \(\)"),
    "another": (lambda: who.is_none(), r"without \(\)"),
    "a union": (lambda: st | {1}, r"st\[one\]\.becomes\(True\) puts one in"),
    "an element more": (lambda: st.add(1), r"st\[one\]\.becomes\(True\) puts one in"),
    "an element asked for": (lambda: 1 in st, r"st\[one\] says whether one is in it"),
    "an empty set": (lambda: st.becomes(set()), r"array_of\(members"),
    "a number for an array": (lambda: counts.becomes(0), r"array_of\(members"),
    "a bound that is a constant": (lambda: x.becomes(Kind.ONE), r"Int\(0, top\) is needed where <Kind\.ONE"),
    "a bound that is open": (lambda: spec.variable("z", Int(3), "More.").becomes(2), r"2 is outside Int\(3 and more\)"),
    "a quantifier over a variable": (lambda: for_all(lane, lambda one: flag), "not sequence of Message"),
    "the first of a variable": (lambda: first(x, lambda one: flag), r"an index set is needed where Int\(0, top\)"),
    "an element of a variable": (lambda: at(x, 0), "an index set is needed where"),
    "an option as a guard": (lambda: Step(when=[who], then=[]), r"write \.is_none or \.is_some"),
    "its opposite": (lambda: ~who, r"write \.is_none or \.is_some"),
    "an option in a condition": (lambda: flag & who, r"write \.is_none or \.is_some"),
    "none by Python": (lambda: unsaid(when=[who is None], then=[]), "never `is None`"),
    "a choice by Python": (lambda: else_(who is None, x, 1), "never `is None`"),
    "a position from the end": (lambda: lane.at(-1), "counted from 0"),
    "its removal": (lambda: lane.without(-1), "counted from 0"),
    "an element past the end": (lambda: at(slots, 2), "slot has no element 2"),
    "an implication by >>": (lambda: flag >> flag, r"\.implies"),
    "a value to come": (lambda: x.next, r"x\.becomes\(x \+ 1\)"),
    "a push": (lambda: lane.push(1), r"lane\.becomes\(lane\.append"),
    "a cell assigned to": (lambda: counts.__setitem__(1, 2), "a step says what becomes of it"),
    "what it does not have": (lambda: who.nobody, "it has becomes, is_none, is_some, value"),
    "a step without guards": (lambda: unsaid(then=[]), r"missing a required argument: 'when': write Step\(when="),
    "an action without a source": (lambda: spec.action(members), r"'source': write action\(.*source="),
    "a claim without its source": (lambda: spec.always(lambda: flag), r"write always\(.*source="),
    "a variable without a meaning": (lambda: spec.variable("y", Int(0, 3)), "'meaning': write variable"),
    "a record by position": (lambda: messages(Kind.ONE, 3), "too many positional arguments"),
    "a record as a tuple": (lambda: lane.append((Kind.ONE, 3)), "Message.* is needed where"),
    "promises within one another": (lambda: leads(flag, leads(flag, flag)), "two promises are two claims"),
    "a number that is an enumeration": (lambda: x == Level.LOW, "where <Level.LOW: 0>|where Level"),
    "one choice twice": (lambda: OneOf(Twice), "two names for one value"),
    "a literal outside an option": (lambda: last.becomes(-1), r"-1 is outside Int\(0, 1\) or None"),
    "nothing for an element": (lambda: each(members, lambda one: "1"), "must return an expression"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_in_the_words_of_the_language(name: str) -> None:
    make, words = MISTAKES[name]

    with pytest.raises(SpecificationError, match=rf"{Path(__file__).name}:\d+: .*(?:{words})") as caught:
        make()

    assert not any(ours in str(caught.value) for ours in ("object at 0x", "Parameter(", "Operation(", "Expr"))
