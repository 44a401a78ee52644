"""One expression means one thing, whoever reads it: values outside a domain, arguments that nobody looks at."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_model.language import (
    Array,
    BoolExpr,
    Claim,
    ClaimKind,
    IndexExpr,
    Int,
    IntExpr,
    LeadsTo,
    Option,
    OptionExpr,
    Sequence,
    Set,
    Specification,
    SpecificationError,
    Step,
    StepError,
    World,
    array_of,
    count,
    exists,
    first,
    for_all,
    if_else,
    leads_to,
    smaller,
)
from gridproof_model.language.lower_world import lower
from gridproof_model.language.run import Event, Runner
from gridproof_properties.explorer import FailureKind, explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.bounded import UNDEFINED, UNDEFINED_CLAIM, search
from gridproof_properties.proofs.prove import prove_world
from gridproof_properties.proofs.translation import SymbolicWorld
from tools.tlc import find_jar, run_tlc

specification = Specification("meanings", "Expressions at the edges of domains.", source="drawn")
members = specification.index("member", 3)
slots = specification.index("slot", 2, ordered=True)
last = specification.variable("last", Option(Int(0, 1)), "None.")
later = specification.variable("later", Option(Int(1, 2)), "None, of a domain that does not begin with 0.")
kept = specification.variable("kept", Option(Int(0, 1)), "One.", initial=1)
ballot = specification.variable("ballot", Int(0, 3), "Three.", initial=3)
below = specification.variable("below", Int(-1, 3), "One below zero.", initial=-1)
small = specification.variable("small", Array(members, Int(0, 1)), "Ones.", initial=1)
large = specification.variable("large", Array(members, Int(0, 3)), "Threes.", initial=3)
lane = specification.variable("lane", Sequence(Int(0, 3), 1), "Nothing.")
lanes = specification.variable("lanes", Array(slots, Sequence(Int(0, 3), 1)), "Nothing.")
asks = specification.variable("asks", Set(members), "Nobody.")
specification.may_stop(lambda: (ballot == 3) | (lane.head == 1))


@specification.definition(Int(0, 3))
def is_small(number: IntExpr) -> BoolExpr:
    """It is small, or that does not matter."""
    return (ballot == 3) | (number < 2)


@specification.definition(Int(0, 3), Option(Int(0, 1)))
def is_that(number: IntExpr, that: OptionExpr[IntExpr]) -> BoolExpr:
    """It is that, where there is a ballot at all."""
    return (ballot < 0) | is_small(number + 1) & (that == number)


@specification.action(source="drawn", fair=True)
def all_ask() -> Step:
    """Everyone asks."""
    return Step(when=[~asks.is_any()], then=[asks.becomes(array_of(members, lambda member: member == member))])


@specification.eventually(source="drawn")
def a_majority_asks() -> BoolExpr:
    """A majority asks."""
    return exists(slots, lambda slot: (count(members, lambda member: asks[member]) * 2 > 3) & (slot == slots[1]))


@specification.eventually(source="drawn")
def who_is_asked_answers() -> LeadsTo:
    """Where a majority asks all do."""
    return leads_to(
        count(members, lambda member: asks[member]) * 2 > 3,
        (ballot == 3) | (lane.head == 1) | for_all(members, lambda member: asks[member]),
    )


TRUE, FALSE, NOTHING = True, False, None
MEANINGS: dict[str, tuple[Callable[[], BoolExpr], bool | None]] = {
    "none is no number outside": (lambda: last == ballot, FALSE),
    "the other way round": (lambda: ballot != last, TRUE),
    "none is not the number below": (lambda: last == below, FALSE),
    "nor below a domain from one": (lambda: later == below + 1, FALSE),
    "nor a literal": (lambda: (last == -1) | (later == 0) | (last == 7), FALSE),
    "one is not three": (lambda: kept == ballot, FALSE),
    "one is one": (lambda: kept == ballot - 2, TRUE),
    "a choice outside is what it is": (lambda: if_else(ballot == 3, ballot, last).value == 3, TRUE),
    "and below": (lambda: if_else(ballot == 3, below - 4, later).value == -5, TRUE),
    "and is not none": (lambda: if_else(ballot == 3, below, last).is_none, FALSE),
    "an option without bounds": (lambda: if_else(ballot == 3, below - 1, None).value == -2, TRUE),
    "arrays of other domains": (lambda: small == large, FALSE),
    "a cell outside": (lambda: for_all(members, lambda one: small.store(one, ballot)[one] == 3), TRUE),
    "the smaller of them": (lambda: smaller(ballot, below) == below, TRUE),
    "a sequence holds it": (lambda: lane.append(ballot * 3).head == 9, TRUE),
    "an argument nobody looks at": (lambda: is_small(lane.head), TRUE),
    "nor its part": (lambda: is_that(lane.head, kept), NOTHING),
    "outside its parameter": (lambda: is_that(ballot, if_else(ballot == 3, ballot, last)), TRUE),
    "a first before the undefined": (lambda: _first_of_lanes() == slots[0], TRUE),
    "a head of nothing": (lambda: lane.head == 3, NOTHING),
    "a value of none": (lambda: last.value == 3, NOTHING),
    "division by what is not positive": (lambda: ballot // (ballot - 3) == 0, NOTHING),
    "remainder of what is below zero": (lambda: (below - 4) % 3 == 1, TRUE),
    "division rounds down": (lambda: (below - 4) // 3 == -2, TRUE),
    "an array has all its values": (lambda: array_of(slots, lambda slot: lanes[slot].head)[slots[0]] == 0, NOTHING),
}


def _first_of_lanes() -> OptionExpr[IndexExpr]:
    return first(slots, lambda slot: (slot == slots[0]) | (lanes[slot].head == 1))


@pytest.fixture(params=MEANINGS)
def meaning(request: pytest.FixtureRequest) -> tuple[World, bool | None]:
    """Return a world that says one thing at its start and always, and what that comes to; None: it is undefined."""
    says, expected = MEANINGS[request.param]
    claim = Claim(ClaimKind.ALWAYS, "meaning", "It is so.", "drawn", says().node)
    return replace(specification.world(), claims=(claim,)), expected


def outcome(ask: Callable[[], bool]) -> bool | None:
    try:
        return ask()
    except StepError:
        return None


def test_plain_values_say_it(meaning: tuple[World, bool | None]) -> None:
    world, expected = meaning
    runner = Runner(world)

    assert outcome(lambda: runner.holds(world.claims[0], runner.start)) is expected


def test_a_compiled_guard_says_it(meaning: tuple[World, bool | None]) -> None:
    world, expected = meaning
    guarded = replace(world, actions=(replace(world.actions[0], guards=(world.claims[0].condition,)),))
    runner = Runner(guarded)

    assert outcome(lambda: runner.after(runner.start, Event("all_ask")) is not None) is expected


def test_the_explorer_says_it(meaning: tuple[World, bool | None]) -> None:
    world, expected = meaning
    found = explore(world)

    results = {Result.HOLDS: True, Result.BROKEN: False, Result.UNKNOWN: None}
    assert results[found.verdicts[0].result] is expected
    assert (FailureKind.UNDEFINED_CLAIM in {failure.kind for failure in found.failures}) is (expected is None)


def test_z3_says_it(meaning: tuple[World, bool | None]) -> None:
    world, expected = meaning
    reached = search(SymbolicWorld(lower(world)), 0)

    assert (prove_world(world, {}).is_proved("meaning")) is (expected is True)
    assert ("meaning" in reached) is (expected is False)
    assert (UNDEFINED_CLAIM in reached) is (expected is None)


@pytest.mark.parametrize("value", [-1, 2])
def test_a_literal_outside_an_option_is_refused(value: int) -> None:
    with pytest.raises(SpecificationError, match=rf"{value} is outside Int\(0, 1\) or None"):
        last.becomes(value)


@pytest.mark.parametrize("value", [ballot, below], ids=["three", "below"])
def test_an_update_out_of_an_option_is_undefined_and_never_none(value: IntExpr) -> None:
    world, update = specification.world(), last.becomes(value)
    world = replace(world, claims=(), actions=(replace(world.actions[0], guards=(), updates=(update,)),))
    runner = Runner(world)

    for step in (runner.step, runner.after):
        with pytest.raises(StepError, match="outside its domain"):
            step(runner.start, Event("all_ask"))
    assert {failure.kind for failure in explore(world).failures} == {FailureKind.UNDEFINED_STEP}
    assert UNDEFINED in search(SymbolicWorld(lower(world)), 0)


JAR = find_jar()


@pytest.mark.nightly
@pytest.mark.skipif(JAR is None, reason="needs Java and the TLC jar: pip install '.[nightly]'")
def test_tlc_says_it(tmp_path: Path) -> None:
    assert JAR is not None
    meant = [(says(), expected) for says, expected in MEANINGS.values() if expected is not None]
    for number, (condition, expected) in enumerate(meant):
        named = f"meaning_{number}"
        specification.claims.append(
            Claim(ClaimKind.ALWAYS, named, "It is so.", "drawn", (condition if expected else ~condition).node)
        )
    try:
        assert run_tlc(specification, specification.world(), tmp_path, jar=JAR).states == 2
    finally:
        del specification.claims[-len(meant) :]
