"""A member stops, and goes on later."""

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


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address."""
    return FaultEvent(
        "pause", draw_moment(rng, setting), draw_length(rng, setting), (draw_address_index(rng, setting),)
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Let its inputs wait."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    world.pause(host)
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Let them in, all at once."""
    host = host_at(world, fault_event.address_indices[0])
    if host is not None:
        world.resume(host)


def describe(fault_event: FaultEvent) -> str:
    """Say who pauses."""
    return f"{say_members(fault_event.address_indices)} pauses for {fault_event.for_ms} ms"


FAULT = Fault(
    "pause", "a member handles nothing for a while, then everything", Harm.TRUST, draw, inject, heal, describe
)
