"""What a fault is: how it is drawn, begins and heals.

`faults/` holds the faults, by what they strike. A fault is drawn as a `FaultEvent`, a plain value that names addresses
by their indices, not incarnations. A fault does nothing if there is no member at its address, so that fault events can
be removed one by one.
"""

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
"""Longer than the longest timer of the protocol, 300 s."""


class Harm(Flag):
    """What a fault can harm; the judges decide which promises still have to hold then."""

    NONE = 0
    MEMBERS = auto()
    """Members end without warning."""
    MESSAGES = auto()
    """Messages are lost."""
    REPEATS = auto()
    """Messages arrive twice, which does not happen on Hazelcast's connections (chapter limits)."""
    TRUST = auto()
    """Living members can be suspected, so that the cluster falls apart (limits.11)."""
    CONNECTIONS = auto()
    """Connections break, so that calls are sent again."""
    FREEZES = auto()
    """Slots of members that end are kept for their return (members.25)."""
    REFUSALS = auto()
    """A backup fails to apply an update."""


class Sign(StrEnum):
    """How a fault shows in a space-time picture."""

    CROSS = "cross"
    """An end of a member: a cross on its lane."""
    BAR = "bar"
    """A condition that lasts: a bar along the lanes."""
    GAP = "gap"
    """Members that cannot reach the others: a bar along the lanes, and a break between them."""
    ARRIVAL = "arrival"
    """The start of a member: a ring on its lane."""


class Needs(StrEnum):
    """Which members have to run so that a fault can strike."""

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
    """How long clients are at work."""
    patience_ms: int
    """How long members wait before they suspect a silent member."""
    steps: tuple[str, ...]
    """The steps of the protocol, sorted."""
    messages: tuple[str, ...]
    """The steps that are messages."""
    families: tuple[tuple[str, ...], ...] = ()
    """The messages again, grouped by the part of the protocol."""

    def address_index(self, rng: Random) -> int:
        """Draw the index of any address."""
        return rng.randrange(self.address_count)

    def moment_ms(self, rng: Random) -> int:
        """Draw when a fault event begins."""
        return rng.randrange(self.span_ms)

    def length_ms(self, rng: Random) -> int:
        """Draw how long a fault event lasts: a time of any magnitude, or longer than members wait for a silent one."""
        longest = max(2 * self.patience_ms, self.span_ms // 2, SHORTEST_MS + 1)
        if rng.random() < LONG_SHARE:
            return rng.randint(self.patience_ms, longest)
        return int(SHORTEST_MS * (longest / SHORTEST_MS) ** rng.random())

    def times_ms(self, rng: Random) -> tuple[int, int]:
        """Draw when a fault event begins, and how long it lasts."""
        return self.moment_ms(rng), self.length_ms(rng)

    def kinds(self, rng: Random) -> str:
        """Draw the names of a few kinds of messages of one part of the protocol; an empty text for all messages."""
        if rng.random() < 0.5 or not self.families:
            return ""
        family = rng.choice(self.families)
        return " ".join(sorted(rng.sample(family, rng.randint(1, len(family)))))


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault; a class of its own says how it is drawn, what it does, and how that is undone.

    This base class does nothing by itself. Most faults strike the member at the first of the drawn addresses, if one
    lives there.
    """

    name: str
    sentence: str
    """What the fault does, in one line."""
    harm: Harm
    sign: Sign = Sign.BAR
    needs: Needs = Needs.MEMBER
    words: str = field(kw_only=True, default="")
    """A format of the clause for people, with fields of a fault event; some faults override `describe` instead."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw a fault event: one address, times, and an amount."""
        amount = self.draw_amount(rng)
        return FaultEvent(self.name, *setting.times_ms(rng), (setting.address_index(rng),), amount)

    def draw_amount(self, rng: Random) -> int:
        """Return the amount of a fault event; 0 if the fault has none."""
        return 0

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Inject the fault now, and return whether anything happened."""
        host = host_at(world, fault_event.address_indices[0])
        if host is not None:
            self.strike(world, host, fault_event)
        return host is not None

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Inject the fault into the member that lives at the address."""

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Undo the fault, after an event that did something; a fault that does not last is not undone."""
        host = host_at(world, fault_event.address_indices[0])
        if host is not None:
            self.relieve(world, host)

    def relieve(self, world: World, host: Host) -> None:
        """Undo the fault for the member that lives at the address."""

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """Return why the fault struck no member while it lasted, asked before it is healed; empty if it struck."""
        return ""

    def describe(self, fault_event: FaultEvent) -> str:
        """Return one clause for people, without the time."""
        return self.words.format(fault_event)


def why_nobody(world: World, fault: Fault, fault_event: FaultEvent) -> str:
    """Return, as a clause, why a fault event would strike no member now; empty if it would strike."""
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
    """Return the host that lives at an address, or None."""
    host = world.latest_hosts[address_index] if address_index < len(world.latest_hosts) else None
    return host if host is not None and host.alive else None


def draw_delay_us(rng: Random) -> int:
    """Return by how much messages are late, of any magnitude: from a millisecond to longer than the longest timer."""
    return int(SHORTEST_LATE_US * (LONGEST_LATE_US / SHORTEST_LATE_US) ** rng.random())


def draw_share(rng: Random) -> int:
    """Return the share of messages to strike, in per cent."""
    return rng.choice((2, 10, 30, 65, 90))


def start_again(world: World, fault_event: FaultEvent) -> None:
    """Start another incarnation at the address, unless a member lives there, or the address is to stay empty."""
    address_index = fault_event.address_indices[0]
    others = any(host.alive and not host.description.lite for host in world.latest_hosts)
    if host_at(world, address_index) is None and not (address_index == world.away and others):
        world.restart(address_index)


def say_kinds(kinds: str) -> str:
    """Return how a sentence names kinds of messages, given with blanks between them; an empty text means all."""
    names = kinds.split()
    return "the messages" if not names else f"the {names[0]}" if len(names) == 1 else f"{len(names)} kinds of messages"
