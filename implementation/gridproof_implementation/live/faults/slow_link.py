"""The link of a host becomes slow."""

from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_length, draw_moment, say_seats
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """One seat."""
    seats = (rng.randrange(setting.seats),)
    return FaultEvent("slow-link", draw_moment(rng, setting), draw_length(rng, setting), seats)


def inject(seats: Seats, fault_event: FaultEvent) -> Heal | None:
    """Slow it down, both ways."""
    hosts = seats.hosts(fault_event.seats)
    for host in hosts:
        seats.network.slow_down(host)

    def heal() -> None:
        for host in hosts:
            seats.network.speed_up(host)

    return heal if hosts else None


def tell(fault_event: FaultEvent) -> str:
    """Say whose link is slow."""
    return f"the link of {say_seats(fault_event.seats)} is slow for {fault_event.for_ms} ms"


FAULT = LiveFault(
    "slow-link", "the link of a host lets little through, and loses what is over", ("trust",), draw, inject, tell,
    lambda _: Circumstance.SLOW, True,
)  # fmt: skip
