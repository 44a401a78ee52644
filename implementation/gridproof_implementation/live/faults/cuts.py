"""Hosts that cannot reach each other: groups, pairs, one way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from gridproof_implementation.adapter import Circumstance
from gridproof_implementation.live.fault import (
    Heal,
    LiveFault,
    LiveSetting,
    draw_group,
    draw_length,
    draw_moment,
    others,
    say_seats,
)
from gridproof_implementation.live.network import Pair
from gridproof_implementation.live.seats import Seats
from gridproof_implementation.simulator.scenario import Strike


@dataclass(frozen=True, slots=True)
class _Cut:
    """Links between hosts that let nothing through."""

    name: str
    sentence: str
    pairs: Callable[[Strike, int], Iterable[Pair]]
    """Which, from seat to seat, given how many seats there are."""
    words: str
    group: Callable[[Random, LiveSetting], tuple[int, ...]] = draw_group

    def draw(self, rng: Random, setting: LiveSetting) -> Strike:
        """Some seats; `amount` is one of the others, for a bridge."""
        seats = self.group(rng, setting)
        bridge = rng.choice(others(seats, setting.seats) or seats)
        return Strike(self.name, draw_moment(rng, setting), draw_length(rng, setting), seats, bridge)

    def strike(self, seats: Seats, strike: Strike) -> Heal | None:
        """Cut."""
        host_of = {seat: host for seat in range(len(seats)) for host in seats.hosts([seat])}
        pairs = [(host_of[one], host_of[other]) for one, other in self.pairs(strike, len(seats))]
        if not pairs:
            return None
        cut = seats.network.cut(pairs)
        return lambda: seats.network.heal(cut)

    def tell(self, strike: Strike) -> str:
        """Say who is apart."""
        return f"{self.words.format(say_seats(strike.seats), strike.amount)}, for {strike.for_ms} ms"

    def as_fault(self) -> LiveFault:
        """Return it as a fault."""
        harms = ("messages", "trust")
        return LiveFault(
            self.name, self.sentence, harms, self.draw, self.strike, self.tell, lambda _: Circumstance.CUT, True
        )


def _halves(strike: Strike, count: int) -> Iterable[Pair]:
    for one in strike.seats:
        for other in others(strike.seats, count):
            yield one, other
            yield other, one


def _but_for_a_bridge(strike: Strike, count: int) -> Iterable[Pair]:
    return (pair for pair in _halves(strike, count) if strike.amount not in pair)


def _one_way(strike: Strike, count: int) -> Iterable[Pair]:
    return ((other, one) for one in strike.seats for other in others(strike.seats, count))


def _among(strike: Strike, count: int) -> Iterable[Pair]:
    return ((one, other) for one in strike.seats for other in strike.seats if one != other and max(one, other) < count)


def _draw_pair(rng: Random, setting: LiveSetting) -> tuple[int, ...]:
    return tuple(sorted(rng.sample(range(setting.seats), min(2, setting.seats))))


SPLIT = _Cut("split", "hosts fall into two groups", _halves, "{0} cannot reach the others").as_fault()
OVERLAPPING_SPLIT = _Cut(
    "overlapping-split", "hosts fall into two groups that share a member", _but_for_a_bridge,
    "{0} cannot reach the others, but for seat {1}, which reaches all",
).as_fault()  # fmt: skip
ONE_WAY_SPLIT = _Cut(
    "one-way", "some hosts hear nothing of the others", _one_way, "{0} hears nothing of the others"
).as_fault()
CUT = _Cut(
    "cut", "two hosts cannot reach each other and reach all others", _among, "{0} cannot reach each other", _draw_pair
).as_fault()
