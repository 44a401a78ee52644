"""What Z3 says of random specifications, every state confirms."""

from hypothesis import assume, given, settings

from gridproof_model.language import ClaimKind, Specification
from gridproof_model.language.scalars import LoweredWorld
from gridproof_properties.explorer import Exploration, FailureKind, explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.bounded import DEADLOCK, UNDEFINED, search
from gridproof_properties.proofs.induction import Houdini
from gridproof_properties.proofs.prove import prove_world
from gridproof_properties.proofs.translation import Formula, SymbolicWorld
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import is_defined, lowered_or_skip

DEPTH = 4
MEMORY_BYTES = 1 << 20

patient = settings(max_examples=examples(30, nightly=1_200), suppress_health_check=FILTERED)


def explored_or_skipped(lowered: LoweredWorld) -> Exploration:
    exploration = explore(lowered.world, memory_bytes=MEMORY_BYTES)
    assume(exploration.is_complete)
    return exploration


def always_claims(world: SymbolicWorld) -> dict[str, Formula]:
    claims = (claim for claim in world.lowered.claims if claim.claim.kind is ClaimKind.ALWAYS)
    return {claim.claim.name: world.claim(claim) for claim in claims}


@patient
@given(specifications())
def test_bounded_search_finds_what_is_near_enough_and_by_a_shortest_way(specification: Specification) -> None:
    lowered = lowered_or_skip(specification)
    exploration = explored_or_skipped(lowered)
    assume(is_defined(exploration))

    found = search(SymbolicWorld(lowered), DEPTH)

    for verdict in exploration.verdicts:
        steps = len(verdict.witness) - 1
        reached = found.get(verdict.claim.name)
        assert (reached.length if reached else None) == (steps if 0 <= steps <= DEPTH else None)
    assert UNDEFINED not in found
    deadlocks = {len(f.witness) - 1 for f in exploration.failures if f.kind is FailureKind.DEADLOCK}
    near = found.get(DEADLOCK)
    assert ({near.length} if near else set()) == {steps for steps in deadlocks if steps <= DEPTH}


@patient
@given(specifications())
def test_bounded_search_finds_undefined_steps(specification: Specification) -> None:
    lowered = lowered_or_skip(specification)
    exploration = explore(lowered.world, memory_bytes=MEMORY_BYTES)
    undefined = [failure for failure in exploration.failures if failure.kind is FailureKind.UNDEFINED_STEP]
    assume(undefined)
    steps = len(undefined[0].witness) - 1

    found = search(SymbolicWorld(lowered), DEPTH)

    reached = found.get(UNDEFINED)
    assert (reached.length if reached else None) == (steps if steps <= DEPTH else None)


@patient
@given(specifications())
def test_what_is_inductive_holds_in_every_state(specification: Specification) -> None:
    lowered = lowered_or_skip(specification)
    world = SymbolicWorld(lowered)
    proved = Houdini(world, always_claims(world)).run().inductive
    assume(proved)
    exploration = explored_or_skipped(lowered)
    assume(is_defined(exploration))

    assert {exploration.verdict(claim).result for claim in proved} == {Result.HOLDS}


@patient
@given(specifications())
def test_trying_one_step_of_each_kind_is_enough(specification: Specification) -> None:
    world = SymbolicWorld(lowered_or_skip(specification))
    claims = always_claims(world)

    one_of_each, every = Houdini(world, claims).run(), Houdini(world, claims, by_symmetry=False).run()

    assert one_of_each.inductive == every.inductive


@patient
@given(specifications())
def test_where_z3_shows_that_it_goes_on_no_state_is_a_deadlock(specification: Specification) -> None:
    exploration = explored_or_skipped(lowered_or_skip(specification))

    if prove_world(exploration.world, {}).goes_on:
        assert FailureKind.DEADLOCK not in {failure.kind for failure in exploration.failures}
