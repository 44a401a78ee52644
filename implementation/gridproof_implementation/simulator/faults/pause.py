"""A member stops, and goes on later."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_length,
    draw_moment,
    draw_seat,
    host_at,
    say_seats,
)
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat."""
    return Strike("pause", draw_moment(rng, setting), draw_length(rng, setting), (draw_seat(rng, setting),))


def strike(world: World, strike: Strike) -> bool:
    """Let its inputs wait."""
    host = host_at(world, strike.seats[0])
    if host is None:
        return False
    world.pause(host)
    return True


def heal(world: World, strike: Strike) -> None:
    """Let them in, all at once."""
    host = host_at(world, strike.seats[0])
    if host is not None:
        world.resume(host)


def tell(strike: Strike) -> str:
    """Say who pauses."""
    return f"{say_seats(strike.seats)} pauses for {strike.for_ms} ms"


FAULT = Fault("pause", "a member handles nothing for a while, then everything", Harm.TRUST, draw, strike, heal, tell)
