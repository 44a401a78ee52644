"""The operations machine of one member: the target's side."""

from gridproof_implementation.protocol.calls import Backup, ErrorResponse, Request, Response
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.fragment import Versions
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_implementation.protocol.operation.notes import Executed
from gridproof_implementation.protocol.structure import Execution, Origin
from gridproof_model.identity import MemberId


class OperationPart:
    """Thin: executes on the primary and sends backups."""

    def __init__(self, node: Node) -> None:
        self._node = node

    def message_handlers(self) -> MessageHandlers:
        """Requests."""
        return {Request: self.on_request}

    def timer_handlers(self) -> TimerHandlers:
        """None."""
        return {}

    def start(self) -> None:
        """Nothing to begin."""

    def on_request(self, sender: MemberId, request: Request) -> None:
        """Run, send backups, respond: one uninterrupted step (0.2, 1.4)."""
        node, partition = self._node, request.partition
        if node.partitions.rows[partition].slots[0] != node.me:
            answer = ErrorResponse(request.call_id, Failure.WRONG_TARGET, partition=partition)
            node.send(sender, answer)
            return
        replicas = node.replicas
        operation = request.operation
        namespace = replicas.namespace_of(operation.structure)
        fragment = replicas.fragment(partition, namespace)
        origin = Origin(sender, request.thread, request.reference_id, node.now_us)
        execution = replicas.structure_in(fragment, operation.structure).execute(operation, origin)
        acks = 0
        if execution.backup is not None:
            acks = self._send_backups(sender, request, execution, namespace)
            versions = fragment.versions
            name = type(operation).__name__
            node.note(Executed(partition, namespace, name, sender, request.call_id, versions))
        node.send(sender, Response(request.call_id, execution.value, acks, partition=partition))

    def _send_backups(self, caller: MemberId, request: Request, execution: Execution, namespace: str) -> int:
        node, partition = self._node, request.partition
        replicas = node.replicas
        counts = replicas.backups_of(request.operation.structure)
        fragment = replicas.fragment(partition, namespace)
        fragment.versions = self.next_versions(fragment.versions, counts.total)
        most = node.partitions.max_backup_count
        sync = min(most, counts.sync)
        total = sync + min(most - sync, counts.asynchronous)
        slots, acks = node.partitions.rows[partition].slots, 0
        for index in range(1, total + 1):
            replica = slots[index]
            if replica is None or not node.membership.is_member(replica):
                continue
            is_sync = index <= sync
            acks += is_sync
            node.send(
                replica,
                Backup(
                    request.call_id,
                    caller,
                    index,
                    is_sync,
                    namespace,
                    request.operation,
                    execution.backup,
                    fragment.versions,
                    partition=partition,
                ),
            )
        return acks

    def next_versions(self, versions: Versions, count: int) -> Versions:
        """One more for each configured backup, there or not (2.1, S3)."""
        return tuple(v + 1 if i < count else v for i, v in enumerate(versions))

    def partition_moved(self, partition: int) -> None:
        """Not yet."""

    def member_removed(self, gone: MemberId) -> None:
        """Not yet."""

    def retry_parked(self, partition: int) -> None:
        """Not yet."""
