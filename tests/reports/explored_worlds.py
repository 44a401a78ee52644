"""Explored worlds with something of everything a report shows."""

from enum import Enum
from functools import cache

from gridproof_model.language import (
    BoolExpr,
    Int,
    LeadsTo,
    OneOf,
    Specification,
    Step,
    leads_to,
)
from gridproof_model.specifications import two_phase_commit
from gridproof_properties.explorer import Exploration, explore


class Lamp(Enum):
    """What a traffic light shows."""

    RED = "red"
    GREEN = "green"


specification = Specification("traffic_light", "A light that counts <its> turns.", source="seed: Streets")
turns_max = specification.constant("turns_max", 2, "After how many turns it is broken.")
lamp = specification.variable("lamp", OneOf(Lamp), "What it shows.")
turns = specification.variable("turns", Int(0, turns_max), "How often it turned green.")


@specification.action(source="seed: Streets 1")
def turns_green() -> Step:
    """A red light turns green."""
    return Step(when=[lamp == Lamp.RED, turns < turns_max], then=[lamp.becomes(Lamp.GREEN), turns.becomes(turns + 1)])


@specification.action(source="seed: Streets 2")
def turns_red() -> Step:
    """A green light turns red."""
    return Step(when=[lamp == Lamp.GREEN], then=[lamp.becomes(Lamp.RED)])


@specification.action(source="seed: Streets 3")
def starts_again() -> Step:
    """A red light that turned once forgets it."""
    return Step(when=[lamp == Lamp.RED, turns == 1], then=[turns.becomes(0)])


@specification.action(source="seed: Streets 4")
def counts_below_nothing() -> Step:
    """It never happens."""
    return Step(when=[turns < 0], then=[turns.becomes(0)])


@specification.may_stop
def it_is_broken() -> BoolExpr:
    """It has turned too often."""
    return turns == turns_max


@specification.always(source="seed: Streets 5")
def it_turns_once() -> BoolExpr:
    """It is <b>never</b> green a second time."""
    return ~((lamp == Lamp.GREEN) & (turns == 2))


@specification.sometimes(source="seed: Streets 6")
def it_is_green() -> BoolExpr:
    """It shows green."""
    return lamp == Lamp.GREEN


@specification.sometimes(source="seed: Streets 7")
def it_is_red() -> BoolExpr:
    """It shows red."""
    return lamp == Lamp.RED


@specification.eventually(source="seed: Streets 8")
def green_turns_red() -> LeadsTo:
    """Once green, it turns red."""
    return leads_to(lamp == Lamp.GREEN, lamp == Lamp.RED)


@cache
def traffic_light() -> Exploration:
    """Five states, a broken always, a broken eventually, an action that never fires, a step back to the start."""
    return explore(specification.world())


@cache
def commits(size: int) -> Exploration:
    """Two-phase commit: 12, 56 and 288 states for 1, 2 and 3 managers."""
    return explore(two_phase_commit.specification.world(size=size))
