"""A member's process or host ends at once."""

from random import Random
from time import sleep

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import (
    Heal,
    LiveFault,
    LiveSetting,
    draw_length,
    draw_moment,
    say_seats,
)
from gridproof_implementation.live.network import ORPHANS_S
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent

PROCESS, MACHINE = 0, 1
"""The `amount` of a fault event, as in a simulation."""


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """One seat; a process, or as often a host where there are some."""
    seats = (rng.randrange(setting.seats),)
    amount = MACHINE if rng.random() < 0.5 and setting.networked else PROCESS
    return FaultEvent("crash", draw_moment(rng, setting), draw_length(rng, setting), seats, amount)


def inject(seats: Seats, fault_event: FaultEvent) -> Heal | None:
    """SIGKILL; of a host its link goes down before, so that nothing its sockets still hold leaves it."""
    (seat,) = fault_event.seats
    if seats.member_at(seat) is None:
        return None
    hosts = seats.hosts(fault_event.seats) if is_of_host(fault_event) else []
    for host in hosts:
        seats.network.unplug(host)
    seats.crash(seat)

    def heal() -> None:
        if hosts:
            sleep(ORPHANS_S)
        for host in hosts:
            seats.network.plug_in(host)
        seats.start_again(seat)

    return heal


def tell(fault_event: FaultEvent) -> str:
    """Say what ended."""
    what = "the host of " if is_of_host(fault_event) else ""
    return f"{what}{say_seats(fault_event.seats)} crashes, and starts again after {fault_event.for_ms} ms"


def is_of_host(fault_event: FaultEvent) -> bool:
    """Whether the host ends, not the process alone."""
    return fault_event.amount == MACHINE


FAULT = LiveFault(
    "crash", "a member's process, or its host, ends at once and starts again later at its address", ("members",),
    draw, inject, tell, lambda fault_event: Circumstance.HOST_CRASH if is_of_host(fault_event) else Circumstance.CRASH,
)  # fmt: skip
