"""A member restarts twice, and messages in between are late."""

from collections.abc import Iterator
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_address_index,
    draw_delay_us,
    draw_kinds,
    draw_length,
    draw_moment,
    draw_share,
    host_at,
    say_kinds,
    say_members,
)
from gridproof_implementation.simulator.links import LinkConditions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address, how long its second incarnation lives, which messages to it are late and by how much at most.

    Callers count their calls from 1 anew: answers to the second incarnation meet equal numbers of the third.
    """
    address_indices, at_ms, for_ms = (
        (draw_address_index(rng, setting),),
        draw_moment(rng, setting),
        draw_length(rng, setting),
    )
    amount, kinds, share = draw_delay_us(rng), draw_kinds(rng, setting), draw_share(rng)
    return FaultEvent("late-restart", at_ms, for_ms, address_indices, amount, kinds, share)


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Start the second incarnation, and let what is sent there wait for whoever lives there then."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    for link_conditions in _to(world, fault_event.address_indices[0]):
        link_conditions.late_share, link_conditions.late_us = fault_event.share / 100, fault_event.amount
        link_conditions.late_kinds = frozenset(fault_event.step.split())
        link_conditions.to_address += 1
    world.crash(host)
    world.restart(fault_event.address_indices[0])
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Start the third incarnation; what is sent from now on is for nobody else."""
    for link_conditions in _to(world, fault_event.address_indices[0]):
        link_conditions.late_us = 0
        link_conditions.to_address = max(link_conditions.to_address - 1, 0)
    host = host_at(world, fault_event.address_indices[0])
    if host is not None:
        world.crash(host)
        world.restart(fault_event.address_indices[0])


def describe(fault_event: FaultEvent) -> str:
    """Say who restarts, and what is late."""
    which = (
        f"{fault_event.share} % of {say_kinds(fault_event.step)} to it are up to {fault_event.amount} us late meanwhile"
    )
    who = say_members(fault_event.address_indices)
    return f"{who} crashes and starts anew at once, and again after {fault_event.for_ms} ms; {which}"


def _to(world: World, address_index: int) -> Iterator[LinkConditions]:
    for sender in range(len(world.latest_hosts)):
        if sender != address_index:
            yield world.links.at(sender, address_index)


FAULT = Fault(
    "late-restart", "a member restarts twice, and what is sent in between is late and for whoever lives there",
    Harm.MEMBERS | Harm.TRUST, draw, inject, heal, describe, Sign.CROSS,
)  # fmt: skip
