"""Multi-partition calls: one request to each owner.

The updates that backups get from these requests carry no call id: no backup acknowledges them, and no outcome is
reported as indeterminate. Partitions that give no value in answer to these requests are then asked one by one
(calls.27)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.calls import IteratingRequest, IteratingResponse
from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.invocation.attempts import Connections, Registry
from gridproof_implementation.protocol.node import Call, CallMany, Node
from gridproof_implementation.protocol.structure import Operation
from gridproof_model.events.invocation import BatchSent, MultiPartitionCallEnded
from gridproof_model.events.words import CallOfSeveralEnding, Failure
from gridproof_model.membership import MemberId


@dataclass(slots=True, eq=False)
class MultiPartitionCall:
    """A call to several partitions, from its beginning to its answer; mutable."""

    number: int
    call: CallMany
    then: Callable[[Answer], None] | None
    values: dict[int, object] = field(default_factory=dict)
    """The results, by partition."""
    failure: Failure | None = None
    """The failure of the first partition that failed."""
    may_have_run: bool = False
    failed: int = 0
    """How many partitions have failed for good."""


@dataclass(slots=True, eq=False)
class Batch:
    """The part of a multi-partition call that is sent to one owner; mutable."""

    call_id: int
    multi: MultiPartitionCall
    operations: tuple[tuple[int, Operation], ...]
    target: MemberId | None
    list_version: int
    attempt_begun_us: int
    heartbeat_us: int | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether the operations only read, so that they never change anything."""
        return self.operations[0][1].READ_ONLY


@dataclass(slots=True, eq=False)
class MultiPartitionCalls:
    """The multi-partition calls that one member makes."""

    _node: Node
    _registry: Registry
    _connections: Connections
    _invoke: Callable[[Call, Callable[[Answer], None]], None]
    under_way: dict[int, MultiPartitionCall] = field(default_factory=dict)
    """The calls that have no answer yet, by their number."""
    batches: dict[int, Batch] = field(default_factory=dict)
    """The batches that wait for a response, by call id."""

    def begin(self, number: int, call: CallMany, then: Callable[[Answer], None] | None) -> None:
        """Ask each owner once for all its partitions; partitions without a reachable owner are asked one by one."""
        multi = self.under_way[number] = MultiPartitionCall(number, call, then)
        by_owner: dict[MemberId, list[tuple[int, Operation]]] = {}
        unknown: list[tuple[int, Operation]] = []
        for partition, operation in call.operations:
            owner = self._node.partitions.owner_of(partition)
            if owner is None or not self.may_be_asked(owner):
                unknown.append((partition, operation))
            else:
                by_owner.setdefault(owner, []).append((partition, operation))
        for owner, operations in by_owner.items():
            self.send(multi, owner, tuple(operations))
        self.drive_one_by_one(multi, unknown)
        self.end_if_complete(multi)

    def may_be_asked(self, owner: MemberId) -> bool:
        """Whether an owner is a member, and the connection to it is not broken."""
        return self._node.membership.is_member(owner) and self._connections.stands_to(owner.address)

    def send(self, multi: MultiPartitionCall, owner: MemberId, operations: tuple[tuple[int, Operation], ...]) -> None:
        """Send one owner the part of a call that concerns it."""
        node, call_id = self._node, self._registry.next_call_id()
        version = node.membership.members.version
        self.batches[call_id] = Batch(call_id, multi, operations, owner, version, node.now_us)
        deadline_us = node.membership.cluster_now_us + node.settings.call_timeout_us
        partitions = tuple(partition for partition, _ in operations)
        node.emit(BatchSent(multi.number, call_id, node.numbers[owner], partitions))
        node.send(owner, IteratingRequest(call_id, operations, multi.call.thread, call_id, deadline_us))

    def on_response(self, sender: MemberId, response: IteratingResponse) -> None:
        """Store the values of a response; ask the partitions that failed one by one (calls.27)."""
        batch = self.batches.pop(response.call_id, None)
        if batch is None:
            return
        batch.multi.values.update(response.values)
        failed = {partition for partition, _ in response.failures}
        self.drive_one_by_one(batch.multi, [(p, operation) for p, operation in batch.operations if p in failed])
        self.end_if_complete(batch.multi)

    def batch_failed(self, batch: Batch) -> None:
        """Ask all partitions of a batch one by one, since it is unknown which operations were run (calls.27)."""
        batch.multi.may_have_run |= not batch.is_read_only
        self.batch_refused(batch)

    def batch_refused(self, batch: Batch) -> None:
        """Ask all partitions of a batch one by one, since none of its operations was run (calls.27)."""
        del self.batches[batch.call_id]
        self.drive_one_by_one(batch.multi, batch.operations)

    def member_removed(self, gone: MemberId, list_version: int) -> None:
        """Fail the batches that were sent to a member that has left (calls.19)."""
        for batch in tuple(self.batches.values()):
            if batch.target == gone and batch.list_version < list_version:
                self.batch_failed(batch)

    def drive_one_by_one(self, multi: MultiPartitionCall, operations: Sequence[tuple[int, Operation]]) -> None:
        """Make an ordinary call to each partition; no such call is reported as indeterminate (strict.5, calls.28)."""
        for partition, operation in operations:
            call = Call(multi.call.number, operation, partition, multi.call.thread, fail_on_indeterminate_state=False)
            self._invoke(call, self._taker(multi, partition))

    def _taker(self, multi: MultiPartitionCall, partition: int) -> Callable[[Answer], None]:
        def take(answer: Answer) -> None:
            if answer.failure is None:
                multi.values[partition] = answer.value
            else:
                multi.failure = multi.failure or answer.failure
                multi.may_have_run |= answer.may_have_run
                multi.failed += 1
            self.end_if_complete(multi)

        return take

    def end_if_complete(self, multi: MultiPartitionCall) -> None:
        """Once every partition gave a value or failed, answer: with all values combined, or with the first failure."""
        is_complete = len(multi.values) + multi.failed == len(multi.call.operations)
        # Partitions are called one by one: one call that fails at once may already have ended the whole operation.
        if is_complete and multi.number in self.under_way:
            self.end(multi, multi.failure)

    def end(self, multi: MultiPartitionCall, failure: Failure | None) -> None:
        """End the call with its one answer; if it failed, the operations that ran in some partitions are not undone."""
        del self.under_way[multi.number]
        call = multi.call
        if failure is None:
            answer = Answer(call.number, self.combined(multi))
        else:
            changes = any(not operation.READ_ONLY for _, operation in call.operations)
            may_have_run = changes and (bool(multi.values) or multi.may_have_run)
            answer = Answer(call.number, None, failure, may_have_run=may_have_run)
        self._node.emit(
            MultiPartitionCallEnded(multi.number, CallOfSeveralEnding.ANSWERED if failure is None else failure)
        )
        if multi.then is None:
            self._node.effects.append(answer)
        else:
            multi.then(answer)

    def combined(self, multi: MultiPartitionCall) -> object:
        """Return all values combined into one result."""
        operations = multi.call.operations
        if not operations:
            return ()
        return operations[0][1].combined([multi.values[partition] for partition, _ in operations])

    def abandon(self, why: Failure) -> None:
        """Fail every batch of all multi-partition calls (splits.6)."""
        for batch in tuple(self.batches.values()):
            del self.batches[batch.call_id]
            multi = batch.multi
            multi.failure = multi.failure or why
            multi.may_have_run |= not batch.is_read_only
            multi.failed += len(batch.operations)
            self.end_if_complete(multi)
