"""What a member does for its master: it takes tables and batches, and takes part in migrations.

`TableReceiver` judges rows one by one; freshness is a matter of each row's version, never of the whole table
(table.14). Nothing of that is done by the master, which makes its own changes.

`Participation` is the primary and the destination of a migration. The primary asks the destination whether it is ready,
then hands over fragment after fragment, one at a time; the data of a backup comes from the primary, too (migration.1).
Both refuse writes meanwhile. The destination makes the change first of all, when the master asks it to (migration.11).
A lost message is repeated from the master's end: a request that comes again makes the primary repeat the step it waits
for.
"""

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
"""The one refusal that is not final: the master's next repetition finds it over."""


EARLY_MAX_US = 2 * REPEAT_US
"""How long an order waits for what it builds on: its master has repeated it by then, or given it up.

Choice (migration.7): the documents refuse it at once (migration.7)."""


@dataclass(frozen=True, slots=True)
class Early:
    """An order that came before what it builds on."""

    key: messages.MigrationKey
    refusal: str
    handler: Callable[[MemberId, Any], None]
    sender: MemberId
    message: messages.MigrationRequest | messages.MigrationOpen

    @property
    def partition(self) -> int:
        """The partition it is about."""
        return self.message.order.partition


@dataclass(frozen=True, slots=True)
class EarlyOver(Timer):
    """An order has waited for as long as its master could have repeated it."""

    partition: int
    key: messages.MigrationKey


class EarlyOrders:
    """Orders that wait for what they build on."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._early: dict[int, Early] = {}
        """By partition."""
        self._put_off: dict[int, messages.MigrationKey] = {}
        """What was early before and would be refused if it came again, by partition."""
        self._timed: set[messages.MigrationKey] = set()
        """What is dropped after a while if it still waits then."""

    def __len__(self) -> int:
        return len(self._early)

    def look_again(self) -> None:
        """Take up what came too early: this member has got a table, or another member list."""
        early, self._early = self._early, {}
        self._put_off.clear()
        for one in early.values():
            one.handler(one.sender, one.message)

    def on_early_over(self, timer: EarlyOver) -> None:
        """Drop what waited in vain: a message that was late itself, about a migration that ended long ago."""
        self._timed.discard(timer.key)
        waiting = self._early.get(timer.partition)
        if waiting is not None and waiting.key == timer.key:
            del self._early[timer.partition]
            self._node.emit(AnswerOverdue(type(timer).__name__))

    def forget(self, partition: int) -> None:
        """Let what waits for a partition go: a migration of it begins."""
        self._early.pop(partition, None)

    def may_wait(self, early: Early) -> bool:
        """Whether a refusal is not final: the migration waits for a table or list, or for the master to ask again.

        Choice (migration.7): a table or member list in another lane may be overtaken by the order that builds on it.
        Refused at once, as the documents have it (migration.7), nearly every join would end in a failed migration. What
        comes a second time and still is early is refused, and answered with the table (migration.14).
        """
        if early.refusal == BUSY:
            return True
        if early.refusal == EARLY and self._put_off.get(early.partition) != early.key:
            self._early[early.partition], self._put_off[early.partition] = early, early.key
            if early.key not in self._timed:  # what still is early with the next table waits no longer for that
                self._timed.add(early.key)
                self._node.set_timer(EarlyOver(early.partition, early.key), EARLY_MAX_US)
            return True
        # The refusal ends the migration at the master: kept, the order would wait in vain.
        if self._put_off.get(early.partition) == early.key:
            self._early.pop(early.partition, None)
        return False


class TableReceiver:
    """The receiving side of every member."""

    def __init__(self, node: Node, table: LocalTable, early: EarlyOrders) -> None:
        """Receive tables; after each, what came `early` is looked at again."""
        self._node = node
        self._table = table
        self._early = early
        self.latest_master: MemberId | None = None
        """The master by the partition service, which hears of changes after membership does (table.9)."""

    def is_from_master(self, sender: MemberId) -> bool:
        """Whether a message may change this table: its sender is the master by both services (table.9).

        A member that takes itself for the master refuses everybody else.
        """
        # Between an accepted claim and its list the two name different masters: neither changes rows (defect HZ-13).
        return sender == self._node.membership.master and sender == self.latest_master

    def is_refused(self, sender: MemberId, what: OnlyFromMaster) -> bool:
        """Whether a message is thrown away, which is recorded."""
        if self.is_from_master(sender) and sender != self._node.me:
            return False
        self._node.emit(TableRefused(self._node.numbers[sender], what))
        return True

    def on_table_state(self, sender: MemberId, state: messages.TableState) -> None:
        """Take a table, and let the master know which completed migrations are behind this member."""
        if self.is_refused(sender, OnlyFromMaster.TABLE):
            return
        known = self.take(sender, state)
        if known:
            self._node.send(sender, messages.TableAck(known))

    def take(self, sender: MemberId, state: messages.TableState) -> tuple[messages.MigrationKey, ...]:
        """Merge a table into this one (table.14); return the completed migrations that are settled here now."""
        table = self._table
        table.is_initialised = True
        rows = table.rows
        applied, diverged = 0, set[int]()
        for partition, theirs in enumerate(state.rows):
            mine = rows[partition]
            # Rows are shared values: nearly all of a table are the very ones held here.
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
        # Not acknowledged where the row was refused: the master forgets what everybody has acknowledged (table.19).
        settled = [done for done in state.completed if done.order.partition not in diverged]
        for done in settled:
            table.remember(done)
            table.finish(done)
        self.forget(state.completed, tuple(row.version for row in state.rows))
        self._node.emit(TableReceived(self._node.numbers[sender], applied, table.stamp))
        self._early.look_again()
        return tuple(done.key for done in settled)

    def names_a_stranger(self, state: messages.TableState) -> bool:
        """Whether a table names somebody who is not in this member's list, which is asked for then (table.16)."""
        named = {slot: None for row in state.rows for slot in row.slots if slot is not None}
        return not all(self._node.membership.is_member(member) for member in named)

    def is_newer(self, mine: PartitionRow, theirs: PartitionRow) -> bool:
        """Whether a received row replaces the own one: only a higher version does (table.14)."""
        return theirs.version > mine.version

    def is_diverged(self, mine: PartitionRow, theirs: PartitionRow) -> bool:
        """Whether equal versions stand for different rows, which must never be (table.5).

        Choice (table.15): such a row is refused and the others are taken; as written the whole table ends with an
        error, after the rows before it were applied.
        """
        return theirs.version == mine.version and theirs.slots != mine.slots

    def forget(self, named: tuple[messages.CompletedMigration, ...], versions: tuple[int, ...]) -> None:
        """Forget the completed migrations that the master no longer names: all have acknowledged them (table.19)."""
        if self._table.completed:
            self._table.forget([done.key for done in named], versions.__getitem__)

    def on_completed_migrations(self, sender: MemberId, message: messages.CompletedMigrations) -> None:
        """Apply a batch, and acknowledge it or ask for the table (table.18)."""
        if self.is_refused(sender, OnlyFromMaster.COMPLETED_MIGRATIONS):
            return
        if self._table.is_initialised and self.apply_completed(message.batch):
            self._node.send(sender, messages.TableAck(tuple(done.key for done in message.batch)))
        else:
            self._node.send(sender, messages.CompletedRefused())
        self.forget(message.batch, message.versions)

    def apply_completed(self, batch: tuple[messages.CompletedMigration, ...]) -> bool:
        """Make the changes of completed migrations in order; False at the first that does not fit (table.18)."""
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
        """Whether a row is the one the migration started from, and not merely an older one (table.18)."""
        # An older row would get the final version without the changes in between (defect HZ-15).
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
        """Send a new master what is known here (table.21); others are sent nothing."""
        if self.is_refused(sender, OnlyFromMaster.FETCH):
            return
        table = self._table
        active = tuple(active.order for active in table.active.values())
        self._node.reply(messages.FetchedTable(table.snapshot, tuple(table.completed.values()), active, asker=sender))


class Participation:
    """What a member does for migrations that others order."""

    def __init__(self, node: Node, table: LocalTable, reception: TableReceiver, early: EarlyOrders) -> None:
        self._node = node
        self._table = table
        self._reception = reception
        self._early = early

    def on_request(self, sender: MemberId, request: messages.MigrationRequest) -> None:
        """As the primary: register the migration and ask the destination, or say why not."""
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
        """As the primary: take the next step of a migration, or repeat the last."""
        order, partition = active.order, active.order.partition
        # Also with nothing to copy: who was never asked whether it is ready refuses to commit (defect HZ-23).
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
        """Return how many fragments travel together: one, or all where fragments are disabled (migration.10)."""
        return 1 if self._node.settings.migration_fragments_enabled else len(active.namespaces)

    def on_open(self, sender: MemberId, message: messages.MigrationOpen) -> None:
        """As the destination: register the migration, or say why not."""
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
            # The primary sends the fragments that it has: any other one that was left here would stay for good
            # (migration.10).
            if order.migration.destination_index is None:
                self._table.settle_replica(order.partition)
            self._node.emit(MigrationReadied(self._node.numbers[order.master], order.number, order.partition))
        self._node.send(sender, messages.MigrationReady(order.key, partition=order.partition))

    def on_ready(self, sender: MemberId, message: messages.MigrationReady) -> None:
        """As the primary: begin to copy, or notify the master that nothing comes of it."""
        active = self._find(message.key, message.partition)
        if active is None or sender != active.order.destination or active.is_ready:
            return
        if message.refusal is not None:
            self._answer(active.order.master, active.order, message.refusal)
            return
        active.is_ready = True
        self.go_on(active)

    def on_fragments(self, sender: MemberId, message: messages.MigrationFragments) -> None:
        """As the destination: install what comes in order, if this very migration is active (migration.10)."""
        active = self._find(message.key, message.partition)
        # A late fragment of a migration that is over would put back what was dropped with it (defect HZ-25).
        if active is None or sender != active.order.primary:
            return
        if message.first == active.done:
            for fragment in message.fragments:
                self._node.replicas.install_fragment(message.partition, fragment, active.order.new_index)
            active.done += len(message.fragments)
            names = tuple(fragment.namespace for fragment in message.fragments)
            master, number = message.key
            self._node.emit(FragmentsMigrated(self._node.numbers[master], number, message.partition, names))
        # Answered each time: the primary repeats a fragment when the first answer was lost (migration.10).
        self._node.send(sender, messages.FragmentsInstalled(message.key, active.done, partition=message.partition))

    def on_installed(self, sender: MemberId, message: messages.FragmentsInstalled) -> None:
        """As the primary: go on with the next fragment."""
        active = self._find(message.key, message.partition)
        if active is not None and sender == active.order.destination and message.done > active.done:
            active.done = message.done
            self.go_on(active)

    def on_commit(self, sender: MemberId, message: messages.MigrationCommit) -> None:
        """As the destination: make the change before anybody else, and say so (migration.11)."""
        order = message.order
        if sender != order.master or not self._reception.is_from_master(sender):
            master = self._node.numbers[order.master]
            self._node.emit(MigrationRefused(master, order.number, order.partition, "commit not ordered by the master"))
            return
        self._node.send(sender, messages.CommitAnswer(order.key, self.commit(order), partition=order.partition))

    def commit(self, order: messages.MigrationOrder) -> bool:
        """Commit as the destination; asked again it answers yes and changes nothing (migration.11)."""
        version = self._table.rows[order.partition].version
        # The first answer may be lost: refused now, the master would fail what this member has done (defect HZ-26).
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
        """Return why a commit does not fit, or None: who is meant, the row version, the data (migration.11; HZ-39)."""
        if order.destination != self._node.me:
            return "another incarnation is meant"
        if version != order.initial_version:
            return f"row version {version} instead of {order.initial_version}"
        if self._find(order.key, order.partition) is None:
            return "the migration is not active"
        return None

    def why_not_ordered(self, order: messages.MigrationOrder, is_asked_by_right: bool) -> str | None:
        """Return why an order does not count: it has to be the master's, by both services (migration.6, table.9)."""
        if not self._node.membership.is_joined:
            return EARLY
        if not self._reception.is_from_master(order.master):
            return "not ordered by the master"
        return None if is_asked_by_right else "not asked by whom the order names"

    def why_not_as_primary(self, order: messages.MigrationOrder) -> str | None:
        """Return why this member cannot be the primary of a migration (migration.6, participant check)."""
        migration = order.migration
        if order.primary != self._node.me:
            return "another incarnation is meant"
        return "not the source" if migration.source_index == 0 and migration.source != self._node.me else None

    def why_not_as_destination(self, order: messages.MigrationOrder) -> str | None:
        """Return why this member cannot be the destination of a migration (migration.6, participant check)."""
        return "another incarnation is meant" if order.destination != self._node.me else None

    def why_not_now(
        self, order: messages.MigrationOrder, completed: tuple[messages.CompletedMigration, ...], other: MemberId
    ) -> str | None:
        """Return why a migration cannot begin here, or None; in the documented order (migration.6)."""
        state = self._node.membership.cluster_state
        if not state.allows_migration:
            return f"{THE_CLUSTER_IS}{state}"
        is_master = order.master == self._node.me
        if not is_master and not self._reception.apply_completed(completed):
            return EARLY
        row = self._table.rows[order.partition]
        # The list that names it may be lost, and the next one comes within a minute only (members.3).
        if not self._node.membership.is_member(other):
            self._node.membership.ask_for_list()
            return EARLY
        if row.version < order.initial_version:
            return EARLY
        # Choice (migration.8): the master checks its own version, too, which the documents spare it: a copy of the
        # request that comes when the migration has long failed would else keep the partition's migrations waiting for
        # ever.
        if row.version != order.initial_version:
            return f"row version {row.version} instead of {order.initial_version}"
        if row.slots[0] != order.primary:
            return "asked for a copy of somebody else's partition"
        return BUSY if order.partition in self._table.active else None

    def _find(self, key: messages.MigrationKey, partition: int) -> messages.ActiveMigration | None:
        active = self._table.active.get(partition)
        return active if active is not None and active.order.key == key else None

    def _register(self, order: messages.MigrationOrder) -> messages.ActiveMigration:
        """Set the local flag: writes are refused, parked operations sent back (migration.9, calls.13)."""
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
