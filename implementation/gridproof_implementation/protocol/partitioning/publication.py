"""The master tells the others: tables, and completed migrations.

Whole tables on change, and every send interval (seed: Partition Table; reference partitioning 2.6). Completed
migrations travel in batches, and are forgotten once every other member has them (2.8).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.messages import (
    CompletedMigrations,
    CompletedRefused,
    TableAck,
    TableState,
)
from gridproof_implementation.protocol.partitioning.orders import CompletedMigration, MigrationKey
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.events.migration import MigrationForgotten
from gridproof_model.events.partitioning import TablePublished
from gridproof_model.identity import MemberId

PUBLISH_BATCH = 10
"""Completed migrations that wait before they are published together (4.4)."""


@dataclass(frozen=True, slots=True)
class SendTable(Timer):
    """The send interval is over (2.6)."""


class Publication:
    """The sending side; does nothing where this member is not the master."""

    def __init__(self, node: Node, table: LocalTable, is_busy: Callable[[], bool]) -> None:
        """Publish a table; `is_busy` tells whether rows are being fetched or migrated."""
        self._node = node
        self._table = table
        self._is_busy = is_busy
        self._unpublished = 0
        self._known_by: dict[MigrationKey, set[MemberId]] = {}
        """Who has acknowledged each completed migration."""

    def start(self) -> None:
        """Wait for the first interval to end."""
        self._node.set_timer(SendTable(), self._node.settings.table_send_interval_us)

    @property
    def may_publish(self) -> bool:
        """Whether anything is published now: by an initialised master, and while migration tasks are allowed (2.6)."""
        node = self._node
        return self._table.is_initialised and node.membership.is_master and node.partitions.may_migrate

    def others(self) -> tuple[MemberId, ...]:
        """Return all members but this one, oldest first."""
        me = self._node.me
        return tuple(member.id for member in self._node.membership.members if member.id != me)

    def state(self) -> TableState:
        """Return the whole table as a message."""
        return TableState(self._table.snapshot, tuple(self._table.completed.values()))

    def publish(self, why: str) -> None:
        """Send the whole table to every member, where that is allowed now."""
        if self.may_publish:
            self.push(self.others(), why)

    def push(self, receivers: Iterable[MemberId], why: str) -> None:
        """Send the whole table to some members."""
        wanted = tuple(receiver for receiver in receivers if receiver != self._node.me)
        self._node.emit(TablePublished(why, self._table.stamp, self._node.numbers.of(wanted)))
        self._send(wanted, self.state())

    def completed(self) -> None:
        """Take note that one more migration has ended; ten are published together (4.4)."""
        self._unpublished += 1
        if self._unpublished >= PUBLISH_BATCH:
            self.publish_completed()

    def publish_completed(self) -> None:
        """Send all completed migrations that are remembered to whoever has not acknowledged them all (2.8)."""
        self._unpublished = 0
        if not self._table.completed or not self.may_publish:
            return
        message = CompletedMigrations(tuple(self._table.completed.values()), self._table.versions)
        missing = [member for member in self.others() if not all(self._knows(member, done) for done in message.batch)]
        self._send(missing, message)
        self.evict()

    def on_table_ack(self, sender: MemberId, ack: TableAck) -> None:
        """Take note of who knows of which completed migrations."""
        for key in ack.completed:
            if key in self._table.completed:
                self._known_by.setdefault(key, set()).add(sender)
        self.evict()

    def on_completed_refused(self, sender: MemberId, _message: CompletedRefused) -> None:
        """Send the whole table to a member that a batch does not fit (2.8)."""
        if self._table.is_initialised and self._node.membership.is_master:
            self.push([sender], "batch refused")

    def evict(self) -> None:
        """Forget completed migrations that every other member has acknowledged (4.4, point 3; M5)."""
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
        """Send the whole table to every member, and with it what was not acknowledged; not while rows move (2.6).

        Choice: the table, as the seed says (seed: Partition Table). By the facts only its stamp travels, and the table
        goes to who has another one.
        """
        self._node.set_timer(SendTable(), self._node.settings.table_send_interval_us)
        if self.may_publish and not self._is_busy():
            self.publish("send interval")
            self.evict()

    def _knows(self, member: MemberId, done: CompletedMigration) -> bool:
        return member in self._known_by.get(done.key, ())

    def _send(self, receivers: Iterable[MemberId], message: Message) -> None:
        for receiver in receivers:
            self._node.send(receiver, message)
