"""Levels of few states are explored one state after the other, and nothing comes out otherwise."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from gridproof_model.language import BoolExpr, ClaimKind, Int, Specification, Step, World
from gridproof_model.language.lower_world import lower
from gridproof_model.specifications.durability import specification as durability
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import explore, search
from gridproof_properties.explorer.explore import Explorer
from gridproof_properties.judging.verdict import Result
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import lowered_or_skip

NEVER = 10**9


def said(world: World, *, patience: int) -> object:
    """Return everything that an exploration says, small levels apart after so many of them."""
    explorer = Explorer(lower(world), patience=patience)
    verdicts = [explorer.verdict(claim) for claim in explorer.lowered.claims]
    return (
        explorer.search.levels.bounds,
        explorer.search.transitions,
        explorer.stopped_because,
        explorer.coverage,
        verdicts,
        list(explorer.failures()),
    )


@pytest.fixture(params=[12, NEVER], ids=["few", "any"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take levels of so many states for small, and pack them soon."""
    monkeypatch.setattr(search, "FEW_STATES", request.param)
    monkeypatch.setattr(search, "SINGLE_STATES", 20)


@pytest.mark.usefixtures("few")
@settings(max_examples=examples(30), suppress_health_check=FILTERED)
@given(specifications(with_progress=True))
def test_drawn_worlds_are_explored_alike(specification: Specification) -> None:
    world = lowered_or_skip(specification).world

    assert said(world, patience=0) == said(world, patience=NEVER)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("world", [two_phase_commit.world(size=3), durability.world()], ids=lambda world: world.title)
def test_worlds_of_specifications_are_explored_alike(world: World) -> None:
    assert said(world, patience=0) == said(world, patience=NEVER)


def chain(length: int, *, rounds: bool = False) -> World:
    """Return a chain of states; one that goes round, if wanted."""
    specification = Specification("chain", "A chain.", source="drawn")
    place = specification.variable("place", Int(0, length), "The place.")
    specification.may_stop(lambda: place == length)

    @specification.action(source="drawn", fair=True)
    def step() -> Step:
        """Go on."""
        return Step(when=[] if rounds else [place < length], then=[place.becomes((place + 1) % (length + 1))])

    @specification.always(source="drawn")
    def is_on_its_way() -> BoolExpr:
        """It is not at the end."""
        return place < length

    @specification.eventually(source="drawn")
    def arrives() -> BoolExpr:
        """It comes to the end."""
        return place > length if rounds else place == length

    return specification.world()


def test_a_long_chain_is_explored_with_its_claims_and_stories() -> None:
    found = explore(chain(20_000))

    assert found.level_sizes == (1,) * 20_001
    assert len(found.verdict("is_on_its_way").witness) == 20_001
    assert found.verdict("arrives").result is Result.HOLDS


def test_a_long_round_is_shown_whole() -> None:
    verdict = explore(chain(3_000, rounds=True)).verdict("arrives")

    assert (verdict.result, len(verdict.cycle)) == (Result.BROKEN, 3_001)


def test_a_chain_keeps_to_its_memory() -> None:
    world = chain(40_000)
    found = explore(replace(world, claims=world.claims_of(ClaimKind.SOMETIMES)), memory_bytes=1 << 20)

    assert not found.is_complete
    assert found.bytes_held <= 1 << 20
