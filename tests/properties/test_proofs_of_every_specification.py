"""Every specification has an argument whose lemmas all carry."""

from functools import cache

import pytest
import z3

from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.arguments import ARGUMENTS, ownership
from gridproof_properties.proofs.induction import representatives
from gridproof_properties.proofs.prove import Proof, prove

FOR_FIXED_SIZES = {
    "replication": [
        "acknowledgements_still_to_come_were_promised", "in_a_calm_nobody_asks", "in_a_calm_everything_is_in_step",
        "in_a_calm_what_is_missing_is_under_way",
    ]
}  # fmt: skip
"""By specification: what is proved of every fixed size that is asked, and not for any number of members."""

WITH_LEMMAS = [argument for argument in ARGUMENTS if argument.lemmas]


def name(argument: Argument) -> str:
    return argument.specification.name


SMALL = {"ownership": {**ownership.OF_RUNS, "migrations": 2}}
"""By specification: what is proved by day, where its first world is of any number of members and takes four times."""


@cache
def proved(argument: Argument, world: int) -> Proof:
    return prove(argument, argument.proved_in[world])


@cache
def proved_by_day(argument: Argument) -> Proof:
    return prove(argument, SMALL.get(name(argument), argument.proved_in[0]))


def test_every_specification_has_one_argument() -> None:
    assert [argument.specification for argument in ARGUMENTS] == list(SPECIFICATIONS)


SLOW = ("invocation", "ownership", "replication", "snapshot")
"""From 20 s to a minute each: nightly. `test_proofs_snapshot.py` proves small worlds of one."""
BY_DAY = [pytest.param(one, marks=[pytest.mark.nightly] if name(one) in SLOW else []) for one in WITH_LEMMAS]


@pytest.mark.parametrize("argument", BY_DAY, ids=name)
def test_every_lemma_is_proved_in_its_first_world(argument: Argument) -> None:
    assert unproved_lemmas(argument, proved_by_day(argument)) == []


@pytest.mark.parametrize("argument", BY_DAY, ids=name)
def test_what_is_proved_leaves_every_action_possible(argument: Argument) -> None:
    assert ruled_out(proved_by_day(argument)) == set()


@pytest.mark.nightly
@pytest.mark.parametrize("argument", WITH_LEMMAS, ids=name)
def test_every_lemma_is_proved_in_every_world(argument: Argument) -> None:
    proofs = [proved(argument, number) for number in range(len(argument.proved_in))]
    fixed = FOR_FIXED_SIZES.get(name(argument), [])

    unproved = [unproved_lemmas(argument, proof) for proof in proofs]
    at_small_sizes = [lemma for proof in proofs for lemma in fixed if lemma not in proof.induction.inductive]

    assert unproved == [[] if proof.for_any is None else fixed for proof in proofs]
    assert at_small_sizes == []


@pytest.mark.nightly
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


def ruled_out(proof: Proof) -> set[str]:
    """Return the actions that happen in no state the invariant allows: from what cannot be, everything would follow."""
    actions = {step.event.action for step in proof.world.steps}
    for step in representatives(proof.world):
        if step.event.action in actions:
            solver = proof.world.solver()
            solver.add(proof.world.well_formed, step.possible, step.defined)
            solver.add(*(proof.candidates[claim] for claim in proof.induction.inductive))
            if solver.check() == z3.sat:
                actions.remove(step.event.action)
    return actions


def unproved_lemmas(argument: Argument, proof: Proof) -> list[str]:
    return [lemma.name for lemma in argument.lemmas if not proof.is_proved(lemma.name)]
