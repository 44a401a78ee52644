"""What a fault of a live fleet is.

The faults themselves are in `faults/`, grouped by what they strike. A fault belongs to the fleet, not to an adapter: it
knows processes, hosts and what agents offer, but no particular system. A fault is drawn as a `FaultEvent` that names
addresses by index, as in a simulation. A fault that has the name of a simulated fault does the same, so that a scenario
with such faults can be simulated and also played live.
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
"""Undoes a fault event; returns the index of an address at which a member has to be started now, or None. Other faults
do not wait until this member has started, which may need a link that another fault has cut."""
BACKUP = "backup"
"""The name in a hello of the messages that bring updates to backups."""


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """The run for which a fault event is drawn."""

    address_count: int
    span_ms: int
    """How long clients are at work."""
    patience_ms: int
    """About how long a member has to be silent until other members suspect it."""
    networked: bool = False
    """Whether each member has a host of its own."""

    def address_index(self, rng: Random) -> int:
        """Draw the index of any address."""
        return rng.randrange(self.address_count)

    def moment_ms(self, rng: Random) -> int:
        """Draw when a fault event begins: in the middle of the work, so that clients work before and after it."""
        return rng.randrange(self.span_ms // 8, max(self.span_ms // 2, self.span_ms // 8 + 1))

    def times_ms(self, rng: Random) -> tuple[int, int]:
        """Draw when the event begins and how long it lasts: clearly less or clearly more than the time after which
        members suspect a silent member."""
        at_ms = self.moment_ms(rng)
        if rng.random() < 0.4:
            return at_ms, rng.randrange(100, max(self.patience_ms // 2, 101))
        return at_ms, rng.randrange(2 * self.patience_ms, 4 * self.patience_ms)


@dataclass(frozen=True, slots=True)
class LiveFault:
    """One kind of fault; a subclass says what the fault does, and how it is drawn if it strikes several addresses."""

    name: str
    sentence: str
    """What the fault does, in one line."""
    harms: tuple[str, ...]
    """The harms that the fault can do, in the words of `FaultBegun`."""
    brings: FaultCondition
    """The fault condition that the fault usually brings about; only promises under this condition have to hold."""
    needs_network: bool = False
    """Whether the fault can strike hosts; a crash strikes a host only if its fault event says so."""
    needs_filter: bool = False
    """Whether the fault cuts single pairs of hosts, or only one direction of a link; both need nftables."""
    needs_gate: bool = False
    """Whether an agent needs a message gate that knows backup messages."""
    asks: str = ""
    """The verb that an agent has to offer for the fault; empty if the fault needs no verb."""
    commands: tuple[Command, ...] = ()
    """The commands by which an operator injects and heals the fault on members that the suite did not start; none if it
    is impossible there."""
    words: str = field(kw_only=True, default="")
    """The format of a fault event's description, with fields of the event; some faults override `describe` instead."""
    does: Callable[[Addresses, int], Heal | None] = field(kw_only=True, default=lambda addresses, index: None)
    """Strikes one address, and returns what `inject` returns; a fault of several addresses overrides `inject`."""
    takes_several: bool = field(kw_only=True, default=False)
    """Whether a fault event may name several addresses."""

    def why_not_offered(self, system: str, hello: Hello) -> str | None:
        """Return what a system's agent lacks for this fault; None if it lacks nothing."""
        if self.needs_gate and BACKUP not in hello.messages:
            return f"{self.name} needs a message gate, which the agent of {system} does not have"
        if hello.attached is None:
            is_offered = not self.asks or self.asks in hello.offers
            return None if is_offered else f"{self.name} needs a verb that the agent of {system} does not offer"
        lacked = [command for command in self.commands if command not in hello.attached.operator]
        what = f"the operator's command {' and '.join(lacked)}" if self.commands else "members that the suite started"
        return f"{self.name} needs {what}, which {system} does not have" if lacked or not self.commands else None

    def draw(self, rng: Random, setting: LiveSetting) -> FaultEvent:
        """Draw one address, and the time and duration of the fault event."""
        address_indices = (setting.address_index(rng),)
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices)

    def amounts(self, members: int) -> Collection[int]:
        """Return the values that the `amount` of a fault event may have in a grid with this number of members."""
        return (0,)

    def inject(self, addresses: Addresses, fault_event: FaultEvent) -> Heal | None:
        """Inject the fault now; return the function that undoes it, or None if nothing happened."""
        (address_index,) = fault_event.address_indices
        return self.does(addresses, address_index)

    def condition_of(self, words: str) -> FaultCondition:
        """Return the fault condition during a fault event of this kind; `words` is the event's description."""
        return self.brings

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a readable description of a fault event in one clause, without its time."""
        return self.words.format(fault_event)


def draw_group(rng: Random, setting: LiveSetting) -> tuple[int, ...]:
    """Return the indices of some addresses, at most half of them."""
    return tuple(sorted(rng.sample(range(setting.address_count), rng.randint(1, max(setting.address_count // 2, 1)))))


def others(address_indices: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Return the indices of all addresses except the given addresses."""
    return tuple(address_index for address_index in range(count) if address_index not in address_indices)
