"""A name that an author chose is never taken for a name of the proof's own."""

import pytest

from gridproof_model.language import (
    ANY_NUMBER,
    Bool,
    BoolExpr,
    IndexExpr,
    Int,
    Set,
    Specification,
    SpecificationError,
    Step,
    count,
    for_all,
)
from gridproof_properties.claims.ledger import Evidence
from gridproof_properties.claims.ledger_row import Status
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.prove import prove


def test_a_lemma_may_have_the_name_of_a_variable() -> None:
    s = Specification("jumps", "A number jumps when it is not quiet.", source="a test")
    number = s.variable("number", Int(0, 5), "The number.")
    is_quiet = s.variable("quiet", Bool(), "Whether it is quiet.", initial=True)

    @s.action(source="a test")
    def wakes() -> Step:
        """It is quiet no more."""
        return Step(when=[], then=[is_quiet.becomes(False)])

    @s.action(source="a test")
    def jumps() -> Step:
        """The number jumps."""
        return Step(when=[~is_quiet], then=[number.becomes(5)])

    @s.always(source="a test")
    def is_small() -> BoolExpr:
        """The number is small: that is not so."""
        return number < 2

    argument = Argument(s, proved_in=({},), explored_in=())

    @argument.lemma
    def quiet() -> BoolExpr:
        """The number is small, in other words."""
        return number <= 1

    assert is_small.name == "is_small"
    assert not prove(argument, {}).induction.inductive


@pytest.mark.parametrize("name", ["element", "chosen"])
def test_a_variable_may_be_called_an_element(name: str) -> None:
    s = Specification("counts", "All but one are counted.", source="a test")
    nodes = s.index("node", s.constant("size", 2, "How many.", least=2), ordered=True)
    one = s.variable(name, nodes, "One of them.")
    counted = s.variable("counted", Int(0), "How many others were counted.")

    @s.action(source="a test")
    def counts() -> Step:
        """The others are counted."""
        return Step(when=[], then=[counted.becomes(count(nodes, lambda node: node != one))])

    @s.always(source="a test")
    def is_one() -> BoolExpr:
        """There is one other: with three there are two."""
        return counted <= 1

    assert is_one.name == "is_one"
    assert not prove(Argument(s, proved_in=(), explored_in=()), {"size": ANY_NUMBER}).is_proved("is_one")


def test_an_action_may_be_called_first_and_what_two_elements_cannot_break_is_broken_by_three() -> None:
    s = Specification("holders", "Anybody may hold it.", source="a test")
    nodes = s.index("node", s.constant("size", 2, "How many.", least=1), ordered=True)
    holds = s.variable("holds", Set(nodes), "Who holds it.")

    @s.action(nodes, source="a test")
    def first(node: IndexExpr) -> Step:
        """A node holds it."""
        return Step(when=[~holds[node]], then=[holds[node].becomes(True)])

    @s.always(nodes, source="a test")
    def is_at_an_end(node: IndexExpr) -> BoolExpr:
        """Only the first and the last hold it: of two elements the constants alone make that true."""
        return holds[node].implies((node == nodes[0]) | for_all(nodes, lambda other: other <= node))

    (row, *_) = Evidence.gather(Argument(s, proved_in=({"size": ANY_NUMBER},), explored_in=())).rows()

    assert (first.name, is_at_an_end.name, row.status) == ("first", "is_at_an_end", Status.BROKEN)
    assert row.detail == "broken 1 step from the start for size 3"


def test_a_claim_may_not_have_the_name_of_an_earlier_lemma() -> None:
    s = Specification("rising", "A number rises.", source="a test")
    number = s.variable("number", Int(0, 3), "The number.")
    argument = Argument(s, proved_in=({},), explored_in=())

    @s.action(source="a test")
    def rises() -> Step:
        """It rises."""
        return Step(when=[number < 3], then=[number.becomes(number + 1)])

    @argument.lemma
    def small() -> BoolExpr:
        """The number is in its domain."""
        return number <= 3

    def is_small() -> BoolExpr:
        """The number is small: that is not so."""
        return number <= 1

    is_small.__name__ = small.name
    s.always(source="a test")(is_small)

    assert rises.name == "rises"
    with pytest.raises(SpecificationError, match="'small' is a claim of rising and a lemma: rename one of the two"):
        prove(argument, {})
