"""Symmetry reduction keeps every verdict and loses no state."""

import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings

from gridproof_model.language import (
    ANY,
    Array,
    ClaimKind,
    IndexExpr,
    Int,
    Option,
    Specification,
    SpecificationError,
    Step,
    World,
)
from gridproof_model.language.cells import decode
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.lower_world import lower
from gridproof_model.language.permute import Renaming, renamings
from gridproof_model.language.structures import Record, Sequence, Set
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import Plain, State, record_value
from gridproof_model.specifications.snapshot import specification as snapshot
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import explore
from gridproof_properties.explorer.explore import Explorer
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import is_defined, lowered_or_skip

STATES_MAX = 2_000
MEBIBYTE = 1 << 20
WORLDS = (
    two_phase_commit.world(size=3),
    two_phase_commit.world(size=5),
    snapshot.world(ids=0, removals=0),
)
"""Of every specification with interchangeable things."""


def renamed_state(world: World, state: State, renaming: Renaming) -> State:
    """Return a state with its elements renamed."""
    values = zip(world.variables, state.values, strict=True)
    return State(state.names, tuple(renamed(variable.domain, value, renaming) for variable, value in values))


def renamed(domain: Domain[Any], value: Plain, renaming: Renaming) -> Plain:
    """Return a value with its elements renamed."""
    match domain:
        case IndexSet():
            return renaming[domain][value] if domain in renaming else value
        case Option(inner=inner):
            return None if value is None else renamed(inner, value, renaming)
        case Array(index=index) | Set(index=index):
            parts = [renamed(domain.element, part, renaming) for part in value]
            places = renaming.get(index, range(index.size))
            return tuple(part for _, part in sorted(zip(places, parts, strict=True), key=lambda pair: pair[0]))
        case Record(fields=fields):
            pairs = zip(fields, value, strict=True)
            return record_value(domain, tuple(renamed(inner, part, renaming) for (_, inner), part in pairs))
        case Sequence(element=element):
            return tuple(renamed(element, part, renaming) for part in value)
        case _:
            return value


def orbit(world: World, state: State) -> frozenset[State]:
    """Return all states that renamings make of one state."""
    return frozenset(renamed_state(world, state, renaming) for renaming in renamings(world))


def orbit_sum(world: World) -> int:
    """Return how many states the classes hold together."""
    explorer = Explorer(lower(world), symmetry=True)
    packing = explorer.search.kernel.packing
    states = [decode(world, packing.unpack(column)) for level in explorer.search.levels for column in level.T]
    return sum(len(orbit(world, state)) for state in states)


@settings(max_examples=examples(60), suppress_health_check=FILTERED)
@given(specifications())
def test_classes_hold_every_state_and_decide_every_claim(specification: Specification) -> None:
    world = lowered_or_skip(specification).world
    whole = explore(world)
    assume(is_defined(whole) and whole.states <= STATES_MAX)

    reduced = explore(world, symmetry=True)

    assert orbit_sum(world) == whole.states
    assert [len(v.witness) for v in reduced.verdicts] == [len(v.witness) for v in whole.verdicts]
    assert [v.result for v in reduced.verdicts] == [v.result for v in whole.verdicts]
    assert [len(failure.witness) for failure in reduced.failures] == [
        len(failure.witness) for failure in whole.failures
    ]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.title)
def test_classes_of_specifications_hold_all_their_states(world: World) -> None:
    assert orbit_sum(world) == explore(world).states


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.title)
def test_classes_decide_what_states_decide(world: World) -> None:
    safety = replace(world, claims=tuple(claim for claim in world.claims if claim.kind is not ClaimKind.EVENTUALLY))

    reduced, whole = explore(safety, symmetry=True), explore(safety)

    assert [v.result for v in reduced.verdicts] == [v.result for v in whole.verdicts]
    assert [len(v.witness) for v in reduced.verdicts] == [len(v.witness) for v in whole.verdicts]


@pytest.mark.parametrize(
    ("world", "classes"),
    [
        (two_phase_commit.world(size=7), 920),
        (snapshot.world(members=3, ids=0, removals=0), 7_508),
    ],
    ids=lambda value: value.title if isinstance(value, World) else str(value),
)
def test_it_visits_far_fewer_states(world: World, classes: int) -> None:
    reduced = explore(world, symmetry=True)

    assert reduced.states == classes
    assert 3 * reduced.states < explore(world).states


def test_elements_that_start_unlike_are_not_interchangeable() -> None:
    specification = Specification("unlike", "One starts with a token.", source="drawn")
    members = specification.index("member", 2)
    has_token = specification.variable("owner", Array(members, Option(members)), "Owner.", initial=(None, 1))

    @specification.action(members, source="drawn")
    def forget(member: IndexExpr) -> Step:
        """Forget the owner."""
        return Step(when=[], then=[has_token[member].becomes(None)])

    with pytest.raises(SpecificationError, match="start differently"):
        explore(specification.world(), symmetry=True)


def accounts(top: int, members: int) -> Specification:
    """Return accounts of interchangeable members, a bank that does not move, and the last who earned."""
    specification = Specification("accounts", "Money.", source="drawn")
    member = specification.index("member", members)
    money = specification.variable("money", Array(member, Int(0, top)), "How much.")
    specification.variable("bank", Int(-top, top), "What is not earned.", initial=-top)
    last = specification.variable("last", Option(member), "Who.")

    @specification.action(member, source="drawn")
    def earn(one: IndexExpr) -> Step:
        """Earn one."""
        return Step(when=[money[one] < 2], then=[money[one].becomes(money[one] + 1), last.becomes(one)])

    return specification


def test_what_is_counted_are_classes() -> None:
    reduced = explore(two_phase_commit.world(size=3), symmetry=True)

    said = {verdict.sentence for verdict in reduced.verdicts if verdict.claim.kind is ClaimKind.ALWAYS}
    assert (reduced.counted, said) == ("classes of states", {"holds in all 80 classes of states"})


@pytest.mark.parametrize("top", [2, 10**3, 10**6, 10**10, 10**15])
def test_numbers_take_no_memory_for_being_large(top: int) -> None:
    world = accounts(top, members=3).world()
    tracemalloc.start()
    try:
        reduced = explore(world, symmetry=True, memory_bytes=MEBIBYTE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (reduced.states, explore(world).states) == (13, 55)
    assert peak < 4 * MEBIBYTE


def test_tables_of_renamings_that_pass_the_memory_are_refused() -> None:
    with pytest.raises(SpecificationError, match=r"the tables of 720 renamings take more than a quarter of 1 MiB"):
        explore(accounts(2, members=6).world(), symmetry=True, memory_bytes=MEBIBYTE)


def test_starts_that_pass_the_memory_are_refused_before_they_are_compared() -> None:
    specification = accounts(2, members=3)
    specification.variable("any", Int(0, 10**12), "Anything.", initial=ANY)

    with pytest.raises(SpecificationError, match=r"the world has 1,000,000,000,001 initial states, more than fit"):
        explore(specification.world(), symmetry=True, memory_bytes=MEBIBYTE)
