"""A member leaves gracefully, and comes back."""

from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_length, draw_moment, say_seats
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import Strike


def draw(rng: Random, setting: LiveSetting) -> Strike:
    """One seat."""
    seats = (rng.randrange(setting.seats),)
    return Strike("leave", draw_moment(rng, setting), draw_length(rng, setting), seats)


def strike(seats: Seats, strike: Strike) -> Heal | None:
    """Ask it to leave; start another at its address to heal."""
    (seat,) = strike.seats
    return (lambda: seats.start_again(seat)) if seats.leave(seat) else None


def tell(strike: Strike) -> str:
    """Say who leaves."""
    return f"{say_seats(strike.seats)} leaves, and starts again after {strike.for_ms} ms"


FAULT = LiveFault(
    "leave", "a member leaves in good order and starts again later", (), draw, strike, tell,
    lambda _: Circumstance.LEAVE,
)  # fmt: skip
