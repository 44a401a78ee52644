"""A few messages are late, by any magnitude."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_delay_us,
    draw_kinds,
    draw_length,
    draw_moment,
    draw_share,
    say_kinds,
    say_seats,
)
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> Strike:
    """One link in both directions, or every link of one seat; how many of which messages, and by how much at most."""
    count = min(rng.choice((1, 2, 2)), setting.seats)
    seats = tuple(rng.sample(range(setting.seats), count))
    at_ms, for_ms = draw_moment(rng, setting), draw_length(rng, setting)
    amount, kinds, share = draw_delay_us(rng), draw_kinds(rng, setting), draw_share(rng)
    return Strike("late", at_ms, for_ms, seats, amount, kinds, share)


def strike(world: World, strike: Strike) -> bool:
    """Pick messages out from now on."""
    pairs = _pairs(strike, len(world.seats))
    for sender, receiver in pairs:
        weather = world.links.at(sender, receiver)
        weather.late_share, weather.late_us = strike.share / 100, strike.amount
        weather.late_kinds = frozenset(strike.step.split())
    return bool(pairs)


def heal(world: World, strike: Strike) -> None:
    """Pick none any more; what is on its way is late."""
    for sender, receiver in _pairs(strike, len(world.seats)):
        world.links.at(sender, receiver).late_us = 0


def tell(strike: Strike) -> str:
    """Say where, how many and how late."""
    which = say_kinds(strike.step)
    where = f"to and from {say_seats(strike.seats)}" if len(strike.seats) == 1 else f"between {say_seats(strike.seats)}"
    return f"{strike.share} % of {which} {where} are up to {strike.amount} us late, for {strike.for_ms} ms"


def _pairs(strike: Strike, seat_count: int) -> list[tuple[int, int]]:
    one, *others = strike.seats
    ends = others or [seat for seat in range(seat_count) if seat != one]
    return [pair for other in ends for pair in ((one, other), (other, one))]


FAULT = Fault(
    "late", "some messages, of a few kinds or of all, are late by any magnitude", Harm.TRUST, draw, strike, heal, tell
)
