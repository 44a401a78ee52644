"""Symmetry reduction keeps every verdict and loses no state."""

import pytest
from hypothesis import HealthCheck, assume, given, note, settings

from gridproof_model.spec import Array, IndexExpr, Option, Specification, SpecificationError, Step, World
from gridproof_model.spec.cells import decode
from gridproof_model.spec.lower_world import lower
from gridproof_model.spec.page import page
from gridproof_model.spec.permute import orbit
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import explore
from gridproof_properties.explorer.explore import Explorer
from gridproof_properties.strategies.specifications import specifications

STATES_MAX = 2_000


def orbit_sum(world: World) -> int:
    """Return how many states the classes hold together."""
    explorer = Explorer(lower(world), symmetry=True)
    packing = explorer.search.kernel.packing
    states = [decode(world, packing.unpack(column)) for level in explorer.search.levels for column in level.T]
    return sum(len(orbit(world, state)) for state in states)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(specifications())
def test_classes_hold_every_state_and_decide_every_claim(specification: Specification) -> None:
    note(page(specification))
    world = specification.world()
    try:
        whole = explore(world)
    except SpecificationError:
        assume(False)
    assume(whole.failure is None and whole.states <= STATES_MAX)

    reduced = explore(world, symmetry=True)

    assert orbit_sum(world) == whole.states
    assert [len(v.witness) for v in reduced.verdicts] == [len(v.witness) for v in whole.verdicts]
    assert [v.result for v in reduced.verdicts] == [v.result for v in whole.verdicts]


@pytest.mark.parametrize("size", [3, 5])
def test_classes_of_two_phase_commit_hold_all_its_states(size: int) -> None:
    world = two_phase_commit.world(size=size)

    assert orbit_sum(world) == explore(world).states


def test_it_visits_far_fewer_states() -> None:
    assert explore(two_phase_commit.world(size=7), symmetry=True).states == 920


def test_elements_that_start_unlike_are_not_interchangeable() -> None:
    specification = Specification("unlike", "One starts with a token.", source="drawn")
    members = specification.index("member", 2)
    has_token = specification.variable("owner", Array(members, Option(members)), "Owner.", initial=(None, 1))

    @specification.action(members, source="drawn")
    def forget(member: IndexExpr) -> Step:
        """Forget the owner."""
        return Step(when=[], then=[has_token[member].becomes(None)])

    with pytest.raises(SpecificationError, match="do not start alike"):
        explore(specification.world(), symmetry=True)
