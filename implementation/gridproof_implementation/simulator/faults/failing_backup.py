"""A backup cannot apply what it is sent."""

from dataclasses import replace
from random import Random

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.entry_processors.throw import Throw
from gridproof_implementation.protocol.structures.map import KIND, Rerun
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

SPOILT = Rerun("spoilt", Throw(), 0)
"""An update of a map whose processor fails wherever it is applied."""


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address."""
    return FaultEvent(
        "failing-backup", draw_moment(rng, setting), draw_length(rng, setting), (draw_address_index(rng, setting),)
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Spoil every update on its way there."""
    for sender in range(len(world.latest_hosts)):
        world.links.at(sender, fault_event.address_indices[0]).change = spoil
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Spoil no more."""
    for sender in range(len(world.latest_hosts)):
        world.links.at(sender, fault_event.address_indices[0]).change = None


def spoil(message: Message) -> Message:
    """Return a map's backup with an update that throws when it is applied (backups.12); anything else as it is."""
    if isinstance(message, Backup) and message.operation.structure.kind == KIND:
        return replace(message, update=SPOILT)
    return message


def describe(fault_event: FaultEvent) -> str:
    """Say who fails."""
    return f"{say_members(fault_event.address_indices)} fails to apply backups, for {fault_event.for_ms} ms"


FAULT = Fault(
    "failing-backup", "operations throw while they are applied on a backup", Harm.REFUSALS, draw, inject, heal,
    describe, needs=Needs.OTHERS,
)  # fmt: skip
