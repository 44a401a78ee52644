"""Responses and acknowledgements: two ways to the caller."""

from collections.abc import Callable

from gridproof_implementation.protocol.calls import BackupAck, ErrorResponse, Response
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.invocation.attempts import Attempts
from gridproof_implementation.protocol.invocation.invocation import Invocation
from gridproof_implementation.protocol.invocation.registry import Registry
from gridproof_implementation.protocol.invocation.sweeps import Sweeps
from gridproof_implementation.protocol.node import Node
from gridproof_model.events.invocation import AcknowledgementCounted, AnswerDropped, LeaverCounted, ResponseKept
from gridproof_model.identity import MemberId

ACKNOWLEDGED = "acknowledged"


class Answers:
    """What comes in for the calls of one member."""

    def __init__(self, node: Node, registry: Registry, attempts: Attempts, sweeps: Sweeps) -> None:
        self._node = node
        self._registry = registry
        self._attempts = attempts
        self._sweeps = sweeps
        self.when_kept: Callable[[Invocation], None] = lambda invocation: None
        """Called when a response begins to wait for its acknowledgements."""

    def on_response(self, sender: MemberId, response: Response) -> None:
        """Complete the call, or keep the response until its acknowledgements have come (1.8)."""
        invocation = self._registry.waiting.get(response.call_id)
        if invocation is None:
            self.drop(sender, response.call_id, response)
            return
        invocation.response = response
        invocation.acks_expected = response.backup_count
        if response.backup_count <= invocation.acks_received:
            self._registry.succeed(invocation, ACKNOWLEDGED)
            return
        invocation.response_us = self._node.now_us
        self._node.effects.append(
            ResponseKept(invocation.number, response.call_id, response.backup_count, invocation.acks_received)
        )
        self.when_kept(invocation)

    def on_backup_ack(self, sender: MemberId, ack: BackupAck) -> None:
        """Count an acknowledgement; it may well come before the response (1.8, 2.7, S7)."""
        invocation = self._registry.waiting.get(ack.call_id)
        if invocation is None:
            self.drop(sender, ack.call_id, ack)
            return
        if self.is_repeated(invocation, sender):
            return
        invocation.confirmed_by = (*invocation.confirmed_by, sender)
        invocation.acks_received += 1
        self._node.effects.append(
            AcknowledgementCounted(invocation.number, ack.call_id, self._node.numbers[sender], invocation.acks_received)
        )
        self.complete_if_enough(invocation)

    def is_repeated(self, invocation: Invocation, backup: MemberId) -> bool:
        """Whether a backup has acknowledged this attempt before.

        Choice: it counts once. The documents just count, and rely on connections that deliver nothing twice.
        """
        return backup in invocation.confirmed_by

    def complete_if_enough(self, invocation: Invocation) -> None:
        """Complete the call when a kept response waited for just this many acknowledgements (1.8)."""
        if invocation.response is not None and invocation.acks_received == invocation.acks_expected:
            self._registry.succeed(invocation, ACKNOWLEDGED)

    def on_error(self, sender: MemberId, error: ErrorResponse) -> None:
        """Give the attempt up: its target did not execute it, or it threw (1.4, 1.5)."""
        invocation = self._registry.waiting.get(error.call_id)
        if invocation is None:
            self.not_executed(sender, error.call_id, error)
        else:
            self._attempts.give_up(invocation, error.failure)

    def not_executed(self, sender: MemberId, call_id: int, message: Message) -> None:
        """Take the word of a target that it ran nothing: about a batch, or about nothing that waits."""
        batch = self._sweeps.batches.get(call_id)
        if batch is None:
            self.drop(sender, call_id, message)
        else:
            self._sweeps.batch_refused(batch)

    def drop(self, sender: MemberId, call_id: int, message: Message) -> None:
        """Let an answer pass that nobody waits for any more (1.2; 11 G13)."""
        self._node.emit(AnswerDropped(call_id, self._node.numbers[sender], type(message).__name__))

    def member_removed(self, gone: MemberId, list_version: int) -> None:
        """Fail the attempts whose target left, and count an acknowledgement for all others (1.7).

        This holds for attempts with a kept response, too: they are made again, or are indeterminate (S9).
        """
        for invocation in tuple(self._registry.waiting.values()):
            if self.has_target_left(invocation, gone, list_version):
                self._attempts.give_up(invocation, Failure.MEMBER_LEFT)
            elif self.leaver_counts(invocation):
                invocation.acks_received += 1
                number, received = self._node.numbers[gone], invocation.acks_received
                self._node.emit(LeaverCounted(invocation.number, invocation.call_id, number, received))
                self.complete_if_enough(invocation)

    def has_target_left(self, invocation: Invocation, gone: MemberId, list_version: int) -> bool:
        """Whether the attempt asked the very member that left, by an older member list (1.7)."""
        return invocation.target == gone and invocation.list_version < list_version

    def leaver_counts(self, invocation: Invocation) -> bool:
        """Whether a member that left counts as an acknowledgement (1.7).

        Choice: not for a strict call. The facts count any leaver for any call; the seed promises that a strict call
        without an exception is on its backups, and a missing acknowledgement is one of the two cases it is told as
        indeterminate (seed: Throwing an IndeterminateOperationStateException; docs/findings.md).
        """
        return not invocation.is_strict
