"""A member keeps an old partition table."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_length,
    draw_moment,
    draw_seat,
    say_seats,
)
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World

PUBLICATIONS = ("TableState", "CompletedMigrations")
"""The messages that tell of the table (reference partitioning 2.6)."""


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat."""
    return Strike("stale-table", draw_moment(rng, setting), draw_length(rng, setting), (draw_seat(rng, setting),))


def strike(world: World, strike: Strike) -> bool:
    """Let no publication of the table arrive there."""
    for sender in range(len(world.seats)):
        world.links.at(sender, strike.seats[0]).dropped_kinds = PUBLICATIONS
    return True


def heal(world: World, strike: Strike) -> None:
    """Let them arrive again."""
    for sender in range(len(world.seats)):
        world.links.at(sender, strike.seats[0]).dropped_kinds = ()


def tell(strike: Strike) -> str:
    """Say who hears nothing of the table."""
    return f"{say_seats(strike.seats)} gets no partition table, for {strike.for_ms} ms"


FAULT = Fault(
    "stale-table", "a member gets no news of the partition table", Harm.MESSAGES, draw, strike, heal, tell
)  # fmt: skip
