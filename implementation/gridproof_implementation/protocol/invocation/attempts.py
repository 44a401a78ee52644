"""Calls under way, and their attempts.

The classes of this module stand in the order in which a call meets them. `Invocation` holds what is known of a call.
`Registry` holds all calls, and the attempts that wait for an answer; every attempt has its own call id, and an answer
with another id is dropped (calls.7). `Room` decides whether one more call may begin. `Connections` knows which
addresses can be reached. `Attempts` finds the target of an attempt, sends the request, and gives the attempt up if it
fails."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Protocol

from gridproof_implementation.protocol.calls import Request, Response
from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.settings import MILLISECOND_US
from gridproof_implementation.protocol.structure import BlockingOperation, Operation
from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.words import CallEnding, Failure
from gridproof_model.grid_properties import CONNECTION_MONITOR_INTERVAL
from gridproof_model.membership import Address, MemberId

NOT_REGISTERED = 0
"""The call id of a call between two attempts; requests that need no response carry it, too."""

RETRYABLE = frozenset(
    {
        Failure.WRONG_TARGET,
        Failure.PARTITION_MIGRATING,
        Failure.TARGET_NOT_MEMBER,
        Failure.CALLER_NOT_MEMBER,
        Failure.MEMBER_LEFT,
        Failure.RETRYABLE_IO,
    }
)
"""The failures after which a call is tried again by default (calls.14)."""


@dataclass(slots=True, eq=False)
class Invocation:
    """A call from its beginning to its answer; mutable.

    A retry has a new call id and new timeouts; the kept response and the acknowledgement counts stay (calls.16).
    """

    number: int
    """This member's own number for the call, since clients and parts of the member number their calls separately."""
    call: Call
    then: Callable[[Answer], None] | None
    """The function that gets the answer; None if the client gets it."""
    begun_us: int
    is_strict: bool
    """Whether an unknown outcome is reported as indeterminate (strict.1)."""

    attempts: int = 0
    call_id: int = NOT_REGISTERED
    """The call id of the registered attempt."""
    reference_id: int = NOT_REGISTERED
    """The call id of the first attempt that was sent (calls.32)."""
    target: MemberId | None = None
    """The target of the last attempt that found a target."""
    list_version: int = field(init=False)
    """The version of the member list when the target was found."""
    attempt_begun_us: int = field(init=False)
    heartbeat_us: int | None = None
    """When the target's last heartbeat for this attempt arrived (calls.21)."""
    acks_received: int = 0
    """The number of acknowledgements counted, including those counted for members that left (backups.20)."""
    confirmed_by: tuple[MemberId, ...] = ()
    """The backups whose acknowledgements of the present attempt have arrived."""
    acks_expected: int = 0
    """How many acknowledgements the kept response requires."""
    response: Response | None = None
    """The primary's response, kept until the acknowledgements have come."""
    response_us: int = field(init=False)
    may_have_run: bool = False
    """Whether an attempt that was sent has ended without an answer from its target."""

    @property
    def is_read_only(self) -> bool:
        """Whether the operation only reads, so that it never changes anything."""
        return self.call.operation.READ_ONLY


class Attempt(Protocol):
    """A request that was sent to a target and waits for an answer; it is for one partition or for several."""

    target: MemberId | None
    list_version: int
    attempt_begun_us: int
    heartbeat_us: int | None

    @property
    def is_read_only(self) -> bool:
        """Whether the operation only reads, so that it never changes anything."""
        ...


class Registry:
    """The calls of one member."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.calls: dict[int, Invocation] = {}
        """Every call that has no answer yet, by its number."""
        self.waiting: dict[int, Invocation] = {}
        """The calls with an attempt that waits for its response or acknowledgements, by call id."""
        self._call_ids = count(NOT_REGISTERED + 1)

    def next_call_id(self) -> int:
        """Return a call id that was never used before."""
        return next(self._call_ids)

    def register(self, invocation: Invocation) -> None:
        """Give the attempt a new call id, by which its answers are recognised."""
        call_id = invocation.call_id = self.next_call_id()
        # A lock recognises a retry by this call id, which is that of the first attempt (calls.32; defect HZ-69).
        if invocation.reference_id == NOT_REGISTERED:
            invocation.reference_id = call_id
        self.waiting[call_id] = invocation

    def deregister(self, invocation: Invocation) -> None:
        """Ensure that late answers of the attempt are dropped; only the calling code may make another attempt."""
        self.waiting.pop(invocation.call_id, None)
        invocation.call_id = NOT_REGISTERED

    def succeed(self, invocation: Invocation, how: CallEnding) -> None:
        """End a call successfully, with the response that was kept.

        The response to an earlier attempt confirms no copy: the target of that attempt is gone, and its
        acknowledgements were counted under another call id.
        """
        response = invocation.response
        assert response is not None
        confirmed = 1 + len(invocation.confirmed_by) if response.call_id == invocation.call_id else 0
        answer = Answer(invocation.call.number, response.value, confirmed_copies=confirmed)
        self._end(invocation, answer, CallEnded(invocation.number, how, response.call_id, confirmed))

    def fail(self, invocation: Invocation, failure: Failure) -> None:
        """End a call with a failure, without a result."""
        may_have_run = invocation.may_have_run and not invocation.is_read_only
        answer = Answer(invocation.call.number, None, failure, may_have_run=may_have_run)
        self._end(invocation, answer, CallEnded(invocation.number, failure, NOT_REGISTERED, 0))

    def _end(self, invocation: Invocation, answer: Answer, event: CallEnded) -> None:
        self.deregister(invocation)
        del self.calls[invocation.number]
        self._node.effects.append(event)
        if invocation.then is None:
            self._node.effects.append(answer)
        else:
            invocation.then(answer)


@dataclass(frozen=True, slots=True)
class LookForRoom(Timer):
    """It is time to check again whether there is room for a call that waits."""

    invocation: int


class Room:
    """Makes new calls wait while too many calls are under way; retries never wait (calls.26)."""

    def __init__(self, node: Node, registry: Registry, begin: Callable[[Invocation], None]) -> None:
        self._node = node
        self._registry = registry
        self._begin = begin
        self._outside: dict[int, int] = {}
        """How many checks for room each waiting call has had so far, by the call's number."""

    def __len__(self) -> int:
        return len(self._outside)

    @property
    def capacity(self) -> int:
        """How many calls may be under way at once: the setting, multiplied by (number of partitions + 1) (calls.26)."""
        settings = self._node.settings
        return (settings.partition_count + 1) * settings.backpressure_max_invocations

    def enter(self, invocation: Invocation) -> None:
        """Begin the call, or let it wait until there is room."""
        if not self._node.settings.backpressure_enabled:
            self._begin(invocation)
        else:
            self._outside[invocation.number] = 0
            self.look(invocation)

    def look(self, invocation: Invocation) -> None:
        """Begin the call if there is room; refuse it after the backoff timeout; otherwise look again later
        (calls.26)."""
        settings = self._node.settings
        inside = len(self._registry.calls) - len(self._outside)
        if inside < self.capacity:
            del self._outside[invocation.number]
            self._begin(invocation)
        elif self._node.now_us - invocation.begun_us >= settings.backpressure_backoff_timeout_us:
            del self._outside[invocation.number]
            self._registry.fail(invocation, Failure.OVERLOAD)
        else:
            self._outside[invocation.number] += 1
            self._node.set_timer(LookForRoom(invocation.number), self.pause_us(self._outside[invocation.number]))

    def pause_us(self, looks: int) -> int:
        """Return the pause after the given number of checks for room; it grows exponentially (calls.26).

        Choice (calls.26): the first pause is 1 ms; each next pause is twice as long, up to the pause between retries.
        """
        return min(MILLISECOND_US << min(looks - 1, 32), self._node.settings.invocation_retry_pause_us)

    def on_look_for_room(self, timer: LookForRoom) -> None:
        """Check again whether there is room for a call, unless the call has ended meanwhile."""
        invocation = self._registry.calls.get(timer.invocation)
        if invocation is None:
            self._outside.pop(timer.invocation, None)
        else:
            self.look(invocation)


class Connections:
    """The broken connections of one member.

    The driver of the member reports when a connection breaks, and again at each failed attempt to renew it. Without a
    report for one interval of the connection monitor, the connection counts as restored (settings.1, members.13). A
    broken connection does not end the attempts that wait for answers: their requests may have arrived, and members that
    are really gone will be removed from the list (calls.19).
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._broken_until_us: dict[Address, int] = {}
        self._interval_us = node.config.properties.get(CONNECTION_MONITOR_INTERVAL) * MILLISECOND_US

    def disconnected(self, address: Address) -> None:
        """Note that the connection to an address is broken."""
        self._broken_until_us[address] = self._node.now_us + self._interval_us

    def stands_to(self, address: Address) -> bool:
        """Whether messages can be sent to an address (calls.14: RetryableIO)."""
        if not self._broken_until_us:
            return True
        until_us = self._broken_until_us.get(address)
        if until_us is None:
            return True
        if self._node.now_us < until_us:
            return False
        del self._broken_until_us[address]
        return True


ATTEMPTS_AT_ONCE = 5
"""How many attempts of a call are made without a pause (calls.15)."""


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
        """Find the target in this member's own partition table and member list, and send it the request; the timeout
        starts anew (calls.5, calls.14)."""
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
        """Return the owner if it is a member; else return the failure, which is "member left" if an earlier attempt had
        a target (calls.6)."""
        node = self._node
        owner = node.partitions.owner_of(invocation.call.partition)
        if owner is None:
            return self.why_no_owner()
        if not node.membership.is_member(owner):
            return Failure.TARGET_NOT_MEMBER if invocation.target is None else Failure.MEMBER_LEFT
        return owner

    def why_no_owner(self) -> Failure:
        """Return the failure for a partition without an owner; it depends on what the cluster state allows (calls.6).

        Choice (calls.6): the call fails as illegal if the cluster state forbids the first arrangement of partitions or,
        after that, the promotion of an owner (calls.6, members.24).
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
        """Return the operation with what is left of the time for which it may wait (calls.24).

        Choice (calls.24): all time since the call began is deducted, whatever ended earlier attempts, so that no caller
        waits longer than it asked for.
        """
        operation = invocation.call.operation
        passed_us = self._node.now_us - invocation.begun_us
        if not passed_us or not isinstance(operation, BlockingOperation) or not operation.wait_us:
            return operation
        return replace(operation, wait_us=max(0, operation.wait_us - passed_us))

    def give_up(self, invocation: Invocation, why: Failure) -> None:
        """End an attempt that failed: the call is tried again, or fails (calls.14)."""
        was_sent = invocation.call_id
        self._node.emit(AttemptFailed(invocation.number, invocation.attempts, was_sent, why))
        self._registry.deregister(invocation)
        # A target that refused has not executed the operation; a target that left may have (strict.6, calls.14).
        if was_sent and why is Failure.MEMBER_LEFT:
            invocation.may_have_run = True
        if self.is_indeterminate(invocation, why):
            self._registry.fail(invocation, Failure.INDETERMINATE)
        elif self.may_try_again(invocation, why):
            self.try_again(invocation)
        else:
            self._registry.fail(invocation, why)

    def is_indeterminate(self, invocation: Invocation, why: Failure) -> bool:
        """Whether the failure makes a strict call's outcome unknown: it does only if the target left (strict.2)."""
        return invocation.is_strict and why is Failure.MEMBER_LEFT

    def may_try_again(self, invocation: Invocation, why: Failure) -> bool:
        """Whether the failure is retryable, and the call has attempts left (calls.15)."""
        return why in RETRYABLE and invocation.attempts < self._node.settings.invocation_max_retry_count

    def try_again(self, invocation: Invocation) -> None:
        """Make the next attempt, at once or after a pause; the kept response and the counts stay (calls.16).

        A member that is in no cluster, as before a join or during a merge, waits until it is in a cluster (calls.17).
        """
        pause_us = self.pause_us(invocation.attempts)
        if pause_us == 0 and self._node.membership.is_joined:
            self.attempt(invocation)
        else:
            self._node.set_timer(TryAgain(invocation.number), pause_us or self._node.settings.invocation_retry_pause_us)

    def ask_anew(self, invocation: Invocation) -> None:
        """Make another attempt that does not count as a retry (calls.24, backups.19)."""
        self._registry.deregister(invocation)
        self.try_again(invocation)

    def pause_us(self, attempts: int) -> int:
        """Return the pause after the given number of attempts: the first few are followed by no pause; then the pause
        doubles each time, up to the configured pause (calls.15)."""
        if attempts < ATTEMPTS_AT_ONCE:
            return 0
        # Users may allow very many attempts, so the exponent is bounded; no pause is longer than `longest_us` anyway.
        longest_us = self._node.settings.invocation_retry_pause_us
        return min(MILLISECOND_US << min(attempts - ATTEMPTS_AT_ONCE, longest_us.bit_length()), longest_us)

    def on_try_again(self, timer: TryAgain) -> None:
        """Make the attempt that was postponed; a member that has not joined postpones it again, which does not count as
        an attempt (calls.17)."""
        invocation = self._registry.calls.get(timer.invocation)
        if invocation is None:
            return
        if not self._node.membership.is_joined:
            self._node.set_timer(timer, self._node.settings.invocation_retry_pause_us)
            return
        self.attempt(invocation)
