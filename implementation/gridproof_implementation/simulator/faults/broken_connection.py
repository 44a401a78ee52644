"""A connection breaks and is made anew."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_moment,
    heal_nothing,
    host_at,
    say_seats,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Two seats."""
    seats = tuple(sorted(rng.sample(range(setting.seats), min(2, setting.seats))))
    return FaultEvent("broken-connection", draw_moment(rng, setting), 0, seats)


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Tell both ends."""
    hosts = [host for seat in fault_event.seats if (host := host_at(world, seat)) is not None]
    if len(hosts) < 2:
        return False
    world.break_connection(hosts[0], hosts[1])
    return True


def tell(fault_event: FaultEvent) -> str:
    """Say whose."""
    return f"the connection between {say_seats(fault_event.seats)} breaks"


HARM = Harm.TRUST | Harm.CONNECTIONS
FAULT = Fault(
    "broken-connection", "a connection breaks and is made anew", HARM, draw, inject, heal_nothing, tell,
)  # fmt: skip
