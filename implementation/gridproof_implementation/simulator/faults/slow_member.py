"""A member takes long for everything."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_address_index,
    draw_length,
    draw_moment,
    host_at,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

SLOWEST_US = 30_000


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address, and how long it takes for one input."""
    amount = int(500 * (SLOWEST_US / 500) ** rng.random())
    return FaultEvent(
        "slow", draw_moment(rng, setting), draw_length(rng, setting), (draw_address_index(rng, setting),), amount
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Let its inputs go in one after another."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    world.slow_down(host, fault_event.amount)
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Let it be as fast as ever."""
    host = host_at(world, fault_event.address_indices[0])
    if host is not None:
        world.slow_down(host, 0)


def describe(fault_event: FaultEvent) -> str:
    """Say how slow."""
    who = say_members(fault_event.address_indices)
    return f"{who} takes {fault_event.amount} us for every input, for {fault_event.for_ms} ms"


FAULT = Fault("slow", "a member takes long for everything it handles", Harm.TRUST, draw, inject, heal, describe)
