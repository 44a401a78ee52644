"""Snapshot proved, and not when a rule is dropped."""

from functools import cache

import pytest
from _pytest.mark import ParameterSet

from gridproof_model.language import ClaimKind, Plain
from gridproof_properties.proofs.arguments.snapshot import PROVED, WITHOUT_BOUNDS, argument
from gridproof_properties.proofs.prove import Proof, prove, prove_world
from tests.properties.careless_worlds import without_guard

LATER_VERSIONS: dict[str, Plain] = PROVED | WITHOUT_BOUNDS
AS_DELIVERED: dict[str, Plain] = {"strict": False, **LATER_VERSIONS}
"""Two executions, two snapshots, four records; ids, ends, removals, misses and stops are any number."""


@cache
def proved_in(strict: bool) -> Proof:
    return prove(argument, LATER_VERSIONS if strict else AS_DELIVERED)


@pytest.mark.parametrize(
    "strict", [True, pytest.param(False, marks=pytest.mark.nightly)], ids=["later versions", "as delivered"]
)
def test_every_claim_and_lemma_is_inductive(strict: bool) -> None:
    assert proved_in(strict).induction.dropped == ()


@pytest.mark.parametrize("strict", [True, False], ids=["later versions", "as delivered"])
def test_no_step_leaves_a_domain(strict: bool) -> None:
    assert proved_in(strict).may_be_undefined is None


def test_claims_alone_are_not_inductive() -> None:
    alone = prove_world(argument.specification.world(**LATER_VERSIONS), LATER_VERSIONS)

    claims = {claim.name for claim in alone.world.lowered.world.claims_of(ClaimKind.ALWAYS)}
    assert len(set(alone.induction.inductive) & claims) < len(claims) / 2


def rests(action: str, guard: int, claim: str, constants: dict[str, Plain], name: str, *, by_day: bool) -> ParameterSet:
    marks = [] if by_day else [pytest.mark.nightly]
    return pytest.param(action, guard, claim, constants, id=name, marks=marks)


BARRIERS, WHOLE = "exactly_once_counts_every_item_once", "the_recorded_snapshot_stays_whole"
WRITTEN, IDS = "a_whole_snapshot_has_what_came_before_its_barriers", "ids_never_go_back_if_backups_acknowledge"


@pytest.mark.parametrize(
    ("action", "guard", "claim", "constants"),
    [
        rests("item_is_counted", 3, BARRIERS, LATER_VERSIONS, "barriers align", by_day=True),
        rests("map_is_cleared", 1, WHOLE, LATER_VERSIONS, "the recorded map is not cleared", by_day=False),
        rests("snapshot_is_validated", 1, WRITTEN, LATER_VERSIONS, "all is written first", by_day=False),
        rests("record_is_read", 5, IDS, AS_DELIVERED, "what is confirmed is read", by_day=False),
        rests("map_is_cleared", 2, IDS, LATER_VERSIONS, "later versions wait for the backup", by_day=False),
    ],
)
def test_without_a_guard_that_a_claim_rests_on_its_proof_fails(
    action: str, guard: int, claim: str, constants: dict[str, Plain]
) -> None:
    careless = prove_world(without_guard(argument.world(constants), action, guard), constants)

    assert claim not in careless.induction.inductive
