"""Events of partitioning: rows, tables, promotion, leaving.

Those of rows and promotion are named as the steps of the specification `ownership`, to be held side by side.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class RowInstalled(TraceEvent):
    """A row of the partition table has changed (reference partitioning 2.2, 2.7)."""

    partition: int
    version: int
    slots: tuple[MemberNumber | None, ...]
    """Member numbers, the primary first; null for an empty slot."""
    why: str
    """arranged, planned, received, repaired, promoted, committed, completed, failed, fetched, assigned, returned"""


@dataclass(frozen=True, slots=True)
class TablePublished(TraceEvent):
    """The master sent its table (reference partitioning 2.6)."""

    why: str
    stamp: int
    receivers: tuple[MemberNumber, ...]
    """Whom it was sent to."""


@dataclass(frozen=True, slots=True)
class TableReceived(TraceEvent):
    """A member took a table of its master, row by row (reference partitioning 2.7)."""

    sender: MemberNumber
    applied: int
    """How many rows were newer than the own ones."""
    stamp: int


@dataclass(frozen=True, slots=True)
class TableRefused(TraceEvent):
    """A table, a batch or an order came from someone who is not the receiver's master (2.7, T13)."""

    sender: MemberNumber
    what: str
    """table, batch or order."""


@dataclass(frozen=True, slots=True)
class RowDiverged(TraceEvent):
    """A received row has the version of the own one and other replicas (reference partitioning 2.7, point 3)."""

    partition: int
    version: int
    own: tuple[MemberNumber | None, ...]
    """The slots of the own row."""
    received: tuple[MemberNumber | None, ...]
    """The slots of the row that came."""


@dataclass(frozen=True, slots=True)
class PromotionOrdered(TraceEvent):
    """The master asked the lowest survivor to become the primary (reference partitioning 5.2)."""

    partition: int
    destination: MemberNumber
    from_index: int


@dataclass(frozen=True, slots=True)
class Promoted(TraceEvent):
    """A backup has become the primary (5.3)."""

    partition: int
    from_index: int


@dataclass(frozen=True, slots=True)
class PromotionEnded(TraceEvent):
    """The master has recorded a promotion, or that its member left."""

    partition: int
    outcome: str


@dataclass(frozen=True, slots=True)
class PartitionLost(TraceEvent):
    """Replicas 0 to `lost_backup_count` of a partition were lost (5.3, 5.4)."""

    partition: int
    lost_backup_count: int
    """How many backups were lost with the primary."""


@dataclass(frozen=True, slots=True)
class FetchBegun(TraceEvent):
    """A new master asks its members for what they have (2.9)."""

    asked: tuple[MemberNumber, ...]
    """Every other member."""


@dataclass(frozen=True, slots=True)
class RowsFetched(TraceEvent):
    """A new master has the newest rows, and every migration has an outcome (2.9)."""

    stamp: int
    succeeded: tuple[int, ...]
    """Numbers of migrations that were completed."""
    failed: tuple[int, ...]
    """Numbers of migrations that failed."""


@dataclass(frozen=True, slots=True)
class PlanMade(TraceEvent):
    """The master knows how to reach the target (4.1)."""

    migrations: int
    """How many it takes."""


@dataclass(frozen=True, slots=True)
class ShutdownRequested(TraceEvent):
    """A member wants to leave without loss (5.5)."""


@dataclass(frozen=True, slots=True)
class ShutdownAnswered(TraceEvent):
    """The master lets a member go (5.5)."""

    leaver: MemberNumber
    """Who may go."""
    why: str


@dataclass(frozen=True, slots=True)
class ShutdownEnded(TraceEvent):
    """A member goes (5.5)."""

    why: str


@dataclass(frozen=True, slots=True)
class SafetyChecked(TraceEvent):
    """A member knows how safe its partitions are, or the whole cluster (5.9)."""

    whose: str
    """member or cluster."""
    state: str


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
