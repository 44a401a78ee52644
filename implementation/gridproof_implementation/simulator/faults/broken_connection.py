"""A connection breaks and is made anew."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    draw_moment,
    heal_nothing,
    host_at,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw two addresses."""
    address_indices = tuple(sorted(rng.sample(range(setting.address_count), min(2, setting.address_count))))
    return FaultEvent("broken-connection", draw_moment(rng, setting), 0, address_indices)


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Notify both ends."""
    hosts = [
        host for address_index in fault_event.address_indices if (host := host_at(world, address_index)) is not None
    ]
    if len(hosts) < 2:
        return False
    world.break_connection(hosts[0], hosts[1])
    return True


def describe(fault_event: FaultEvent) -> str:
    """Say whose."""
    return f"the connection between {say_members(fault_event.address_indices)} breaks"


HARM = Harm.TRUST | Harm.CONNECTIONS
FAULT = Fault(
    "broken-connection", "a connection breaks and is made anew", HARM, draw, inject, heal_nothing, describe,
    needs=Needs.BETWEEN,
)  # fmt: skip
