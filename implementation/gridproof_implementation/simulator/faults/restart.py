"""A member ends and starts anew before anybody noticed."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_address_index,
    draw_moment,
    heal_nothing,
    host_at,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw which member restarts, and when."""
    return FaultEvent("restart", draw_moment(rng, setting), 0, (draw_address_index(rng, setting),))


def inject(world: World, fault_event: FaultEvent) -> bool:
    """End whoever lives there, and start the next incarnation at the same instant (table.3)."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    world.crash(host)
    world.restart(fault_event.address_indices[0])
    return True


def describe(fault_event: FaultEvent) -> str:
    """Return one clause that names the member that crashes and restarts."""
    return f"{say_members(fault_event.address_indices)} crashes and starts anew at once"


FAULT = Fault(
    "restart", "a member ends and the next incarnation joins from its address at once", Harm.MEMBERS, draw, inject,
    heal_nothing, describe, Sign.CROSS,
)  # fmt: skip
