"""How an executed update is sent to backups, by the configured backup counts and by back-pressure."""

from random import Random

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.calls import Backup, Request
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.node import Node
from gridproof_model.events.operation import MadeSync
from gridproof_model.grid_config import BackupCounts
from gridproof_model.membership import MemberId

Sent = tuple[int, tuple[int, ...]]
"""How many sync backups an update was sent to, and the replica indices of all backups it was sent to."""
NOTHING_SENT: Sent = (0, ())


class BackupSender:
    """Gives an executed update its versions, and sends it to the backups."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._dice = Random(node.me.uuid.int)
        """The random numbers of back-pressure; unlike in Hazelcast, each member draws the same numbers in every run."""
        self._until_sync = node.settings.backpressure_sync_window
        """How many operations with async backups are left until one waits for its async backups (backups.21)."""

    def send(self, caller: MemberId, request: Request, update: object, namespace: str, fragment: Fragment) -> Sent:
        """Raise the version vector for an update, and hand the update to the network for each backup (backups.4)."""
        node, partition, operation = self._node, request.partition, request.operation
        configured = node.replicas.backups_of(operation.structure)
        fragment.versions = versions = version_vector.counted(fragment.versions, configured.total)
        sync, total = self.addressed(caller, request, configured)
        slots, is_member = node.partitions.rows[partition].slots, node.membership.is_member
        addressed: list[int] = []
        acks = 0
        for index in range(1, total + 1):
            replica = slots[index]
            # No caller waits for a member that is gone, so the call may succeed with too few copies (docs/findings.md).
            if replica is None or not is_member(replica):
                continue
            is_sync = index <= sync
            acks += is_sync
            addressed.append(index)
            node.send(
                replica,
                Backup(
                    request.call_id, caller, index, is_sync, namespace, operation, update, versions, partition=partition
                ),
            )
        return acks, tuple(addressed)

    def addressed(self, caller: MemberId, request: Request, configured: BackupCounts) -> tuple[int, int]:
        """Return the highest replica index of a sync backup, and that of any backup (backups.4, backups.21).

        The number of backups is limited by the number of groups of data members, and not by which slots are filled: a
        replica at a higher index than an empty slot may get no update although it exists.
        """
        sync = configured.sync
        if configured.asynchronous and self.waits_for_async_backups():
            self._node.emit(MadeSync(request.partition, self._node.numbers[caller], request.call_id))
            sync = configured.total
        total = min(self._node.partitions.max_backup_count, configured.total)
        # Without a call id backups get the updates, but do not acknowledge them (backups.6, calls.28; defect HZ-54).
        return (0 if request.call_id == 0 else sync), total

    def waits_for_async_backups(self) -> bool:
        """Whether back-pressure makes this operation, which has async backups, wait for them (backups.21).

        About one in `syncwindow` operations waits; after how many operations the next one waits is drawn each time,
        between three and five quarters of `syncwindow`.
        """
        settings = self._node.settings
        if not settings.backpressure_enabled:
            return False
        self._until_sync -= 1
        if self._until_sync > 0:
            return False
        window = settings.backpressure_sync_window
        self._until_sync = self._dice.randrange(3 * window // 4, max(5 * window // 4, 3 * window // 4 + 1))
        return True
