"""A member leaves gracefully, and comes back."""

from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_length, draw_moment, say_seats
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """One seat."""
    seats = (rng.randrange(setting.seats),)
    return FaultEvent("leave", draw_moment(rng, setting), draw_length(rng, setting), seats)


def inject(seats: Seats, fault_event: FaultEvent) -> Heal | None:
    """Ask it to leave; start another at its address to heal."""
    (seat,) = fault_event.seats
    return (lambda: seats.start_again(seat)) if seats.leave(seat) else None


def tell(fault_event: FaultEvent) -> str:
    """Say who leaves."""
    return f"{say_seats(fault_event.seats)} leaves, and starts again after {fault_event.for_ms} ms"


FAULT = LiveFault(
    "leave", "a member leaves in good order and starts again later", (), draw, inject, tell,
    lambda _: Circumstance.LEAVE,
)  # fmt: skip
