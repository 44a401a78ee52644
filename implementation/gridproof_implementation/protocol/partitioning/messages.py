"""What members tell each other about the partition table.

All of it is urgent (reference replication 0.2): whoever waits for a table must not wait behind user operations. What
belongs to one partition travels in the order it was sent.
"""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.partitioning.orders import CompletedMigration, MigrationKey, MigrationOrder
from gridproof_implementation.protocol.replies import UrgentReply
from gridproof_implementation.protocol.service_state import ServiceState
from gridproof_model.identity import MemberId
from gridproof_model.partition_table import PartitionRow


@dataclass(frozen=True, slots=True)
class UrgentMessage(Message):
    """A message that may overtake user operations."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class TableState(UrgentMessage):
    """The master's whole table, with the migrations that not everybody knows to be completed (2.6)."""

    rows: tuple[PartitionRow, ...]
    completed: tuple[CompletedMigration, ...] = ()


@dataclass(frozen=True, slots=True)
class TableAck(UrgentMessage):
    """The sender has these completed migrations behind it."""

    completed: tuple[MigrationKey, ...]


@dataclass(frozen=True, slots=True)
class AssignPartitions(UrgentMessage):
    """Somebody needs an owner: arrange, master (2.4)."""


@dataclass(frozen=True, slots=True)
class CompletedMigrations(UrgentMessage):
    """Every completed migration that the master remembers, in order (2.8)."""

    batch: tuple[CompletedMigration, ...]
    versions: tuple[int, ...]
    """The master's row versions."""


@dataclass(frozen=True, slots=True)
class CompletedRefused(UrgentMessage):
    """The batch does not fit the sender's table: it needs the whole one (2.8)."""


@dataclass(frozen=True, slots=True)
class FetchTable(UrgentMessage):
    """A new master collects what its members have (2.9)."""


@dataclass(frozen=True, slots=True)
class FetchedTable(UrgentReply):
    """What a member has: its table, its completed and its active migrations (2.9)."""

    rows: tuple[PartitionRow, ...]
    completed: tuple[CompletedMigration, ...]
    active: tuple[MigrationOrder, ...]


@dataclass(frozen=True, slots=True)
class PromotionCommit(UrgentMessage):
    """Be the primary of these partitions (5.2, 5.3)."""

    destination: MemberId
    """Who is meant: a restarted member at the same address is not (5.3)."""
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
    """The master asks the primary to have the data copied (4.3)."""

    order: MigrationOrder
    completed: tuple[CompletedMigration, ...]
    """Of the same partition, not yet known to everybody."""


@dataclass(frozen=True, slots=True)
class MigrationAnswer(UrgentMessage):
    """The primary tells the master that all is copied, or why not (4.4)."""

    key: MigrationKey
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class MigrationOpen(UrgentMessage):
    """The primary asks the destination whether it is ready (4.3)."""

    order: MigrationOrder
    completed: tuple[CompletedMigration, ...]


@dataclass(frozen=True, slots=True)
class MigrationReady(UrgentMessage):
    """The destination is ready, or says why not."""

    key: MigrationKey
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class MigrationFragments(UrgentMessage):
    """Fragments of the partition: one, or all where fragments do not travel apart (4.3)."""

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
    """The master asks the destination to make the change, first of all (4.4)."""

    order: MigrationOrder


@dataclass(frozen=True, slots=True)
class CommitAnswer(UrgentMessage):
    """Whether the destination has made the change."""

    key: MigrationKey
    committed: bool


@dataclass(frozen=True, slots=True)
class ShutdownRequest(UrgentMessage):
    """The sender wants to leave without loss (5.5)."""

    leaver: MemberId


@dataclass(frozen=True, slots=True)
class ShutdownResponse(UrgentMessage):
    """The leaver holds nothing any more, or nothing can be saved (5.5)."""

    leaver: MemberId


@dataclass(frozen=True, slots=True)
class AskMigrations(UrgentMessage):
    """Does the master have migrations (5.9)?"""

    number: int


@dataclass(frozen=True, slots=True)
class TellMigrations(UrgentReply):
    """Whether the master has migrations."""

    number: int
    is_moving: bool


@dataclass(frozen=True, slots=True)
class AskSafe(UrgentMessage):
    """How safe is the receiver (5.9)?"""

    number: int


@dataclass(frozen=True, slots=True)
class TellSafe(UrgentReply):
    """How safe the sender is."""

    number: int
    state: ServiceState
