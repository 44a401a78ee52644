"""How items are sent: the edge from one member to another, and the place where a member's inputs come together.

An edge loses no packet, and delivers packets in order.

Choice (jobs.14): in Hazelcast items are sent on a connection, which repeats what the network loses; here single
messages may be lost. Therefore packets are numbered, and packets that were not confirmed are sent again.

The inputs of a member come together in one FIFO queue per source member (jobs.12). Restored state has the highest
priority: no item is processed before every input has emitted all its saved state (jobs.17)."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, assert_never

from gridproof_implementation.protocol.jobs import messages
from gridproof_implementation.protocol.node import Node
from gridproof_model.events.words import Guarantee
from gridproof_model.membership import MemberId


@dataclass(slots=True)
class OutboundLane:
    """The packets that one member sends to another within one execution; mutable."""

    node: Node
    execution: str
    to: MemberId
    next_number: int = 0
    unanswered: list[messages.Packet] = field(default_factory=list)
    """Oldest first."""

    def send(self, tokens: Sequence[messages.Token]) -> None:
        """Send tokens, which arrive after all earlier tokens."""
        packet = messages.Packet(self.execution, self.next_number, tuple(tokens))
        self.next_number += 1
        self.unanswered.append(packet)
        self.node.send(self.to, packet)

    def on_received(self, word: messages.PacketsReceived) -> None:
        """Forget the packets whose arrival the receiver confirms."""
        self.unanswered = [packet for packet in self.unanswered if packet.number >= word.next_number]

    def send_again(self) -> None:
        """Repeat the packets that have not been confirmed."""
        for packet in self.unanswered:
            self.node.send(self.to, packet)


@dataclass(slots=True)
class InboundLane:
    """The packets that one member receives from another, within one execution; mutable."""

    node: Node
    execution: str
    source: MemberId
    next_number: int = 0

    def take(self, packet: messages.Packet) -> Sequence[messages.Token]:
        """Return the tokens of a packet if it is the next packet in order; return no tokens if it came before, or if an
        earlier packet is missing (then it will be sent again)."""
        tokens: Sequence[messages.Token] = ()
        if packet.number == self.next_number:
            self.next_number += 1
            tokens = packet.tokens
        # A packet is confirmed each time that it arrives, since the confirmation of an earlier arrival may be lost.
        self.node.send(self.source, messages.PacketsReceived(self.execution, self.next_number))
        return tokens


class Consumer(Protocol):
    """The receiver of the tokens that an edge passes on."""

    def restore(self, saved: messages.SavedState) -> None:
        """Take over state that was saved in a snapshot."""
        ...

    def restored(self) -> None:
        """Begin to emit items, now that all inputs have emitted their saved state."""
        ...

    def count(self, item: messages.Item) -> None:
        """Take an item."""
        ...

    def barrier_arrived(self, source: MemberId, barrier: messages.Barrier) -> None:
        """Note that an input has delivered a barrier."""
        ...

    def save(self, barrier: messages.Barrier) -> None:
        """Save the state, now that all inputs that have not ended have delivered this barrier."""
        ...

    def inputs_ended(self) -> None:
        """End, now that every input has emitted all its items."""
        ...


class InboundEdge:
    """The inputs of the processors of one member."""

    def __init__(self, sources: Sequence[MemberId], guarantee: Guarantee, consumer: Consumer) -> None:
        self._queues: dict[MemberId, deque[messages.Token]] = {source: deque() for source in sources}
        self._restoring = dict.fromkeys(sources)
        self._guarantee = guarantee
        self._consumer = consumer
        self._arrived: dict[MemberId, None] = {}
        self._ended: dict[MemberId, None] = {}
        self._barrier: messages.Barrier | None = None
        """The barrier that some but not all inputs have delivered."""

    def put(self, source: MemberId, tokens: Sequence[messages.Token]) -> None:
        """Queue the tokens that arrived, and pass on all queued tokens that may be passed on now."""
        self._queues[source].extend(tokens)
        self._drain()

    @property
    def is_restored(self) -> bool:
        """Whether all inputs have emitted their saved state."""
        return not self._restoring

    @property
    def has_ended(self) -> bool:
        """Whether every input has emitted all its items."""
        return len(self._ended) == len(self._queues)

    def may_pass(self, source: MemberId) -> bool:
        """Whether an input's tokens may pass: not after a barrier that is terminal or exactly-once (jobs.12)."""
        if self._barrier is None or source not in self._arrived:
            return True
        return self._guarantee is Guarantee.AT_LEAST_ONCE and not self._barrier.terminal

    def is_aligned(self) -> bool:
        """Whether every input has delivered the barrier; an input that has ended counts as if it had (jobs.14)."""
        return all(source in self._arrived or source in self._ended for source in self._queues)

    def _drain(self) -> None:
        is_moving = True
        while is_moving:
            is_moving = False
            for source, queue in self._queues.items():
                while queue and self._is_due(source, queue[0]):
                    is_moving = True
                    self._pass(source, queue.popleft())

    def _is_due(self, source: MemberId, token: messages.Token) -> bool:
        if self._restoring:
            return isinstance(token, messages.SavedState | messages.RestoreEnd)
        return self.may_pass(source)

    def _pass(self, source: MemberId, token: messages.Token) -> None:
        match token:
            case messages.Item():
                self._consumer.count(token)
            case messages.Barrier():
                self._barrier = token
                self._arrived[source] = None
                self._consumer.barrier_arrived(source, token)
                self._save_if_aligned()
            case messages.SavedState():
                self._consumer.restore(token)
            case messages.RestoreEnd():
                del self._restoring[source]
                if not self._restoring:
                    self._consumer.restored()
            case messages.NoMoreItems():
                self._ended[source] = None
                # All other inputs may have waited for the barrier of this input, which will never come now (jobs.14).
                self._save_if_aligned()
                if self.has_ended:
                    self._consumer.inputs_ended()
            case _:
                assert_never(token)

    def _save_if_aligned(self) -> None:
        barrier = self._barrier
        if barrier is not None and self.is_aligned():
            self._barrier = None
            self._arrived.clear()
            self._consumer.save(barrier)
