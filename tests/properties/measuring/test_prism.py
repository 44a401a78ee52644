"""Exported models say the same chain."""

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis.strategies import randoms

from gridproof_model.language import ANY, BoolExpr, Int, Plain, Specification, SpecificationError, Step, World
from gridproof_model.language.cells import encode
from gridproof_model.language.lower_world import lower
from gridproof_model.language.prism import prism_files
from gridproof_model.language.rates import NEVER, Immediate, Rate, RateError, Timed
from gridproof_model.specifications import SPECIFICATIONS, durability, replication
from gridproof_properties.measuring import Predicate, predicates_of
from tests.model.language.drawn_specifications import specifications
from tests.model.language.prism_reader import Prism, Row
from tests.properties.drawn_worlds import lowered_or_skip
from tests.properties.measuring.exact_chain import ExactChain
from tests.properties.measuring.test_exact_chains import DRAWN, SPEEDS, drawn, goal_of

WORLDS: list[tuple[str, dict[str, Plain]]] = [
    ("two_phase_commit", {"size": 2}),
    ("durability", {"members": 3, "async_backups": 0}),
    ("replication", {"members": 2, "backups": 1, "writes": 1, "watched_write": 1, "losses": 1, "mail_capacity": 1}),
    ("ownership", {"members": 2, "orders": 0}),
]
BY_NAME = {specification.name: specification for specification in SPECIFICATIONS}


def exported(world: World, rates: dict[str, Rate], predicates: tuple[Predicate, ...]) -> Prism:
    lowered = lower(replace(world, claims=tuple(one.claim for one in predicates)))
    return Prism(prism_files(lowered, rates)[f"{world.name}.prism"])


def rows_of(exact: ExactChain) -> dict[Row, dict[Row, float]]:
    """Return the chain by rows of cells, without steps that change nothing."""

    def row(state: object) -> Row:
        return encode(exact.world, state)  # type: ignore[arg-type]

    return {row(s): {row(a): float(rate) for a, rate in goes.items()} for s, goes in exact.timed.items()}


def moving(chain: dict[Row, dict[Row, float]]) -> dict[Row, dict[Row, float]]:
    return {row: {a: rate for a, rate in goes.items() if a != row} for row, goes in chain.items()}


def alike(one: dict[Row, dict[Row, float]], other: dict[Row, dict[Row, float]]) -> bool:
    return one.keys() == other.keys() and all(goes == pytest.approx(other[row]) for row, goes in one.items())


@pytest.mark.parametrize(("name", "constants"), WORLDS)
def test_a_model_for_prism_has_our_states_rates_and_labels(name: str, constants: dict[str, Plain]) -> None:
    world = BY_NAME[name].world(**constants)
    rates: dict[str, Rate] = {a.name: Timed(0.25 * (number + 1)) for number, a in enumerate(world.actions)}
    predicates = predicates_of(BY_NAME[name], world, [])
    exact = ExactChain(world, rates, states_max=3_000)

    prism = exported(world, rates, predicates)

    assert alike(rows_of(exact), moving(prism.chain()))
    for predicate in predicates:
        goal = goal_of(exact, predicate)
        assert all(prism.holds(predicate.name, encode(world, state)) == goal(state) for state in exact.timed)


@DRAWN
@given(specifications(), randoms(use_true_random=False))
def test_drawn_worlds_are_exported_as_they_are(specification: Specification, dice: Random) -> None:
    assume(len(list(lowered_or_skip(specification).world.initial_states())) == 1)
    exact, question = drawn(specification, dice, SPEEDS[:5])

    prism = exported(question.world, dict(question.rates), question.predicates)

    assert alike(rows_of(exact), moving(prism.chain()))


def test_what_happens_at_once_is_refused() -> None:
    world = durability.specification.world()
    rates: dict[str, Rate] = dict.fromkeys((action.name for action in world.actions), Immediate(1))

    with pytest.raises(RateError, match="happens at once"):
        prism_files(lower(world), rates)


def test_names_and_bounds_are_those_that_prism_has() -> None:
    odd = Specification("odd", "Odd names.", source="drawn")
    level = odd.variable("höhe", Int(0), "A level.", initial=ANY)

    @odd.action(source="drawn")
    def time() -> Step:
        """It rises."""
        return Step(when=[level < 3], then=[level.becomes(level + 1)])

    @odd.sometimes(source="drawn")
    def deadlock() -> BoolExpr:
        """It is three."""
        return level == 3

    rates: dict[str, Rate] = {time.name: Timed(1.0)}
    with pytest.raises(SpecificationError, match="höhe has no bounds: write two bounds"):
        prism_files(lower(odd.world()), rates)
    odd.variables[0] = replace(odd.variables[0], domain=Int(0, 3), initial=0)

    model, properties = prism_files(lower(odd.world()), rates).values()

    assert re.findall(r'label "(\w+)"|rewards "(\w+)"', model) == [("deadlock_", ""), ("", "time"), ("", "time_")]
    assert 'F "deadlock_" ]' in properties
    assert 'R{"time_"}=? [ S ]' in properties
    assert "  h_he : [0..3] init 0;" in model


def test_what_never_happens_has_no_command() -> None:
    world = replication.specification.world()
    rates: dict[str, Rate] = dict.fromkeys((action.name for action in world.actions), NEVER)

    assert "->" not in prism_files(lower(world), {**rates})["replication.prism"]
