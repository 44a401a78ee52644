"""One incarnation of a member, and what delays its inputs.

A host handles its inputs at once, unless it is paused or slow. The inputs of a paused host wait until it resumes; a
slow host handles its inputs one after the other, each after some time. A host with a planned crash ends at a step of
the protocol that was chosen in advance."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gridproof_implementation.protocol.effects import Effect, Send, Timer
from gridproof_implementation.protocol.member import GridMember
from gridproof_model.membership import Member

Input = tuple[Callable[..., None], tuple[object, ...]]
"""An input: a function to call, and its arguments."""


class Ending(StrEnum):
    """How an incarnation ended."""

    CRASHED = "crashed"
    LEFT = "left"
    """Gracefully."""
    MERGED = "merged"
    """The incarnation ended in a merge, and the member starts again in another cluster (splits.6)."""


class Moment(StrEnum):
    """When a host with a planned crash ends, relative to the step that it waits for."""

    BEFORE = "before"
    """No effect of the input is carried out."""
    AMID = "amid"
    """All effects up to the step are carried out, and none after it, so that of several messages only some are sent."""
    AFTER = "after"
    """All effects of the input are carried out."""


@dataclass(slots=True)
class PlannedCrash:
    """A crash that waits for a step of the protocol."""

    step: str
    """The name of the step: of an event, or of a message that is sent."""
    remaining: int
    """How many steps of this name have still to come, including the step at which the host crashes."""
    moment: Moment

    def find(self, effects: Sequence[Effect]) -> int | None:
        """Return the place of the step at which the host crashes among the effects of one input; None if it is
        absent."""
        for place, effect in enumerate(effects):
            done = effect.message if isinstance(effect, Send) else effect
            if type(done).__name__ == self.step:
                self.remaining -= 1
                if self.remaining == 0:
                    return place
        return None

    def spare(self, effects: Sequence[Effect], place: int) -> Sequence[Effect]:
        """Return those effects of an input that are still carried out."""
        match self.moment:
            case Moment.BEFORE:
                return ()
            case Moment.AMID:
                return effects[: place + 1]
            case Moment.AFTER:
                return effects


@dataclass(slots=True)
class Host:
    """One incarnation, running or ended; incarnations are numbered from 0 in the order of their starts."""

    number: int
    address_index: int
    """The index of the host's address, from 0 in the order of first starts; a member that restarts keeps it."""
    description: Member
    member: GridMember
    clock_skew_us: int = 0
    """By how much the host's clock is ahead of the simulated world's clock."""
    alive: bool = True
    ending: Ending | None = None
    asked_to_leave_us: int | None = None
    """When the host was asked to shut down gracefully."""
    silent: bool = False
    """Whether the host ended together with its machine, so that connections to it are not even refused."""
    timers: dict[Timer, int] = field(default_factory=dict)
    """The timers that are set, each with the order number of its valid entry in the heap."""
    delays_us: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The shortest and the longest delay of each kind of timer since the harness last looked at it."""
    waiting: deque[Input] | None = None
    """The inputs that wait; None as long as the host handles inputs at once."""
    slow_us: int = 0
    """How long the host takes for each input; 0 if it takes no time."""
    planned_crash: PlannedCrash | None = None


def next_alive(latest_hosts: Sequence[Host], first: int) -> Host | None:
    """Return the first living host from an address index on, continuing at 0 after the last; None if no host lives."""
    for address_index in range(first, first + len(latest_hosts)):
        host = latest_hosts[address_index % len(latest_hosts)]
        if host.alive:
            return host
    return None
