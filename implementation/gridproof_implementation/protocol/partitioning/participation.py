"""What a member does for its master: it receives tables and the outcomes of migrations, and takes part in migrations.

`TableReceiver` decides row by row: a row's version says whether the row is newer, and there is no version of the whole
table (table.14). The master receives no tables, since it alone changes its table.

`Participation` is the work of a migration's primary and of its destination. The primary asks the destination whether it
is ready, and then sends one fragment after the other; even if the migration moves a backup, the data comes from the
primary (migration.1). The primary and the destination refuse writes to the partition during the migration. When the
master asks for the commit, the destination is the first member to change the row (migration.11). The master repeats its
request if messages are lost, and the repeated request makes the primary repeat the step on whose answer it waits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning import messages
from gridproof_implementation.protocol.partitioning.migrating import REPEAT_US
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.events.membership import AnswerOverdue
from gridproof_model.events.migration import (
    FragmentsMigrated,
    MigrationCommitted,
    MigrationCopied,
    MigrationOpened,
    MigrationReadied,
    MigrationRefused,
)
from gridproof_model.events.partitioning import RowDiverged, TableReceived, TableRefused
from gridproof_model.events.words import EARLY, THE_CLUSTER_IS, MigrationOutcome, OnlyFromMaster, WhyRowChanged
from gridproof_model.membership import MemberId
from gridproof_model.migration import MigrationError
from gridproof_model.partition_table import PartitionRow

BUSY = "another migration of the partition is active"
"""The reason for a refusal that is not final: when the master asks again, the other migration may have ended."""


EARLY_MAX_US = 2 * REPEAT_US
"""How long an order waits for the table or member list that it requires; by then its master has repeated or dropped it.
Choice (migration.7): an early order waits; by the documents it is refused at once (migration.7)."""


@dataclass(frozen=True, slots=True)
class Early:
    """An order that came before the table or member list that it requires."""

    key: messages.MigrationKey
    refusal: str
    handler: Callable[[MemberId, Any], None]
    sender: MemberId
    message: messages.MigrationRequest | messages.MigrationOpen

    @property
    def partition(self) -> int:
        """The partition to which the order applies."""
        return self.message.order.partition


@dataclass(frozen=True, slots=True)
class EarlyOver(Timer):
    """An early order has waited so long that its master would have repeated it."""

    partition: int
    key: messages.MigrationKey


class EarlyOrders:
    """The orders that wait for the table or member list that they require."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._early: dict[int, Early] = {}
        """The waiting order of each partition."""
        self._put_off: dict[int, messages.MigrationKey] = {}
        """By partition, the migration whose order has waited once; an order that is too early again is refused."""
        self._timed: set[messages.MigrationKey] = set()
        """The migrations with a timer; if an order still waits when its timer fires, it is dropped."""

    def __len__(self) -> int:
        return len(self._early)

    def look_again(self) -> None:
        """Handle again the orders that came too early, since there is a new table or another member list."""
        early, self._early = self._early, {}
        self._put_off.clear()
        for one in early.values():
            one.handler(one.sender, one.message)

    def on_early_over(self, timer: EarlyOver) -> None:
        """Drop an order that has waited in vain: the message was late, and its migration ended long ago."""
        self._timed.discard(timer.key)
        waiting = self._early.get(timer.partition)
        if waiting is not None and waiting.key == timer.key:
            del self._early[timer.partition]
            self._node.emit(AnswerOverdue(type(timer).__name__))

    def forget(self, partition: int) -> None:
        """Drop the order that waits for a partition, since a migration of the partition begins."""
        self._early.pop(partition, None)

    def may_wait(self, early: Early) -> bool:
        """Whether a refusal is not final: the migration waits for a table or list, or for the master to ask again.

        Choice (migration.7): an order may overtake the table or member list that it requires. If an early order were
        refused at once, as in the documents (migration.7), nearly every join would lead to a failed migration. If an
        order is still too early when it comes again, it is refused, and answered with the table (migration.14).
        """
        if early.refusal == BUSY:
            return True
        if early.refusal == EARLY and self._put_off.get(early.partition) != early.key:
            self._early[early.partition], self._put_off[early.partition] = early, early.key
            if early.key not in self._timed:  # an order still too early with the next table waits no longer for it
                self._timed.add(early.key)
                self._node.set_timer(EarlyOver(early.partition, early.key), EARLY_MAX_US)
            return True
        # The refusal makes the master end the migration: if this member kept the order, it would wait in vain.
        if self._put_off.get(early.partition) == early.key:
            self._early.pop(early.partition, None)
        return False


class TableReceiver:
    """Receives tables and batches of completed migrations, on every member."""

    def __init__(self, node: Node, table: LocalTable, early: EarlyOrders) -> None:
        """Make a receiver of tables; after each table, the `early` orders are handled again."""
        self._node = node
        self._table = table
        self._early = early
        self.latest_master: MemberId | None = None
        """The master as the partition service knows it; the service hears of a new master later than membership does
        (table.9)."""

    def is_from_master(self, sender: MemberId) -> bool:
        """Whether a message may change this table: membership and the partition service both have to know its sender as
        the master (table.9).

        A member that believes that it is the master refuses the tables of all other members.
        """
        # From a mastership claim until the new master's list comes, the two services know different masters: neither of
        # these masters may change rows (HZ-13).
        return sender == self._node.membership.master and sender == self.latest_master

    def is_refused(self, sender: MemberId, what: OnlyFromMaster) -> bool:
        """Whether a message is dropped because its sender is not the master; if so, record the refusal."""
        if self.is_from_master(sender) and sender != self._node.me:
            return False
        self._node.emit(TableRefused(self._node.numbers[sender], what))
        return True

    def on_table_state(self, sender: MemberId, state: messages.TableState) -> None:
        """Merge a table, and acknowledge to the master the completed migrations that are settled on this member."""
        if self.is_refused(sender, OnlyFromMaster.TABLE):
            return
        known = self.take(sender, state)
        if known:
            self._node.send(sender, messages.TableAck(known))

    def take(self, sender: MemberId, state: messages.TableState) -> tuple[messages.MigrationKey, ...]:
        """Merge a table into this one (table.14); return the completed migrations that are now settled here."""
        table = self._table
        table.is_initialised = True
        rows = table.rows
        applied, diverged = 0, set[int]()
        for partition, theirs in enumerate(state.rows):
            mine = rows[partition]
            # Members share row objects: nearly all rows of a received table are the same objects as this member's rows.
            if theirs is mine:
                continue
            if self.is_newer(mine, theirs):
                table.install(partition, theirs, WhyRowChanged.RECEIVED)
                applied += 1
            elif self.is_diverged(mine, theirs):
                diverged.add(partition)
                numbers = self._node.numbers
                self._node.emit(
                    RowDiverged(partition, mine.version, numbers.row(mine.slots), numbers.row(theirs.slots))
                )
        if applied and self.names_a_stranger(state):
            self._node.membership.ask_for_list()
        # Migrations of refused rows are not acknowledged: the master forgets what all have acknowledged (table.19).
        settled = [done for done in state.completed if done.order.partition not in diverged]
        for done in settled:
            table.remember(done)
            table.finish(done)
        self.forget(state.completed, tuple(row.version for row in state.rows))
        self._node.emit(TableReceived(self._node.numbers[sender], applied, table.stamp))
        self._early.look_again()
        return tuple(done.key for done in settled)

    def names_a_stranger(self, state: messages.TableState) -> bool:
        """Whether a table names a member that is not in the list here, so that the list is asked for (table.16)."""
        named = {slot: None for row in state.rows for slot in row.slots if slot is not None}
        return not all(self._node.membership.is_member(member) for member in named)

    def is_newer(self, mine: PartitionRow, theirs: PartitionRow) -> bool:
        """Whether a received row replaces this member's own row: only a row with a higher version does (table.14)."""
        return theirs.version > mine.version

    def is_diverged(self, mine: PartitionRow, theirs: PartitionRow) -> bool:
        """Whether two different rows have the same version, which must never happen (table.5).

        Choice (table.15): a row that differs at an equal version is refused, and the other rows are merged; by the
        documents the merge ends with an error at this row, after the rows before it were applied.
        """
        return theirs.version == mine.version and theirs.slots != mine.slots

    def forget(self, named: tuple[messages.CompletedMigration, ...], versions: tuple[int, ...]) -> None:
        """Forget completed migrations that the master no longer names, as all members acknowledged them (table.19)."""
        if self._table.completed:
            self._table.forget([done.key for done in named], versions.__getitem__)

    def on_completed_migrations(self, sender: MemberId, message: messages.CompletedMigrations) -> None:
        """Apply a batch, and acknowledge it, or ask for the whole table if the batch does not fit (table.18)."""
        if self.is_refused(sender, OnlyFromMaster.COMPLETED_MIGRATIONS):
            return
        if self._table.is_initialised and self.apply_completed(message.batch):
            self._node.send(sender, messages.TableAck(tuple(done.key for done in message.batch)))
        else:
            self._node.send(sender, messages.CompletedRefused())
        self.forget(message.batch, message.versions)

    def apply_completed(self, batch: tuple[messages.CompletedMigration, ...]) -> bool:
        """Apply completed migrations in order; if one does not fit, stop there and return False (table.18)."""
        table = self._table
        for done in batch:
            row = table.rows[done.order.partition]
            if done.final_version <= row.version:
                table.remember(done)
                table.finish(done)
            elif not self.is_start_of(done, row):
                return False
            else:
                table.complete(done, WhyRowChanged.COMPLETED)
        return True

    def is_start_of(self, done: messages.CompletedMigration, row: PartitionRow) -> bool:
        """Whether a row is the row from which a migration started, and not an older row (table.18)."""
        # If the row here is older, it would get the final version without the changes in between (defect HZ-15).
        if row.version != done.order.initial_version:
            return False
        if done.outcome is MigrationOutcome.FAILED:
            return True
        try:
            apply_migration(row, done.order.migration)
        except MigrationError:
            return False
        return True

    def on_fetch_table(self, sender: MemberId, _message: messages.FetchTable) -> None:
        """Send a new master this member's table and migrations (table.21); do not answer other members."""
        if self.is_refused(sender, OnlyFromMaster.FETCH):
            return
        table = self._table
        active = tuple(active.order for active in table.active.values())
        self._node.reply(messages.FetchedTable(table.snapshot, tuple(table.completed.values()), active, asker=sender))


class Participation:
    """What a member does for migrations that the master orders."""

    def __init__(self, node: Node, table: LocalTable, reception: TableReceiver, early: EarlyOrders) -> None:
        self._node = node
        self._table = table
        self._reception = reception
        self._early = early

    def on_request(self, sender: MemberId, request: messages.MigrationRequest) -> None:
        """As the primary, register the migration and ask the destination, or answer why the order is refused."""
        order = request.order
        active = self._find(order.key, order.partition)
        if active is not None:
            self.go_on(active)
            return
        refusal = (
            self.why_not_ordered(order, sender == order.master)
            or self.why_not_as_primary(order)
            or self.why_not_now(order, request.completed, order.destination)
        )
        if refusal is None:
            active = self._register(order)
            active.namespaces = tuple(self._node.replicas.namespaces(order.partition))
            self._node.emit(MigrationOpened(self._node.numbers[order.master], order.number, order.partition))
            self.go_on(active)
        elif not self._early.may_wait(Early(order.key, refusal, self.on_request, sender, request)):
            self._answer(sender, order, refusal)

    def go_on(self, active: messages.ActiveMigration) -> None:
        """As the primary, take the next step of a migration, or repeat the last step."""
        order, partition = active.order, active.order.partition
        # This message is sent even without data: a destination not asked to get ready refuses to commit (defect HZ-23).
        if not active.is_ready:
            completed = self._table.completed_of(partition)
            self._node.send(order.destination, messages.MigrationOpen(order, completed, partition=partition))
        elif active.done < len(active.namespaces):
            replicas = self._node.replicas
            wanted = active.namespaces[active.done : active.done + self.fragments_at_once(active)]
            data = tuple(replicas.copy_fragment(partition, name, order.new_index) for name in wanted)
            self._node.send(
                order.destination, messages.MigrationFragments(order.key, active.done, data, partition=partition)
            )
        else:
            if not active.is_copied:
                active.is_copied = True
                self._node.emit(MigrationCopied(self._node.numbers[order.master], order.number, partition))
            self._answer(order.master, order, None)

    def fragments_at_once(self, active: messages.ActiveMigration) -> int:
        """Return how many fragments are sent together: one, or all if single fragments are disabled (migration.10)."""
        return 1 if self._node.settings.migration_fragments_enabled else len(active.namespaces)

    def on_open(self, sender: MemberId, message: messages.MigrationOpen) -> None:
        """As the destination, register the migration, or answer why it is refused."""
        order = message.order
        if self._find(order.key, order.partition) is None:
            refusal = (
                self.why_not_ordered(order, sender == order.primary)
                or self.why_not_as_destination(order)
                or self.why_not_now(order, message.completed, order.primary)
            )
            if refusal is not None:
                if not self._early.may_wait(Early(order.key, refusal, self.on_open, sender, message)):
                    self._refuse(
                        sender, order, refusal, messages.MigrationReady(order.key, refusal, partition=order.partition)
                    )
                return
            self._register(order)
            # Without this step, a fragment that is here but not at the primary would never be dropped (migration.10).
            if order.migration.destination_index is None:
                self._table.settle_replica(order.partition)
            self._node.emit(MigrationReadied(self._node.numbers[order.master], order.number, order.partition))
        self._node.send(sender, messages.MigrationReady(order.key, partition=order.partition))

    def on_ready(self, sender: MemberId, message: messages.MigrationReady) -> None:
        """As the primary, begin to copy, or notify the master why the destination refuses."""
        active = self._find(message.key, message.partition)
        if active is None or sender != active.order.destination or active.is_ready:
            return
        if message.refusal is not None:
            self._answer(active.order.master, active.order, message.refusal)
            return
        active.is_ready = True
        self.go_on(active)

    def on_fragments(self, sender: MemberId, message: messages.MigrationFragments) -> None:
        """As the destination, install fragments that come in order, if their migration is active (migration.10)."""
        active = self._find(message.key, message.partition)
        # A late fragment of an ended migration would bring back data that was dropped at the end (defect HZ-25).
        if active is None or sender != active.order.primary:
            return
        if message.first == active.done:
            for fragment in message.fragments:
                self._node.replicas.install_fragment(message.partition, fragment, active.order.new_index)
            active.done += len(message.fragments)
            names = tuple(fragment.namespace for fragment in message.fragments)
            master, number = message.key
            self._node.emit(FragmentsMigrated(self._node.numbers[master], number, message.partition, names))
        # Each copy of a fragment is answered: the primary sends it again if the first answer was lost (migration.10).
        self._node.send(sender, messages.FragmentsInstalled(message.key, active.done, partition=message.partition))

    def on_installed(self, sender: MemberId, message: messages.FragmentsInstalled) -> None:
        """As the primary, send the next fragment, now that the destination has installed the previous fragment."""
        active = self._find(message.key, message.partition)
        if active is not None and sender == active.order.destination and message.done > active.done:
            active.done = message.done
            self.go_on(active)

    def on_commit(self, sender: MemberId, message: messages.MigrationCommit) -> None:
        """As the destination, change the row before any other member, and answer whether it was changed
        (migration.11)."""
        order = message.order
        if sender != order.master or not self._reception.is_from_master(sender):
            master = self._node.numbers[order.master]
            self._node.emit(MigrationRefused(master, order.number, order.partition, "commit not ordered by the master"))
            return
        self._node.send(sender, messages.CommitAnswer(order.key, self.commit(order), partition=order.partition))

    def commit(self, order: messages.MigrationOrder) -> bool:
        """As the destination, commit; if asked again, return True and change nothing (migration.11)."""
        version = self._table.rows[order.partition].version
        # The first answer may be lost: if this member refused now, the master would count the commit as failed (HZ-26).
        if order.destination == self._node.me and version == order.committed_version:
            return True
        reason = self.why_not_committed(order, version)
        if reason is not None:
            master = self._node.numbers[order.master]
            self._node.emit(MigrationRefused(master, order.number, order.partition, reason))
            return False
        self._node.emit(MigrationCommitted(self._node.numbers[order.master], order.number, order.partition))
        self._table.complete(messages.CompletedMigration(order, MigrationOutcome.SUCCESS), WhyRowChanged.COMMITTED)
        return True

    def why_not_committed(self, order: messages.MigrationOrder, version: int) -> str | None:
        """Return why a commit does not fit, or None; the incarnation, the row version and the migration are checked
        (migration.11; HZ-39)."""
        if order.destination != self._node.me:
            return "another incarnation is meant"
        if version != order.initial_version:
            return f"row version {version} instead of {order.initial_version}"
        if self._find(order.key, order.partition) is None:
            return "the migration is not active"
        return None

    def why_not_ordered(self, order: messages.MigrationOrder, is_asked_by_right: bool) -> str | None:
        """Return why an order is not accepted, or None; membership and the partition service both have to know its
        master (migration.6, table.9)."""
        if not self._node.membership.is_joined:
            return EARLY
        if not self._reception.is_from_master(order.master):
            return "not ordered by the master"
        return None if is_asked_by_right else "not asked by whom the order names"

    def why_not_as_primary(self, order: messages.MigrationOrder) -> str | None:
        """Return why this member cannot be the primary of a migration, or None (migration.6, participant check)."""
        migration = order.migration
        if order.primary != self._node.me:
            return "another incarnation is meant"
        return "not the source" if migration.source_index == 0 and migration.source != self._node.me else None

    def why_not_as_destination(self, order: messages.MigrationOrder) -> str | None:
        """Return why this member cannot be the destination of a migration, or None (migration.6, participant check)."""
        return "another incarnation is meant" if order.destination != self._node.me else None

    def why_not_now(
        self, order: messages.MigrationOrder, completed: tuple[messages.CompletedMigration, ...], other: MemberId
    ) -> str | None:
        """Return why a migration cannot begin here, or None; the checks are in the documented order (migration.6)."""
        state = self._node.membership.cluster_state
        if not state.allows_migration:
            return f"{THE_CLUSTER_IS}{state}"
        is_master = order.master == self._node.me
        if not is_master and not self._reception.apply_completed(completed):
            return EARLY
        row = self._table.rows[order.partition]
        # The list that names the other member may be lost, and the next list may take a minute to come (members.3).
        if not self._node.membership.is_member(other):
            self._node.membership.ask_for_list()
            return EARLY
        if row.version < order.initial_version:
            return EARLY
        # Choice (migration.8): the master checks its own version, too, which the documents do not ask for.
        # Without this check, a late copy of a failed migration's request would block later migrations for ever.
        if row.version != order.initial_version:
            return f"row version {row.version} instead of {order.initial_version}"
        if row.slots[0] != order.primary:
            return "asked for a copy of somebody else's partition"
        return BUSY if order.partition in self._table.active else None

    def _find(self, key: messages.MigrationKey, partition: int) -> messages.ActiveMigration | None:
        active = self._table.active.get(partition)
        return active if active is not None and active.order.key == key else None

    def _register(self, order: messages.MigrationOrder) -> messages.ActiveMigration:
        """Set the migrating flag, so that writes are refused; send parked operations back (migration.9, calls.13)."""
        self._early.forget(order.partition)
        active = self._table.active[order.partition] = messages.ActiveMigration(order)
        self._node.operations.partition_moved(order.partition)
        return active

    def _answer(self, master: MemberId, order: messages.MigrationOrder, refusal: str | None) -> None:
        answer = messages.MigrationAnswer(order.key, refusal, partition=order.partition)
        if refusal is None:
            self._node.send(master, answer)
        else:
            self._refuse(master, order, refusal, answer)

    def _refuse(self, to: MemberId, order: messages.MigrationOrder, reason: str, message: Message) -> None:
        master = self._node.numbers[order.master]
        self._node.emit(MigrationRefused(master, order.number, order.partition, reason))
        self._node.send(to, message)
