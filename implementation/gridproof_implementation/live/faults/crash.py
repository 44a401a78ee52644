"""A member's process or host ends at once."""

from random import Random
from time import sleep

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import (
    Heal,
    LiveFault,
    LiveSetting,
    draw_length,
    draw_moment,
    say_members,
)
from gridproof_implementation.live.network import ORPHANS_S
from gridproof_implementation.simulator.scenario import FaultEvent

PROCESS, MACHINE = 0, 1
"""The `amount` of a fault event, as in a simulation."""


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """Draw one address; a process, or as often a host where there are some."""
    address_indices = (rng.randrange(setting.address_count),)
    amount = MACHINE if rng.random() < 0.5 and setting.networked else PROCESS
    return FaultEvent("crash", draw_moment(rng, setting), draw_length(rng, setting), address_indices, amount)


def inject(addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
    """SIGKILL; of a host its link goes down before, so that nothing its sockets still hold leaves it."""
    (address_index,) = fault_event.address_indices
    if addresses.member_at(address_index) is None:
        return None
    hosts = addresses.hosts(fault_event.address_indices) if is_of_host(fault_event) else []
    for host in hosts:
        addresses.network.unplug(host)
    addresses.crash(address_index)

    def heal() -> None:
        if hosts:
            sleep(ORPHANS_S)
        for host in hosts:
            addresses.network.plug_in(host)
        addresses.start_again(address_index)

    return heal


def describe(fault_event: FaultEvent) -> str:
    """Say what ended."""
    what = "the host of " if is_of_host(fault_event) else ""
    return f"{what}{say_members(fault_event.address_indices)} crashes, and starts again after {fault_event.for_ms} ms"


def is_of_host(fault_event: FaultEvent) -> bool:
    """Whether the host ends, not the process alone."""
    return fault_event.amount == MACHINE


def _condition(fault_event: FaultEvent) -> FaultCondition:
    return FaultCondition.HOST_CRASH if is_of_host(fault_event) else FaultCondition.CRASH


FAULT = LiveFault(
    "crash", "a member's process, or its host, ends at once and starts again later at its address", ("members",),
    draw, inject, describe, _condition,
)  # fmt: skip
