"""Two-phase commit proved, and refuted when a rule is dropped."""

from gridproof_model.language import ClaimKind
from gridproof_model.language.lower_world import lower
from gridproof_properties.proofs.arguments.two_phase_commit import argument
from gridproof_properties.proofs.bounded import search
from gridproof_properties.proofs.prove import Proof, prove, prove_world
from gridproof_properties.proofs.translation import SymbolicWorld
from tests.properties.careless_worlds import without_guard

SIZE = {"size": 3}
WORLD = argument.world(SIZE)
GUARDS = [(action.name, number) for action in WORLD.actions for number in range(len(action.guards))]
GUARDS_FOR_PROGRESS_ONLY = [("manager_prepares", 0)]
"""Preparing again changes nothing that claims or lemmas say."""


def test_every_claim_and_lemma_is_inductive() -> None:
    proof = prove(argument, SIZE)

    assert set(proof.induction.inductive) == {claim.name for claim in WORLD.claims_of(ClaimKind.ALWAYS)}
    assert proof.may_be_undefined is None


def test_agreement_needs_lemmas() -> None:
    alone = prove_world(argument.specification.world(**SIZE), SIZE)

    assert alone.induction.inductive == ("decisions_are_announced",)


def test_without_a_guard_that_agreement_rests_on_its_proof_fails() -> None:
    survived = [guard for guard in GUARDS if not prove_world(without_guard(WORLD, *guard), SIZE).induction.dropped]

    assert survived == GUARDS_FOR_PROGRESS_ONLY


def test_the_counterexample_is_reported_by_what_it_needs() -> None:
    reported = counterexample_of_agreement(prove_world(argument.specification.world(size=2), {"size": 2}))

    assert reported == (
        "before, as at the start but for:",
        "  manager_state[manager 1] = committed",
        "manager_chooses_to_abort(manager 0) changes:",
        "  manager_state[manager 0]: working → aborted",
        "after, not: managers_agree",
    )


def test_the_longest_shortest_way_is_found() -> None:
    found = search(SymbolicWorld(lower(WORLD)), 10, claims=("all_managers_commit", "managers_agree"))

    assert found["all_managers_commit"].length == 10
    assert "managers_agree" not in found


def test_a_dropped_guard_is_shown_by_a_shortest_behaviour() -> None:
    careless = without_guard(WORLD, "coordinator_aborts", 0)

    found = search(SymbolicWorld(lower(careless)), 10, claims=("decisions_are_announced", "managers_agree"))

    assert [event.action for event, _ in found["managers_agree"].behaviour if event].count("coordinator_aborts")


def counterexample_of_agreement(proof: Proof) -> tuple[str, ...]:
    counterexample = proof.counterexample("managers_agree")
    assert counterexample is not None
    return counterexample.lines()
