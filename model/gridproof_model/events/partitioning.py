"""Events of partitioning: rows, tables, promotion, leaving.

Those of rows and promotion are named as the steps of the specification `ownership`, to be held side by side.
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
    """Member numbers, the primary first; null for an empty slot."""
    why: WhyRowChanged
    """What the row was changed for, or where it came from."""


@dataclass(frozen=True, slots=True)
class TablePublished(TraceEvent):
    """The master sent its table (table.12)."""

    why: WhyPublished
    """What it was sent for."""
    stamp: int
    """A digest of all row versions in it; only equality with another stamp means something."""
    receivers: tuple[MemberNumber, ...]
    """Whom it was sent to."""


@dataclass(frozen=True, slots=True)
class TableReceived(TraceEvent):
    """A member took a table of its master, row by row (table.14)."""

    sender: MemberNumber
    """The master, who sent it."""
    applied: int
    """How many rows were newer than the own ones."""
    stamp: int
    """A digest of all row versions of this member afterwards; only equality with another stamp means something."""


@dataclass(frozen=True, slots=True)
class TableRefused(TraceEvent):
    """A table, a batch or a question for the table came from someone who is not the receiver's master (table.9)."""

    sender: MemberNumber
    """Who sent it."""
    what: OnlyFromMaster
    """What was thrown away."""


@dataclass(frozen=True, slots=True)
class RowDiverged(TraceEvent):
    """A received row has the version of the own one and other replicas (table.14)."""

    partition: int
    """The partition of the row."""
    version: int
    """The version that both rows have."""
    own: tuple[MemberNumber | None, ...]
    """The slots of the own row."""
    received: tuple[MemberNumber | None, ...]
    """The slots of the row that came."""


@dataclass(frozen=True, slots=True)
class PromotionOrdered(TraceEvent):
    """The master asked the lowest survivor to become the primary (repair.4)."""

    partition: int
    """The partition without a primary."""
    destination: MemberNumber
    """The lowest survivor, who is asked."""
    from_index: int
    """The replica index that it has until then, from 1."""


@dataclass(frozen=True, slots=True)
class Promoted(TraceEvent):
    """A backup has become the primary (repair.8)."""

    partition: int
    """The partition of which it is the primary now."""
    from_index: int
    """The replica index that it had before, from 1."""


@dataclass(frozen=True, slots=True)
class PromotionEnded(TraceEvent):
    """The master has recorded a promotion, or that its member left."""

    partition: int
    """The partition that the promotion was of."""
    outcome: MigrationOutcome
    """Whether the promotion succeeded, or failed because the member left."""


@dataclass(frozen=True, slots=True)
class PartitionLost(TraceEvent):
    """Replicas 0 to `lost_backup_count` of a partition were lost (repair.10)."""

    partition: int
    """The partition of which replicas were lost."""
    lost_backup_count: int
    """How many backups were lost with the primary: 0 to 6, and 6 where no replica is left."""


@dataclass(frozen=True, slots=True)
class FetchBegun(TraceEvent):
    """A new master asks its members for what they have (table.21)."""

    asked: tuple[MemberNumber, ...]
    """Every other member."""


@dataclass(frozen=True, slots=True)
class RowsFetched(TraceEvent):
    """A new master has the newest rows, and every migration has an outcome (table.21)."""

    stamp: int
    """A digest of all row versions of this member now; only equality with another stamp means something."""
    succeeded: tuple[int, ...]
    """The numbers of the migrations that were completed, each as the master that ordered it had given it."""
    failed: tuple[int, ...]
    """The numbers of the migrations that failed, each as the master that ordered it had given it."""


@dataclass(frozen=True, slots=True)
class PlanMade(TraceEvent):
    """The master knows how to reach the target (table.26)."""

    migrations: int
    """How many it takes."""


@dataclass(frozen=True, slots=True)
class ShutdownRequested(TraceEvent):
    """A member wants to leave without loss (leaving.7)."""


@dataclass(frozen=True, slots=True)
class ShutdownAnswered(TraceEvent):
    """The master lets a member go (leaving.5)."""

    leaver: MemberNumber
    """Who may go."""
    why: str
    """Why it may go now."""


@dataclass(frozen=True, slots=True)
class ShutdownEnded(TraceEvent):
    """A member goes (leaving.9)."""

    why: WhyLeaverGoes
    """Why it goes now."""


@dataclass(frozen=True, slots=True)
class SafetyChecked(TraceEvent):
    """A member knows how safe its partitions are, or the whole cluster (sync.19)."""

    whose: SafetyOf
    """Whether it is about this member's partitions or the whole cluster."""
    state: ServiceState | ClusterUnsafe
    """That they are safe, or why they are not."""


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
