"""A member's process or machine ends at once."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_address_index,
    draw_length,
    draw_moment,
    host_at,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

PROCESS, MACHINE = 0, 1
"""A process that ends breaks its connections; a machine that ends says nothing."""


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address; three of four are processes."""
    amount = MACHINE if rng.random() < 0.25 else PROCESS
    address_indices = (draw_address_index(rng, setting),)
    return FaultEvent("crash", draw_moment(rng, setting), draw_length(rng, setting), address_indices, amount)


def inject(world: World, fault_event: FaultEvent) -> bool:
    """End whoever lives there."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    world.crash(host, loud=fault_event.amount == PROCESS)
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Start another incarnation."""
    if host_at(world, fault_event.address_indices[0]) is None:
        world.restart(fault_event.address_indices[0])


def describe(fault_event: FaultEvent) -> str:
    """Say what ended."""
    what = "the machine of " if fault_event.amount == MACHINE else ""
    return f"{what}{say_members(fault_event.address_indices)} crashes"


FAULT = Fault(
    "crash", "a member ends at once and starts again later as a new one", Harm.MEMBERS, draw, inject, heal, describe,
    Sign.CROSS,
)  # fmt: skip
