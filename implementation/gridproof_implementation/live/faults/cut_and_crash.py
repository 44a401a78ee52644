"""A host that was cut off ends.

The fault that distinguishes systems (docs/faults-on-live-systems.md): what a primary acknowledged since it was cut off
is nowhere else unless it waited for its backups, and nothing its sockets still hold leaves it.
"""

from random import Random
from time import sleep

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import (
    Heal,
    LiveFault,
    LiveSetting,
    draw_at_one_address,
    others,
    say_members,
)
from gridproof_implementation.live.network import ORPHANS_S
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """Draw one address; the cut lasts as long as the fault event."""
    return draw_at_one_address("cut-and-crash", rng, setting)


def inject(addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
    """Cut the host off; at the end of the fault event its link goes down and it ends, and it starts again."""
    (address_index,) = fault_event.address_indices
    if addresses.member_at(address_index) is None:
        return None
    (host,) = addresses.hosts(fault_event.address_indices)
    rest = addresses.hosts(others(fault_event.address_indices, len(addresses)))
    cut = addresses.network.cut([pair for other in rest for pair in ((host, other), (other, host))])

    def heal() -> None:
        addresses.network.unplug(host)
        addresses.crash(address_index)
        sleep(ORPHANS_S)
        addresses.network.heal(cut)
        addresses.network.plug_in(host)
        addresses.start_again(address_index)

    return heal


def describe(fault_event: FaultEvent) -> str:
    """Say who is cut off and ends."""
    return (
        f"{say_members(fault_event.address_indices)} is cut off for {fault_event.for_ms} ms, and then its host crashes"
    )


FAULT = LiveFault(
    "cut-and-crash", "a host is cut off while clients still reach it, then it ends", ("members", "messages", "trust"),
    draw, inject, describe, lambda _: FaultCondition.CUT, True,
)  # fmt: skip
