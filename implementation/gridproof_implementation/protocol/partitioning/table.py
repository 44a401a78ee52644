"""This member's own partition table, and how the master publishes it.

`LocalTable` makes every change of a row, whatever its cause: it records the event, computes the stamp anew, and does
what the change requires for this member's data and for operations parked in the partition. Other classes decide which
rows may change.

`Publication` is the master's side: it sends the whole table after each change, and once per send interval (seed:
Partition Table; table.13). `Publication` sends completed migrations in batches, and forgets them once every other
member has acknowledged them (table.18)."""

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
    """The rows of one member, and the active and completed migrations that it knows."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.rows: list[PartitionRow] = list(PartitionTable.empty(node.settings.partition_count).rows)
        self.is_initialised = False
        self.active: dict[int, messages.ActiveMigration] = {}
        """The migration in which this member takes part, at most one for each partition; the partition's migrating flag
        is set (migration.9)."""
        self.completed: dict[messages.MigrationKey, messages.CompletedMigration] = {}
        """The migrations that have ended, but of which some members may not know yet, in the order in which this member
        learned of them."""
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
        """All rows as an immutable value; the same object is returned until a row changes."""
        if self._snapshot is None:
            self._snapshot = tuple(self.rows)
        return self._snapshot

    def install(self, partition: int, row: PartitionRow, why: WhyRowChanged) -> None:
        """Replace a row, and do everything that the change requires."""
        before = self.rows[partition]
        self.is_initialised = True
        self.rows[partition] = row
        # A failed migration changes only versions, but needs a new stamp, or two tables would have one stamp (HZ-16).
        self._stamp = self._snapshot = None
        node = self._node
        node.emit(RowInstalled(partition, row.version, node.numbers.row(row.slots), why))
        if before.slots == row.slots:
            return
        me = node.me
        # An active migration decides at its end what data stays; deciding now would drop copied data (migration.17).
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
        """Apply a migration that has ended to the row from which it started, and remember the migration."""
        partition = completed.order.partition
        self.remember(completed)
        self.install(partition, completed.applied(self.rows[partition]), why)
        self.finish(completed)

    def remember(self, completed: messages.CompletedMigration) -> None:
        """Remember how a migration ended; if an outcome is known already, keep the known outcome."""
        self.completed.setdefault(completed.key, completed)

    def forget(self, known: Iterable[messages.MigrationKey], version_of: Callable[[int], int]) -> None:
        """Forget those completed migrations that a message of the master does not name (table.17, table.18).

        Choice (table.17): a migration is forgotten only if the row version with which it ended is not higher than the
        row's version in the message. According to the documents, all migrations that are not named are forgotten, so
        that a destination forgets its commit when an older table arrives, and if the master dies next, no member knows
        of the commit (docs/findings.md).
        """
        named = set(known)
        for key, completed in list(self.completed.items()):
            if key not in named and completed.final_version <= version_of(completed.order.partition):
                del self.completed[key]

    def finish(self, completed: messages.CompletedMigration) -> None:
        """If this member takes part in a migration, commit it or roll it back on this member, and accept writes again
        (migration.17)."""
        partition = completed.order.partition
        active = self.active.get(partition)
        # The outcome of an earlier migration does not end the partition's active migration (migration.2).
        if active is None or active.order.key != completed.key:
            return
        del self.active[partition]
        self.settle_replica(partition)
        order = completed.order
        master, outcome = self._node.numbers[order.master], completed.outcome
        self._node.emit(MigrationFinished(master, order.number, partition, outcome))
        self._node.operations.retry_parked(partition)

    def settle_replica(self, partition: int) -> None:
        """Keep the data that belongs to this member's slot in a partition, and drop the rest.

        The same rule applies to a source that lost its slot or was moved to a later slot, to a destination that rolled
        back, and to an old backup that only learns of the migration (migration.18). The row decides what is kept, so
        that no migration is finished twice.
        """
        self._node.replicas.keep_as(partition, self.rows[partition].slot_of(self._node.me))

    def completed_of(self, partition: int) -> tuple[messages.CompletedMigration, ...]:
        """Return the remembered migrations of one partition, in order."""
        return tuple(done for done in self.completed.values() if done.order.partition == partition)

    def unknown_replicas(self, partition: int) -> tuple[MemberId, ...]:
        """Return the members in a row that are not in the member list; both address and uuid count (table.3)."""
        is_member = self._node.membership.is_member
        return tuple(slot for slot in self.rows[partition].slots if slot is not None and not is_member(slot))


PUBLISH_BATCH = 10
"""How many completed migrations are published together (table.19)."""


@dataclass(frozen=True, slots=True)
class SendTable(Timer):
    """The send interval is over (table.13)."""


class Publication:
    """The master's side, which publishes tables; it does nothing if this member is not the master."""

    def __init__(self, node: Node, table: LocalTable, is_busy: Callable[[], bool]) -> None:
        """Make the publisher of a table; `is_busy` says whether rows are being fetched, promoted or migrated."""
        self._node = node
        self._table = table
        self._is_busy = is_busy
        self._unpublished = 0
        self._known_by: dict[messages.MigrationKey, set[MemberId]] = {}
        """The members that have acknowledged each completed migration."""

    def start(self) -> None:
        """Set the timer for the end of the first send interval."""
        self._node.set_timer(SendTable(), self._node.settings.table_send_interval_us)

    @property
    def may_publish(self) -> bool:
        """Whether tables are published now: this is the master, has a table, and migrations are allowed (table.13)."""
        node = self._node
        return self._table.is_initialised and node.membership.is_master and node.partitions.may_migrate

    @property
    def remembered(self) -> int:
        """How many completed migrations the master still remembers; 0 if this member is not the master."""
        return len({**self._table.completed, **self._known_by}) if self._node.membership.is_master else 0

    def others(self) -> tuple[MemberId, ...]:
        """Return all other members, oldest first."""
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
        """Note that one more migration has ended; ten are published together (table.18)."""
        self._unpublished += 1
        if self._unpublished >= PUBLISH_BATCH:
            self.publish_completed()

    def publish_completed(self) -> None:
        """Send all remembered completed migrations to each member that has not acknowledged all of them (table.18)."""
        self._unpublished = 0
        if not self._table.completed or not self.may_publish:
            return
        message = messages.CompletedMigrations(tuple(self._table.completed.values()), self._table.versions)
        missing = [member for member in self.others() if not all(self._knows(member, done) for done in message.batch)]
        self._send(missing, message)
        self.evict()

    def on_table_ack(self, sender: MemberId, ack: messages.TableAck) -> None:
        """Note that a member has acknowledged these completed migrations."""
        for key in ack.completed:
            # If a late acknowledgement of a forgotten migration were noted, it would be kept for ever.
            if key in self._table.completed:
                self._known_by.setdefault(key, set()).add(sender)
        self.evict()

    def on_completed_refused(self, sender: MemberId, _message: messages.CompletedRefused) -> None:
        """Send the whole table to a member whose table a batch does not fit (table.18)."""
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
        """Send the whole table, with unacknowledged migrations, to every member, but not while rows move (table.13).

        Choice (table.13): the table itself is sent, as the seed document says (seed: Partition Table). In Hazelcast's
        code only the table's stamp is sent, and the table goes to the members that have another stamp.
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
