"""What a fault of a live fleet is.

`faults/` holds the faults, one a file. A fault is of the fleet, not of an adapter: it knows processes and hosts, and no
system. It is drawn as a `FaultEvent` that names seats, as in a simulation; one that has the name of a simulated fault
means the same by it, so that a scenario of theirs runs in both worlds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import FaultEvent

Heal = Callable[[], None]
"""Undoes a fault event."""


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """What a fault event is drawn for."""

    seats: int
    span_ms: int
    """How long clients are at work."""
    patience_ms: int
    """After how long members take a silent one for dead, about."""
    networked: bool = False
    """Whether each member has a host of its own."""


@dataclass(frozen=True, slots=True)
class LiveFault:
    """One kind of fault."""

    name: str
    sentence: str
    """What it does, in one line."""
    harms: tuple[str, ...]
    """What it can do, in the words of `FaultBegun`."""
    draw: Callable[[Random, LiveSetting], FaultEvent]
    inject: Callable[[Seats, FaultEvent], Heal | None]
    """Strike now; return how it is undone, None where nothing happened."""
    tell: Callable[[FaultEvent], str]
    """One clause for people, without the time."""
    circumstance: Callable[[FaultEvent], Circumstance]
    """Under what promises have to be given to hold."""
    needs_network: bool = False
    """Whether it is about hosts; a crash is, where its fault event says so."""


def draw_moment(rng: Random, setting: LiveSetting) -> int:
    """Return when a fault event begins: in the middle of the work, for clients are to be there before and after it."""
    return rng.randrange(setting.span_ms // 8, max(setting.span_ms // 2, setting.span_ms // 8 + 1))


def draw_length(rng: Random, setting: LiveSetting) -> int:
    """Return how long a fault event lasts: shorter than members are patient, or clearly longer."""
    if rng.random() < 0.4:
        return rng.randrange(100, max(setting.patience_ms // 2, 101))
    return rng.randrange(2 * setting.patience_ms, 4 * setting.patience_ms)


def draw_group(rng: Random, setting: LiveSetting) -> tuple[int, ...]:
    """Return some seats, at most half of them."""
    return tuple(sorted(rng.sample(range(setting.seats), rng.randint(1, max(setting.seats // 2, 1)))))


def say_seats(seats: tuple[int, ...]) -> str:
    """Return seats as a sentence names them."""
    *others, last = (str(seat) for seat in seats)
    return f"seats {', '.join(others)} and {last}" if others else f"seat {last}"


def others(seats: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return all other seats."""
    return tuple(seat for seat in range(count) if seat not in seats)
