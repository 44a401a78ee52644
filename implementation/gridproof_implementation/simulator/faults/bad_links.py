"""Faults of links: messages get lost, or arrive late, twice, corrupted, or in another order."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.entry_processors.throw import Throw
from gridproof_implementation.protocol.structures.map import KIND, Rerun
from gridproof_implementation.simulator.distributions import read_distribution
from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    Sign,
    draw_delay_us,
    draw_share,
    host_at,
    say_kinds,
)
from gridproof_implementation.simulator.links import FAIR, LinkConditions, Loss
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World
from gridproof_model.events.fault_counts import NO_SUCH_MESSAGE

PER_CENT, MILLION = 100, 1_000_000
SHARES = (1_000, 10_000, 100_000)
"""How many messages in a million may get lost; one of these numbers is drawn."""
LAGS = ("exponential(5ms)", "uniform(1ms,50ms)", "lognormal(20ms,1)")
LOST_COUNTS = (1, 1, 2, 3)
PUBLICATIONS = ("TableState", "CompletedMigrations")
"""The messages that bring a member news of the partition table (table.12)."""
SPOILT = Rerun("spoilt", Throw(), 0)
"""An update of a map with a processor that fails on every backup."""

Pair = tuple[int, int]
"""The address indices of a sender and a receiver."""


@dataclass(frozen=True, slots=True)
class LinkFault(Fault):
    """A fault that for a while changes some links, each in one direction."""

    condition: str = field(kw_only=True)
    """The name of the link condition that the fault changes."""
    value: Callable[[FaultEvent], object] = field(kw_only=True, default=lambda fault_event: fault_event.amount)
    """The value that the fault gives the condition."""

    def pairs(self, fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
        """Yield the links that the fault changes, given the number of addresses: all links to the named address."""
        return ((sender, fault_event.address_indices[0]) for sender in range(address_count))

    def bend(self, link: LinkConditions, fault_event: FaultEvent) -> None:
        """Change a link."""
        setattr(link, self.condition, self.value(fault_event))

    def mend(self, link: LinkConditions) -> None:
        """Make a link normal again; messages under way are not affected."""
        setattr(link, self.condition, getattr(FAIR, self.condition))

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Change all links of a fault event."""
        links = self._links(world, fault_event)
        for link in links:
            if getattr(link, self.condition) == getattr(FAIR, self.condition):
                link.met.discard(self.condition)
            self.bend(link, fault_event)
        return bool(links)

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Mend the links of a fault event, including the links of members that have started since the fault began."""
        for link in self._links(world, fault_event):
            self.mend(link)

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """Return a text if the fault affected no message: it may be short, or concern only a share or one kind."""
        is_met = any(self.condition in link.met for link in self._links(world, fault_event))
        return "" if is_met else NO_SUCH_MESSAGE

    def _links(self, world: World, fault_event: FaultEvent) -> list[LinkConditions]:
        return [world.links.at(*pair) for pair in self.pairs(fault_event, len(world.latest_hosts))]


@dataclass(frozen=True, slots=True)
class Among(LinkFault):
    """A fault that affects the messages between any two of the named addresses."""

    amounts: Callable[[Random], int] = field(kw_only=True)

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw the addresses between which links are changed: two of them, or all."""
        count = rng.choice((2, 2, setting.address_count)) if setting.address_count > 1 else 1
        first = setting.address_index(rng)
        others = [address_index for address_index in range(setting.address_count) if address_index != first]
        address_indices = (first, *sorted(rng.sample(others, count - 1)))
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, self.amounts(rng))

    def pairs(self, fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
        """Yield the links from each named address to each other named address."""
        named = fault_event.address_indices
        return ((one, other) for one in named for other in named if one != other)


@dataclass(frozen=True, slots=True)
class Everywhere(Among):
    """The whole network loses messages, or delays updates of backups; a user, and not a seed, sets how many messages
    are lost or how long updates are delayed."""

    steps: Callable[[Random], str] = field(kw_only=True, default=lambda rng: "")
    """A function that draws a distribution of times, as a text."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw, for all links, how many of a million messages are lost, or how late updates of backups are."""
        times_ms, everybody = setting.times_ms(rng), tuple(range(setting.address_count))
        return FaultEvent(self.name, *times_ms, everybody, self.amounts(rng), self.steps(rng))

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says how many messages are lost or how late they are, and where."""
        times = fault_event.step if len(fault_event.step) <= 60 else f"{fault_event.step[:60]}…"
        return self.words.format(fault_event, per_cent=fault_event.amount / 10_000, times=times)


class Late(LinkFault):
    """Some messages are late, by a time of any magnitude."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw one link in both directions or all links of one address, and which messages are late, how many of them,
        and by how much at most."""
        count = min(rng.choice((1, 2, 2)), setting.address_count)
        address_indices = tuple(rng.sample(range(setting.address_count), count))
        times_ms = setting.times_ms(rng)
        amount, kinds, share = draw_delay_us(rng), setting.kinds(rng), draw_share(rng)
        return FaultEvent(self.name, *times_ms, address_indices, amount, kinds, share)

    def pairs(self, fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
        """Yield the links between the two named addresses, or all links of the address if only one is named."""
        one, *others = fault_event.address_indices
        ends = others or [address_index for address_index in range(address_count) if address_index != one]
        return (pair for other in ends for pair in ((one, other), (other, one)))

    def bend(self, link: LinkConditions, fault_event: FaultEvent) -> None:
        """Make some messages on a link late from now on, until the fault heals."""
        link.pick_late(fault_event.share, fault_event.amount, fault_event.step)

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says which messages are late, where, and by how much."""
        where = "to and from" if len(fault_event.address_indices) == 1 else "between"
        which = f"{fault_event.share} % of {say_kinds(fault_event.step)}"
        whose = f"{where} {fault_event.who}"
        return f"{which} {whose} are up to {fault_event.amount} us late, for {fault_event.for_ms} ms"


@dataclass(frozen=True, slots=True)
class Split(LinkFault):
    """The network splits: a set of links lets no message through, except the links of members that start later."""

    condition: str = field(kw_only=True, default="cuts")
    least_others: int = field(kw_only=True, default=1)
    """One side of the split is drawn; the other side has at least this many addresses."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw the addresses of one side of a split; `amount` is an address of the other side, a possible bridge."""
        order = list(range(setting.address_count))
        rng.shuffle(order)
        count = rng.randint(1, max(setting.address_count - self.least_others, 1))
        address_indices = tuple(sorted(order[:count]))
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, order[-1])

    def pairs(self, fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
        """Yield the links between the two halves, in both directions."""
        named = fault_event.address_indices
        others = [address_index for address_index in range(address_count) if address_index not in named]
        return (pair for one in named for other in others for pair in ((one, other), (other, one)))

    def bend(self, link: LinkConditions, fault_event: FaultEvent) -> None:
        """Cut a link, in addition to the cuts by other faults."""
        link.cuts += 1

    def mend(self, link: LinkConditions) -> None:
        """Remove one cut from a link; the links of members that have started since the split began have no cut."""
        link.cuts = max(link.cuts - 1, 0)


class OverlappingSplit(Split):
    """The network splits into two halves that share a member, the bridge, which reaches all others."""

    def pairs(self, fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
        """Yield the links between the halves, except the links of the bridge."""
        return (pair for pair in Split.pairs(self, fault_event, address_count) if fault_event.amount not in pair)


class OneWaySplit(Split):
    """The named members receive no messages from the other members, but these receive the messages of the named
    members."""

    def pairs(self, fault_event: FaultEvent, address_count: int) -> Iterable[Pair]:
        """Yield the links from the others to the named members."""
        named = fault_event.address_indices
        return (pair for pair in Split.pairs(self, fault_event, address_count) if pair[1] in named)


class LostOnce(Fault):
    """The first messages of some kinds get lost."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw one sender, some of the kinds of messages, and how many messages of each kind get lost."""
        share = rng.random()
        kinds = [kind for kind in setting.messages if rng.random() < share] or [rng.choice(setting.messages)]
        times_ms, sender = setting.times_ms(rng), setting.address_index(rng)
        return FaultEvent(self.name, *times_ms, (sender,), rng.choice(LOST_COUNTS), " ".join(kinds))

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Lose the next messages of the drawn kinds that the member sends, so that it has to repeat them."""
        loss = Loss(frozenset(fault_event.step.split()), fault_event.amount)
        world.links.losses[fault_event.address_indices[0]] = loss
        return True

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Stop losing messages."""
        world.links.losses.pop(fault_event.address_indices[0], None)

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """If no message of the drawn kinds was sent, return a text that says so."""
        loss = world.links.losses.get(fault_event.address_indices[0])
        return "" if loss is None or loss.met else "it sent none of those messages"

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says which member's messages get lost, of which kinds, and how many."""
        kinds = fault_event.step.split()
        which = kinds[0] if len(kinds) == 1 else f"each of {len(kinds)} kinds of messages"
        whose = fault_event.who
        return f"{whose}: the first {fault_event.amount} of {which} that it sends get lost"


class BrokenConnection(Fault):
    """A connection between two members breaks and is made again."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw two addresses."""
        address_indices = tuple(sorted(rng.sample(range(setting.address_count), min(2, setting.address_count))))
        return FaultEvent(self.name, setting.moment_ms(rng), 0, address_indices)

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Notify the members at both ends of the connection."""
        hosts = [host for index in fault_event.address_indices if (host := host_at(world, index)) is not None]
        if len(hosts) > 1:
            world.break_connection(hosts[0], hosts[1])
        return len(hosts) > 1


def spoil(message: Message) -> Message:
    """Return an update of a map's backup, changed so that it cannot be applied (backups.12); return other messages
    unchanged."""
    if isinstance(message, Backup) and message.operation.structure.kind == KIND:
        return replace(message, update=SPOILT)
    return message


UNTRUE = Harm.MESSAGES | Harm.TRUST
BENT = (
    Among(
        "drop", "some messages get lost", UNTRUE, needs=Needs.BETWEEN, amounts=draw_share, condition="drop_share",
        value=lambda fault_event: fault_event.amount / PER_CENT,
        words="{0.amount} % of the messages get lost between {0.who}, for {0.for_ms} ms",
    ),
    Among(
        "delay", "messages take long", Harm.TRUST, needs=Needs.BETWEEN, amounts=draw_delay_us, condition="extra_us",
        words="messages take up to {0.amount} us longer between {0.who}, for {0.for_ms} ms",
    ),
    Late(
        "late", "some messages, of a few kinds or of all, are late by any magnitude", Harm.TRUST, needs=Needs.OTHERS,
        condition="late_us",
    ),
    Among(
        "duplicate", "some messages arrive twice", Harm.REPEATS, needs=Needs.BETWEEN, amounts=draw_share,
        condition="duplicate_share", value=lambda fault_event: fault_event.amount / PER_CENT,
        words="{0.amount} % of the messages arrive twice between {0.who}, for {0.for_ms} ms",
    ),
    Among(
        "overtake", "messages of the urgent lane overtake those of the normal one", Harm.TRUST, needs=Needs.BETWEEN,
        amounts=draw_delay_us, condition="normal_extra_us",
        words="normal messages take up to {0.amount} us longer and urgent ones overtake them between {0.who}, "
        "for {0.for_ms} ms",
    ),
    Split(
        "split", "the network falls into two halves", UNTRUE, Sign.GAP, Needs.APART,
        words="{0.who} cannot reach the others, for {0.for_ms} ms",
    ),
    OverlappingSplit(
        "overlapping-split", "the network falls into two halves that share a member", UNTRUE, Sign.GAP, Needs.BRIDGED,
        words="{0.who} cannot reach the others, but for the one at address {0.amount}, which reaches all, "
        "for {0.for_ms} ms", least_others=2,
    ),
    OneWaySplit(
        "one-way", "some members hear nothing of the others", UNTRUE, Sign.GAP, Needs.APART,
        words="{0.who} hears nothing of the others, for {0.for_ms} ms",
    ),
    BrokenConnection(
        "broken-connection", "a connection breaks and is made anew", Harm.TRUST | Harm.CONNECTIONS, needs=Needs.BETWEEN,
        words="the connection between {0.who} breaks",
    ),
    LinkFault(
        "stale-table", "a member gets no news of the partition table", Harm.MESSAGES, needs=Needs.OTHERS,
        condition="dropped_kinds", value=lambda fault_event: PUBLICATIONS,
        words="{0.who} gets no partition table, for {0.for_ms} ms",
    ),
)  # fmt: skip
FAILING_BACKUP = LinkFault(
    "failing-backup", "operations throw while they are applied on a backup", Harm.REFUSALS, needs=Needs.OTHERS,
    condition="change", value=lambda fault_event: spoil, words="{0.who} fails to apply backups, for {0.for_ms} ms",
)  # fmt: skip
"""A backup cannot apply the updates of maps that it receives, since each update is corrupted on the network."""
NAMED = (
    LostOnce("lost-once", "the first messages of some kinds get lost", UNTRUE, needs=Needs.OTHERS),
    Everywhere(
        "loss", "a share of all messages gets lost, in parts per million", UNTRUE, needs=Needs.BETWEEN,
        words="{per_cent:g} % of the messages get lost between {0.who}", amounts=lambda rng: rng.choice(SHARES),
        condition="loss_share", value=lambda fault_event: fault_event.amount / MILLION,
    ),
    Everywhere(
        "lag", "updates of backups take longer, by a distribution", Harm.TRUST, needs=Needs.BETWEEN,
        words="backups are updated later by {times} between {0.who}", amounts=lambda rng: 0, condition="lag",
        value=lambda fault_event: read_distribution(fault_event.step), steps=lambda rng: rng.choice(LAGS),
    ),
)  # fmt: skip
"""The faults that no seed draws, and that a user requests by name."""
