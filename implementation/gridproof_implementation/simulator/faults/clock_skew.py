"""A member's clock jumps."""

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

FARTHEST_MS = 200_000
"""Beyond the jump that members correct (members.11)."""


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address, and by how many milliseconds, forwards or backwards."""
    amount = int(10 * (FARTHEST_MS / 10) ** rng.random()) * rng.choice((-1, 1))
    return FaultEvent(
        "skew", draw_moment(rng, setting), draw_length(rng, setting), (draw_address_index(rng, setting),), amount
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Set its clock."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    host.clock_skew_us += fault_event.amount * 1_000
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Set it right."""
    host = host_at(world, fault_event.address_indices[0])
    if host is not None:
        host.clock_skew_us = 0


def describe(fault_event: FaultEvent) -> str:
    """Say how far."""
    ahead = "forwards" if fault_event.amount > 0 else "backwards"
    whose = say_members(fault_event.address_indices)
    return f"the clock of {whose} jumps {abs(fault_event.amount)} ms {ahead}, for {fault_event.for_ms} ms"


FAULT = Fault("skew", "a member's clock is wrong for a while", Harm.TRUST, draw, inject, heal, describe)
