"""The interfaces by which others are shown what happens in a world and in a simulated run."""

from dataclasses import dataclass
from typing import Protocol

from gridproof_implementation.protocol.effects import Answer, Message
from gridproof_implementation.simulator.host import Host
from gridproof_model.events import ProtocolEvent
from gridproof_model.trace import OperationKind, Outcome, Record


class Watcher:
    """Watches a world: each method is called when the event that it describes happens, and does nothing unless
    overridden."""

    __slots__ = ()

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """A member, by its number, has taken a step of the protocol, at a virtual time in microseconds."""

    def answered(self, member: int, answer: Answer) -> None:
        """A call to a member, by its number, has ended."""

    def started(self, host: Host) -> None:
        """An incarnation begins."""

    def ended(self, host: Host) -> None:
        """An incarnation has ended."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """A message is sent, and arrives at these times: never, once or twice; members are given by their numbers.

        For a message that is late, or is for whichever incarnation lives at an address, it is called when the message
        arrives. Only a world that `shows_messages` calls it.
        """

    def mishap(self, sender: Host, receiver: Host, sent: Message, became: Message, arrivals: int) -> None:
        """A message does not arrive exactly once as it was sent; the arguments say what it became on its way, and how
        often it arrives."""

    def late(self, sender: Host, receiver: Host, message: Message, late_us: int) -> None:
        """A message will be late: it takes `late_us`."""

    def reached_another(self, straggler: "Straggler", receiver: Host) -> None:
        """A message arrives, and reaches another incarnation than the one that was meant."""

    def broken(self, one: Host, other: Host) -> None:
        """A connection breaks between members that live."""


class Onlooker(Protocol):
    """Sees a run to the microsecond, messages included, as a picture of the run needs it."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """See that a message is sent, and when it arrives: never, once or twice."""
        ...

    def record(self, at_us: int, record: Record) -> None:
        """See that a record is made."""
        ...


class Meter(Protocol):
    """Measures messages and calls while clients are at work, to the microsecond."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """See that a message is sent while clients are at work; also one from a member to itself."""
        ...

    def call(self, kind: OperationKind, outcome: Outcome, start_us: int, end_us: int) -> None:
        """See that a call ends which a client made while clients were at work."""
        ...


@dataclass(frozen=True, slots=True)
class Straggler:
    """A message on its way that is late, or is for whichever incarnation lives at an address."""

    sent_us: int
    sender: Host
    meant: Host
    """The incarnation that last had the address when the message was sent; it may have ended by then."""
    message: Message
    to_address: bool
    """Whether another incarnation may get the message."""
