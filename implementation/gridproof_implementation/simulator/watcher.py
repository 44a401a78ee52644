"""The interfaces by which other code learns what happens in a simulated world and in a simulated run."""

from dataclasses import dataclass
from typing import Protocol

from gridproof_implementation.protocol.effects import Answer, Message
from gridproof_implementation.simulator.host import Host
from gridproof_model.events import ProtocolEvent
from gridproof_model.trace import OperationKind, Outcome, Record


class Watcher:
    """Watches a simulated world: each method is called when the event that it describes happens, and does nothing
    unless it is overridden."""

    __slots__ = ()

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """A member, given by its number, has taken a step of the protocol at a virtual time in microseconds."""

    def answered(self, member: int, answer: Answer) -> None:
        """A call to a member, given by its number, has ended."""

    def started(self, host: Host) -> None:
        """An incarnation starts."""

    def ended(self, host: Host) -> None:
        """An incarnation has ended."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """A message is sent, and arrives never, once or twice, at these times; members are given by numbers.

        If the message is late, or meant for any incarnation at an address, this method is called when it arrives. This
        method is called only if the world `shows_messages`.
        """

    def mishap(self, sender: Host, receiver: Host, sent: Message, became: Message, arrivals: int) -> None:
        """A message is lost, repeated or changed; the arguments say what it became, and how many times it arrives."""

    def late(self, sender: Host, receiver: Host, message: Message, late_us: int) -> None:
        """A message will be late: it takes the time `late_us`."""

    def reached_another(self, straggler: "Straggler", receiver: Host) -> None:
        """A message reaches another incarnation than the intended one."""

    def broken(self, one: Host, other: Host) -> None:
        """The connection between two living members breaks."""


class Onlooker(Protocol):
    """Sees all messages and records of a run to the microsecond, as a picture of the run requires."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """See that a message is sent, and at which times it arrives: never, once or twice."""
        ...

    def record(self, at_us: int, record: Record) -> None:
        """See that a record was made."""
        ...


class Meter(Protocol):
    """Measures messages and calls, to the microsecond, while clients work."""

    def message(self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message) -> None:
        """See that a message is sent while clients work, perhaps by a member to itself."""
        ...

    def call(self, kind: OperationKind, outcome: Outcome, start_us: int, end_us: int) -> None:
        """See that a call has ended that a client made while clients worked."""
        ...


@dataclass(frozen=True, slots=True)
class Straggler:
    """A message under way that is late, or is meant for whichever incarnation is alive at an address."""

    sent_us: int
    sender: Host
    meant: Host
    """The incarnation that had the address last when the message was sent, even if it had already ended."""
    message: Message
    to_address: bool
    """Whether another incarnation at the address may get the message."""
