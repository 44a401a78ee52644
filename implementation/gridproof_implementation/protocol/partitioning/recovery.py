"""What the master does after a member has left, before it makes a plan.

A new master first collects the newest rows (`Succession`): it asks every other member for its table and its migrations,
until each has answered or left. The new master takes the newest row of each partition, and gives every migration its
outcome (table.21). Until it has the newest rows, the new master changes no row.

A member that has left leaves a hole in each of its rows, and the other slots stay as they are (`Repair`, repair.1); a
promotion or a later migration fills the hole.

The surviving backup with the lowest replica index becomes the primary. The master finds the rows without a primary,
groups the promotions by member, and asks each member once (`PromotionMaster`, repair.5). The promoted member applies
the master's table, in which it has slot 0, and turns its backup versions into those of a primary
(`PromotionParticipant`, repair.9). A backup is promoted whether or not it is in sync."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import AnswerDue
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning import messages
from gridproof_implementation.protocol.partitioning.migrating import REPEAT_US
from gridproof_implementation.protocol.partitioning.participation import TableReceiver
from gridproof_implementation.protocol.partitioning.table import LocalTable, Publication
from gridproof_model.events.partitioning import (
    FetchBegun,
    PartitionLost,
    Promoted,
    PromotionEnded,
    PromotionOrdered,
    RowsFetched,
)
from gridproof_model.events.words import MigrationOutcome, WhyPublished, WhyRowChanged
from gridproof_model.membership import ClusterState, MemberId
from gridproof_model.migration import PROMOTION_INCREMENT
from gridproof_model.partition_table import MAX_BACKUP_COUNT, PartitionRow

Asked = dict[MemberId, messages.FetchedTable | None]
"""The members that were asked for their tables, with the answers so far."""


@dataclass(frozen=True, slots=True)
class RepeatFetch(AnswerDue):
    """It is time to repeat requests that have not been answered."""


class Succession:
    """The first step of a new master, in which it finds the newest rows."""

    def __init__(self, node: Node, table: LocalTable, publication: Publication, when_done: Callable[[], None]) -> None:
        """Make the successor of an old master; `when_done` is called when this member's table has the newest rows."""
        self._node = node
        self._table = table
        self._publication = publication
        self._when_done = when_done
        self.is_required = False
        """Whether the newest rows must still be found, as the old master left; until then no row may change (table.21;
        HZ-44)."""
        self._asked: Asked | None = None
        """The members that were asked, each with its answer; None before they are asked."""

    def is_needed(self, state: ClusterState) -> bool:
        """Whether a new master has to fetch rows: not in a state in which no row can change (table.21, table.25).

        Choice (table.25): a new master also fetches rows while the cluster state is being changed, although no row may
        change at that time. The old master may have died during the change, so that the old state is kept.
        """
        return state.allows_promotion or state is ClusterState.IN_TRANSITION

    def require(self) -> None:
        """Note that the old master has left; members that were asked before are asked again."""
        self.is_required = True
        self._asked = None

    def begin(self) -> None:
        """Ask every other member for its rows, unless they have been asked."""
        if self._asked is None:
            others = self._publication.others()
            self._asked = dict.fromkeys(others)
            self._node.emit(FetchBegun(self._node.numbers.of(others)))
            self._ask()
            self._finish_if_complete(self._asked)

    def _ask(self) -> None:
        missing = [member for member, answer in (self._asked or {}).items() if answer is None]
        for member in missing:
            self._node.send(member, messages.FetchTable())
        if missing:
            self._node.set_timer(RepeatFetch(), REPEAT_US)

    def on_fetched(self, sender: MemberId, answer: messages.FetchedTable) -> None:
        """Keep an answer; after the last answer, determine the rows and the outcomes of migrations."""
        if self._asked is not None and sender in self._asked:
            self._asked[sender] = answer
            self._finish_if_complete(self._asked)

    def member_removed(self, gone: MemberId) -> None:
        """Stop waiting for a member that left (table.21)."""
        if self._asked is not None:
            self._asked.pop(gone, None)
            self._finish_if_complete(self._asked)

    def on_repeat(self, _timer: RepeatFetch) -> None:
        """Ask again the members that have not answered."""
        self._ask()

    def _finish_if_complete(self, asked: Asked) -> None:
        answers = [answer for answer in asked.values() if answer is not None]
        if len(answers) < len(asked):
            return
        self._node.cancel_timer(RepeatFetch())
        self._asked = None
        self.settle(answers)
        self.is_required = False
        self._publication.publish(WhyPublished.ROWS_FETCHED)
        self._when_done()

    def settle(self, answers: list[messages.FetchedTable]) -> None:
        """Take the newest rows, and give every migration its outcome (table.22, table.23, table.24, table.12)."""
        table = self._table
        completed = self.merge_migrations(answers)
        versions = self.failed_versions(completed)
        for partition, mine in enumerate(list(table.rows)):
            row = self.newest([mine, *(answer.rows[partition] for answer in answers)])
            row = self.lifted(row, versions.get(partition, 0))
            if row.version > mine.version:
                table.install(partition, row, WhyRowChanged.FETCHED)
        for done in completed.values():
            table.remember(done)
            table.finish(done)
        succeeded = tuple(done.order.number for done in completed.values() if done.outcome is MigrationOutcome.SUCCESS)
        failed = tuple(done.order.number for done in completed.values() if done.outcome is MigrationOutcome.FAILED)
        self._node.emit(RowsFetched(table.stamp, succeeded, failed))

    def newest(self, rows: list[PartitionRow]) -> PartitionRow:
        """Return the row with the highest version; among equal rows the first, which is this member's own row
        (table.22)."""
        best = rows[0]
        for row in rows:
            if row.version > best.version:
                best = row
        return best

    def merge_migrations(
        self, answers: list[messages.FetchedTable]
    ) -> dict[messages.MigrationKey, messages.CompletedMigration]:
        """Return all migrations that any member knows, each with its outcome: the reported one, or failure if the
        migration is still active (table.23)."""
        completed = dict(self._table.completed)
        for answer in answers:
            for done in answer.completed:
                completed.setdefault(done.key, done)
        active = [active.order for active in self._table.active.values()]
        for order in active + [order for answer in answers for order in answer.active]:
            completed.setdefault(order.key, messages.CompletedMigration(order, MigrationOutcome.FAILED))
        return completed

    def failed_versions(self, completed: dict[messages.MigrationKey, messages.CompletedMigration]) -> dict[int, int]:
        """Return, for each partition, the highest row version that a failed migration left (table.24)."""
        versions: dict[int, int] = {}
        for done in completed.values():
            if done.outcome is MigrationOutcome.FAILED:
                partition = done.order.partition
                versions[partition] = max(versions.get(partition, 0), done.final_version)
        return versions

    def lifted(self, row: PartitionRow, failed_version: int) -> PartitionRow:
        """Return the row; if its version is below the version that a failed migration left, raise it to that version
        (table.24).

        Choice (table.24): a row version is never lowered. According to the documents a row gets the version of the
        failed migration in any case, which undoes later commits if the failure is an old failure that is still
        remembered (docs/findings.md).
        """
        return row if row.version >= failed_version else PartitionRow(row.slots, failed_version)


class Repair:
    """The repair of rows by the master, before it makes a plan."""

    def __init__(self, node: Node, table: LocalTable) -> None:
        self._node = node
        self._table = table

    def make_holes(self) -> bool:
        """Remove members that have left from every row, and record which partitions are lost (repair.1, repair.3).

        Return whether a row has changed.
        """
        has_changed = False
        for partition, row in enumerate(list(self._table.rows)):
            gone = self._table.unknown_replicas(partition)
            if gone:
                has_changed = True
                repaired = row.without(gone)
                self._table.install(partition, repaired, WhyRowChanged.REPAIRED)
                if not repaired.replicas:
                    self._node.emit(PartitionLost(partition, MAX_BACKUP_COUNT))
        return has_changed

    def wanted_promotions(self) -> dict[MemberId, list[tuple[int, int]]]:
        """Return the promotions to request of each member: pairs of partition and promoted slot (repair.3,
        repair.5)."""
        wanted: dict[MemberId, list[tuple[int, int]]] = {}
        for partition, row in enumerate(self._table.rows):
            index = self.lowest_survivor(row)
            if row.slots[0] is None and index is not None:
                member = row.slots[index]
                assert member is not None, "a survivor is somebody"
                wanted.setdefault(member, []).append((partition, index))
        return wanted

    def lowest_survivor(self, row: PartitionRow) -> int | None:
        """Return the first filled slot, in sync or not (repair.3; invariant P1), or None if the partition is lost."""
        # Any backup may be promoted: the first one may have died with the primary (defect HZ-35).
        return next((index for index, slot in enumerate(row.slots) if slot is not None), None)


Promotions = tuple[tuple[int, int], ...]
"""Pairs of a partition and the slot that is promoted."""


@dataclass(frozen=True, slots=True)
class RepeatPromotions(AnswerDue):
    """It is time to repeat requests that have not been answered."""


@dataclass(slots=True, eq=False)
class PromotionMaster:
    """The master's side of promotions."""

    _node: Node
    _table: LocalTable
    _publication: Publication
    _when_done: Callable[[bool], None]
    """Called when all members that were asked have answered or left; its argument: whether all promotions succeeded."""
    underway: dict[MemberId, Promotions] = field(default_factory=dict)
    """The promotions requested from each member, until the member answers or leaves."""
    _has_failed: bool = False

    def begin(self, wanted: Mapping[MemberId, Sequence[tuple[int, int]]]) -> None:
        """Request from each member all its promotions at once."""
        self._has_failed = False
        self.underway = {member: tuple(promotions) for member, promotions in wanted.items()}
        for member, promotions in self.underway.items():
            for partition, from_index in promotions:
                self._node.emit(PromotionOrdered(partition, self._node.numbers[member], from_index))
        self._node.set_timer(RepeatPromotions(), REPEAT_US)
        self._ask()

    def _ask(self) -> None:
        for member, promotions in self.underway.items():
            rows = list(self._table.snapshot)
            for partition, _ in promotions:
                rows[partition] = rows[partition].promoted()
            state = messages.TableState(tuple(rows), self._publication.state().completed)
            self._node.send(member, messages.PromotionCommit(member, promotions, state))

    def on_done(self, sender: MemberId, done: messages.PromotionDone) -> None:
        """Put the promoted member into slot 0 of the master's table, too, and publish the table (repair.4)."""
        # A late answer is ignored: it may be about promotions of an earlier round.
        if self.underway.get(sender) != done.promotions:
            return
        del self.underway[sender]
        for partition, _ in done.promotions:
            row = self._table.rows[partition]
            # If the master promoted itself, it has changed this table already (repair.8).
            if row.slots[0] is None:
                self._table.install(partition, row.promoted(), WhyRowChanged.PROMOTED)
            self._node.emit(PromotionEnded(partition, MigrationOutcome.SUCCESS))
        self._publication.publish(WhyPublished.PROMOTION)
        self._finish()

    def member_removed(self, gone: MemberId) -> None:
        """Fail the promotions of a member that left, which raises the row versions by three (repair.6)."""
        if gone not in self.underway:
            return
        self._has_failed = True
        for partition, _ in self.underway.pop(gone):
            row = self._table.rows[partition]
            failed = PartitionRow(row.slots, row.version + self.failed_increment())
            self._table.install(partition, failed, WhyRowChanged.FAILED)
            self._node.emit(PromotionEnded(partition, MigrationOutcome.FAILED))
        self._publication.publish(WhyPublished.PROMOTION)
        self._finish()

    def failed_increment(self) -> int:
        """Return by how much a failed promotion raises a row version, to exceed any version of the member
        (repair.6)."""
        return PROMOTION_INCREMENT + 1

    def _finish(self) -> None:
        if not self.underway:
            has_failed, self._has_failed = self._has_failed, False
            self._node.cancel_timer(RepeatPromotions())
            self._when_done(not has_failed)

    def on_repeat(self, _timer: RepeatPromotions) -> None:
        """Repeat the requests until each member has answered or left (repair.5)."""
        if self.underway:
            self._node.set_timer(RepeatPromotions(), REPEAT_US)
            self._ask()


class PromotionParticipant:
    """The promoted member's side of promotions."""

    def __init__(self, node: Node, table: LocalTable, reception: TableReceiver) -> None:
        self._node = node
        self._table = table
        self._reception = reception

    def on_commit(self, sender: MemberId, message: messages.PromotionCommit) -> None:
        """Become the primary, and answer; if asked again, only answer (repair.8)."""
        if not self.is_meant(message) or not self._reception.is_from_master(sender):
            return
        todo = [one for one in message.promotions if not self.is_promoted(one[0], message.state)]
        if todo:
            self.promote(sender, message.state, todo)
        self._node.reply(messages.PromotionDone(message.promotions, asker=sender))

    def is_meant(self, message: messages.PromotionCommit) -> bool:
        """Whether this incarnation of the member is meant (repair.7; HZ-39)."""
        return message.destination == self._node.me

    def is_promoted(self, partition: int, state: messages.TableState) -> bool:
        """Whether this member has already applied a promotion (repair.5)."""
        return self._table.rows[partition].version >= state.rows[partition].version

    def promote(self, sender: MemberId, state: messages.TableState, todo: Sequence[tuple[int, int]]) -> None:
        """Apply the master's table, and turn each backup into a primary, in one step without interruption (repair.8).

        Each promotion emits a partition-lost event, in which 0 lost backups mean that only the primary was lost.
        """
        self._reception.take(sender, state)
        for partition, from_index in todo:
            self._node.replicas.promote(partition, from_index)
            self._node.emit(Promoted(partition, from_index))
            self._node.emit(PartitionLost(partition, self.lost_backup_count(from_index)))

    def lost_backup_count(self, from_index: int) -> int:
        """Return how many backups were lost besides the primary: all in slots before the promoted one (repair.10)."""
        return from_index - 1
