"""Who is shown what happens in a world, and in a simulated run."""

from dataclasses import dataclass
from typing import Protocol

from gridproof_implementation.protocol.effects import Answer, Message
from gridproof_implementation.simulator.host import Host
from gridproof_model.events import ProtocolEvent
from gridproof_model.trace import OperationKind, Outcome, Record


class Watcher:
    """One who watches a world: each method is called for what its name says, and does nothing unless overridden."""

    __slots__ = ()

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """A member, by its number, has taken a step of the protocol, at so many virtual microseconds."""

    def answered(self, member: int, answer: Answer) -> None:
        """A call to a member, by its number, has ended."""

    def started(self, host: Host) -> None:
        """An incarnation begins."""

    def ended(self, host: Host) -> None:
        """An incarnation has ended."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """A message is sent, and arrives then: never, once, twice; members by their numbers.

        Of one that is late, or for whoever lives at an address, it is called when it arrives. Only a world that
        `shows_messages` calls it.
        """

    def mishap(self, sender: Host, receiver: Host, sent: Message, became: Message, arrivals: int) -> None:
        """A message does not arrive just once as it was sent: what it became on its way, how often it arrives."""

    def late(self, sender: Host, receiver: Host, message: Message, late_us: int) -> None:
        """A message will be late: it takes so long."""

    def reached_another(self, straggler: "Straggler", receiver: Host) -> None:
        """A message arrives, and the incarnation it reaches is not the one that was meant."""

    def broken(self, one: Host, other: Host) -> None:
        """A connection breaks between members that live."""


class Onlooker(Protocol):
    """Whoever wants to see a run to the microsecond, messages too: a picture of it."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """See a message sent, and when it arrives: never, once, or twice."""
        ...

    def record(self, at_us: int, record: Record) -> None:
        """See a record made."""
        ...


class Meter(Protocol):
    """Whoever measures what clients do while they are at work, to the microsecond."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """See a message sent while clients are at work; one of a member to itself, too."""
        ...

    def call(self, kind: OperationKind, outcome: Outcome, start_us: int, end_us: int) -> None:
        """See a call end that a client made while clients were at work."""
        ...


@dataclass(frozen=True, slots=True)
class Straggler:
    """A message that is late, or for whoever lives at an address, on its way."""

    sent_us: int
    sender: Host
    meant: Host
    """The incarnation that had the address when it was sent, and had ended perhaps."""
    message: Message
    to_address: bool
    """Whether another incarnation may get it."""
