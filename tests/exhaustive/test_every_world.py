"""Every specification, explored whole in its small worlds: sizes, claims, coverage."""

from functools import cache

import pytest
from _pytest.mark import ParameterSet

from gridproof_model.language import ClaimKind
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.judging.verdict import Result
from tests.exhaustive.worlds import EXPLORED, Explored, SmallWorld


def _of(specification: Explored, world: SmallWorld) -> ParameterSet:
    # One worker explores all worlds of a specification, each once.
    marks = [pytest.mark.xdist_group(f"worlds of {specification.specification.name}")]
    marks += [pytest.mark.nightly] if world.is_nightly else []
    return pytest.param(specification, world, marks=marks, id=f"{specification.specification.name}: {world.name}")


def _alone(specification: Explored) -> ParameterSet:
    name = specification.specification.name
    return pytest.param(specification, marks=pytest.mark.xdist_group(f"worlds of {name}"), id=name)


in_every_world = pytest.mark.parametrize(
    ("specification", "world"), [_of(each, world) for each in EXPLORED for world in each.worlds]
)
in_every_large_world = pytest.mark.parametrize(
    ("specification", "world"),
    [_of(each, world) for each in EXPLORED for world in each.worlds if world.unseen is not None],
)
of_every_specification = pytest.mark.parametrize("specification", [_alone(each) for each in EXPLORED])


@cache
def _explored(name: str, world: str) -> Exploration:
    found = next(each for each in EXPLORED if each.specification.name == name)
    constants = next(each.constants for each in found.worlds if each.name == world)
    return explore(found.specification.world(**constants))


def explored(specification: Explored, world: SmallWorld) -> Exploration:
    return _explored(specification.specification.name, world.name)


def all_explored(specification: Explored) -> list[Exploration]:
    return [explored(specification, world) for world in specification.worlds if not world.is_nightly]


def failing(exploration: Exploration, *, sometimes: bool) -> set[str]:
    """Return the claims that do not hold: those of what may happen, or those of what must."""
    judged = [one for one in exploration.judged if (one.claim.kind is ClaimKind.SOMETIMES) is sometimes]
    return {verdict.claim.name for verdict in judged if verdict.result is not Result.HOLDS}


def test_every_specification_is_explored() -> None:
    assert {each.specification.name for each in EXPLORED} == {each.name for each in SPECIFICATIONS}


@in_every_world
def test_its_size_is_the_pinned_one(specification: Explored, world: SmallWorld) -> None:
    found = explored(specification, world)

    assert (found.states, found.transitions, found.depth) == (world.states, world.transitions, world.depth)


@in_every_world
def test_no_step_is_undefined_and_nothing_stops(specification: Explored, world: SmallWorld) -> None:
    assert explored(specification, world).is_complete
    assert explored(specification, world).failure is None


@in_every_world
def test_what_must_be_true_is_and_what_must_come_comes(specification: Explored, world: SmallWorld) -> None:
    assert failing(explored(specification, world), sometimes=False) == world.broken


@in_every_large_world
def test_what_nobody_promises_is_seen_to_happen(specification: Explored, world: SmallWorld) -> None:
    assert failing(explored(specification, world), sometimes=True) == (world.unseen or set())


@of_every_specification
def test_every_claim_says_something_somewhere(specification: Explored) -> None:
    judged = {verdict.claim.name for found in all_explored(specification) for verdict in found.judged}

    assert judged == {claim.name for claim in specification.specification.claims}


@of_every_specification
def test_every_action_happens_somewhere(specification: Explored) -> None:
    rows = [action for found in all_explored(specification) for action in found.coverage]

    assert {row.action for row in rows if row.fired} == {row.action for row in rows}


@of_every_specification
def test_every_guard_refuses_somewhere(specification: Explored) -> None:
    rows = [action for found in all_explored(specification) for action in found.coverage]
    guards = {(row.action, guard) for row in rows for guard in range(len(row.refused))}
    refused = {(row.action, guard) for row in rows for guard, times in enumerate(row.refused) if times}

    assert guards - refused == specification.never_refuses
