"""Migrations as they are ordered, and what members send each other about the partition table.

What the planner wants is a `Migration`; once the master orders it, it gets an identity and the row version it starts
from, so that everybody can know whether it still fits (migration.4).

All messages are urgent (calls.2): whoever waits for a table must not wait behind user operations.
What belongs to one partition travels in the order it was sent.
"""

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
"""Who ordered it, and that master's number for it."""


@dataclass(frozen=True, slots=True)
class MigrationOrder:
    """A migration as the master ordered it."""

    number: int
    """Counts the orders of one master; together they are the identity."""
    master: MemberId
    primary: MemberId
    """Who held slot 0 then: the data always comes from there (placement.18, migration.1)."""
    destination: MemberId
    migration: Migration
    initial_version: int

    @property
    def key(self) -> MigrationKey:
        """The identity."""
        return self.master, self.number

    @property
    def partition(self) -> int:
        """The partition it changes."""
        return self.migration.partition

    @property
    def new_index(self) -> int:
        """The slot the destination is to have."""
        index = self.migration.destination_new_index
        assert index is not None, "removals take effect while planning"
        return index

    @property
    def committed_version(self) -> int:
        """The row version after it succeeded (migration.4)."""
        return self.initial_version + self.migration.increment

    @property
    def failed_version(self) -> int:
        """The row version after it failed: above anything the destination may have (migration.4)."""
        return self.initial_version + self.migration.increment_when_failed

    def migrated(self, row: PartitionRow) -> PartitionRow:
        """Return the row after it succeeded; MigrationError when it does not fit the row."""
        return PartitionRow(apply_migration(row, self.migration).slots, self.committed_version)


@dataclass(frozen=True, slots=True)
class CompletedMigration:
    """A migration that has ended, remembered until every member knows of it (table.19)."""

    order: MigrationOrder
    outcome: MigrationOutcome

    @property
    def key(self) -> MigrationKey:
        """The identity of the migration."""
        return self.order.key

    @property
    def final_version(self) -> int:
        """The row version it left."""
        return self.order.committed_version if self.outcome is MigrationOutcome.SUCCESS else self.order.failed_version

    def applied(self, row: PartitionRow) -> PartitionRow:
        """Return the row after it, from the row it started from."""
        if self.outcome is MigrationOutcome.SUCCESS:
            return self.order.migrated(row)
        return PartitionRow(row.slots, self.final_version)


@dataclass(slots=True)
class ActiveMigration:
    """A migration its primary or its destination takes part in; mutable, this member's own view of it."""

    order: MigrationOrder
    is_ready: bool = False
    """At the primary: the destination has answered that it is ready."""
    namespaces: tuple[str, ...] = ()
    """At the primary: the fragments to copy, in order."""
    done: int = 0
    """Fragments the destination has: known to be there at the primary, installed at the destination."""
    is_copied: bool = False
    """At the primary: the destination has everything."""


@dataclass(frozen=True, slots=True)
class UrgentMessage(Message):
    """A message that may overtake user operations."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class TableState(UrgentMessage):
    """The master's whole table, with the migrations that not everybody knows to be completed (table.12)."""

    rows: tuple[PartitionRow, ...]
    completed: tuple[CompletedMigration, ...] = ()


@dataclass(frozen=True, slots=True)
class TableAck(UrgentMessage):
    """The sender has these completed migrations behind it."""

    completed: tuple[MigrationKey, ...]


@dataclass(frozen=True, slots=True)
class AssignPartitions(UrgentMessage):
    """Somebody needs an owner: arrange, master (table.11)."""


@dataclass(frozen=True, slots=True)
class CompletedMigrations(UrgentMessage):
    """Every completed migration that the master remembers, in order (table.18)."""

    batch: tuple[CompletedMigration, ...]
    versions: tuple[int, ...]
    """The master's row versions."""


@dataclass(frozen=True, slots=True)
class CompletedRefused(UrgentMessage):
    """The batch does not fit the sender's table: it needs the whole one (table.18)."""


@dataclass(frozen=True, slots=True)
class FetchTable(UrgentMessage):
    """A new master collects what its members have (table.21)."""


@dataclass(frozen=True, slots=True)
class FetchedTable(UrgentReply):
    """What a member has: its table, its completed and its active migrations (table.21)."""

    rows: tuple[PartitionRow, ...]
    completed: tuple[CompletedMigration, ...]
    active: tuple[MigrationOrder, ...]


@dataclass(frozen=True, slots=True)
class PromotionCommit(UrgentMessage):
    """Be the primary of these partitions (repair.3, repair.8)."""

    destination: MemberId
    """Who is meant: a restarted member at the same address is not (repair.7)."""
    promotions: tuple[tuple[int, int], ...]
    """Partition and slot to be promoted from."""
    state: TableState
    """The master's table, with these promotions done."""


@dataclass(frozen=True, slots=True)
class PromotionDone(UrgentReply):
    """The sender is the primary of these partitions."""

    promotions: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class MigrationRequest(UrgentMessage):
    """The master asks the primary to have the data copied (migration.5)."""

    order: MigrationOrder
    completed: tuple[CompletedMigration, ...]
    """Of the same partition, not yet known to everybody."""


@dataclass(frozen=True, slots=True)
class MigrationAnswer(UrgentMessage):
    """The primary notifies the master that all is copied, or why not (migration.12)."""

    key: MigrationKey
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class MigrationOpen(UrgentMessage):
    """The primary asks the destination whether it is ready (migration.5)."""

    order: MigrationOrder
    completed: tuple[CompletedMigration, ...]


@dataclass(frozen=True, slots=True)
class MigrationReady(UrgentMessage):
    """The destination is ready, or says why not."""

    key: MigrationKey
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class MigrationFragments(UrgentMessage):
    """Fragments of the partition: one, or all where fragments do not travel apart (migration.10)."""

    key: MigrationKey
    first: int
    """Which fragment the first of these is, from 0."""
    fragments: tuple[FragmentData, ...]


@dataclass(frozen=True, slots=True)
class FragmentsInstalled(UrgentMessage):
    """The destination has so many fragments of the migration."""

    key: MigrationKey
    done: int


@dataclass(frozen=True, slots=True)
class MigrationCommit(UrgentMessage):
    """The master asks the destination to make the change, first of all (migration.11)."""

    order: MigrationOrder


@dataclass(frozen=True, slots=True)
class CommitAnswer(UrgentMessage):
    """Whether the destination has made the change."""

    key: MigrationKey
    committed: bool


@dataclass(frozen=True, slots=True)
class ShutdownRequest(UrgentMessage):
    """The sender wants to leave without loss (leaving.1)."""

    leaver: MemberId


@dataclass(frozen=True, slots=True)
class ShutdownResponse(UrgentMessage):
    """The leaver holds nothing any more, or nothing can be saved (leaving.5, leaving.6)."""

    leaver: MemberId


@dataclass(frozen=True, slots=True)
class AskMigrations(UrgentMessage):
    """Does the master have migrations (sync.19)?"""

    number: int


@dataclass(frozen=True, slots=True)
class MigrationsAnswer(UrgentReply):
    """Whether the master has migrations."""

    number: int
    is_moving: bool


@dataclass(frozen=True, slots=True)
class AskSafe(UrgentMessage):
    """How safe is the receiver (sync.19)?"""

    number: int


@dataclass(frozen=True, slots=True)
class SafeAnswer(UrgentReply):
    """How safe the sender is."""

    number: int
    state: ServiceState
