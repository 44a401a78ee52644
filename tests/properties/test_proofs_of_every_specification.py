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
def proved(argument: Argument, world: int) -> Proof:
    return prove(argument, argument.proved_in[world])


def test_every_specification_has_one_argument() -> None:
    assert [argument.specification for argument in ARGUMENTS] == list(SPECIFICATIONS)


@pytest.mark.parametrize("argument", WITH_LEMMAS, ids=name)
def test_every_lemma_is_proved_in_its_first_world(argument: Argument) -> None:
    assert unproved_lemmas(argument, 0) == []


@pytest.mark.night
@pytest.mark.parametrize("argument", WITH_LEMMAS, ids=name)
def test_every_lemma_is_proved_in_every_world(argument: Argument) -> None:
    unproved = {number: unproved_lemmas(argument, number) for number in range(len(argument.proved_in))}

    assert [world for world, lemmas in unproved.items() if lemmas] == []


@pytest.mark.night
@pytest.mark.parametrize("argument", WITH_LEMMAS, ids=name)
def test_a_claim_or_the_definedness_of_steps_leans_on_every_lemma(argument: Argument) -> None:
    proofs = [proved(argument, number) for number in range(len(argument.proved_in))]
    claims = {claim.name for claim in argument.specification.claims}
    needed = {
        lemma
        for proof in proofs
        for wanted in (claims & set(proof.induction.inductive)) | proof.definedness_leans_on
        for lemma in {*proof.induction.support(wanted), *proof.definedness_leans_on}
    }

    assert [lemma.name for lemma in argument.lemmas if lemma.name not in needed] == []


def unproved_lemmas(argument: Argument, world: int) -> list[str]:
    return [lemma.name for lemma in argument.lemmas if not proved(argument, world).is_proved(lemma.name)]
