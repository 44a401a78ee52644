"""What was sent to one incarnation reaches the next."""

from collections.abc import Iterator
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
from gridproof_implementation.simulator.links import LinkConditions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address, mostly for as long as clients are at work: it does nothing until the member there has ended."""
    for_ms = draw_length(rng, setting) if rng.random() < 0.3 else 2 * setting.span_ms
    return FaultEvent("next-incarnation", draw_moment(rng, setting) // 2, for_ms, (draw_address_index(rng, setting),))


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Let messages wait for whoever comes to live there (table.3: as on a new connection)."""
    for link_conditions in _to(world, fault_event.address_indices[0]):
        link_conditions.to_address += 1
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Let messages be for one incarnation again; those on their way stay as they are."""
    for link_conditions in _to(world, fault_event.address_indices[0]):
        link_conditions.to_address = max(link_conditions.to_address - 1, 0)


def describe(fault_event: FaultEvent) -> str:
    """Say whose."""
    meant = say_members(fault_event.address_indices)
    return f"what is sent to {meant} reaches whoever lives there then, for {fault_event.for_ms} ms"


def _to(world: World, address_index: int) -> Iterator[LinkConditions]:
    for sender in range(len(world.latest_hosts)):
        if sender != address_index:
            yield world.links.at(sender, address_index)


FAULT = Fault(
    "next-incarnation", "messages reach whoever lives at the address when they arrive", Harm.NONE, draw, inject, heal,
    describe, needs=Needs.OTHERS,
)  # fmt: skip
