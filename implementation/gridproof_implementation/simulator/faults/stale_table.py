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
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

PUBLICATIONS = ("TableState", "CompletedMigrations")
"""The messages that tell of the table (reference partitioning 2.6)."""


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """One seat."""
    return FaultEvent("stale-table", draw_moment(rng, setting), draw_length(rng, setting), (draw_seat(rng, setting),))


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Let no publication of the table arrive there."""
    for sender in range(len(world.seats)):
        world.links.at(sender, fault_event.seats[0]).dropped_kinds = PUBLICATIONS
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Let them arrive again."""
    for sender in range(len(world.seats)):
        world.links.at(sender, fault_event.seats[0]).dropped_kinds = ()


def tell(fault_event: FaultEvent) -> str:
    """Say who hears nothing of the table."""
    return f"{say_seats(fault_event.seats)} gets no partition table, for {fault_event.for_ms} ms"


FAULT = Fault(
    "stale-table", "a member gets no news of the partition table", Harm.MESSAGES, draw, inject, heal, tell
)  # fmt: skip
