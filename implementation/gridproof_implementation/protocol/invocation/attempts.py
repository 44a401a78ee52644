"""Attempts: how a target is found, asked, and given up."""

from dataclasses import dataclass, replace

from gridproof_implementation.protocol.calls import Request
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.invocation.connections import Connections
from gridproof_implementation.protocol.invocation.invocation import Invocation
from gridproof_implementation.protocol.invocation.registry import Registry
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import MILLISECOND_US
from gridproof_implementation.protocol.structure import BlockingOperation, Operation
from gridproof_model.events.invocation import AttemptFailed, AttemptSent
from gridproof_model.identity import MemberId

ATTEMPTS_AT_ONCE = 5
"""Before the fifth attempt nobody pauses (reference replication 1.5)."""


@dataclass(frozen=True, slots=True)
class TryAgain(Timer):
    """The pause before an attempt is over."""

    invocation: int


class Attempts:
    """The attempts of all calls of one member."""

    def __init__(self, node: Node, registry: Registry, connections: Connections) -> None:
        self._node = node
        self._registry = registry
        self._connections = connections

    def attempt(self, invocation: Invocation) -> None:
        """Find a target by this member's own table and list, and ask it; a fresh clock runs (1.1, 1.5)."""
        node = self._node
        now_us = node.now_us
        invocation.attempts += 1
        invocation.attempt_begun_us = now_us
        invocation.heartbeat_us = None
        invocation.confirmed_by = ()
        target = self.find_target(invocation)
        if isinstance(target, Failure):
            self.give_up(invocation, target)
            return
        invocation.target = target
        invocation.list_version = node.membership.members.version
        if not self._connections.stands_to(target.address):
            self.give_up(invocation, Failure.RETRYABLE_IO)
            return
        self._registry.register(invocation)
        call, call_id = invocation.call, invocation.call_id
        request = Request(
            call_id,
            self.operation_of_attempt(invocation),
            call.thread,
            invocation.reference_id,
            node.membership.cluster_now_us + node.settings.call_timeout_us,
            partition=call.partition,
        )
        node.effects.append(
            AttemptSent(invocation.number, invocation.attempts, call_id, node.numbers[target], invocation.list_version)
        )
        node.send(target, request)

    def find_target(self, invocation: Invocation) -> MemberId | Failure:
        """Return the owner, if it is a member; where it is none and an earlier one was, that one has left (1.1)."""
        node = self._node
        owner = node.partitions.owner_of(invocation.call.partition)
        if owner is None:
            return self.why_no_owner()
        if not node.membership.is_member(owner):
            return Failure.TARGET_NOT_MEMBER if invocation.target is None else Failure.MEMBER_LEFT
        return owner

    def why_no_owner(self) -> Failure:
        """Return why nobody owns a partition: perhaps nobody ever will, as things are (1.1).

        Choice: what is forbidden is the first arrangement, and later the promotion, of an owner (reference partitioning
        2.4, 5.7).
        """
        node = self._node
        state, members = node.membership.cluster_state, node.membership.members
        may_arrange = state.allows_promotion if node.partitions.is_initialised else state.allows_migration
        if not may_arrange:
            return Failure.ILLEGAL_STATE
        if len(members) > 0 and not members.data_members:
            return Failure.NO_DATA_MEMBER
        return Failure.WRONG_TARGET

    def operation_of_attempt(self, invocation: Invocation) -> Operation:
        """Return the operation, with what is left of its wait (1.6).

        Choice: what has passed since the call began counts, whatever ended the attempt, so that nobody waits longer
        than asked for.
        """
        operation = invocation.call.operation
        passed_us = self._node.now_us - invocation.begun_us
        if not passed_us or not isinstance(operation, BlockingOperation) or not operation.wait_us:
            return operation
        return replace(operation, wait_us=max(0, operation.wait_us - passed_us))

    def give_up(self, invocation: Invocation, why: Failure) -> None:
        """End an attempt that failed: the call is tried again, or fails (1.5)."""
        was_sent = invocation.call_id
        self._node.emit(AttemptFailed(invocation.number, invocation.attempts, was_sent, why.value))
        self._registry.deregister(invocation)
        if was_sent and why is Failure.MEMBER_LEFT:
            invocation.may_have_run = True
        if self.is_indeterminate(invocation, why):
            self._registry.fail(invocation, Failure.INDETERMINATE)
        elif self.may_try_again(invocation, why):
            self.try_again(invocation)
        else:
            self._registry.fail(invocation, why)

    def is_indeterminate(self, invocation: Invocation, why: Failure) -> bool:
        """Whether the failure leaves a strict call without a known outcome: only a target that left does (1.9 a)."""
        return invocation.is_strict and why is Failure.MEMBER_LEFT

    def may_try_again(self, invocation: Invocation, why: Failure) -> bool:
        """Whether the failure is retryable and the budget is not used up (1.5)."""
        return why.is_retryable and invocation.attempts < self._node.settings.invocation_max_retry_count

    def try_again(self, invocation: Invocation) -> None:
        """Make the next attempt, at once or after a pause; kept response and counts stay (1.5).

        Who is in no cluster, as before a join or during a merge, waits until it is (1.5).
        """
        pause_us = self.pause_us(invocation.attempts)
        if pause_us == 0 and self._node.membership.is_joined:
            self.attempt(invocation)
        else:
            self._node.set_timer(TryAgain(invocation.number), pause_us or self._node.settings.invocation_retry_pause_us)

    def ask_anew(self, invocation: Invocation) -> None:
        """Make another attempt that does not count as a retry (1.6, 1.8)."""
        self._registry.deregister(invocation)
        self.try_again(invocation)

    def pause_us(self, attempts: int) -> int:
        """Return the pause after so many attempts: none at first, then doubling up to the configured one (1.5)."""
        if attempts < ATTEMPTS_AT_ONCE:
            return 0
        # The exponent is bounded because a number of attempts is the user's choice, and no pause exceeds it anyway.
        doubled_us = MILLISECOND_US << min(attempts - ATTEMPTS_AT_ONCE, 32)
        return min(doubled_us, self._node.settings.invocation_retry_pause_us)

    def on_try_again(self, timer: TryAgain) -> None:
        """Make the attempt that was put off; a member that is not joined puts it off again, uncounted (1.5)."""
        invocation = self._registry.calls.get(timer.invocation)
        if invocation is None:
            return
        if not self._node.membership.is_joined:
            self._node.set_timer(timer, self._node.settings.invocation_retry_pause_us)
            return
        self.attempt(invocation)
