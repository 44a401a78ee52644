"""This member's own partition table, and how the master publishes it.

Every change of a row goes through `LocalTable`, whatever caused it: it records the event, renews the stamp, and does
what follows for the data here and for operations parked in the partition. Which rows may change is decided elsewhere.

`Publication` is the master's side: it sends whole tables on change, and every send interval (seed: Partition Table;
table.13). Completed migrations travel in batches, and are forgotten once every other member has them (table.18).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning import messages
from gridproof_model.events.migration import MigrationFinished, MigrationForgotten
from gridproof_model.events.partitioning import RowInstalled, TablePublished
from gridproof_model.events.words import WhyPublished, WhyRowChanged
from gridproof_model.membership import MemberId
from gridproof_model.partition_table import PartitionRow, PartitionTable, compute_stamp


class LocalTable:
    """Rows, active and completed migrations of one member."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.rows: list[PartitionRow] = list(PartitionTable.empty(node.settings.partition_count).rows)
        self.is_initialised = False
        self.active: dict[int, messages.ActiveMigration] = {}
        """The migration of each partition that this member takes part in, at most one; its flag is set
        (migration.9)."""
        self.completed: dict[messages.MigrationKey, messages.CompletedMigration] = {}
        """Migrations that ended and that not all members may know, in the order in which they became known here."""
        self._stamp: int | None = None
        self._snapshot: tuple[PartitionRow, ...] | None = None

    @property
    def stamp(self) -> int:
        """The digest of all row versions (table.6); 0 before the first arrangement."""
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

    def install(self, partition: int, row: PartitionRow, why: WhyRowChanged) -> None:
        """Replace a row, and do everything that follows from the change."""
        before = self.rows[partition]
        self.is_initialised = True
        self.rows[partition] = row
        # A failed migration changes only versions, but needs a new stamp: else tables would share one (defect HZ-16).
        self._stamp = self._snapshot = None
        node = self._node
        node.emit(RowInstalled(partition, row.version, node.numbers.row(row.slots), why))
        if before.slots == row.slots:
            return
        me = node.me
        # An active migration settles the replica when it ends: settling now would drop copied fragments (migration.17).
        if partition not in self.active and before.slot_of(me) != row.slot_of(me):
            self.settle_replica(partition)
        if before.slots[0] != row.slots[0]:
            node.anti_entropy.primary_changed(partition)
            # Operations that are parked here wait for a change that only the new owner can make (calls.13).
            if before.slots[0] == me:
                node.operations.partition_moved(partition)
            elif row.slots[0] == me:
                node.operations.partition_came(partition)

    def complete(self, completed: messages.CompletedMigration, why: WhyRowChanged) -> None:
        """Apply a migration that ended to the row that it started from, and remember it."""
        partition = completed.order.partition
        self.remember(completed)
        self.install(partition, completed.applied(self.rows[partition]), why)
        self.finish(completed)

    def remember(self, completed: messages.CompletedMigration) -> None:
        """Remember how a migration ended; the outcome that was known first stays."""
        self.completed.setdefault(completed.key, completed)

    def forget(self, known: Iterable[messages.MigrationKey], version_of: Callable[[int], int]) -> None:
        """Forget completed migrations that a message of the master does not name (table.17, table.18).

        Choice (table.17): only those that ended at or below the row version with which the message was sent are
        forgotten. By the documents, all migrations that are not named are forgotten: then a destination forgets
        its commit when an older table arrives, and if the master dies next, no member knows of the commit
        (docs/findings.md).
        """
        named = set(known)
        for key, completed in list(self.completed.items()):
            if key not in named and completed.final_version <= version_of(completed.order.partition):
                del self.completed[key]

    def finish(self, completed: messages.CompletedMigration) -> None:
        """If this member takes part in a migration, commit or roll it back here, and take writes again
        (migration.17)."""
        partition = completed.order.partition
        active = self.active.get(partition)
        # An old outcome says nothing about the migration of the partition that is active now (migration.2).
        if active is None or active.order.key != completed.key:
            return
        del self.active[partition]
        self.settle_replica(partition)
        order = completed.order
        master, outcome = self._node.numbers[order.master], completed.outcome
        self._node.emit(MigrationFinished(master, order.number, partition, outcome))
        self._node.operations.retry_parked(partition)

    def settle_replica(self, partition: int) -> None:
        """Keep the data that belongs to this member's slot, and drop the rest.

        This one rule serves the source that was dropped or shifted down, the destination that was rolled back, and the
        old backup that only hears of the migration (migration.18). The row decides, so that nothing is finished twice.
        """
        self._node.replicas.keep_as(partition, self.rows[partition].slot_of(self._node.me))

    def completed_of(self, partition: int) -> tuple[messages.CompletedMigration, ...]:
        """Return the remembered migrations of one partition, in order."""
        return tuple(done for done in self.completed.values() if done.order.partition == partition)

    def unknown_replicas(self, partition: int) -> tuple[MemberId, ...]:
        """Return the replicas of a row that are not in the member list: address and uuid both count (table.3)."""
        is_member = self._node.membership.is_member
        return tuple(slot for slot in self.rows[partition].slots if slot is not None and not is_member(slot))


PUBLISH_BATCH = 10
"""How many completed migrations are published together (table.19)."""


@dataclass(frozen=True, slots=True)
class SendTable(Timer):
    """The send interval is over (table.13)."""


class Publication:
    """The sending side; it does nothing if this member is not the master."""

    def __init__(self, node: Node, table: LocalTable, is_busy: Callable[[], bool]) -> None:
        """Publish a table; `is_busy` says whether rows are being fetched or migrated."""
        self._node = node
        self._table = table
        self._is_busy = is_busy
        self._unpublished = 0
        self._known_by: dict[messages.MigrationKey, set[MemberId]] = {}
        """The members that have acknowledged each completed migration."""

    def start(self) -> None:
        """Wait for the first interval to end."""
        self._node.set_timer(SendTable(), self._node.settings.table_send_interval_us)

    @property
    def may_publish(self) -> bool:
        """Whether tables are published now: by a master with a table, while migrations are allowed (table.13)."""
        node = self._node
        return self._table.is_initialised and node.membership.is_master and node.partitions.may_migrate

    @property
    def remembered(self) -> int:
        """How many completed migrations not all members may know; 0 if this member is not the master."""
        return len({**self._table.completed, **self._known_by}) if self._node.membership.is_master else 0

    def others(self) -> tuple[MemberId, ...]:
        """Return all members but this one, oldest first."""
        me = self._node.me
        return tuple(member.id for member in self._node.membership.members if member.id != me)

    def state(self) -> messages.TableState:
        """Return the whole table as a message."""
        return messages.TableState(self._table.snapshot, tuple(self._table.completed.values()))

    def publish(self, why: WhyPublished) -> None:
        """Send the whole table to every member, if that is allowed now."""
        if self.may_publish:
            self.push(self.others(), why)

    def push(self, receivers: Iterable[MemberId], why: WhyPublished) -> None:
        """Send the whole table to some members."""
        wanted = tuple(receiver for receiver in receivers if receiver != self._node.me)
        self._node.emit(TablePublished(why, self._table.stamp, self._node.numbers.of(wanted)))
        self._send(wanted, self.state())

    def completed(self) -> None:
        """Take note that one more migration has ended; ten are published together (table.18)."""
        self._unpublished += 1
        if self._unpublished >= PUBLISH_BATCH:
            self.publish_completed()

    def publish_completed(self) -> None:
        """Send all remembered completed migrations to the members that have not acknowledged them all (table.18)."""
        self._unpublished = 0
        if not self._table.completed or not self.may_publish:
            return
        message = messages.CompletedMigrations(tuple(self._table.completed.values()), self._table.versions)
        missing = [member for member in self.others() if not all(self._knows(member, done) for done in message.batch)]
        self._send(missing, message)
        self.evict()

    def on_table_ack(self, sender: MemberId, ack: messages.TableAck) -> None:
        """Note that a member knows these completed migrations."""
        for key in ack.completed:
            # If a late acknowledgement of a forgotten migration was noted, it would be kept for ever.
            if key in self._table.completed:
                self._known_by.setdefault(key, set()).add(sender)
        self.evict()

    def on_completed_refused(self, sender: MemberId, _message: messages.CompletedRefused) -> None:
        """Send the whole table to a member that a batch does not fit (table.18)."""
        if self._table.is_initialised and self._node.membership.is_master:
            self.push([sender], WhyPublished.BATCH_REFUSED)

    def evict(self) -> None:
        """Forget completed migrations that every other member has acknowledged (table.19)."""
        if not self._node.membership.is_master:
            return
        others = self.others()
        for key, done in list(self._table.completed.items()):
            known_by = self._known_by.get(key, set())
            if all(member in known_by for member in others):
                del self._table.completed[key]
                self._known_by.pop(key, None)
                self._node.emit(MigrationForgotten(self._node.numbers[key[0]], key[1], done.order.partition))

    def on_send_table(self, _timer: SendTable) -> None:
        """Send the whole table, with unacknowledged migrations, to every member; not while rows move (table.12).

        Choice (table.13): the table is sent, as the seed says (seed: Partition Table). By Hazelcast's code only its
        stamp is sent, and the table goes to members that have another stamp.
        """
        self._node.set_timer(SendTable(), self._node.settings.table_send_interval_us)
        if self.may_publish and not self._is_busy():
            self.publish(WhyPublished.SEND_INTERVAL)
            self.evict()

    def _knows(self, member: MemberId, done: messages.CompletedMigration) -> bool:
        return member in self._known_by.get(done.key, ())

    def _send(self, receivers: Iterable[MemberId], message: Message) -> None:
        for receiver in receivers:
            self._node.send(receiver, message)
