"""What was sent to one incarnation reaches the next."""

from collections.abc import Iterator
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_length,
    draw_moment,
    draw_seat,
    say_seats,
)
from gridproof_implementation.simulator.links import Weather
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World


def draw(rng: Random, setting: Setting) -> Strike:
    """One seat, mostly for as long as clients are at work: it does nothing until the member there has ended."""
    for_ms = draw_length(rng, setting) if rng.random() < 0.3 else 2 * setting.span_ms
    return Strike("next-incarnation", draw_moment(rng, setting) // 2, for_ms, (draw_seat(rng, setting),))


def strike(world: World, strike: Strike) -> bool:
    """Let messages wait for whoever comes to live there (reference partitioning 2.1: as on a new connection)."""
    for weather in _to(world, strike.seats[0]):
        weather.to_address += 1
    return True


def heal(world: World, strike: Strike) -> None:
    """Let messages be for one incarnation again; those on their way stay as they are."""
    for weather in _to(world, strike.seats[0]):
        weather.to_address = max(weather.to_address - 1, 0)


def tell(strike: Strike) -> str:
    """Say whose."""
    return f"what is sent to {say_seats(strike.seats)} reaches whoever lives there then, for {strike.for_ms} ms"


def _to(world: World, seat: int) -> Iterator[Weather]:
    for sender in range(len(world.seats)):
        if sender != seat:
            yield world.links.at(sender, seat)


FAULT = Fault(
    "next-incarnation", "messages reach whoever lives at the address when they arrive", Harm.NONE, draw, strike, heal,
    tell,
)  # fmt: skip
