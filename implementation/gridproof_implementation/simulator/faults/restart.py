"""A member ends and starts anew before anybody noticed."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_moment,
    draw_seat,
    heal_nothing,
    host_at,
    say_seats,
)
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat."""
    return Strike("restart", draw_moment(rng, setting), 0, (draw_seat(rng, setting),))


def strike(world: World, strike: Strike) -> bool:
    """End whoever lives there, and start the next incarnation at the same instant (reference partitioning 2.1)."""
    host = host_at(world, strike.seats[0])
    if host is None:
        return False
    world.crash(host)
    world.restart(strike.seats[0])
    return True


def tell(strike: Strike) -> str:
    """Say who starts anew."""
    return f"{say_seats(strike.seats)} crashes and starts anew at once"


FAULT = Fault(
    "restart", "a member ends and the next incarnation joins from its address at once", Harm.MEMBERS, draw, strike,
    heal_nothing, tell, Sign.CROSS,
)  # fmt: skip
