"""A host that was cut off ends.

The fault that tells systems apart (live-systems 1.4): what a primary acknowledged since it was cut off is nowhere else
unless it waited for its backups, and nothing its sockets still hold leaves it.
"""

from random import Random
from time import sleep

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import (
    Heal,
    LiveFault,
    LiveSetting,
    draw_length,
    draw_moment,
    others,
    say_seats,
)
from gridproof_implementation.live.network import ORPHANS_S
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """One seat; the cut lasts as long as the fault event."""
    seats = (rng.randrange(setting.seats),)
    return FaultEvent("cut-and-crash", draw_moment(rng, setting), draw_length(rng, setting), seats)


def inject(seats: Seats, fault_event: FaultEvent) -> Heal | None:
    """Cut the host off; at the end of the fault event its link goes down and it ends, and it starts again."""
    (seat,) = fault_event.seats
    if seats.member_at(seat) is None:
        return None
    (host,) = seats.hosts(fault_event.seats)
    rest = seats.hosts(others(fault_event.seats, len(seats)))
    cut = seats.network.cut([pair for other in rest for pair in ((host, other), (other, host))])

    def heal() -> None:
        seats.network.unplug(host)
        seats.crash(seat)
        sleep(ORPHANS_S)
        seats.network.heal(cut)
        seats.network.plug_in(host)
        seats.start_again(seat)

    return heal


def tell(fault_event: FaultEvent) -> str:
    """Say who is cut off and ends."""
    return f"{say_seats(fault_event.seats)} is cut off for {fault_event.for_ms} ms, and then its host crashes"


FAULT = LiveFault(
    "cut-and-crash", "a host is cut off while clients still reach it, then it ends", ("members", "messages", "trust"),
    draw, inject, tell, lambda _: Circumstance.CUT, True,
)  # fmt: skip
