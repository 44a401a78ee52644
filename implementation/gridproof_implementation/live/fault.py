"""What a fault of a live fleet is.

`faults/` holds the faults, by what they strike. A fault is of the fleet, not of an adapter: it knows processes, hosts
and what agents offer, and no system. It is drawn as a `FaultEvent` that names addresses by index, as in a simulation;
one that has the name of a simulated fault means the same by it, so that a scenario of theirs runs in both worlds.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from random import Random

from gridproof_implementation.adapter import FaultCondition
from gridproof_implementation.live.addresses import Addresses
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.attached import Command
from gridproof_implementation.simulator.scenario import FaultEvent

Heal = Callable[[], int | None]
"""Undoes a fault event; returns the index of an address at which the next member is to start now, which no other fault
waits for: it may need what another one has cut."""
BACKUP = "backup"
"""What a hello calls the messages that bring updates to backups."""


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """What a fault event is drawn for."""

    address_count: int
    span_ms: int
    """How long clients are at work."""
    patience_ms: int
    """After how long members take a silent one for dead, about."""
    networked: bool = False
    """Whether each member has a host of its own."""

    def address_index(self, rng: Random) -> int:
        """Draw the index of any address."""
        return rng.randrange(self.address_count)

    def moment_ms(self, rng: Random) -> int:
        """Draw when a fault event begins: in the middle of the work, for clients are to be there before and after."""
        return rng.randrange(self.span_ms // 8, max(self.span_ms // 2, self.span_ms // 8 + 1))

    def times_ms(self, rng: Random) -> tuple[int, int]:
        """Draw when it begins, and how long it lasts: shorter than members are patient, or clearly longer."""
        at_ms = self.moment_ms(rng)
        if rng.random() < 0.4:
            return at_ms, rng.randrange(100, max(self.patience_ms // 2, 101))
        return at_ms, rng.randrange(2 * self.patience_ms, 4 * self.patience_ms)


@dataclass(frozen=True, slots=True)
class LiveFault:
    """One kind of fault; a class of its own says what it does, and how it is drawn where it has not one address."""

    name: str
    sentence: str
    """What it does, in one line."""
    harms: tuple[str, ...]
    """What it can do, in the words of `FaultBegun`."""
    brings: FaultCondition
    """Under what promises have to be given to hold, mostly."""
    needs_network: bool = False
    """Whether it is about hosts; a crash is, where its fault event says so."""
    needs_filter: bool = False
    """Whether it cuts pairs of hosts, or one way, which takes nftables."""
    needs_gate: bool = False
    """Whether an agent has to have a gate that knows backup messages."""
    asks: str = ""
    """The verb that an agent has to offer."""
    commands: tuple[Command, ...] = ()
    """By which an operator makes it and heals it, where the suite did not start the members; none where nobody can."""
    words: str = field(kw_only=True, default="")
    """The clause for people, by the fields of a fault event; a fault whose clause is not so simple makes it itself."""
    does: Callable[[Addresses, int], Heal | None] = field(kw_only=True, default=lambda addresses, index: None)
    """What happens at one address, as `inject` returns it; a fault that is not of one address alone has its own."""
    takes_several: bool = field(kw_only=True, default=False)
    """Whether a fault event may name several addresses."""

    def why_not_offered(self, system: str, hello: Hello) -> str | None:
        """Return what a system's agent lacks for it; None where it lacks nothing."""
        if self.needs_gate and BACKUP not in hello.messages:
            return f"{self.name} needs a message gate, and the agent of {system} has none"
        if hello.attached is None:
            is_offered = not self.asks or self.asks in hello.offers
            return None if is_offered else f"{self.name} needs a verb that the agent of {system} does not offer"
        lacked = [command for command in self.commands if command not in hello.attached.operator]
        what = f"the operator's command {' and '.join(lacked)}" if self.commands else "members that the suite started"
        return f"{self.name} needs {what}, and {system} has none" if lacked or not self.commands else None

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw one address, and for how long."""
        address_indices = (setting.address_index(rng),)
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices)

    def amounts(self, members: int) -> Collection[int]:
        """Return which amounts a fault event among so many members may have."""
        return (0,)

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Inject it now; return how it is undone, None where nothing happened."""
        (address_index,) = fault_event.address_indices
        return self.does(addresses, address_index)

    def condition_of(self, words: str) -> FaultCondition:
        """Return under what promises have to be given to hold while it lasts, by its clause for people."""
        return self.brings

    def describe(self, fault_event: FaultEvent) -> str:
        """Return one clause for people, without the time."""
        return self.words.format(fault_event)


def draw_group(rng: Random, setting: LiveSetting) -> tuple[int, ...]:
    """Return the indices of some addresses, at most half of them."""
    return tuple(sorted(rng.sample(range(setting.address_count), rng.randint(1, max(setting.address_count // 2, 1)))))


def others(address_indices: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the indices of all other addresses."""
    return tuple(address_index for address_index in range(count) if address_index not in address_indices)
