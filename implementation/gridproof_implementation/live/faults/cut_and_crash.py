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
from gridproof_implementation.simulator.scenario import Strike


def draw(rng: Random, setting: LiveSetting) -> Strike:
    """One seat; the cut lasts as long as the strike."""
    seats = (rng.randrange(setting.seats),)
    return Strike("cut-and-crash", draw_moment(rng, setting), draw_length(rng, setting), seats)


def strike(seats: Seats, strike: Strike) -> Heal | None:
    """Cut the host off; at the end of the strike its link goes down and it ends, and it starts again."""
    (seat,) = strike.seats
    if seats.member_at(seat) is None:
        return None
    (host,) = seats.hosts(strike.seats)
    rest = seats.hosts(others(strike.seats, len(seats)))
    cut = seats.network.cut([pair for other in rest for pair in ((host, other), (other, host))])

    def heal() -> None:
        seats.network.unplug(host)
        seats.crash(seat)
        sleep(ORPHANS_S)
        seats.network.heal(cut)
        seats.network.plug_in(host)
        seats.start_again(seat)

    return heal


def tell(strike: Strike) -> str:
    """Say who is cut off and ends."""
    return f"{say_seats(strike.seats)} is cut off for {strike.for_ms} ms, and then its host crashes"


FAULT = LiveFault(
    "cut-and-crash", "a host is cut off while clients still reach it, then it ends", ("members", "messages", "trust"),
    draw, strike, tell, lambda _: Circumstance.CUT, True,
)  # fmt: skip
