"""Claims and lemmas whose functions have parameters: they are said of all of them."""

import pytest

from gridproof_model.language import BoolExpr, IndexExpr, Specification, SpecificationError, exists, for_all
from gridproof_model.specifications.two_phase_commit import (
    commit_sent,
    heard,
    managers,
    prepared_sent,
    specification,
)
from gridproof_properties.proofs.argument import Argument


def test_a_lemma_is_said_of_all_its_parameters() -> None:
    argument = Argument(specification, proved_in=(), explored_in=())

    @argument.lemma(managers, managers)
    def of_two(manager: IndexExpr, other: IndexExpr) -> BoolExpr:
        """Said of every two."""
        return heard[manager].implies(prepared_sent[other])

    @argument.lemma
    def as_quantified() -> BoolExpr:
        """Said in other words."""
        return for_all(
            managers, lambda manager: for_all(managers, lambda other: heard[manager].implies(prepared_sent[other]))
        )

    assert of_two.condition == as_quantified.condition


def test_a_lemma_has_what_it_holds_under_in_front() -> None:
    argument = Argument(specification, proved_in=(), explored_in=())

    @argument.lemma(managers, when=commit_sent)
    def under(manager: IndexExpr) -> BoolExpr:
        """Said where it was sent."""
        return heard[manager]

    @argument.lemma(managers, unless=commit_sent)
    def but_for(manager: IndexExpr) -> BoolExpr:
        """Said where it was not."""
        return ~heard[manager]

    assert under.condition == commit_sent.implies(for_all(managers, lambda manager: heard[manager])).node
    assert but_for.condition == (commit_sent | for_all(managers, lambda manager: ~heard[manager])).node


def test_a_claim_is_said_of_all_its_parameters() -> None:
    s = Specification("small", "Small.", source="a test")
    index = s.index("thing", s.constant("size", 2, "How many.", least=1))

    @s.always(index, source="a test")
    def is_itself(thing: IndexExpr) -> BoolExpr:
        """Each is itself."""
        return thing == thing  # a condition of the language

    assert is_itself.condition == for_all(index, lambda thing: thing == thing).node


def test_what_is_to_happen_is_said_of_some_choice_of_its_parameters() -> None:
    s = Specification("small", "Small.", source="a test")
    index = s.index("thing", s.constant("size", 2, "How many.", least=1))

    @s.sometimes(index, index, source="a test")
    def are_two(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        """There are two."""
        return one != other

    assert are_two.condition == exists(index, index, lambda one, other: one != other).node


def test_a_lemma_with_a_parameter_has_a_domain_for_it() -> None:
    argument = Argument(specification, proved_in=(), explored_in=())

    with pytest.raises(SpecificationError, match="has 1 parameters, but 0 domains"):

        @argument.lemma  # type: ignore[arg-type]
        def lost(manager: IndexExpr) -> BoolExpr:
            """Speak of nobody."""
            return heard[manager]
