"""The state machine that executes operations on one member: the target's side of calls."""

from dataclasses import dataclass
from typing import assert_never

from gridproof_implementation.protocol import calls
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_implementation.protocol.operation.backups import NOTHING_SENT, BackupSender
from gridproof_implementation.protocol.operation.holdings import Holdings, ReleaseAnew
from gridproof_implementation.protocol.operation.parking import ParkingLot, WaitIsOver
from gridproof_implementation.protocol.settings import MILLISECOND_US, SECOND_US
from gridproof_implementation.protocol.structure import BlockingOperation, Operation, Origin
from gridproof_model.events.operation import Executed, Parked, Refused, WaitedInVain
from gridproof_model.events.words import Failure
from gridproof_model.membership import MemberId
from gridproof_model.value import Value


@dataclass(frozen=True, slots=True)
class ReportRunning(Timer):
    """It is time to send operation heartbeats (calls.21)."""


@dataclass(frozen=True, slots=True)
class Done(Value):
    """The outcome of an operation that was executed."""

    value: object
    changed: bool = False
    acks: int = 0
    """How many sync backups the update was sent to."""


@dataclass(frozen=True, slots=True)
class Waits:
    """The outcome of an operation that has to wait."""


class OperationPart:
    """Checks, executes, backs up and answers each request in one step without interruption (calls.1, calls.10)."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.backups = BackupSender(node)
        self.parking = ParkingLot(node)
        self.holdings = Holdings(node)
        self.partition_came = self.holdings.release_in

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of requests to one partition and to several."""
        return {calls.Request: self.on_request, calls.IteratingRequest: self.on_iterating_request}

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of timers: for operation heartbeats, ends of waits, and releases of locks."""
        return {
            ReportRunning: self.on_report_running,
            WaitIsOver: self.on_wait_is_over,
            ReleaseAnew: self.holdings.on_release_anew,
        }

    def start(self) -> None:
        """Set the timer for the first operation heartbeats to callers."""
        self._node.set_timer(ReportRunning(), self.heartbeat_period_us())

    def taken(self) -> Taken:
        """Return how many operations are parked."""
        return {"parked_operations": len(self.parking)}

    def on_request(self, sender: MemberId, request: calls.Request) -> None:
        """Execute a request, park it, or answer why it is refused (calls.12, calls.10)."""
        outcome = self.attempt(sender, request)
        if isinstance(outcome, Waits):
            self._park(sender, request)
            return
        self.answer(sender, request, outcome)
        if isinstance(outcome, Done) and outcome.changed:
            self.retry_parked(request.partition)

    def attempt(self, caller: MemberId, request: calls.Request) -> Done | Waits | Failure:
        """Execute a request as the primary and send its backups, unless a check refuses the request."""
        failure = self.why_not_executed(caller, request)
        if failure is None:
            outcome = self.execute(caller, request)
            if not isinstance(outcome, Failure):
                return outcome
            failure = outcome
        name, number = type(request.operation).__name__, self._node.numbers[caller]
        self._node.emit(Refused(request.partition, name, number, request.call_id, failure))
        return failure

    def why_not_executed(self, caller: MemberId, request: calls.Request) -> Failure | None:
        """Return why a request is refused, or None; the checks are made in the documented order (calls.4, calls.9)."""
        node, partition, operation = self._node, request.partition, request.operation
        if not node.membership.is_member(caller):
            return Failure.CALLER_NOT_MEMBER
        if not node.membership.cluster_state.allows_operations:
            return Failure.ILLEGAL_STATE
        if node.membership.cluster_now_us > request.deadline_us:
            return Failure.OPERATION_TIMEOUT
        # A write executed now would miss the copy being migrated, and be lost with the move (defect P-24, HZ-32).
        if node.partitions.is_migrating(partition) and not (
            operation.READ_ONLY and not node.settings.stale_read_disabled
        ):
            return Failure.PARTITION_MIGRATING
        if node.partitions.rows[partition].slots[0] != node.me:
            return Failure.WRONG_TARGET
        return Failure.SPLIT_BRAIN_PROTECTION if node.membership.is_protected(operation) else None

    def execute(self, caller: MemberId, request: calls.Request) -> Done | Waits | Failure:
        """Run an operation; if it changed something, send its backups (calls.10, backups.1)."""
        node, partition, operation = self._node, request.partition, request.operation
        replicas = node.replicas
        namespace = replicas.namespace_of(operation.structure)
        fragment = replicas.fragment(partition, namespace)
        origin = Origin(caller, request.thread, request.reference_id, node.now_us)
        execution = replicas.structure_in(fragment, operation.structure).execute(operation, origin)
        if execution.failure is not None:
            return execution.failure
        if execution.wait:
            return Waits()
        changed = execution.backup is not None
        acks, sent_to = NOTHING_SENT
        if changed:
            acks, sent_to = self.backups.send(caller, request, execution.backup, namespace, fragment)
        name, number, call_id = type(operation).__name__, node.numbers[caller], request.call_id
        node.emit(Executed(partition, namespace, name, number, call_id, fragment.versions, changed, sent_to, acks))
        return Done(execution.value, changed, acks)

    def answer(self, caller: MemberId, request: calls.Request, outcome: Done | Failure) -> None:
        """Send the caller the outcome of an attempt, if the request has a call id."""
        node, call_id, partition = self._node, request.call_id, request.partition
        if call_id != 0:
            if isinstance(outcome, Done):
                node.reply(calls.Response(call_id, outcome.value, outcome.acks, partition=partition, asker=caller))
            elif outcome is Failure.OPERATION_TIMEOUT:
                node.reply(calls.CallTimeoutResponse(call_id, partition=partition, asker=caller))
            else:
                node.reply(calls.ErrorResponse(call_id, outcome, partition=partition, asker=caller))

    def on_iterating_request(self, sender: MemberId, request: calls.IteratingRequest) -> None:
        """Execute operations on several partitions; the updates have no call id, so none is acknowledged (calls.28)."""
        node = self._node
        if node.membership.cluster_now_us > request.deadline_us:
            node.reply(calls.CallTimeoutResponse(request.call_id, asker=sender))
            return
        values: list[tuple[int, object]] = []
        failures: list[tuple[int, Failure]] = []
        for partition, operation in request.operations:
            inner = calls.Request(
                0, operation, request.thread, request.reference_id, request.deadline_us, partition=partition
            )
            outcome = self.attempt(sender, inner)
            match outcome:
                case Failure():
                    failures.append((partition, outcome))
                case Waits():
                    values.append((partition, self.result_of_waiting_in_vain(operation)))
                case Done():
                    values.append((partition, outcome.value))
                    if outcome.changed:
                        self.retry_parked(partition)
                case _:
                    assert_never(outcome)
        node.reply(calls.IteratingResponse(request.call_id, tuple(values), tuple(failures), asker=sender))

    def _park(self, caller: MemberId, request: calls.Request) -> None:
        operation = request.operation
        wait_us = operation.wait_us if isinstance(operation, BlockingOperation) else 0
        if wait_us == 0:
            self._answer_waiting_in_vain(caller, request)
            return
        self.parking.park(caller, request, wait_us)
        number = self._node.numbers[caller]
        wait_ms = (wait_us or 0) // MILLISECOND_US
        self._node.emit(Parked(request.partition, type(operation).__name__, number, request.call_id, wait_ms))

    def _answer_waiting_in_vain(self, caller: MemberId, request: calls.Request) -> None:
        operation, partition = request.operation, request.partition
        number = self._node.numbers[caller]
        self._node.emit(WaitedInVain(partition, type(operation).__name__, number, request.call_id))
        self.answer(caller, request, Done(self.result_of_waiting_in_vain(operation)))

    def result_of_waiting_in_vain(self, operation: Operation) -> object:
        """Return the result of an operation whose waiting time ended before it could run."""
        return operation.GIVEN_UP if isinstance(operation, BlockingOperation) else None

    def retry_parked(self, partition: int) -> None:
        """Try a partition's parked operations again, in order; whenever one has run, start again with the first of the
        rest."""
        while self._one_goes_on(partition):
            pass

    def _one_goes_on(self, partition: int) -> bool:
        for parked in self.parking.waiting_in(partition):
            outcome = self.attempt(parked.caller, parked.request)
            if not isinstance(outcome, Waits):
                self.parking.take(parked)
                self.answer(parked.caller, parked.request, outcome)
                return True
        return False

    def partition_moved(self, partition: int) -> None:
        """Send a partition's parked operations back to their callers, which then ask the new owner (calls.13)."""
        for parked in self.parking.waiting_in(partition):
            self.parking.take(parked)
            self.answer(parked.caller, parked.request, Failure.PARTITION_MIGRATING)

    def member_removed(self, gone: MemberId) -> None:
        """Drop the parked operations of a caller that left, and release its locks (calls.13)."""
        self.parking.take_all_of(gone)
        self.holdings.release(gone)

    def on_wait_is_over(self, timer: WaitIsOver) -> None:
        """Answer that the wait was in vain, or let the caller ask again for the rest of its wait (calls.24)."""
        parked = self.parking.find(timer.number)
        if parked is None:
            return
        self.parking.take(parked)
        gives_up_at_us = parked.gives_up_at_us
        if gives_up_at_us is not None and gives_up_at_us <= self._node.now_us:
            self._answer_waiting_in_vain(parked.caller, parked.request)
        else:
            self.answer(parked.caller, parked.request, Failure.OPERATION_TIMEOUT)

    def heartbeat_period_us(self) -> int:
        """Return the time between operation heartbeats: a quarter of the call timeout, but at least 1 s (calls.21)."""
        return max(SECOND_US, self._node.settings.call_timeout_us // 4)

    def on_report_running(self, timer: ReportRunning) -> None:
        """Send each caller the ids of its calls that are parked here (calls.21).

        No call is reported while it is executed, since a step is never interrupted. Choice (calls.21): a caller without
        a parked call is sent no message, since an empty message would say nothing.
        """
        self._node.set_timer(timer, self.heartbeat_period_us())
        for caller, call_ids in self.parking.call_ids_by_caller().items():
            self._node.reply(calls.OperationControl(call_ids, asker=caller))
