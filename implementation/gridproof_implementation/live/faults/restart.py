"""A member ends and starts anew before anybody noticed."""

from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_moment, say_members
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """Draw one address."""
    return FaultEvent("restart", draw_moment(rng, setting), 0, (rng.randrange(setting.address_count),))


def inject(addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
    """SIGKILL, and start the next one at the same address at once."""
    (address_index,) = fault_event.address_indices
    if not addresses.crash(address_index):
        return None
    addresses.start_again(address_index)
    return lambda: addresses.start_again(address_index)


def describe(fault_event: FaultEvent) -> str:
    """Say who starts anew."""
    return f"{say_members(fault_event.address_indices)} crashes and starts anew at once"


FAULT = LiveFault(
    "restart", "a member's process ends and the next one starts at its address at once", ("members",), draw, inject,
    describe, lambda _: FaultCondition.RESTART,
)  # fmt: skip
