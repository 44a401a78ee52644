"""What a fault is: how it is drawn, how it begins, and how it heals.

The faults are in `faults/`, in one file for each kind of target. A fault is drawn as a `FaultEvent`, a plain value that
names address indices and no incarnations. If no member is at its address, a fault does nothing, so that fault events
can be removed one by one."""

from dataclasses import dataclass, field
from enum import Flag, StrEnum, auto
from random import Random
from typing import assert_never

from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.links import SHORTEST_LATE_US
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World
from gridproof_model.events.fault_counts import IT_TAKES_THREE, IT_TAKES_TWO, NOBODY_BEYOND, NOBODY_THERE, ROOM_TAKEN

SHORTEST_MS = 5
LONG_SHARE = 0.25
LONGEST_LATE_US = 1_000_000_000
"""A time longer than the longest timer of the protocol, which is 300 s."""


class Harm(Flag):
    """The kinds of harm that a fault can do; the judges decide which promises still have to be kept under each kind."""

    NONE = 0
    MEMBERS = auto()
    """Members end without a warning."""
    MESSAGES = auto()
    """Messages are lost."""
    REPEATS = auto()
    """Messages arrive twice, which does not happen on Hazelcast's connections (chapter limits)."""
    TRUST = auto()
    """Living members can be suspected, so that the cluster splits (limits.11)."""
    CONNECTIONS = auto()
    """Connections break, so that calls are sent again."""
    FREEZES = auto()
    """Members that end keep their slots, as they may come back (members.25)."""
    REFUSALS = auto()
    """A backup fails to apply an update."""


class Sign(StrEnum):
    """How a fault is drawn in a space-time diagram."""

    CROSS = "cross"
    """The end of a member, drawn as a cross on the member's line."""
    BAR = "bar"
    """A condition that lasts, drawn as a bar along the members' lines."""
    GAP = "gap"
    """Members that cannot reach the others, drawn as a bar along the lines of the members, with a gap between the
    lines."""
    ARRIVAL = "arrival"
    """The start of a member, drawn as a ring on the member's line."""


class Needs(StrEnum):
    """Which members must be running so that a fault can have an effect."""

    MEMBER = "a member at its address"
    OTHERS = "a member that it names, and another one, named or not"
    APART = "a member that it names, and one that it does not name"
    BRIDGED = "a member that it names, and two that it does not name"
    BETWEEN = "two members that it names"
    ROOM = "nobody at its address"


@dataclass(frozen=True, slots=True)
class Setting:
    """The run for which a fault event is drawn."""

    address_count: int
    lite: tuple[int, ...]
    span_ms: int
    """For how long the clients work."""
    patience_ms: int
    """How long members wait for a silent member before they suspect it."""
    steps: tuple[str, ...]
    """The names of the protocol's steps, sorted."""
    messages: tuple[str, ...]
    """Those steps of the protocol that are messages."""
    families: tuple[tuple[str, ...], ...] = ()
    """The same messages, grouped by the part of the protocol to which they belong."""

    def address_index(self, rng: Random) -> int:
        """Draw the index of one of the addresses."""
        return rng.randrange(self.address_count)

    def moment_ms(self, rng: Random) -> int:
        """Draw when a fault event begins."""
        return rng.randrange(self.span_ms)

    def length_ms(self, rng: Random) -> int:
        """Draw how long a fault event lasts: any magnitude of time, or longer than members wait for a silent member."""
        longest = max(2 * self.patience_ms, self.span_ms // 2, SHORTEST_MS + 1)
        if rng.random() < LONG_SHARE:
            return rng.randint(self.patience_ms, longest)
        return int(SHORTEST_MS * (longest / SHORTEST_MS) ** rng.random())

    def times_ms(self, rng: Random) -> tuple[int, int]:
        """Draw when a fault event begins, and how long it lasts."""
        return self.moment_ms(rng), self.length_ms(rng)

    def kinds(self, rng: Random) -> str:
        """Draw the names of some kinds of messages of one part of the protocol; an empty text means all messages."""
        if rng.random() < 0.5 or not self.families:
            return ""
        family = rng.choice(self.families)
        return " ".join(sorted(rng.sample(family, rng.randint(1, len(family)))))


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault; a subclass says how the fault is drawn, what it does, and how this is undone.

    This base class has no effect by itself. Most faults strike the member at the first of the drawn addresses, if a
    member is alive there.
    """

    name: str
    sentence: str
    """What the fault does, as one line of text."""
    harm: Harm
    sign: Sign = Sign.BAR
    needs: Needs = Needs.MEMBER
    words: str = field(kw_only=True, default="")
    """The format of the clause that describes a fault event; some faults override `describe` instead."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw a fault event: one address, its times, and an amount."""
        amount = self.draw_amount(rng)
        return FaultEvent(self.name, *setting.times_ms(rng), (setting.address_index(rng),), amount)

    def draw_amount(self, rng: Random) -> int:
        """Draw the amount of a fault event; 0 if the fault has no amount."""
        return 0

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Inject the fault now, and return whether it had an effect."""
        host = host_at(world, fault_event.address_indices[0])
        if host is not None:
            self.strike(world, host, fault_event)
        return host is not None

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Inject the fault into the member that is alive at the address."""

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Undo the fault, if its event had an effect; a fault that does not last is not undone."""
        host = host_at(world, fault_event.address_indices[0])
        if host is not None:
            self.relieve(world, host)

    def relieve(self, world: World, host: Host) -> None:
        """Undo the fault for the member that is alive at the address."""

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """Return why the fault has had no effect so far, or an empty text; called just before the fault heals."""
        return ""

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that describes the fault event to people, without its time."""
        return self.words.format(fault_event)


def why_nobody(world: World, fault: Fault, fault_event: FaultEvent) -> str:
    """Return, as a clause, why a fault event would have no effect now; empty if it would have an effect."""
    named = sum(host_at(world, address_index) is not None for address_index in fault_event.address_indices)
    alive = sum(host.alive for host in world.latest_hosts)
    match fault.needs:
        case Needs.ROOM:
            return ROOM_TAKEN if named else ""
        case Needs.MEMBER:
            return "" if named else NOBODY_THERE
        case Needs.BRIDGED if alive < 3:
            return IT_TAKES_THREE
        case Needs.OTHERS | Needs.APART | Needs.BETWEEN if alive < 2:
            return IT_TAKES_TWO
        case Needs.OTHERS:
            return "" if named else NOBODY_THERE
        case Needs.APART | Needs.BRIDGED:
            return NOBODY_THERE if not named else NOBODY_BEYOND if named == alive else ""
        case Needs.BETWEEN:
            return "" if named > 1 else NOBODY_THERE
        case _:
            assert_never(fault.needs)


def host_at(world: World, address_index: int) -> Host | None:
    """Return the living host at an address, or None."""
    host = world.latest_hosts[address_index] if address_index < len(world.latest_hosts) else None
    return host if host is not None and host.alive else None


def draw_delay_us(rng: Random) -> int:
    """Draw by how much messages are late: from a millisecond up to a time longer than the longest timer."""
    return int(SHORTEST_LATE_US * (LONGEST_LATE_US / SHORTEST_LATE_US) ** rng.random())


def draw_share(rng: Random) -> int:
    """Draw the share of messages that a fault strikes, in per cent."""
    return rng.choice((2, 10, 30, 65, 90))


def start_again(world: World, fault_event: FaultEvent) -> None:
    """Start another incarnation at the address, unless a member is alive there, or the address has to stay empty."""
    address_index = fault_event.address_indices[0]
    others = any(host.alive and not host.description.lite for host in world.latest_hosts)
    if host_at(world, address_index) is None and not (address_index == world.away and others):
        world.restart(address_index)


def say_kinds(kinds: str) -> str:
    """Return words for the given kinds of messages, whose names have blanks between them; an empty text means all
    kinds."""
    names = kinds.split()
    return "the messages" if not names else f"the {names[0]}" if len(names) == 1 else f"{len(names)} kinds of messages"
