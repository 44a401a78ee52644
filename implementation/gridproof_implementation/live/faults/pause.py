"""A member's processes stop, and go on later."""

from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_length, draw_moment, say_seats
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import Strike


def draw(rng: Random, setting: LiveSetting) -> Strike:
    """One seat."""
    seats = (rng.randrange(setting.seats),)
    return Strike("pause", draw_moment(rng, setting), draw_length(rng, setting), seats)


def strike(seats: Seats, strike: Strike) -> Heal | None:
    """SIGSTOP; SIGCONT heals."""
    (seat,) = strike.seats
    return (lambda: seats.resume(seat)) if seats.pause(seat) else None


def tell(strike: Strike) -> str:
    """Say who pauses."""
    return f"{say_seats(strike.seats)} pauses for {strike.for_ms} ms"


FAULT = LiveFault(
    "pause", "a member's processes are stopped for a while, then go on", ("trust",), draw, strike, tell,
    lambda _: Circumstance.PAUSE,
)  # fmt: skip
