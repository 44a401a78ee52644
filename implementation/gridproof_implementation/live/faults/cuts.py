"""Hosts that cannot reach each other: groups, pairs, one way."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import (
    Heal,
    LiveFault,
    LiveSetting,
    draw_group,
    draw_length,
    draw_moment,
    others,
    say_members,
)
from gridproof_implementation.live.network import Pair
from gridproof_implementation.simulator.scenario import FaultEvent


@dataclass(frozen=True, slots=True)
class _Cut:
    """Links between hosts that let nothing through."""

    name: str
    sentence: str
    pairs: Callable[[FaultEvent, int], Iterable[Pair]]
    """Which, from address to address, given how many addresses there are."""
    words: str
    group: Callable[[Random, LiveSetting], tuple[int, ...]] = draw_group
    needs_filter: bool = True

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw some addresses; `amount` is the index of one of the others, for a bridge."""
        address_indices = self.group(rng, setting)
        bridge = rng.choice(others(address_indices, setting.address_count) or address_indices)
        return FaultEvent(self.name, draw_moment(rng, setting), draw_length(rng, setting), address_indices, bridge)

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Cut."""
        host_of = {
            address_index: host for address_index in range(len(addresses)) for host in addresses.hosts([address_index])
        }
        pairs = [(host_of[one], host_of[other]) for one, other in self.pairs(fault_event, len(addresses))]
        if not pairs:
            return None
        cut = addresses.network.cut(pairs)
        return lambda: addresses.network.heal(cut)

    def describe(self, fault_event: FaultEvent) -> str:
        """Say who is apart."""
        who = say_members(fault_event.address_indices)
        return f"{self.words.format(who, fault_event.amount)}, for {fault_event.for_ms} ms"

    def as_fault(self) -> LiveFault:
        """Return it as a fault."""
        harms = ("messages", "trust")
        return LiveFault(
            self.name, self.sentence, harms, self.draw, self.inject, self.describe, lambda _: FaultCondition.CUT,
            needs_network=True, needs_filter=self.needs_filter,
        )  # fmt: skip


def _halves(fault_event: FaultEvent, count: int) -> Iterable[Pair]:
    for one in fault_event.address_indices:
        for other in others(fault_event.address_indices, count):
            yield one, other
            yield other, one


def _but_for_a_bridge(fault_event: FaultEvent, count: int) -> Iterable[Pair]:
    return (pair for pair in _halves(fault_event, count) if fault_event.amount not in pair)


def _one_way(fault_event: FaultEvent, count: int) -> Iterable[Pair]:
    return ((other, one) for one in fault_event.address_indices for other in others(fault_event.address_indices, count))


def _among(fault_event: FaultEvent, count: int) -> Iterable[Pair]:
    return (
        (one, other)
        for one in fault_event.address_indices
        for other in fault_event.address_indices
        if one != other and max(one, other) < count
    )


def _draw_pair(rng: Random, setting: LiveSetting) -> tuple[int, ...]:
    return tuple(sorted(rng.sample(range(setting.address_count), min(2, setting.address_count))))


SPLIT = _Cut(
    "split", "hosts fall into two groups", _halves, "{0} cannot reach the others", needs_filter=False
).as_fault()
OVERLAPPING_SPLIT = _Cut(
    "overlapping-split", "hosts fall into two groups that share a member", _but_for_a_bridge,
    "{0} cannot reach the others, but for the one at address {1}, which reaches all",
).as_fault()  # fmt: skip
ONE_WAY_SPLIT = _Cut(
    "one-way", "some hosts hear nothing of the others", _one_way, "{0} hears nothing of the others"
).as_fault()
CUT = _Cut(
    "cut", "two hosts cannot reach each other and reach all others", _among, "{0} cannot reach each other", _draw_pair
).as_fault()
