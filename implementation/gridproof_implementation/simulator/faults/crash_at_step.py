"""A member ends at a chosen step of the protocol."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_length,
    draw_moment,
    draw_seat,
    host_at,
    say_seats,
)
from gridproof_implementation.simulator.host import Doom, Moment
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World

LATEST = 4
"""The member dies at the first to the so-manieth step of the name."""
MOMENTS = tuple(Moment)


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat, any event or message of the protocol, and whether before, amid or after it (drawn with the count)."""
    seats = (draw_seat(rng, setting),)
    amount = rng.randrange(LATEST * len(MOMENTS))
    return Strike(
        "crash-at-step",
        draw_moment(rng, setting),
        draw_length(rng, setting),
        seats,
        amount,
        rng.choice(setting.steps),
    )


def strike(world: World, strike: Strike) -> bool:
    """Doom whoever lives there."""
    host = host_at(world, strike.seats[0])
    if host is None:
        return False
    host.doom = Doom(strike.step, 1 + strike.amount // len(MOMENTS), MOMENTS[strike.amount % len(MOMENTS)])
    return True


def heal(world: World, strike: Strike) -> None:
    """Start another incarnation, or lift the doom."""
    host = host_at(world, strike.seats[0])
    if host is None:
        world.restart(strike.seats[0])
    else:
        host.doom = None


def tell(strike: Strike) -> str:
    """Say which step it is."""
    count, moment = 1 + strike.amount // len(MOMENTS), MOMENTS[strike.amount % len(MOMENTS)]
    which = "the next" if count == 1 else f"number {count}"
    return f"{say_seats(strike.seats)} is to crash {moment} {strike.step}, {which}"


FAULT = Fault(
    "crash-at-step", "a member ends before, amid or after a step of the protocol", Harm.MEMBERS, draw, strike, heal,
    tell, Sign.CROSS,
)  # fmt: skip
