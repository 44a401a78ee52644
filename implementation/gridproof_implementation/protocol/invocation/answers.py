"""What ends an attempt: a timeout, or a message that arrives.

`Timeouts` is the caller's periodic scan for attempts that wait too long; it also takes operation heartbeats. `Answers`
handles the primary's responses, the backups' acknowledgements, errors, and the news that a member left."""

from dataclasses import dataclass

from gridproof_implementation.protocol.calls import (
    BackupAck,
    CallTimeoutResponse,
    ErrorResponse,
    OperationControl,
    Response,
)
from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_implementation.protocol.invocation.attempts import Attempt, Attempts, Invocation, Registry
from gridproof_implementation.protocol.invocation.multi_partition import MultiPartitionCalls
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import BlockingOperation
from gridproof_model.events.invocation import (
    AcknowledgementCounted,
    AnswerDropped,
    AttemptFailed,
    CallBegunAnew,
    LeaverCounted,
    ResponseKept,
)
from gridproof_model.events.words import CallEnding, Failure
from gridproof_model.membership import MemberId

SCAN_PERIOD_US = SECOND_US
"""The time between two scans (calls.22, backups.17)."""


@dataclass(frozen=True, slots=True)
class Scan(Timer):
    """It is time to look for attempts that have waited too long."""


@dataclass(slots=True, eq=False)
class Timeouts:
    """The timeouts of all calls of one member."""

    _node: Node
    _registry: Registry
    _attempts: Attempts
    _multi_partition: MultiPartitionCalls
    _scan_at_us: int | None = None
    """The time of the next scan; None while no call waits."""

    def watch(self) -> None:
        """Schedule a scan unless one is scheduled already; scans take place only while a call waits."""
        if self._scan_at_us is None:
            waiting = [invocation for invocation in self._registry.waiting.values() if invocation.response is not None]
            self._scan_at(min([self._node.now_us + SCAN_PERIOD_US, *map(self.gives_up_at_us, waiting)]))

    def _scan_at(self, at_us: int) -> None:
        self._scan_at_us = at_us
        self._node.set_timer(Scan(), max(at_us - self._node.now_us, 0))

    def on_response_kept(self, invocation: Invocation) -> None:
        """Schedule a scan for the moment at which the backup timeout ends.

        Choice (backups.18): the caller waits as long as the backup timeout, and no longer, as the seed document says
        (seed: Replication Algorithm for AP Data Structures). In Hazelcast's code a scan that runs once a second ends
        the wait, so that it may last up to a second longer (backups.18).
        """
        gives_up_at_us = self.gives_up_at_us(invocation)
        if self._scan_at_us is None or gives_up_at_us < self._scan_at_us:
            self._scan_at(gives_up_at_us)

    def gives_up_at_us(self, invocation: Invocation) -> int:
        """Return the time at which a call with a kept response stops waiting for acknowledgements (backups.18)."""
        return invocation.response_us + self._node.settings.backup_timeout_us

    def on_scan(self, timer: Scan) -> None:
        """Find every attempt that has waited too long, and end its wait."""
        self._scan_at_us = None
        for invocation in tuple(self._registry.waiting.values()):
            if invocation.response is None:
                self.look_for_a_sign(invocation)
            else:
                self.look_for_acknowledgements(invocation)
        for batch in tuple(self._multi_partition.batches.values()):
            if self.has_expired(batch):
                self._multi_partition.batch_failed(batch)
        if self._registry.calls or self._multi_partition.batches:
            self.watch()

    def look_for_a_sign(self, invocation: Invocation) -> None:
        """Fail a call whose target was silent for too long; whether the operation was executed is unknown
        (calls.22)."""
        if self.has_expired(invocation):
            self.time_out(invocation)

    def has_expired(self, attempt: Attempt) -> bool:
        """Whether one call timeout has passed since the last heartbeat, or two if there was no heartbeat (calls.22)."""
        if attempt.target == self._node.me and attempt.is_read_only:
            return False
        now_us, timeout_us = self._node.now_us, self._node.settings.call_timeout_us
        if now_us < attempt.attempt_begun_us + timeout_us:
            return False
        if attempt.heartbeat_us is not None:
            return now_us >= attempt.heartbeat_us + timeout_us
        return now_us >= attempt.attempt_begun_us + 2 * timeout_us

    def time_out(self, invocation: Invocation) -> None:
        """End a call with an operation timeout, which is never reported as indeterminate (calls.22, strict.5)."""
        invocation.may_have_run = True
        why = Failure.OPERATION_TIMEOUT
        self._node.emit(AttemptFailed(invocation.number, invocation.attempts, invocation.call_id, why))
        self._registry.fail(invocation, why)

    def on_operation_control(self, sender: MemberId, control: OperationControl) -> None:
        """Note a heartbeat, by which a target says that these calls are running or parked there (calls.21)."""
        for call_id in control.call_ids:
            attempt: Attempt | None = self._registry.waiting.get(call_id)
            attempt = attempt or self._multi_partition.batches.get(call_id)
            if attempt is not None:
                attempt.heartbeat_us = self._node.now_us

    def look_for_acknowledgements(self, invocation: Invocation) -> None:
        """Once the backup timeout has passed, wait no longer: the call fails, begins anew, or succeeds (backups.18)."""
        if self._node.now_us < self.gives_up_at_us(invocation):
            return
        if self.is_indeterminate(invocation):
            invocation.may_have_run = True
            self._registry.fail(invocation, Failure.INDETERMINATE)
        elif self.is_target_gone(invocation):
            # Only the target is known to have the write; once it is gone, its response does not count (backups.19).
            self.begin_anew(invocation)
        else:
            # As documented, the response of an earlier target is enough, though it confirms no copy (docs/findings.md).
            self._registry.succeed(invocation, CallEnding.UNACKNOWLEDGED)

    def is_indeterminate(self, invocation: Invocation) -> bool:
        """Whether a missing acknowledgement makes the outcome of the call unknown (strict.3)."""
        return invocation.is_strict

    def is_target_gone(self, invocation: Invocation) -> bool:
        """Whether the member list has no member at the target's address any more (backups.19)."""
        target = invocation.target
        return target is not None and all(
            member.id.address != target.address for member in self._node.membership.members
        )

    def begin_anew(self, invocation: Invocation) -> None:
        """Forget the call's response, counts and attempts, and begin the call anew (backups.19)."""
        self._node.emit(CallBegunAnew(invocation.number))
        invocation.may_have_run = True
        invocation.response = None
        invocation.acks_received = invocation.acks_expected = invocation.attempts = 0
        invocation.target = None
        self._attempts.ask_anew(invocation)


@dataclass(slots=True, eq=False)
class Answers:
    """Handles the messages that arrive for the calls of one member."""

    _node: Node
    _registry: Registry
    _attempts: Attempts
    _multi_partition: MultiPartitionCalls
    _timeouts: Timeouts

    def on_response(self, sender: MemberId, response: Response) -> None:
        """Complete the call, or keep the response until enough acknowledgements have come (backups.17)."""
        invocation = self._registry.waiting.get(response.call_id)
        if invocation is None:
            self.drop(sender, response.call_id, response)
            return
        invocation.response = response
        invocation.acks_expected = response.backup_count
        if response.backup_count <= invocation.acks_received:
            self._registry.succeed(invocation, CallEnding.ACKNOWLEDGED)
            return
        invocation.response_us = self._node.now_us
        self._node.effects.append(
            ResponseKept(invocation.number, response.call_id, response.backup_count, invocation.acks_received)
        )
        self._timeouts.on_response_kept(invocation)

    def on_backup_ack(self, sender: MemberId, ack: BackupAck) -> None:
        """Count an acknowledgement, which may come before the primary's response (backups.17, backups.16)."""
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

        Choice (backups.17): several acknowledgements of one backup count as one. According to the documents each
        acknowledgement counts, since connections deliver no message twice.
        """
        return backup in invocation.confirmed_by

    def complete_if_enough(self, invocation: Invocation) -> None:
        """Complete the call if as many acknowledgements have come as its kept response requires (backups.17)."""
        if invocation.response is not None and invocation.acks_received == invocation.acks_expected:
            self._registry.succeed(invocation, CallEnding.ACKNOWLEDGED)

    def on_error(self, sender: MemberId, error: ErrorResponse) -> None:
        """Give the attempt up: its target did not execute the operation, or the operation threw an error (calls.11,
        calls.14)."""
        invocation = self._registry.waiting.get(error.call_id)
        if invocation is None:
            self.not_executed(sender, error.call_id, error)
        else:
            self._attempts.give_up(invocation, error.failure)

    def on_call_timeout(self, sender: MemberId, message: CallTimeoutResponse) -> None:
        """Fail a call whose request came too late to be executed; if the call's operation may wait, make another
        attempt instead, which does not count as a retry (calls.23)."""
        invocation = self._registry.waiting.get(message.call_id)
        if invocation is None:
            self.not_executed(sender, message.call_id, message)
        elif isinstance(invocation.call.operation, BlockingOperation):
            invocation.attempts -= 1
            self._attempts.ask_anew(invocation)
        else:
            self._registry.fail(invocation, Failure.OPERATION_TIMEOUT)

    def not_executed(self, sender: MemberId, call_id: int, message: Message) -> None:
        """Note that a target refused a batch and ran nothing of it; drop the message if no batch waits."""
        batch = self._multi_partition.batches.get(call_id)
        if batch is None:
            self.drop(sender, call_id, message)
        else:
            self._multi_partition.batch_refused(batch)

    def drop(self, sender: MemberId, call_id: int, message: Message) -> None:
        """Drop an answer that no call waits for any more (calls.7)."""
        self._node.emit(AnswerDropped(call_id, self._node.numbers[sender], type(message).__name__))

    def member_removed(self, gone: MemberId, list_version: int) -> None:
        """Fail attempts whose target left; for every other call that is not strict, count an acknowledgement
        (backups.20).

        An attempt whose target has already responded fails, too: another attempt is made, or the call is indeterminate
        (calls.19).
        """
        for invocation in tuple(self._registry.waiting.values()):
            if self.has_target_left(invocation, gone, list_version):
                self._attempts.give_up(invocation, Failure.MEMBER_LEFT)
            elif self.leaver_counts(invocation):
                # The call may wait for this member as a backup; no other member acknowledges instead (backups.20).
                invocation.acks_received += 1
                number, received = self._node.numbers[gone], invocation.acks_received
                self._node.emit(LeaverCounted(invocation.number, invocation.call_id, number, received))
                self.complete_if_enough(invocation)

    def has_target_left(self, invocation: Invocation, gone: MemberId, list_version: int) -> bool:
        """Whether the attempt's target is the member that left, chosen by an older member list (calls.18, calls.19)."""
        return invocation.target == gone and invocation.list_version < list_version

    def leaver_counts(self, invocation: Invocation) -> bool:
        """Whether a member that left counts as an acknowledgement (backups.20).

        Choice (backups.20): a member that left does not count for a strict call. In Hazelcast's code any leaver counts
        for any call. But the seed document promises that the change of a strict call that ends without an exception is
        on its backups, and that a missing acknowledgement is one of the two cases in which a call is reported as
        indeterminate (seed: Throwing an IndeterminateOperationStateException; docs/findings.md).
        """
        return not invocation.is_strict
