"""A member leaves gracefully, and comes back."""

from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_at_one_address, say_members
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """Draw which member leaves, when, and for how long."""
    return draw_at_one_address("leave", rng, setting)


def inject(addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
    """Ask it to leave; start another at its address to heal."""
    (address_index,) = fault_event.address_indices
    return (lambda: addresses.start_again(address_index)) if addresses.leave(address_index) else None


def describe(fault_event: FaultEvent) -> str:
    """Say who leaves."""
    return f"{say_members(fault_event.address_indices)} leaves, and starts again after {fault_event.for_ms} ms"


FAULT = LiveFault(
    "leave", "a member leaves in good order and starts again later", (), draw, inject, describe,
    lambda _: FaultCondition.LEAVE,
)  # fmt: skip
