"""The state machine that makes one member's calls: the caller's side."""

from collections.abc import Callable
from itertools import count

from gridproof_implementation.protocol import calls
from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.invocation import attempts
from gridproof_implementation.protocol.invocation.answers import Answers, Scan, Timeouts
from gridproof_implementation.protocol.invocation.multi_partition import MultiPartitionCalls
from gridproof_implementation.protocol.node import Call, CallMany, MessageHandlers, Node, Taken, TimerHandlers
from gridproof_model.events.invocation import CallBegun
from gridproof_model.events.words import Failure
from gridproof_model.membership import MemberId


class InvocationPart:
    """Calls from their beginning to their answer (chapter calls, calls.28)."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._numbers = count(1)
        self._is_shut_down = False
        self.registry = attempts.Registry(node)
        self.connections = attempts.Connections(node)
        self.disconnected = self.connections.disconnected
        self.attempts = attempts.Attempts(node, self.registry, self.connections)
        self.multi_partition = MultiPartitionCalls(node, self.registry, self.connections, self._invoke_one)
        self.timeouts = Timeouts(node, self.registry, self.attempts, self.multi_partition)
        self.answers = Answers(node, self.registry, self.attempts, self.multi_partition, self.timeouts)
        self.room = attempts.Room(node, self.registry, self._begin)

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of all messages that answer a request."""
        return {
            calls.Response: self.answers.on_response,
            calls.BackupAck: self.answers.on_backup_ack,
            calls.ErrorResponse: self.answers.on_error,
            calls.IteratingResponse: self.multi_partition.on_response,
            calls.CallTimeoutResponse: self.answers.on_call_timeout,
            calls.OperationControl: self.timeouts.on_operation_control,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of the timers of pauses and of the scan."""
        return {
            attempts.TryAgain: self.attempts.on_try_again,
            attempts.LookForRoom: self.room.on_look_for_room,
            Scan: self.timeouts.on_scan,
        }

    def start(self) -> None:
        """Nothing to begin."""

    def taken(self) -> Taken:
        """Return how many calls, attempts and batches are under way, and how many calls wait for room."""
        return {
            "calls": len(self.registry.calls),
            "attempts": len(self.registry.waiting),
            "calls_outside": len(self.room),
            "calls_of_several_partitions": len(self.multi_partition.under_way),
            "batches": len(self.multi_partition.batches),
        }

    def invoke(self, call: Call | CallMany, then: Callable[[Answer], None] | None = None) -> None:
        """Begin a call; a member that was shut down refuses it."""
        if self._is_shut_down:
            self._answer(Answer(call.number, None, Failure.NOT_ACTIVE), then)
        elif isinstance(call, CallMany):
            self.timeouts.watch()
            self.multi_partition.begin(next(self._numbers), call, then)
        else:
            self._invoke_one(call, then)

    def _invoke_one(self, call: Call, then: Callable[[Answer], None] | None) -> None:
        operation = call.operation
        if call.read_from_backup and operation.READ_ONLY and self._answer_from_backup(call, then):
            return
        is_strict = self.is_strict(call)
        invocation = attempts.Invocation(next(self._numbers), call, then, self._node.now_us, is_strict)
        self.registry.calls[invocation.number] = invocation
        self._node.effects.append(
            CallBegun(invocation.number, call.partition, type(operation).__name__, operation.READ_ONLY, is_strict)
        )
        self.room.enter(invocation)

    def _begin(self, invocation: attempts.Invocation) -> None:
        self.timeouts.watch()
        self.attempts.attempt(invocation)

    def is_strict(self, call: Call) -> bool:
        """Whether an unknown outcome is reported: the call, or else the member's settings, ask for that, and the
        operation is not read-only (strict.1, strict.4)."""
        wanted = call.fail_on_indeterminate_state
        if wanted is None:
            wanted = self._node.settings.fail_on_indeterminate_state
        return wanted and not call.operation.READ_ONLY

    def _answer_from_backup(self, call: Call, then: Callable[[Answer], None] | None) -> bool:
        """Answer a read from this member's own backup of the partition, if it has one (backups.22)."""
        execution = self._node.replicas.read_backup(call.partition, call.operation, call.thread)
        if execution is None:
            return False
        self._answer(Answer(call.number, execution.value, execution.failure), then)
        return True

    def _answer(self, answer: Answer, then: Callable[[Answer], None] | None) -> None:
        if then is None:
            self._node.effects.append(answer)
        else:
            then(answer)

    def member_removed(self, gone: MemberId, *, list_version: int) -> None:
        """Fail the calls whose target left; for each other call that is not strict, count the leaver as an
        acknowledgement (backups.20)."""
        self.answers.member_removed(gone, list_version)
        self.multi_partition.member_removed(gone, list_version)

    def reset(self) -> None:
        """End every pending call with the failure "member left" (splits.6).

        Choice (splits.6): a call fails even if it is not strict. This incarnation ends with the merge, so no member is
        left to retry the call.
        """
        self._end_all(Failure.MEMBER_LEFT)

    def shut_down(self) -> None:
        """End every pending call, and refuse later ones (calls.20)."""
        self._is_shut_down = True
        self._end_all(Failure.NOT_ACTIVE)

    def _end_all(self, why: Failure) -> None:
        self.multi_partition.abandon(why)
        for invocation in tuple(self.registry.calls.values()):
            was_sent = invocation.call_id != 0
            invocation.may_have_run |= was_sent
            is_indeterminate = self.attempts.is_indeterminate(invocation, why)
            self.registry.fail(invocation, Failure.INDETERMINATE if is_indeterminate else why)
