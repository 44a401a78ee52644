"""Snapshot proved, and not when a rule is dropped."""

from functools import cache

import pytest

from gridproof_model.language import ClaimKind
from gridproof_properties.proofs.arguments.snapshot import argument
from gridproof_properties.proofs.prove import Proof, prove, prove_world
from tests.properties.careless_worlds import without_guard

LATER_VERSIONS = argument.proved_in[1]
"""Where a write without its backup's word fails; snapshots, losses and misses are any number."""
WORLD = argument.world(LATER_VERSIONS)


@cache
def proved() -> Proof:
    return prove(argument, LATER_VERSIONS)


def test_every_claim_and_lemma_is_inductive() -> None:
    assert proved().induction.dropped == ()


def test_no_step_leaves_a_domain() -> None:
    assert proved().may_be_undefined is None


def test_claims_alone_are_not_inductive() -> None:
    alone = prove_world(argument.specification.world(**LATER_VERSIONS), LATER_VERSIONS)

    claims = {claim.name for claim in WORLD.claims_of(ClaimKind.ALWAYS)} - {lemma.name for lemma in argument.lemmas}
    assert len(set(alone.induction.inductive) & claims) < len(claims) / 2


@pytest.mark.parametrize(
    ("action", "guard", "claim"),
    [
        ("counter_counts_item", 2, "exactly_once_counts_every_item_once"),
        ("snapshot_begins", 4, "writes_that_fail_keep_ids_increasing"),
        ("snapshot_is_recorded", 0, "only_a_completed_snapshot_is_recorded"),
    ],
    ids=["barriers align", "the record reaches its backup", "validation comes first"],
)
def test_without_a_guard_that_a_claim_rests_on_its_proof_fails(action: str, guard: int, claim: str) -> None:
    careless = prove_world(without_guard(WORLD, action, guard), LATER_VERSIONS)

    assert claim not in careless.induction.inductive
