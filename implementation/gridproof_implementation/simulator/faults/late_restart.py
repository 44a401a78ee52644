"""A member restarts twice, and messages in between are late."""

from collections.abc import Iterator
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_delay_us,
    draw_kinds,
    draw_length,
    draw_moment,
    draw_seat,
    draw_share,
    host_at,
    say_kinds,
    say_seats,
)
from gridproof_implementation.simulator.links import Weather
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat, how long its second incarnation lives, which messages to it are late and by how much at most.

    Callers count their calls from 1 anew: answers to the second incarnation meet equal numbers of the third.
    """
    seats, at_ms, for_ms = (draw_seat(rng, setting),), draw_moment(rng, setting), draw_length(rng, setting)
    amount, kinds, share = draw_delay_us(rng), draw_kinds(rng, setting), draw_share(rng)
    return Strike("late-restart", at_ms, for_ms, seats, amount, kinds, share)


def strike(world: World, strike: Strike) -> bool:
    """Start the second incarnation, and let what is sent there wait for whoever lives there then."""
    host = host_at(world, strike.seats[0])
    if host is None:
        return False
    for weather in _to(world, strike.seats[0]):
        weather.late_share, weather.late_us = strike.share / 100, strike.amount
        weather.late_kinds = frozenset(strike.step.split())
        weather.to_address += 1
    world.crash(host)
    world.restart(strike.seats[0])
    return True


def heal(world: World, strike: Strike) -> None:
    """Start the third incarnation; what is sent from now on is for nobody else."""
    for weather in _to(world, strike.seats[0]):
        weather.late_us = 0
        weather.to_address = max(weather.to_address - 1, 0)
    host = host_at(world, strike.seats[0])
    if host is not None:
        world.crash(host)
        world.restart(strike.seats[0])


def tell(strike: Strike) -> str:
    """Say who restarts, and what is late."""
    which = f"{strike.share} % of {say_kinds(strike.step)} to it are up to {strike.amount} us late meanwhile"
    return f"{say_seats(strike.seats)} crashes and starts anew at once, and again after {strike.for_ms} ms; {which}"


def _to(world: World, seat: int) -> Iterator[Weather]:
    for sender in range(len(world.seats)):
        if sender != seat:
            yield world.links.at(sender, seat)


FAULT = Fault(
    "late-restart", "a member restarts twice, and what is sent in between is late and for whoever lives there",
    Harm.MEMBERS | Harm.TRUST, draw, strike, heal, tell, Sign.CROSS,
)  # fmt: skip
