"""The migrations that the master orders, in one queue for each partition.

The master requests a migration from the primary; once all fragments are copied, the destination commits, then the
master, and then the other members, in batches (migration.16, table.19). If a migration fails, the rest of the plan is
dropped."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning import messages
from gridproof_implementation.protocol.partitioning.table import LocalTable, Publication
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import AnswerOverdue
from gridproof_model.events.migration import CommitOrdered, MigrationEnded, MigrationOrdered
from gridproof_model.events.words import FoundByMaster, MigrationOutcome, WhyPublished, WhyRowChanged
from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration

REPEAT_US = 5 * SECOND_US
"""How long the master waits for an answer before it asks again.

Choice (migration.13): this interval applies to all requests; the documents state it only for requests that fetch tables
(migration.13), and Hazelcast's transport repeats other requests."""


@dataclass(frozen=True, slots=True)
class RepeatMigrations(Timer):
    """It is time to repeat requests that have not been answered."""


@dataclass(slots=True)
class Underway:
    """A migration that was ordered and has not ended."""

    order: messages.MigrationOrder
    since_us: int
    asked_us: int
    is_committing: bool = False


@dataclass(slots=True, eq=False)
class MigrationMaster:
    """The master's side of migrations."""

    _node: Node
    _table: LocalTable
    _publication: Publication
    _when_idle: Callable[[], None]
    """Called when no migration is under way and none is left to start."""
    _when_failed: Callable[[], None]
    """Called when a migration failed or cannot be started, so that another plan is made after a pause."""
    _queues: dict[int, deque[Migration]] = field(default_factory=dict)
    _orders: "count[int]" = field(default_factory=lambda: count(1))
    underway: dict[int, Underway] = field(default_factory=dict)
    """The migration under way of each partition, at most one (migration.2)."""
    _copying: Counter[MemberId] = field(default_factory=Counter)
    _receiving: Counter[MemberId] = field(default_factory=Counter)

    @property
    def is_moving(self) -> bool:
        """Whether migrations are under way or wait to be started."""
        return bool(self.underway or self._queues)

    @property
    def source_places(self) -> int:
        """How many migrations count against the limits of primaries (migration.3)."""
        return self._copying.total()

    @property
    def destination_places(self) -> int:
        """How many migrations count against the limits of destinations (migration.3)."""
        return self._receiving.total()

    @property
    def ordered_count(self) -> int:
        """How many migrations are under way or wait to be started."""
        return len(self.underway) + sum(map(len, self._queues.values()))

    def is_destination(self, member: MemberId) -> bool:
        """Whether a migration to a member is under way."""
        return self._receiving[member] > 0

    def begin(self, queues: Mapping[int, Sequence[Migration]]) -> None:
        """Begin to carry out a plan, which gives the migrations of each partition in their order."""
        self._queues = {partition: deque(queue) for partition, queue in queues.items()}
        self.go_on()

    def drop_plan(self) -> None:
        """Start no further migrations of this plan; the migrations under way continue."""
        self._queues.clear()

    def go_on(self) -> None:
        """Start all migrations that may be started now."""
        if self._node.partitions.may_migrate:
            self._start()
        if not self.is_moving:
            self._publication.publish_completed()
            self._when_idle()

    def _start(self) -> None:
        # Once every member has as many migrations under way as are allowed, no migration of another queue can start.
        everybody = len(self._node.membership.members.data_members) * self._node.settings.max_parallel_migrations
        for partition in list(self._queues):
            if len(self.underway) >= everybody:
                return
            if partition not in self.underway and not self._start_next(partition):
                return

    def _start_next(self, partition: int) -> bool:
        """Start a partition's next migration if its members have room; return False if the plan was dropped."""
        queue = self._queues[partition]
        migration = queue[0]
        primary, destination = self._table.rows[partition].slots[0], migration.destination
        assert primary is not None, "a plan begins with every row repaired"
        assert destination is not None, "removals take effect while planning"
        if not self.has_room(primary, destination):
            return True
        if not self.can_take_part(primary, migration):
            self.drop_plan()
            self._when_failed()
            return False
        queue.popleft()
        if not queue:
            del self._queues[partition]
        self._order(primary, destination, migration)
        return True

    def can_take_part(self, primary: MemberId, migration: Migration) -> bool:
        """Whether primary, source and destination are members; this is checked just before the order (migration.6)."""
        needed = (primary, migration.source, migration.destination)
        return all(member is None or self._node.membership.is_member(member) for member in needed)

    def has_room(self, primary: MemberId, destination: MemberId) -> bool:
        """Whether the primary and the destination have room for one more migration.

        The limit applies to each member twice: to the migrations that copy data from it as primary, and to the
        migrations of which it is the destination (migration.3).
        """
        most = self._node.settings.max_parallel_migrations
        return self._copying[primary] < most and self._receiving[destination] < most

    def _order(self, primary: MemberId, destination: MemberId, migration: Migration) -> None:
        version = self._table.rows[migration.partition].version
        order = messages.MigrationOrder(next(self._orders), self._node.me, primary, destination, migration, version)
        now_us = self._node.now_us
        if not self.underway:
            self._node.set_timer(RepeatMigrations(), REPEAT_US)
        self.underway[order.partition] = Underway(order, now_us, now_us)
        self._copying[primary] += 1
        self._receiving[destination] += 1
        numbers, source = self._node.numbers, migration.source
        self._node.emit(
            MigrationOrdered(
                numbers[order.master],
                order.number,
                order.partition,
                migration.kind,
                numbers[primary],
                numbers[destination],
                order.new_index,
                migration.destination_index,
                None if source is None else numbers[source],
                migration.source_new_index,
                version,
            )
        )
        self._ask(self.underway[order.partition])

    def _ask(self, underway: Underway) -> None:
        order, node = underway.order, self._node
        underway.asked_us = node.now_us
        if underway.is_committing:
            node.send(order.destination, messages.MigrationCommit(order, partition=order.partition))
        else:
            completed = self._table.completed_of(order.partition)
            node.send(order.primary, messages.MigrationRequest(order, completed, partition=order.partition))

    def on_answer(self, sender: MemberId, answer: messages.MigrationAnswer) -> None:
        """If all fragments are copied, ask the destination to commit; else fail the migration (migration.11,
        migration.14)."""
        underway = self.underway.get(answer.partition)
        # A late answer may be about an earlier migration; a repeated answer must not lead to a second order to commit.
        if underway is None or underway.order.key != answer.key or underway.is_committing:
            return
        if sender != underway.order.primary:
            return
        if answer.refusal is not None:
            self.fail(underway.order, answer.refusal)
            return
        underway.is_committing = True
        master, number = answer.key
        self._node.emit(CommitOrdered(self._node.numbers[master], number, answer.partition))
        self._ask(underway)

    def on_commit_answer(self, sender: MemberId, answer: messages.CommitAnswer) -> None:
        """Change the row once the destination has changed it, or fail the migration (migration.12, migration.14)."""
        underway = self.underway.get(answer.partition)
        if underway is None or underway.order.key != answer.key or sender != underway.order.destination:
            return
        if answer.committed:
            self.succeed(underway.order)
        else:
            self.fail(underway.order, FoundByMaster.COMMIT_REFUSED)

    def succeed(self, order: messages.MigrationOrder) -> None:
        """Record the success of a migration; the other members learn of it in a batch (migration.12)."""
        self._end(order)
        done = messages.CompletedMigration(order, MigrationOutcome.SUCCESS)
        # If the master is the destination, it has changed the row already, as destinations commit first (migration.11).
        if self._table.rows[order.partition].version == order.initial_version:
            self._table.complete(done, WhyRowChanged.COMMITTED)
        master = self._node.numbers[order.master]
        self._node.emit(MigrationEnded(master, order.number, order.partition, done.outcome))
        self._publication.completed()
        self.go_on()

    def fail(self, order: messages.MigrationOrder, reason: str) -> None:
        """Record the failure of a migration: raise the row version above the destination's, send primary and
        destination the table, and pause migrations (migration.14).

        The next plan starts from the rows as they are then.
        """
        self._end(order)
        done = messages.CompletedMigration(order, MigrationOutcome.FAILED)
        self._table.complete(done, WhyRowChanged.FAILED)
        master = self._node.numbers[order.master]
        self._node.emit(MigrationEnded(master, order.number, order.partition, done.outcome, reason))
        concerned = [member for member in (order.primary, order.destination) if self._node.membership.is_member(member)]
        self._publication.push(concerned, WhyPublished.MIGRATION_FAILED)
        self._publication.completed()
        self.drop_plan()
        self._when_failed()
        self.go_on()

    def _end(self, order: messages.MigrationOrder) -> None:
        del self.underway[order.partition]
        self._copying[order.primary] -= 1
        self._receiving[order.destination] -= 1

    def member_removed(self, gone: MemberId) -> None:
        """Fail the migrations that cannot succeed without a member that left (migration.22).

        The destination is needed until the migration ends, the primary only until all fragments are copied.
        """
        for underway in list(self.underway.values()):
            order = underway.order
            if order.destination == gone:
                self.fail(order, FoundByMaster.DESTINATION_LEFT)
            elif order.primary == gone and not underway.is_committing:
                self.fail(order, FoundByMaster.PRIMARY_LEFT)

    def on_repeat(self, _timer: RepeatMigrations) -> None:
        """Ask again the members that have not answered, and fail migrations that take too long (migration.5,
        migration.22)."""
        now_us, node = self._node.now_us, self._node
        for underway in list(self.underway.values()):
            # A destination that was asked to commit may have done so: its answer decides (migration.14; defect HZ-26).
            if not underway.is_committing and now_us >= underway.since_us + node.settings.migration_timeout_us:
                self.fail(underway.order, FoundByMaster.TIMED_OUT)
            elif now_us >= underway.asked_us + REPEAT_US:
                node.emit(AnswerOverdue(type(_timer).__name__))
                self._ask(underway)
        if self.underway:
            node.set_timer(RepeatMigrations(), REPEAT_US)
