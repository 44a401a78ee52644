"""A member ends and starts anew before anybody noticed."""

from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_moment, say_seats
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """One seat."""
    return FaultEvent("restart", draw_moment(rng, setting), 0, (rng.randrange(setting.seats),))


def inject(seats: Seats, fault_event: FaultEvent) -> Heal | None:
    """SIGKILL, and start the next one at the same address at once."""
    (seat,) = fault_event.seats
    if not seats.crash(seat):
        return None
    seats.start_again(seat)
    return lambda: seats.start_again(seat)


def tell(fault_event: FaultEvent) -> str:
    """Say who starts anew."""
    return f"{say_seats(fault_event.seats)} crashes and starts anew at once"


FAULT = LiveFault(
    "restart", "a member's process ends and the next one starts at its address at once", ("members",), draw, inject,
    tell, lambda _: Circumstance.RESTART,
)  # fmt: skip
