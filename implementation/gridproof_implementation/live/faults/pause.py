"""A member's processes stop, and go on later."""

from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_at_one_address, say_members
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """Draw one address."""
    return draw_at_one_address("pause", rng, setting)


def inject(addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
    """SIGSTOP; SIGCONT heals."""
    (address_index,) = fault_event.address_indices
    return (lambda: addresses.resume(address_index)) if addresses.pause(address_index) else None


def describe(fault_event: FaultEvent) -> str:
    """Say who pauses."""
    return f"{say_members(fault_event.address_indices)} pauses for {fault_event.for_ms} ms"


FAULT = LiveFault(
    "pause", "a member's processes are stopped for a while, then go on", ("trust",), draw, inject, describe,
    lambda _: FaultCondition.PAUSE,
)  # fmt: skip
