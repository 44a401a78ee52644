"""One incarnation of a member, and what holds it up.

A host takes its inputs at once, unless it is paused (they wait until it resumes) or slow (one after another, each after
some time). A host with a planned crash dies at a step of the protocol that was chosen beforehand.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gridproof_implementation.protocol.effects import Effect, Send, Timer
from gridproof_implementation.protocol.member import GridMember
from gridproof_model.membership import Address, Member

PORT = 5701

Input = tuple[Callable[..., None], tuple[object, ...]]
"""What is to be called, and with what."""


class Ending(StrEnum):
    """How an incarnation ended."""

    CRASHED = "crashed"
    LEFT = "left"
    """Gracefully."""
    MERGED = "merged"
    """It starts anew in another cluster (splits.6)."""


class Moment(StrEnum):
    """When a host with a planned crash dies, as seen from the step it waits for."""

    BEFORE = "before"
    """Nothing that the input caused is carried out."""
    AMID = "amid"
    """Everything up to the step is carried out, and nothing behind it: of several messages only some are sent."""
    AFTER = "after"
    """Everything that the input caused is carried out."""


@dataclass(slots=True)
class PlannedCrash:
    """A crash that waits for a step of the protocol."""

    step: str
    """The name of an event, or of a message that is sent."""
    remaining: int
    """The step is the so-manieth of its name from now on."""
    moment: Moment

    def find(self, effects: Sequence[Effect]) -> int | None:
        """Return the place of the step among the effects of one input, None when it is not there yet."""
        for place, effect in enumerate(effects):
            done = effect.message if isinstance(effect, Send) else effect
            if type(done).__name__ == self.step:
                self.remaining -= 1
                if self.remaining == 0:
                    return place
        return None

    def spare(self, effects: Sequence[Effect], place: int) -> Sequence[Effect]:
        """Return the effects that are still carried out."""
        match self.moment:
            case Moment.BEFORE:
                return ()
            case Moment.AMID:
                return effects[: place + 1]
            case Moment.AFTER:
                return effects


@dataclass(slots=True)
class Host:
    """One incarnation that ran or runs; numbered from 0 in the order of their starts."""

    number: int
    address_index: int
    """Of its address, from 0 in the order of first starts: a member that restarts has that of the one before it."""
    description: Member
    member: GridMember
    clock_skew_us: int = 0
    """How far its clock is ahead of the world's."""
    alive: bool = True
    ending: Ending | None = None
    asked_to_leave_us: int | None = None
    """When it was asked to shut down gracefully."""
    silent: bool = False
    """Ended with its machine: nobody there even refuses a connection."""
    timers: dict[Timer, int] = field(default_factory=dict)
    """Set timers, by the order number of the heap entry that is valid."""
    delays_us: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For how long at least and at most each kind of timer was set since somebody looked."""
    waiting: deque[Input] | None = None
    """Inputs that wait, where they do."""
    slow_us: int = 0
    """How long it takes for each input; 0 where nothing takes time."""
    planned_crash: PlannedCrash | None = None


def address_of(address_index: int) -> Address:
    """Return the address of this index, where none was given."""
    return Address(f"127.0.{(address_index + 1) // 250}.{(address_index + 1) % 250 + 1}", PORT)


def index_of(address: Address) -> int:
    """Return the index of an address that `address_of` gave."""
    _, _, block, last = address.host.split(".")
    return 250 * int(block) + int(last) - 2


def next_alive(latest_hosts: Sequence[Host], first: int) -> Host | None:
    """Return the first live host from an address index on, beginning again at 0 after the last; None if none lives."""
    for address_index in range(first, first + len(latest_hosts)):
        host = latest_hosts[address_index % len(latest_hosts)]
        if host.alive:
            return host
    return None
