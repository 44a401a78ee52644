"""What a member takes from its master: tables and batches.

Rows are judged one by one; freshness is a matter of each row's version, never of the whole table (reference
partitioning 2.7). Nothing here is done by the master, which makes its own changes.
"""

from collections.abc import Callable

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.messages import (
    CompletedMigrations,
    CompletedRefused,
    FetchedTable,
    FetchTable,
    TableAck,
    TableState,
)
from gridproof_implementation.protocol.partitioning.orders import CompletedMigration, MigrationKey, Outcome
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.events.partitioning import RowDiverged, TableReceived, TableRefused
from gridproof_model.identity import MemberId
from gridproof_model.migration import MigrationError
from gridproof_model.partition_table import PartitionRow


class TableReceiver:
    """The receiving side of every member."""

    def __init__(self, node: Node, table: LocalTable) -> None:
        self._node = node
        self._table = table
        self.latest_master: MemberId | None = None
        """The master by the partition service, which hears of changes after membership does (2.5)."""
        self.when_taken: Callable[[], None] = lambda: None
        """Called after a table was taken."""

    def is_from_master(self, sender: MemberId) -> bool:
        """Whether a message may change this table: its sender is the master by both services (2.5, T13).

        A member that takes itself for the master refuses everybody else.
        """
        return sender == self._node.membership.master and sender == self.latest_master

    def is_refused(self, sender: MemberId, what: str) -> bool:
        """Whether a message is thrown away, which is recorded."""
        if self.is_from_master(sender) and sender != self._node.me:
            return False
        self._node.emit(TableRefused(self._node.numbers[sender], what))
        return True

    def on_table_state(self, sender: MemberId, state: TableState) -> None:
        """Take a table, and tell the master which completed migrations are behind this member."""
        if self.is_refused(sender, "table"):
            return
        known = self.take(sender, state)
        if known:
            self._node.send(sender, TableAck(known))

    def take(self, sender: MemberId, state: TableState) -> tuple[MigrationKey, ...]:
        """Merge a table into this one (2.7); return the completed migrations that are settled here now."""
        table = self._table
        table.is_initialised = True
        rows = table.rows
        applied, diverged = 0, set[int]()
        for partition, theirs in enumerate(state.rows):
            mine = rows[partition]
            if theirs is mine:
                continue
            if self.is_newer(mine, theirs):
                table.install(partition, theirs, "received")
                applied += 1
            elif self.is_diverged(mine, theirs):
                diverged.add(partition)
                numbers = self._node.numbers
                self._node.emit(
                    RowDiverged(partition, mine.version, numbers.row(mine.slots), numbers.row(theirs.slots))
                )
        if applied and self.names_a_stranger(state):
            self._node.membership.ask_for_list()
        settled = [done for done in state.completed if done.order.partition not in diverged]
        for done in settled:
            table.remember(done)
            table.finish(done)
        self.forget(state.completed, tuple(row.version for row in state.rows))
        self._node.emit(TableReceived(self._node.numbers[sender], applied, table.stamp))
        self.when_taken()
        return tuple(done.key for done in settled)

    def names_a_stranger(self, state: TableState) -> bool:
        """Whether a table names somebody who is not in this member's list, which is asked for then (2.7, point 2)."""
        named = {slot: None for row in state.rows for slot in row.slots if slot is not None}
        return not all(self._node.membership.is_member(member) for member in named)

    def is_newer(self, mine: PartitionRow, theirs: PartitionRow) -> bool:
        """Whether a received row replaces the own one: only a higher version does (2.7, point 3)."""
        return theirs.version > mine.version

    def is_diverged(self, mine: PartitionRow, theirs: PartitionRow) -> bool:
        """Whether equal versions stand for different rows, which must never be (2.7, point 3).

        Choice: such a row is refused and the others are taken; as written the whole table ends with an error, after
        the rows before it were applied.
        """
        return theirs.version == mine.version and theirs.slots != mine.slots

    def forget(self, named: tuple[CompletedMigration, ...], versions: tuple[int, ...]) -> None:
        """Forget what the master remembers no more."""
        if self._table.completed:
            self._table.forget([done.key for done in named], versions.__getitem__)

    def on_completed_migrations(self, sender: MemberId, message: CompletedMigrations) -> None:
        """Apply a batch, and acknowledge it or ask for the table (2.8)."""
        if self.is_refused(sender, "completed migrations"):
            return
        if self._table.is_initialised and self.apply_completed(message.batch):
            self._node.send(sender, TableAck(tuple(done.key for done in message.batch)))
        else:
            self._node.send(sender, CompletedRefused())
        self.forget(message.batch, message.versions)

    def apply_completed(self, batch: tuple[CompletedMigration, ...]) -> bool:
        """Make the changes of completed migrations in order; False at the first that does not fit (2.8)."""
        table = self._table
        for done in batch:
            row = table.rows[done.order.partition]
            if done.final_version <= row.version:
                table.remember(done)
                table.finish(done)
            elif not self.is_start_of(done, row):
                return False
            else:
                table.complete(done, "completed")
        return True

    def is_start_of(self, done: CompletedMigration, row: PartitionRow) -> bool:
        """Whether a row is the one the migration started from: its initial version, not merely an older one (2.8)."""
        if row.version != done.order.initial_version:
            return False
        if done.outcome is Outcome.FAILED:
            return True
        try:
            apply_migration(row, done.order.migration)
        except MigrationError:
            return False
        return True

    def on_fetch_table(self, sender: MemberId, _message: FetchTable) -> None:
        """Tell a new master what is known here (2.9); others are told nothing."""
        if self.is_refused(sender, "fetch"):
            return
        table = self._table
        active = tuple(active.order for active in table.active.values())
        self._node.reply(FetchedTable(table.snapshot, tuple(table.completed.values()), active, asker=sender))
