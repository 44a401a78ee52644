"""A member's processes stop, and go on later."""

from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import Heal, LiveFault, LiveSetting, draw_length, draw_moment, say_seats
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent


def draw(rng: Random, setting: LiveSetting) -> FaultEvent:
    """One seat."""
    seats = (rng.randrange(setting.seats),)
    return FaultEvent("pause", draw_moment(rng, setting), draw_length(rng, setting), seats)


def inject(seats: Seats, fault_event: FaultEvent) -> Heal | None:
    """SIGSTOP; SIGCONT heals."""
    (seat,) = fault_event.seats
    return (lambda: seats.resume(seat)) if seats.pause(seat) else None


def tell(fault_event: FaultEvent) -> str:
    """Say who pauses."""
    return f"{say_seats(fault_event.seats)} pauses for {fault_event.for_ms} ms"


FAULT = LiveFault(
    "pause", "a member's processes are stopped for a while, then go on", ("trust",), draw, inject, tell,
    lambda _: Circumstance.PAUSE,
)  # fmt: skip
