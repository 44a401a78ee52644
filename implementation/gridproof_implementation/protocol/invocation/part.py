"""The invocation machine of one member: the caller's side."""

from collections.abc import Callable
from dataclasses import dataclass

from gridproof_implementation.protocol.calls import BackupAck, ErrorResponse, Request, Response
from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.node import Call, MessageHandlers, Node, TimerHandlers
from gridproof_model.identity import MemberId

NOT_KNOWN = -1


@dataclass(frozen=True, slots=True)
class TryAgain(Timer):
    """An attempt found no target."""

    call: Call
    then: Callable[[Answer], None] | None


@dataclass(slots=True)
class Invocation:
    """One pending attempt."""

    call: Call
    then: Callable[[Answer], None] | None = None
    """Who is told instead of the client."""
    acks_received: int = 0
    acks_expected: int = NOT_KNOWN
    response: Response | None = None


class InvocationPart:
    """Thin: one attempt, its response and its acknowledgements."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._pending: dict[int, Invocation] = {}
        self._last_id = 0

    def message_handlers(self) -> MessageHandlers:
        """Responses and acknowledgements."""
        return {Response: self.on_response, BackupAck: self.on_backup_ack, ErrorResponse: self.on_error}

    def timer_handlers(self) -> TimerHandlers:
        """Retries."""
        return {TryAgain: self.on_try_again}

    def start(self) -> None:
        """Nothing to begin."""

    def invoke(self, call: Call, then: Callable[[Answer], None] | None = None) -> None:
        """Send the first attempt."""
        owner = self._node.partitions.owner_of(call.partition)
        if owner is None:
            self._node.set_timer(TryAgain(call, then), 10_000)
            return
        self._last_id += 1
        self._pending[self._last_id] = Invocation(call, then)
        deadline_us = self._node.now_us + self._node.settings.call_timeout_us
        request = Request(
            self._last_id, call.operation, call.thread, self._last_id, deadline_us, partition=call.partition
        )
        self._node.send(owner, request)

    def on_try_again(self, timer: TryAgain) -> None:
        """Once more."""
        self.invoke(timer.call, timer.then)

    def on_error(self, sender: MemberId, error: ErrorResponse) -> None:
        """Try again."""
        invocation = self._pending.pop(error.call_id, None)
        if invocation is not None:
            self.invoke(invocation.call, invocation.then)

    def on_response(self, sender: MemberId, response: Response) -> None:
        """Complete, unless acknowledgements are missing."""
        invocation = self._pending.get(response.call_id)
        if invocation is not None:
            invocation.response = response
            invocation.acks_expected = response.backup_count
            self._complete_if_done(response.call_id, invocation)

    def on_backup_ack(self, sender: MemberId, ack: BackupAck) -> None:
        """Count; the response may still be on its way (1.8, S7)."""
        invocation = self._pending.get(ack.call_id)
        if invocation is not None:
            invocation.acks_received += 1
            self._complete_if_done(ack.call_id, invocation)

    def _complete_if_done(self, call_id: int, invocation: Invocation) -> None:
        if invocation.response is not None and invocation.acks_received >= invocation.acks_expected:
            del self._pending[call_id]
            value = invocation.response.value
            answer = Answer(invocation.call.number, value, confirmed_copies=1 + invocation.acks_received)
            if invocation.then is None:
                self._node.effects.append(answer)
            else:
                invocation.then(answer)

    def member_removed(self, gone: MemberId, *, list_version: int) -> None:
        """Not yet."""

    def reset(self) -> None:
        """Not yet."""
