"""Events of partitioning: rows, tables, promotion, leaving.

The events about rows and promotion have the names of steps of the specification `ownership`, so that traces can be
compared with it.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import (
    ClusterUnsafe,
    MigrationOutcome,
    OnlyFromMaster,
    SafetyOf,
    ServiceState,
    WhyLeaverGoes,
    WhyPublished,
    WhyRowChanged,
)


@dataclass(frozen=True, slots=True)
class RowInstalled(TraceEvent):
    """A row of the partition table has changed (table.4, table.14)."""

    partition: int
    """The partition of the row."""
    version: int
    """The row's version, which grows by one for every slot that changes."""
    slots: tuple[MemberNumber | None, ...]
    """The numbers of the members, the primary first; null for an empty slot."""
    why: WhyRowChanged
    """Why the row changed, or where it came from."""


@dataclass(frozen=True, slots=True)
class TablePublished(TraceEvent):
    """The master sent its table (table.12)."""

    why: WhyPublished
    """Why the table was sent."""
    stamp: int
    """A digest of all row versions in the table; two such digests can only be compared for equality."""
    receivers: tuple[MemberNumber, ...]
    """The members that the table was sent to."""


@dataclass(frozen=True, slots=True)
class TableReceived(TraceEvent):
    """A member adopted its master's table, row by row (table.14)."""

    sender: MemberNumber
    """The master, which sent the table."""
    applied: int
    """How many of the received rows were newer than this member's own."""
    stamp: int
    """A digest of all row versions of this member afterwards; two such digests can only be compared for equality."""


@dataclass(frozen=True, slots=True)
class TableRefused(TraceEvent):
    """A table, batch of migrations or table request came from a member other than this member's master (table.9)."""

    sender: MemberNumber
    """The member that sent the message."""
    what: OnlyFromMaster
    """Which kind of message was discarded."""


@dataclass(frozen=True, slots=True)
class RowDiverged(TraceEvent):
    """A received row has the same version as this member's row of the partition, but other replicas (table.14)."""

    partition: int
    """The partition of the row."""
    version: int
    """The version that both rows have."""
    own: tuple[MemberNumber | None, ...]
    """The slots of this member's own row."""
    received: tuple[MemberNumber | None, ...]
    """The slots of the received row."""


@dataclass(frozen=True, slots=True)
class PromotionOrdered(TraceEvent):
    """The master asked the surviving backup with the lowest replica index to become the primary (repair.4)."""

    partition: int
    """The partition without a primary."""
    destination: MemberNumber
    """The backup that is asked."""
    from_index: int
    """The replica index that this backup has before the promotion, 1 or more."""


@dataclass(frozen=True, slots=True)
class Promoted(TraceEvent):
    """A backup has become the primary (repair.8)."""

    partition: int
    """The partition whose primary the backup is now."""
    from_index: int
    """The replica index that the backup had before, 1 or more."""


@dataclass(frozen=True, slots=True)
class PromotionEnded(TraceEvent):
    """The master has recorded that a promotion succeeded, or failed because the member to be promoted left."""

    partition: int
    """The partition whose backup was to be promoted."""
    outcome: MigrationOutcome
    """Whether the promotion succeeded, or failed because the member left."""


@dataclass(frozen=True, slots=True)
class PartitionLost(TraceEvent):
    """Replicas 0 to `lost_backup_count` of a partition were lost (repair.10)."""

    partition: int
    """The partition whose replicas were lost."""
    lost_backup_count: int
    """How many backups were lost with the primary: 0 to 6; 6 if no replica is left."""


@dataclass(frozen=True, slots=True)
class FetchBegun(TraceEvent):
    """A new master asks its members for their tables and migrations (table.21)."""

    asked: tuple[MemberNumber, ...]
    """Every other member."""


@dataclass(frozen=True, slots=True)
class RowsFetched(TraceEvent):
    """A new master has the newest rows, and knows the outcome of every migration (table.21)."""

    stamp: int
    """A digest of all row versions of this member now; two such digests can only be compared for equality."""
    succeeded: tuple[int, ...]
    """The numbers of the completed migrations; each number was given by the master that ordered the migration."""
    failed: tuple[int, ...]
    """The numbers of the failed migrations; each number was given by the master that ordered the migration."""


@dataclass(frozen=True, slots=True)
class PlanMade(TraceEvent):
    """The master has planned the migrations that lead to the new rows (table.26)."""

    migrations: int
    """How many migrations the plan has."""


@dataclass(frozen=True, slots=True)
class ShutdownRequested(TraceEvent):
    """A member asks to leave without loss of data (leaving.7)."""


@dataclass(frozen=True, slots=True)
class ShutdownAnswered(TraceEvent):
    """The master allows a leaving member to end (leaving.5)."""

    leaver: MemberNumber
    """The leaving member, which may end now."""
    why: str
    """Why the leaving member may end now."""


@dataclass(frozen=True, slots=True)
class ShutdownEnded(TraceEvent):
    """A member that asked to leave ends now (leaving.9)."""

    why: WhyLeaverGoes
    """Why the member ends now."""


@dataclass(frozen=True, slots=True)
class SafetyChecked(TraceEvent):
    """A member has checked how safe its own partitions are, or how safe the whole cluster is (sync.19)."""

    whose: SafetyOf
    """What was checked: this member's partitions, or the whole cluster."""
    state: ServiceState | ClusterUnsafe
    """Safe, or the reason why what was checked is not safe."""


PartitioningEvent = (
    RowInstalled
    | TablePublished
    | TableReceived
    | TableRefused
    | RowDiverged
    | PromotionOrdered
    | Promoted
    | PromotionEnded
    | PartitionLost
    | FetchBegun
    | RowsFetched
    | PlanMade
    | ShutdownRequested
    | ShutdownAnswered
    | ShutdownEnded
    | SafetyChecked
)
