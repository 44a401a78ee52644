"""The network falls apart: in halves, overlapping, one way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    Sign,
    draw_length,
    draw_moment,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

Pair = tuple[int, int]
"""Sender and receiver."""


@dataclass(frozen=True, slots=True)
class _Split:
    """A set of directed links that let nothing through."""

    name: str
    sentence: str
    pairs: Callable[[FaultEvent, int], Iterable[Pair]]
    """Which links, given how many addresses there are."""
    words: str
    others: int = 1
    """How many members stay outside at least."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw some members against all others; `amount` is the index of one of the others, for a bridge."""
        order = list(range(setting.address_count))
        rng.shuffle(order)
        count = rng.randint(1, max(setting.address_count - self.others, 1))
        address_indices = tuple(sorted(order[:count]))
        bridge = order[-1]
        return FaultEvent(self.name, draw_moment(rng, setting), draw_length(rng, setting), address_indices, bridge)

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Cut."""
        pairs = list(self.pairs(fault_event, len(world.latest_hosts)))
        for sender, receiver in pairs:
            world.links.at(sender, receiver).cuts += 1
        return bool(pairs)

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Mend, but for those who came since."""
        for sender, receiver in self.pairs(fault_event, len(world.latest_hosts)):
            link_conditions = world.links.at(sender, receiver)
            link_conditions.cuts = max(link_conditions.cuts - 1, 0)

    def describe(self, fault_event: FaultEvent) -> str:
        """Say who is apart."""
        sentence = self.words.format(say_members(fault_event.address_indices), fault_event.amount)
        return f"{sentence}, for {fault_event.for_ms} ms"

    def as_fault(self) -> Fault:
        """Return it as a fault."""
        harm = Harm.TRUST | Harm.MESSAGES
        return Fault(
            self.name, self.sentence, harm, self.draw, self.inject, self.heal, self.describe, Sign.GAP, Needs.APART
        )


def _others(fault_event: FaultEvent, address_count: int) -> list[int]:
    return [address_index for address_index in range(address_count) if address_index not in fault_event.address_indices]


def _halves(fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
    for one in fault_event.address_indices:
        for other in _others(fault_event, address_count):
            yield one, other
            yield other, one


def _but_for_a_bridge(fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
    return (pair for pair in _halves(fault_event, address_count) if fault_event.amount not in pair)


def _one_way(fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
    return ((other, one) for one in fault_event.address_indices for other in _others(fault_event, address_count))


SPLIT = _Split("split", "the network falls into two halves", _halves, "{0} cannot reach the others").as_fault()
OVERLAPPING_SPLIT = _Split(
    "overlapping-split", "the network falls into two halves that share a member", _but_for_a_bridge,
    "{0} cannot reach the others, but for the one at address {1}, which reaches all", others=2,
).as_fault()  # fmt: skip
ONE_WAY = _Split("one-way", "some members hear nothing of the others", _one_way, "{0} hears nothing of the others")
ONE_WAY_SPLIT = ONE_WAY.as_fault()
