"""A backup cannot apply what it is sent."""

from dataclasses import replace
from random import Random

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.effects import Message
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

SPOILT = object()
"""An update that no structure can apply."""


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat."""
    return Strike("failing-backup", draw_moment(rng, setting), draw_length(rng, setting), (draw_seat(rng, setting),))


def strike(world: World, strike: Strike) -> bool:
    """Spoil every update on its way there."""
    for sender in range(len(world.seats)):
        world.links.at(sender, strike.seats[0]).change = spoil
    return True


def heal(world: World, strike: Strike) -> None:
    """Spoil no more."""
    for sender in range(len(world.seats)):
        world.links.at(sender, strike.seats[0]).change = None


def spoil(message: Message) -> Message:
    """Return a backup whose update throws when it is applied (reference replication 2.4); anything else as it is."""
    return replace(message, update=SPOILT) if isinstance(message, Backup) else message


def tell(strike: Strike) -> str:
    """Say who fails."""
    return f"{say_seats(strike.seats)} fails to apply backups, for {strike.for_ms} ms"


FAULT = Fault(
    "failing-backup", "operations throw while they are applied on a backup", Harm.REFUSALS, draw, strike, heal, tell
)
