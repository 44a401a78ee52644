"""The link of a host becomes slow."""

from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_at_one_address, say_members
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """Draw one address."""
    return draw_at_one_address("slow-link", rng, setting)


def inject(addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
    """Slow it down, both ways."""
    hosts = addresses.hosts(fault_event.address_indices)
    for host in hosts:
        addresses.network.slow_down(host)

    def heal() -> None:
        for host in hosts:
            addresses.network.speed_up(host)

    return heal if hosts else None


def describe(fault_event: FaultEvent) -> str:
    """Say whose link is slow."""
    return f"the link of {say_members(fault_event.address_indices)} is slow for {fault_event.for_ms} ms"


FAULT = LiveFault(
    "slow-link", "the link of a host lets little through, and loses what is over", ("trust",), draw, inject, describe,
    lambda _: FaultCondition.SLOW, True,
)  # fmt: skip
