"""The edge between two members: packets in order, none lost.

Choice: items travel on a connection, which repeats what a network loses; a world drops single messages. So
packets are numbered, and those without word are sent again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.jobs.messages import Packet, PacketsReceived, Token
from gridproof_implementation.protocol.node import Node
from gridproof_model.identity import MemberId


@dataclass(slots=True)
class OutboundLane:
    """What one member sends another, within one execution; mutable."""

    node: Node
    execution: str
    to: MemberId
    next_number: int = 0
    unanswered: list[Packet] = field(default_factory=list)
    """Oldest first."""

    def send(self, tokens: Sequence[Token]) -> None:
        """Send tokens, behind all that were sent before."""
        packet = Packet(self.execution, self.next_number, tuple(tokens))
        self.next_number += 1
        self.unanswered.append(packet)
        self.node.send(self.to, packet)

    def on_received(self, word: PacketsReceived) -> None:
        """Forget what has come."""
        self.unanswered = [packet for packet in self.unanswered if packet.number >= word.next_number]

    def send_again(self) -> None:
        """Repeat what nobody has confirmed."""
        for packet in self.unanswered:
            self.node.send(self.to, packet)


@dataclass(slots=True)
class InboundLane:
    """What one member receives from another, within one execution; mutable."""

    node: Node
    execution: str
    source: MemberId
    next_number: int = 0

    def take(self, packet: Packet) -> Sequence[Token]:
        """Return the tokens of the next packet; nothing for one that came before or too early, which comes again."""
        tokens: Sequence[Token] = ()
        if packet.number == self.next_number:
            self.next_number += 1
            tokens = packet.tokens
        self.node.send(self.source, PacketsReceived(self.execution, self.next_number))
        return tokens
