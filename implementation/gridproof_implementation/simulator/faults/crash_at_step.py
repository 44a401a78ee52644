"""A member ends at a chosen step of the protocol."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_address_index,
    draw_length,
    draw_moment,
    host_at,
    say_members,
)
from gridproof_implementation.simulator.host import Moment, PlannedCrash
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

LATEST = 4
"""The member dies at the first to the so-manieth step of the name."""
MOMENTS = tuple(Moment)


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address, any event or message of the protocol, and whether before, amid or after it (with the count)."""
    address_indices = (draw_address_index(rng, setting),)
    amount = rng.randrange(LATEST * len(MOMENTS))
    return FaultEvent(
        "crash-at-step",
        draw_moment(rng, setting),
        draw_length(rng, setting),
        address_indices,
        amount,
        rng.choice(setting.steps),
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Planned crash whoever lives there."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    host.planned_crash = PlannedCrash(
        fault_event.step, 1 + fault_event.amount // len(MOMENTS), MOMENTS[fault_event.amount % len(MOMENTS)]
    )
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Start another incarnation, or lift the planned crash."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        world.restart(fault_event.address_indices[0])
    else:
        host.planned_crash = None


def why_not_yet(world: World, fault_event: FaultEvent) -> str:
    """Say that the step did not come, where that is so."""
    host = host_at(world, fault_event.address_indices[0])
    return "" if host is None or host.planned_crash is None else "the step that it waited for did not come"


def describe(fault_event: FaultEvent) -> str:
    """Say which step it is."""
    count, moment = 1 + fault_event.amount // len(MOMENTS), MOMENTS[fault_event.amount % len(MOMENTS)]
    which = "the next" if count == 1 else f"number {count}"
    return f"{say_members(fault_event.address_indices)} is to crash {moment} {fault_event.step}, {which}"


FAULT = Fault(
    "crash-at-step", "a member ends before, amid or after a step of the protocol", Harm.MEMBERS, draw, inject, heal,
    describe, Sign.CROSS, came_to_nothing=why_not_yet,
)  # fmt: skip
