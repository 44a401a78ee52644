"""This member's own partition table.

Every change of a row goes through here, whoever asked for it: the event, the stamp, what follows for the data held here
and for whoever waits for the partition. What may be changed is decided elsewhere.
"""

from collections.abc import Callable, Iterable

from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.orders import ActiveMigration, CompletedMigration, MigrationKey
from gridproof_model.events.migration import MigrationFinished
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.identity import MemberId
from gridproof_model.partition_table import PartitionRow, PartitionTable
from gridproof_model.stamp import compute_stamp


class LocalTable:
    """Rows, active and completed migrations of one member."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.rows: list[PartitionRow] = list(PartitionTable.empty(node.settings.partition_count).rows)
        self.is_initialised = False
        self.active: dict[int, ActiveMigration] = {}
        """By partition, at most one each: this member takes part, and its local flag is set (4.3)."""
        self.completed: dict[MigrationKey, CompletedMigration] = {}
        """Migrations that ended and that somebody may not have heard of, in the order they became known here."""
        self._stamp: int | None = 0
        self._snapshot: tuple[PartitionRow, ...] | None = None

    @property
    def stamp(self) -> int:
        """The digest of all row versions (2.3); 0 before the first arrangement."""
        if self._stamp is None:
            self._stamp = compute_stamp(self.versions) if self.is_initialised else 0
        return self._stamp

    @property
    def versions(self) -> tuple[int, ...]:
        """All row versions."""
        return tuple(row.version for row in self.rows)

    @property
    def snapshot(self) -> tuple[PartitionRow, ...]:
        """The rows as a value; the same one until a row changes."""
        if self._snapshot is None:
            self._snapshot = tuple(self.rows)
        return self._snapshot

    def install(self, partition: int, row: PartitionRow, why: str) -> None:
        """Replace a row, and do all that follows from it."""
        before = self.rows[partition]
        self.is_initialised = True
        self.rows[partition] = row
        self._stamp = self._snapshot = None
        node = self._node
        node.emit(RowInstalled(partition, row.version, node.numbers.row(row.slots), why))
        if before.slots == row.slots:
            return
        me = node.me
        if partition not in self.active and before.slot_of(me) != row.slot_of(me):
            self.settle_replica(partition)
        if before.slots[0] != row.slots[0]:
            node.anti_entropy.primary_changed(partition)
            if before.slots[0] == me:
                node.operations.partition_moved(partition)

    def complete(self, completed: CompletedMigration, why: str) -> None:
        """Make the change of a migration that ended, from the row it started from, and remember it."""
        partition = completed.order.partition
        self.remember(completed)
        self.install(partition, completed.applied(self.rows[partition]), why)
        self.finish(completed)

    def remember(self, completed: CompletedMigration) -> None:
        """Remember how a migration ended; what was known first stays."""
        self.completed.setdefault(completed.key, completed)

    def forget(self, known: Iterable[MigrationKey], version_of: Callable[[int], int]) -> None:
        """Forget completed migrations that a message of the master does not name (2.7 point 5, 2.8).

        Choice: only those that ended at or below the row version the message was sent with. As written, everything goes
        that is not named: then the destination of a migration forgets its commit when an older table arrives, and if
        the master dies next, nobody knows of it (docs/findings.md).
        """
        named = set(known)
        for key, completed in list(self.completed.items()):
            if key not in named and completed.final_version <= version_of(completed.order.partition):
                del self.completed[key]

    def finish(self, completed: CompletedMigration) -> None:
        """Commit or roll back what this member holds, if it takes part, and take writes again (4.5)."""
        partition = completed.order.partition
        active = self.active.get(partition)
        if active is None or active.order.key != completed.key:
            return
        del self.active[partition]
        self.settle_replica(partition)
        order = completed.order
        master, outcome = self._node.numbers[order.master], completed.outcome.value
        self._node.emit(MigrationFinished(master, order.number, partition, outcome))
        self._node.operations.retry_parked(partition)

    def settle_replica(self, partition: int) -> None:
        """Keep what belongs to this member's slot and drop the rest.

        One rule for all that 4.5 lists: the source that was dropped or shifted down, the destination that was rolled
        back, the old backup that only hears of it. The row decides, so that nothing is finished twice.
        """
        self._node.replicas.keep_as(partition, self.rows[partition].slot_of(self._node.me))

    def completed_of(self, partition: int) -> tuple[CompletedMigration, ...]:
        """Return the remembered migrations of one partition, in order."""
        return tuple(done for done in self.completed.values() if done.order.partition == partition)

    def unknown_replicas(self, partition: int) -> tuple[MemberId, ...]:
        """Return the replicas of a row that are not in the member list: address and uuid both count (5.2)."""
        is_member = self._node.membership.is_member
        return tuple(slot for slot in self.rows[partition].slots if slot is not None and not is_member(slot))
