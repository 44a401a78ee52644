"""The network falls apart: in halves, overlapping, one way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_length,
    draw_moment,
    say_seats,
)
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World

Pair = tuple[int, int]
"""Sender and receiver."""


@dataclass(frozen=True, slots=True)
class _Split:
    """A set of directed links that let nothing through."""

    name: str
    sentence: str
    pairs: Callable[[Strike, int], Iterable[Pair]]
    """Which links, given how many seats there are."""
    words: str
    others: int = 1
    """How many members stay outside at least."""

    def draw(self, rng: Random, setting: Setting) -> Strike:
        """Some members against all others; `amount` is the seat of one of the others, for a bridge."""
        order = list(range(setting.seats))
        rng.shuffle(order)
        count = rng.randint(1, max(setting.seats - self.others, 1))
        seats = tuple(sorted(order[:count]))
        bridge = order[-1]
        return Strike(self.name, draw_moment(rng, setting), draw_length(rng, setting), seats, bridge)

    def strike(self, world: World, strike: Strike) -> bool:
        """Cut."""
        pairs = list(self.pairs(strike, len(world.seats)))
        for sender, receiver in pairs:
            world.links.at(sender, receiver).cuts += 1
        return bool(pairs)

    def heal(self, world: World, strike: Strike) -> None:
        """Mend, but for those who came since."""
        for sender, receiver in self.pairs(strike, len(world.seats)):
            weather = world.links.at(sender, receiver)
            weather.cuts = max(weather.cuts - 1, 0)

    def tell(self, strike: Strike) -> str:
        """Say who is apart."""
        told = self.words.format(say_seats(strike.seats), strike.amount)
        return f"{told}, for {strike.for_ms} ms"

    def as_fault(self) -> Fault:
        """Return it as a fault."""
        harm = Harm.TRUST | Harm.MESSAGES
        return Fault(self.name, self.sentence, harm, self.draw, self.strike, self.heal, self.tell, Sign.GAP)


def _others(strike: Strike, seat_count: int) -> list[int]:
    return [seat for seat in range(seat_count) if seat not in strike.seats]


def _halves(strike: Strike, seat_count: int) -> Iterable[Pair]:
    for one in strike.seats:
        for other in _others(strike, seat_count):
            yield one, other
            yield other, one


def _but_for_a_bridge(strike: Strike, seat_count: int) -> Iterable[Pair]:
    return (pair for pair in _halves(strike, seat_count) if strike.amount not in pair)


def _one_way(strike: Strike, seat_count: int) -> Iterable[Pair]:
    return ((other, one) for one in strike.seats for other in _others(strike, seat_count))


SPLIT = _Split("split", "the network falls into two halves", _halves, "{0} cannot reach the others").as_fault()
OVERLAPPING_SPLIT = _Split(
    "overlapping-split", "the network falls into two halves that share a member", _but_for_a_bridge,
    "{0} cannot reach the others, but for seat {1}, which reaches all", others=2,
).as_fault()  # fmt: skip
ONE_WAY = _Split("one-way", "some members hear nothing of the others", _one_way, "{0} hears nothing of the others")
ONE_WAY_SPLIT = ONE_WAY.as_fault()
