"""A bound in which a constant is open bounds all the same."""

from collections.abc import Callable

import pytest

from gridproof_model.language import (
    ANY_NUMBER,
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    Set,
    Specification,
    Step,
    count,
    exists,
)
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.prove import prove


@pytest.mark.parametrize(
    ("claim", "is_true"),
    [
        (lambda most: exists(Int(0, most), lambda number: number == 5), False),
        (lambda most: count(Int(0, most), lambda number: number == 5) > 0, False),
        (lambda most: exists(Int(0, most), lambda number: number == 1), True),
    ],
)
def test_a_quantifier_ends_at_an_open_bound(claim: Callable[[IntExpr], BoolExpr], is_true: bool) -> None:
    s = Specification("writing", "Members write.", source="a test")
    members = s.index("member", s.constant("size", 2, "How many members."))
    most = s.constant("most", 6, "How much each writes.", least=1)
    written = s.variable("written", Array(members, Int(0, most)), "What each wrote.")

    @s.action(members, source="a test")
    def writes(member: IndexExpr) -> Step:
        """A member writes."""
        return Step(when=[written[member] < most], then=[written[member].becomes(written[member] + 1)])

    @s.always(source="a test")
    def there_is_a_number() -> BoolExpr:
        """There is such a number."""
        return claim(most)

    argument = Argument(s, proved_in=({"size": ANY_NUMBER, "most": ANY_NUMBER},), explored_in=())
    proof = prove(argument, argument.proved_in[0])

    assert writes.name == "writes"
    assert there_is_a_number.name in proof.induction.inductive
    assert proof.is_proved("there_is_a_number") is is_true
    assert proof.may_be_undefined is None


def test_a_quotient_that_is_no_half_may_be_undefined() -> None:
    s = Specification("dividing", "A number is divided by a count.", source="a test")
    size = s.constant("size", 3, "How many elements.")
    elements = s.index("element", size)
    held, is_done = (
        s.variable("held", Set(elements), "What is held."),
        s.variable("done", Bool(), "Whether it is done."),
    )

    @s.action(source="a test")
    def divides() -> Step:
        """The number is divided, also by nothing."""
        return Step(when=[size // held.count() < 2], then=[is_done.becomes(True)])

    argument = Argument(s, proved_in=({"size": ANY_NUMBER},), explored_in=())

    assert prove(argument, argument.proved_in[0]).may_be_undefined == divides.name


def test_steps_are_read_if_there_is_no_claim() -> None:
    s = Specification("rising", "A number rises.", source="a test")
    elements = s.index("element", s.constant("size", 3, "How many elements."))
    number = s.variable("number", Array(elements, Int(0, 3)), "A number.")

    @s.action(elements, source="a test")
    def rises(element: IndexExpr) -> Step:
        """The number rises."""
        return Step(when=[], then=[number[element].becomes(number[element] + 1)])

    argument = Argument(s, proved_in=({"size": ANY_NUMBER},), explored_in=())

    assert prove(argument, argument.proved_in[0]).may_be_undefined == rises.name
