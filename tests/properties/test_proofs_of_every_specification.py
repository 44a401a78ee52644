"""Every specification has an argument whose lemmas all carry."""

from functools import cache

import pytest

from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.prove import Proof, prove

WITH_LEMMAS = [argument for argument in ARGUMENTS if argument.lemmas]


def name(argument: Argument) -> str:
    return argument.specification.name


@cache
def proved(argument: Argument) -> tuple[Proof, ...]:
    return tuple(prove(argument, constants) for constants in argument.proved_in)


def test_every_specification_has_one_argument() -> None:
    assert [argument.specification for argument in ARGUMENTS] == list(SPECIFICATIONS)


@pytest.mark.parametrize("argument", WITH_LEMMAS, ids=name)
def test_every_lemma_is_proved_in_every_world(argument: Argument) -> None:
    lemmas = [lemma.name for lemma in argument.lemmas]

    dropped = [(lemma, proof.constants) for proof in proved(argument) for lemma in lemmas if not proof.is_proved(lemma)]

    assert dropped == []


@pytest.mark.parametrize("argument", WITH_LEMMAS, ids=name)
def test_some_claim_leans_on_every_lemma(argument: Argument) -> None:
    inductions = [proof.induction for proof in proved(argument)]
    claims = {claim.name for claim in argument.specification.claims}
    needed = {lemma for i in inductions for claim in claims & set(i.inductive) for lemma in i.support(claim)}

    assert [lemma.name for lemma in argument.lemmas if lemma.name not in needed] == []
