"""A few messages are late, by any magnitude."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    draw_delay_us,
    draw_kinds,
    draw_length,
    draw_moment,
    draw_share,
    say_kinds,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one link in both directions, or all of one address; how many of which messages, and by how much at most."""
    count = min(rng.choice((1, 2, 2)), setting.address_count)
    address_indices = tuple(rng.sample(range(setting.address_count), count))
    at_ms, for_ms = draw_moment(rng, setting), draw_length(rng, setting)
    amount, kinds, share = draw_delay_us(rng), draw_kinds(rng, setting), draw_share(rng)
    return FaultEvent("late", at_ms, for_ms, address_indices, amount, kinds, share)


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Pick messages out from now on."""
    pairs = _pairs(fault_event, len(world.latest_hosts))
    for sender, receiver in pairs:
        link_conditions = world.links.at(sender, receiver)
        link_conditions.late_share, link_conditions.late_us = fault_event.share / 100, fault_event.amount
        link_conditions.late_kinds = frozenset(fault_event.step.split())
    return bool(pairs)


def heal(world: World, fault_event: FaultEvent) -> None:
    """Pick none any more; what is on its way is late."""
    for sender, receiver in _pairs(fault_event, len(world.latest_hosts)):
        world.links.at(sender, receiver).late_us = 0


def describe(fault_event: FaultEvent) -> str:
    """Say where, how many and how late."""
    which = say_kinds(fault_event.step)
    where = (
        f"to and from {say_members(fault_event.address_indices)}"
        if len(fault_event.address_indices) == 1
        else f"between {say_members(fault_event.address_indices)}"
    )
    return (
        f"{fault_event.share} % of {which} {where} are up to {fault_event.amount} us late, for {fault_event.for_ms} ms"
    )


def _pairs(fault_event: FaultEvent, address_count: int) -> list[tuple[int, int]]:
    one, *others = fault_event.address_indices
    ends = others or [address_index for address_index in range(address_count) if address_index != one]
    return [pair for other in ends for pair in ((one, other), (other, one))]


FAULT = Fault(
    "late",
    "some messages, of a few kinds or of all, are late by any magnitude",
    Harm.TRUST,
    draw,
    inject,
    heal,
    describe,
    needs=Needs.OTHERS,
)
