"""Promotion: the lowest surviving backup becomes the primary.

The master finds rows without a primary, groups the promotions by member and asks each member once (reference
partitioning 5.2). The member applies the master's table with itself in slot 0, and turns its versions into a primary's
(5.3). Whether it is in sync does not matter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.messages import PromotionCommit, PromotionDone, TableState
from gridproof_implementation.protocol.partitioning.migrating import REPEAT_US
from gridproof_implementation.protocol.partitioning.publication import Publication
from gridproof_implementation.protocol.partitioning.reception import TableReceiver
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.events.partitioning import PartitionLost, Promoted, PromotionEnded, PromotionOrdered
from gridproof_model.identity import MemberId
from gridproof_model.migration import PROMOTION_INCREMENT
from gridproof_model.partition_table import PartitionRow

Promotions = tuple[tuple[int, int], ...]
"""Partitions, each with the slot to be promoted from."""


@dataclass(frozen=True, slots=True)
class RepeatPromotions(Timer):
    """Answers are due."""


class PromotionMaster:
    """The master's side."""

    def __init__(self, node: Node, table: LocalTable, publication: Publication) -> None:
        self._node = node
        self._table = table
        self._publication = publication
        self.underway: dict[MemberId, Promotions] = {}
        """What was asked of whom, until it answers or leaves."""
        self._has_failed = False
        self.when_done: Callable[[bool], None] = lambda all_succeeded: None
        """Called when every member asked has answered or left."""

    def begin(self, wanted: Mapping[MemberId, Sequence[tuple[int, int]]]) -> None:
        """Ask every member for its promotions, once."""
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
            state = TableState(tuple(rows), self._publication.state().completed)
            self._node.send(member, PromotionCommit(member, promotions, state))

    def on_done(self, sender: MemberId, done: PromotionDone) -> None:
        """Swap the slots after the promoted member, and tell everybody (5.2, points 4 and 5)."""
        if self.underway.get(sender) != done.promotions:
            return
        del self.underway[sender]
        for partition, _ in done.promotions:
            row = self._table.rows[partition]
            if row.slots[0] is None:
                self._table.install(partition, row.promoted(), "promoted")
            self._node.emit(PromotionEnded(partition, "success"))
        self._publication.publish("promotion")
        self._finish()

    def member_removed(self, gone: MemberId) -> None:
        """Fail the promotions of a member that left: the version rises by three (5.2, point 5)."""
        if gone not in self.underway:
            return
        self._has_failed = True
        for partition, _ in self.underway.pop(gone):
            row = self._table.rows[partition]
            failed = PartitionRow(row.slots, row.version + self.failed_increment())
            self._table.install(partition, failed, "failed")
            self._node.emit(PromotionEnded(partition, "failed"))
        self._publication.publish("promotion")
        self._finish()

    def failed_increment(self) -> int:
        """Return the versions a failed promotion adds: past anything the member may have (5.2, point 5)."""
        return PROMOTION_INCREMENT + 1

    def _finish(self) -> None:
        if not self.underway:
            has_failed, self._has_failed = self._has_failed, False
            self._node.cancel_timer(RepeatPromotions())
            self.when_done(not has_failed)

    def on_repeat(self, _timer: RepeatPromotions) -> None:
        """Ask again until answered or left (5.2, point 4)."""
        if self.underway:
            self._node.set_timer(RepeatPromotions(), REPEAT_US)
            self._ask()


class PromotionParticipant:
    """The side of the member that is promoted."""

    def __init__(self, node: Node, table: LocalTable, reception: TableReceiver) -> None:
        self._node = node
        self._table = table
        self._reception = reception

    def on_commit(self, sender: MemberId, message: PromotionCommit) -> None:
        """Become the primary and say so; asked again, only say so (5.3)."""
        if not self.is_meant(message) or not self._reception.is_from_master(sender):
            return
        todo = [one for one in message.promotions if not self.is_promoted(one[0], message.state)]
        if todo:
            self.promote(sender, message.state, todo)
        self._node.reply(PromotionDone(message.promotions, asker=sender))

    def is_meant(self, message: PromotionCommit) -> bool:
        """Whether this very incarnation is meant (5.3; HZ-39)."""
        return message.destination == self._node.me

    def is_promoted(self, partition: int, state: TableState) -> bool:
        """Whether a promotion was applied before (5.3)."""
        return self._table.rows[partition].version >= state.rows[partition].version

    def promote(self, sender: MemberId, state: TableState, todo: Sequence[tuple[int, int]]) -> None:
        """Apply the master's table, then turn each backup into a primary: one step, so nothing runs in between (5.3).

        A partition-lost event is raised on every promotion; 0 means that only the primary was lost.
        """
        self._reception.take(sender, state)
        for partition, from_index in todo:
            self._node.replicas.promote(partition, from_index)
            self._node.emit(Promoted(partition, from_index))
            self._node.emit(PartitionLost(partition, self.lost_backup_count(from_index)))

    def lost_backup_count(self, from_index: int) -> int:
        """Return how many backups were lost besides the primary: all hotter than the one promoted (5.3, F2)."""
        return from_index - 1
