"""A member keeps an old partition table."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    draw_address_index,
    draw_length,
    draw_moment,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

PUBLICATIONS = ("TableState", "CompletedMigrations")
"""The messages that carry the table (table.12)."""


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address."""
    return FaultEvent(
        "stale-table", draw_moment(rng, setting), draw_length(rng, setting), (draw_address_index(rng, setting),)
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Let no publication of the table arrive there."""
    for sender in range(len(world.latest_hosts)):
        world.links.at(sender, fault_event.address_indices[0]).dropped_kinds = PUBLICATIONS
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Let them arrive again."""
    for sender in range(len(world.latest_hosts)):
        world.links.at(sender, fault_event.address_indices[0]).dropped_kinds = ()


def describe(fault_event: FaultEvent) -> str:
    """Say who hears nothing of the table."""
    return f"{say_members(fault_event.address_indices)} gets no partition table, for {fault_event.for_ms} ms"


FAULT = Fault(
    "stale-table", "a member gets no news of the partition table", Harm.MESSAGES, draw, inject, heal, describe,
    needs=Needs.OTHERS,
)  # fmt: skip
