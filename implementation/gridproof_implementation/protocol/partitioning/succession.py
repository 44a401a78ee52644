"""A new master finds out what was done.

It asks every other member for its table and its migrations, until each has answered or left; the newest row of each
partition counts, and every migration gets its outcome (reference partitioning 2.9). Until then it changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.messages import FetchedTable, FetchTable
from gridproof_implementation.protocol.partitioning.migrating import REPEAT_US
from gridproof_implementation.protocol.partitioning.orders import CompletedMigration, MigrationKey, Outcome
from gridproof_implementation.protocol.partitioning.publication import Publication
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.events.partitioning import FetchBegun, RowsFetched
from gridproof_model.identity import MemberId
from gridproof_model.partition_table import PartitionRow


@dataclass(frozen=True, slots=True)
class RepeatFetch(Timer):
    """Answers are due."""


class Succession:
    """The first thing a new master does."""

    def __init__(self, node: Node, table: LocalTable, publication: Publication) -> None:
        self._node = node
        self._table = table
        self._publication = publication
        self.is_required = False
        """Set when the old master left; while set no row may change (2.9; HZ-44)."""
        self._asked: dict[MemberId, FetchedTable | None] | None = None
        """Who was asked, with the answer; None before anybody was."""
        self.when_done: Callable[[], None] = lambda: None

    def is_needed(self, state: ClusterState) -> bool:
        """Whether a new master has something to find out: not where nothing could change (2.9, points 1 and 2).

        Choice: while a state is being changed it has, although nothing may change just then: the old master may have
        died with the change, and the state may end as it was.
        """
        return state.allows_promotion or state is ClusterState.IN_TRANSITION

    def require(self) -> None:
        """Take note that the old master left; who was asked before is asked again."""
        self.is_required = True
        self._asked = None

    def begin(self) -> None:
        """Ask every other member, unless that was done."""
        if self._asked is None:
            others = self._publication.others()
            self._asked = dict.fromkeys(others)
            self._node.emit(FetchBegun(self._node.numbers.of(others)))
            self._ask()
            self._finish_if_complete()

    def _ask(self) -> None:
        missing = [member for member, answer in (self._asked or {}).items() if answer is None]
        for member in missing:
            self._node.send(member, FetchTable())
        if missing:
            self._node.set_timer(RepeatFetch(), REPEAT_US)

    def on_fetched(self, sender: MemberId, answer: FetchedTable) -> None:
        """Keep an answer; the last one settles everything."""
        if self.is_required and self._asked is not None and sender in self._asked:
            self._asked[sender] = answer
            self._finish_if_complete()

    def member_removed(self, gone: MemberId) -> None:
        """Wait for a member that left no more (2.9, point 4)."""
        if self._asked is not None:
            self._asked.pop(gone, None)
            self._finish_if_complete()

    def on_repeat(self, _timer: RepeatFetch) -> None:
        """Ask again who has not answered."""
        if self.is_required:
            self._ask()

    def _finish_if_complete(self) -> None:
        if not self.is_required or self._asked is None:
            return
        answers = [answer for answer in self._asked.values() if answer is not None]
        if len(answers) < len(self._asked):
            return
        self._node.cancel_timer(RepeatFetch())
        self._asked = None
        self.settle(answers)
        self.is_required = False
        self._publication.publish("rows fetched")
        self.when_done()

    def settle(self, answers: list[FetchedTable]) -> None:
        """Take the newest rows, and give every migration its outcome (2.9, points 5 to 8)."""
        table = self._table
        completed = self.merge_migrations(answers)
        versions = self.failed_versions(completed)
        for partition, mine in enumerate(list(table.rows)):
            row = self.newest([mine, *(answer.rows[partition] for answer in answers)])
            row = self.lifted(row, versions.get(partition, 0))
            if row.version > mine.version:
                table.install(partition, row, "fetched")
        for done in completed.values():
            table.remember(done)
            table.finish(done)
        succeeded = tuple(done.order.number for done in completed.values() if done.outcome is Outcome.SUCCESS)
        failed = tuple(done.order.number for done in completed.values() if done.outcome is Outcome.FAILED)
        self._node.emit(RowsFetched(table.stamp, succeeded, failed))

    def newest(self, rows: list[PartitionRow]) -> PartitionRow:
        """Return the row with the highest version, the own one first (2.9, point 5)."""
        best = rows[0]
        for row in rows:
            if row.version > best.version:
                best = row
        return best

    def merge_migrations(self, answers: list[FetchedTable]) -> dict[MigrationKey, CompletedMigration]:
        """Return every migration anybody knows of: a reported outcome counts, one only active failed (2.9, point 6)."""
        completed = dict(self._table.completed)
        for answer in answers:
            for done in answer.completed:
                completed.setdefault(done.key, done)
        active = [active.order for active in self._table.active.values()]
        for order in active + [order for answer in answers for order in answer.active]:
            completed.setdefault(order.key, CompletedMigration(order, Outcome.FAILED))
        return completed

    def failed_versions(self, completed: dict[MigrationKey, CompletedMigration]) -> dict[int, int]:
        """Return the highest version a failed migration left, by partition (2.9, point 7)."""
        versions: dict[int, int] = {}
        for done in completed.values():
            if done.outcome is Outcome.FAILED:
                partition = done.order.partition
                versions[partition] = max(versions.get(partition, 0), done.final_version)
        return versions

    def lifted(self, row: PartitionRow, failed_version: int) -> PartitionRow:
        """Return a row above what a failed migration may have left (2.9, point 7).

        Choice: the version is only ever raised. As written it is set, which takes back what was committed after an
        old failure that is still remembered (docs/findings.md).
        """
        return row if row.version >= failed_version else PartitionRow(row.slots, failed_version)
