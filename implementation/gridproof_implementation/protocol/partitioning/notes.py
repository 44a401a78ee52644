"""What a member notes of its partition table.

One note for each step of the specification `ownership`, named so that both can be held side by side.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class RowInstalled(Note):
    """A row of the partition table has changed (reference partitioning 2.2, 2.7)."""

    partition: int
    version: int
    slots: tuple[MemberId | None, ...]
    why: str
    """arranged, planned, received, repaired, promoted, committed, completed, failed, fetched, assigned, returned"""


@dataclass(frozen=True, slots=True)
class TablePublished(Note):
    """The master sent its table (reference partitioning 2.6)."""

    why: str
    stamp: int
    receivers: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class TableReceived(Note):
    """A member took a table of its master, row by row (reference partitioning 2.7)."""

    sender: MemberId
    applied: int
    """How many rows were newer than the own ones."""
    stamp: int


@dataclass(frozen=True, slots=True)
class TableRefused(Note):
    """A table, a batch or an order came from someone who is not the receiver's master (2.7, T13)."""

    sender: MemberId
    what: str


@dataclass(frozen=True, slots=True)
class RowDiverged(Note):
    """A received row has the version of the own one and other replicas (reference partitioning 2.7, point 3)."""

    partition: int
    version: int
    own: tuple[MemberId | None, ...]
    received: tuple[MemberId | None, ...]


@dataclass(frozen=True, slots=True)
class MigrationOrdered(Note):
    """The master asked the primary for a migration (reference partitioning 4.3)."""

    master: MemberId
    number: int
    partition: int
    kind: str
    primary: MemberId
    destination: MemberId
    slot: int
    left_slot: int | None
    """Where the destination comes from in the same row."""
    source: MemberId | None
    lower_slot: int | None
    """Where the old occupant goes in the same row."""
    initial_version: int


@dataclass(frozen=True, slots=True)
class MigrationNote(Note):
    """A step of one migration."""

    master: MemberId
    number: int
    partition: int


@dataclass(frozen=True, slots=True)
class MigrationOpened(MigrationNote):
    """The primary has registered the migration and refuses writes."""


@dataclass(frozen=True, slots=True)
class MigrationReadied(MigrationNote):
    """The destination has registered the migration and refuses writes."""


@dataclass(frozen=True, slots=True)
class MigrationRefused(MigrationNote):
    """A participant does not take part."""

    reason: str


@dataclass(frozen=True, slots=True)
class FragmentsMigrated(MigrationNote):
    """The destination has installed fragments."""

    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MigrationCopied(MigrationNote):
    """The primary knows that the destination has everything."""


@dataclass(frozen=True, slots=True)
class CommitOrdered(MigrationNote):
    """The master asked the destination to commit."""


@dataclass(frozen=True, slots=True)
class MigrationCommitted(MigrationNote):
    """The destination has made the change, first of all."""


@dataclass(frozen=True, slots=True)
class MigrationEnded(MigrationNote):
    """The master has recorded the outcome."""

    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MigrationFinished(MigrationNote):
    """A participant has committed or rolled back what it holds, and takes writes again (4.5)."""

    outcome: str


@dataclass(frozen=True, slots=True)
class MigrationForgotten(MigrationNote):
    """Every member knows the outcome; the master forgets it (4.4)."""


@dataclass(frozen=True, slots=True)
class PromotionOrdered(Note):
    """The master asked the lowest survivor to become the primary (reference partitioning 5.2)."""

    partition: int
    destination: MemberId
    from_index: int


@dataclass(frozen=True, slots=True)
class Promoted(Note):
    """A backup has become the primary (5.3)."""

    partition: int
    from_index: int


@dataclass(frozen=True, slots=True)
class PromotionEnded(Note):
    """The master has recorded a promotion, or that its member left."""

    partition: int
    outcome: str


@dataclass(frozen=True, slots=True)
class PartitionLost(Note):
    """Replicas 0 to `lost_backup_count` of a partition were lost (5.3, 5.4)."""

    partition: int
    lost_backup_count: int


@dataclass(frozen=True, slots=True)
class FetchBegun(Note):
    """A new master asks its members for what they have (2.9)."""

    asked: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class RowsFetched(Note):
    """A new master has the newest rows, and every migration has an outcome (2.9)."""

    stamp: int
    succeeded: tuple[int, ...]
    """Numbers of migrations that were completed."""
    failed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlanMade(Note):
    """The master knows how to reach the target (4.1)."""

    migrations: int


@dataclass(frozen=True, slots=True)
class ShutdownRequested(Note):
    """A member wants to leave without loss (5.5)."""


@dataclass(frozen=True, slots=True)
class ShutdownAnswered(Note):
    """The master lets a member go (5.5)."""

    leaver: MemberId
    why: str


@dataclass(frozen=True, slots=True)
class ShutdownEnded(Note):
    """A member goes (5.5)."""

    why: str


@dataclass(frozen=True, slots=True)
class SafetyChecked(Note):
    """A member knows how safe its partitions are, or the whole cluster (5.9)."""

    whose: str
    """member or cluster"""
    state: str
