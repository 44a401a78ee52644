"""Faults that stop messages between hosts of a live fleet: cuts, slow links, and an agent's message gate."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.fault import BACKUP, Heal, LiveFault, LiveSetting, draw_group, others
from gridproof_implementation.live.network import Pair
from gridproof_implementation.simulator.scenario import FaultEvent


@dataclass(frozen=True, slots=True)
class Cut(LiveFault):
    """A fault that lets nothing through on some links between hosts."""

    pairs: Callable[[FaultEvent, int], Iterable[Pair]] = field(kw_only=True)
    """Returns the links that are cut, as pairs of addresses (from, to), given the number of addresses."""
    takes_several: bool = field(kw_only=True, default=True)
    group: Callable[[Random, LiveSetting], tuple[int, ...]] = field(kw_only=True, default=draw_group)

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw some addresses; `amount` is the index of another address, for a cut that has a bridge."""
        address_indices = self.group(rng, setting)
        bridge = rng.choice(others(address_indices, setting.address_count) or address_indices)
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, bridge)

    def amounts(self, members: int) -> Collection[int]:
        """Return the indices of all addresses: a cut always names a bridge, even if it needs none, as a simulated cut
        does."""
        return range(members)

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Cut the links between the hosts."""
        host_of = {
            address_index: host for address_index in range(len(addresses)) for host in addresses.hosts([address_index])
        }
        wanted = self.pairs(fault_event, len(addresses))
        pairs = [(host_of[one], host_of[other]) for one, other in wanted if one in host_of and other in host_of]
        if not pairs:
            return None
        cut = addresses.network.cut(pairs)
        return lambda: addresses.network.heal(cut)


class SlowLink(LiveFault):
    """The link of a host becomes slow."""

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Slow down the links of these hosts, in both directions."""
        hosts = addresses.hosts(fault_event.address_indices)
        if not hosts:
            return None
        addresses.network.slow_down(hosts)

        def heal() -> None:
            for host in hosts:
                addresses.network.speed_up(host)

        return heal


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


_APART = ("messages", "trust")
CUTS = (
    Cut(
        "split", "hosts fall into two groups", _APART, FaultCondition.CUT, needs_network=True, pairs=_halves,
        words="{0.who} cannot reach the others, for {0.for_ms} ms",
    ),
    Cut(
        "overlapping-split", "hosts fall into two groups that share a member", _APART, FaultCondition.CUT, True, True,
        pairs=_but_for_a_bridge,
        words="{0.who} cannot reach the others, but for the one at address {0.amount}, which reaches all, "
        "for {0.for_ms} ms",
    ),
    Cut(
        "one-way", "some hosts hear nothing of the others", _APART, FaultCondition.CUT, True, True, pairs=_one_way,
        words="{0.who} hears nothing of the others, for {0.for_ms} ms",
    ),
    Cut(
        "cut", "two hosts cannot reach each other and reach all others", _APART, FaultCondition.CUT, True, True,
        pairs=_among, words="{0.who} cannot reach each other, for {0.for_ms} ms", group=_draw_pair,
    ),
    SlowLink(
        "slow-link", "the link of a host carries half of its load, and loses the rest", ("trust",),
        FaultCondition.SLOW, needs_network=True, takes_several=True,
        words="the link of {0.who} is slow for {0.for_ms} ms",
    ),
    LiveFault(
        "late-backups", "backup messages to a member arrive late, in order", ("delays",), FaultCondition.SLOW,
        needs_gate=True, words="backup messages to {0.who} are held for {0.for_ms} ms",
        does=lambda addresses, index: addresses.stop_messages(index, "hold", BACKUP),
    ),
    LiveFault(
        "lost-backups", "backup messages to a member get lost", ("losses",), FaultCondition.LOSSY, needs_gate=True,
        words="backup messages to {0.who} are lost for {0.for_ms} ms",
        does=lambda addresses, index: addresses.stop_messages(index, "drop", BACKUP),
    ),
)  # fmt: skip
