"""Which calls are under way, and which attempts wait.

Every attempt has a call id of its own; an answer that names another finds nothing (reference replication 1.2).
"""

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.invocation.invocation import NOT_REGISTERED, Invocation
from gridproof_implementation.protocol.node import Node
from gridproof_model.events.invocation import CallEnded


class Registry:
    """The calls of one member."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.calls: dict[int, Invocation] = {}
        """Every call that has no answer yet, by its number."""
        self.waiting: dict[int, Invocation] = {}
        """Those with an attempt that waits for its response or acknowledgements, by call id."""
        self._last_id = NOT_REGISTERED

    def next_call_id(self) -> int:
        """Return a call id that was never used before."""
        self._last_id += 1
        return self._last_id

    def register(self, invocation: Invocation) -> None:
        """Give the attempt a call id under which its answers find it."""
        call_id = invocation.call_id = self.next_call_id()
        if invocation.reference_id == NOT_REGISTERED:
            invocation.reference_id = call_id
        self.waiting[call_id] = invocation

    def deregister(self, invocation: Invocation) -> None:
        """Let late answers of the attempt find nothing; who does this, and nobody else, may try again."""
        self.waiting.pop(invocation.call_id, None)
        invocation.call_id = NOT_REGISTERED

    def succeed(self, invocation: Invocation, how: str) -> None:
        """End a call with the response that is kept.

        What an earlier attempt gave vouches for no copy: its target is gone, and its acknowledgements were counted
        under another call id.
        """
        response = invocation.response
        assert response is not None
        confirmed = 1 + len(invocation.confirmed_by) if response.call_id == invocation.call_id else 0
        answer = Answer(invocation.call.number, response.value, confirmed_copies=confirmed)
        self._end(invocation, answer, CallEnded(invocation.number, how, response.call_id, confirmed))

    def fail(self, invocation: Invocation, failure: Failure) -> None:
        """End a call without a result."""
        may_have_run = invocation.may_have_run and not invocation.is_read_only
        answer = Answer(invocation.call.number, None, failure, may_have_run=may_have_run)
        self._end(invocation, answer, CallEnded(invocation.number, failure.value, NOT_REGISTERED, 0))

    def _end(self, invocation: Invocation, answer: Answer, event: CallEnded) -> None:
        self.deregister(invocation)
        del self.calls[invocation.number]
        self._node.effects.append(event)
        if invocation.then is None:
            self._node.effects.append(answer)
        else:
            invocation.then(answer)
