"""Migration orders, and the messages between members about the partition table.

A plan consists of `Migration` objects; when the master orders one, the order gets an identity and the row version from
which the migration starts, so that every member can find out whether it still fits (migration.4).

All messages are urgent (calls.2): a member that waits for a table must not wait behind user operations. Messages about
one partition arrive in the order in which they were sent."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.replies import UrgentReply
from gridproof_model.events.words import MigrationOutcome, ServiceState
from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration
from gridproof_model.partition_table import PartitionRow

MigrationKey = tuple[MemberId, int]
"""The master that ordered a migration, and the number that it gave the migration."""


@dataclass(frozen=True, slots=True)
class MigrationOrder:
    """A migration as the master ordered it."""

    number: int
    """The number of the order among the orders of one master; the master and the number together identify the
    migration."""
    master: MemberId
    primary: MemberId
    """The member in slot 0 at the time of the order; the data always comes from this member (placement.18,
    migration.1)."""
    destination: MemberId
    migration: Migration
    initial_version: int

    @property
    def key(self) -> MigrationKey:
        """The identity of the migration."""
        return self.master, self.number

    @property
    def partition(self) -> int:
        """The partition whose row the migration changes."""
        return self.migration.partition

    @property
    def new_index(self) -> int:
        """The slot that the destination is to have."""
        index = self.migration.destination_new_index
        assert index is not None, "removals take effect while planning"
        return index

    @property
    def committed_version(self) -> int:
        """The row version after the migration has succeeded (migration.4)."""
        return self.initial_version + self.migration.increment

    @property
    def failed_version(self) -> int:
        """The row version after the migration has failed; it exceeds any version that the destination may have
        (migration.4)."""
        return self.initial_version + self.migration.increment_when_failed

    def migrated(self, row: PartitionRow) -> PartitionRow:
        """Return the row after the migration has succeeded; raise MigrationError if it does not fit the row."""
        return PartitionRow(apply_migration(row, self.migration).slots, self.committed_version)


@dataclass(frozen=True, slots=True)
class CompletedMigration:
    """A migration that has ended, which is remembered until every member knows of it (table.19)."""

    order: MigrationOrder
    outcome: MigrationOutcome

    @property
    def key(self) -> MigrationKey:
        """The identity of the migration."""
        return self.order.key

    @property
    def final_version(self) -> int:
        """The row version after the migration has ended."""
        return self.order.committed_version if self.outcome is MigrationOutcome.SUCCESS else self.order.failed_version

    def applied(self, row: PartitionRow) -> PartitionRow:
        """Return the row after the migration has ended, given the row before it."""
        if self.outcome is MigrationOutcome.SUCCESS:
            return self.order.migrated(row)
        return PartitionRow(row.slots, self.final_version)


@dataclass(slots=True)
class ActiveMigration:
    """A migration in which this member is primary or destination, as this member sees it; mutable."""

    order: MigrationOrder
    is_ready: bool = False
    """On the primary: whether the destination has answered that it is ready for the migration."""
    namespaces: tuple[str, ...] = ()
    """On the primary: the namespaces whose fragments are to be copied, in order."""
    done: int = 0
    """How many fragments the destination has installed, as far as this member knows."""
    is_copied: bool = False
    """On the primary: whether the destination has all fragments."""


@dataclass(frozen=True, slots=True)
class UrgentMessage(Message):
    """A message that may overtake user operations."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class TableState(UrgentMessage):
    """The master's whole table, with the completed migrations that not all members know of yet (table.12)."""

    rows: tuple[PartitionRow, ...]
    completed: tuple[CompletedMigration, ...] = ()


@dataclass(frozen=True, slots=True)
class TableAck(UrgentMessage):
    """The sender has applied these completed migrations."""

    completed: tuple[MigrationKey, ...]


@dataclass(frozen=True, slots=True)
class AssignPartitions(UrgentMessage):
    """A member that needs the owner of a partition asks the master to make the first arrangement (table.11)."""


@dataclass(frozen=True, slots=True)
class CompletedMigrations(UrgentMessage):
    """The batch of all completed migrations that the master remembers, in order (table.18)."""

    batch: tuple[CompletedMigration, ...]
    versions: tuple[int, ...]
    """The versions of all rows in the master's table."""


@dataclass(frozen=True, slots=True)
class CompletedRefused(UrgentMessage):
    """The sender needs the whole table, since a batch does not fit the table that it has (table.18)."""


@dataclass(frozen=True, slots=True)
class FetchTable(UrgentMessage):
    """A new master asks a member for its table and its migrations (table.21)."""


@dataclass(frozen=True, slots=True)
class FetchedTable(UrgentReply):
    """A member's table, with its completed and its active migrations (table.21)."""

    rows: tuple[PartitionRow, ...]
    completed: tuple[CompletedMigration, ...]
    active: tuple[MigrationOrder, ...]


@dataclass(frozen=True, slots=True)
class PromotionCommit(UrgentMessage):
    """A request to the receiver to become the primary of these partitions (repair.3, repair.8)."""

    destination: MemberId
    """The incarnation that is meant; another incarnation at the same address must ignore the request (repair.7)."""
    promotions: tuple[tuple[int, int], ...]
    """Pairs of a partition and the slot whose backup is promoted."""
    state: TableState
    """The master's table as it is after these promotions."""


@dataclass(frozen=True, slots=True)
class PromotionDone(UrgentReply):
    """The sender has become the primary of these partitions."""

    promotions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class MigrationRequest(UrgentMessage):
    """The master asks the primary to copy the data to the destination (migration.5)."""

    order: MigrationOrder
    completed: tuple[CompletedMigration, ...]
    """The completed migrations of the same partition that not all members know of yet."""


@dataclass(frozen=True, slots=True)
class MigrationAnswer(UrgentMessage):
    """The primary notifies the master that all fragments are copied, or why the copying failed (migration.12)."""

    key: MigrationKey
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class MigrationOpen(UrgentMessage):
    """The primary asks the destination whether it is ready, which opens the migration there (migration.5).

    Choice (migration.5): this question opens the migration; in Hazelcast's code the first fragment opens it, and is
    sent even without data.
    """

    order: MigrationOrder
    completed: tuple[CompletedMigration, ...]


@dataclass(frozen=True, slots=True)
class MigrationReady(UrgentMessage):
    """The destination is ready for a migration, or says why it is not."""

    key: MigrationKey
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class MigrationFragments(UrgentMessage):
    """Fragments of the partition: one, or all together if the settings do not allow single fragments (migration.10)."""

    key: MigrationKey
    first: int
    """The number of the first of these fragments within the migration, counted from 0."""
    fragments: tuple[FragmentData, ...]


@dataclass(frozen=True, slots=True)
class FragmentsInstalled(UrgentMessage):
    """The destination has installed `done` fragments of the migration."""

    key: MigrationKey
    done: int


@dataclass(frozen=True, slots=True)
class MigrationCommit(UrgentMessage):
    """The master asks the destination to change the row, which it does before all other members (migration.11)."""

    order: MigrationOrder


@dataclass(frozen=True, slots=True)
class CommitAnswer(UrgentMessage):
    """The destination's answer: whether it has changed the row."""

    key: MigrationKey
    committed: bool


@dataclass(frozen=True, slots=True)
class ShutdownRequest(UrgentMessage):
    """The sender asks to leave without a loss of data (leaving.1)."""

    leaver: MemberId


@dataclass(frozen=True, slots=True)
class ShutdownResponse(UrgentMessage):
    """The leaver may leave: no row names it any more, or its data cannot be saved (leaving.5, leaving.6)."""

    leaver: MemberId


@dataclass(frozen=True, slots=True)
class AskMigrations(UrgentMessage):
    """A question to the master: are migrations under way or waiting (sync.19)?"""

    number: int


@dataclass(frozen=True, slots=True)
class MigrationsAnswer(UrgentReply):
    """The master's answer: whether migrations are under way or waiting."""

    number: int
    is_moving: bool


@dataclass(frozen=True, slots=True)
class AskSafe(UrgentMessage):
    """A question to the receiver: how safe are its partitions (sync.19)?"""

    number: int


@dataclass(frozen=True, slots=True)
class SafeAnswer(UrgentReply):
    """The answer of a member: how safe its partitions are."""

    number: int
    state: ServiceState
