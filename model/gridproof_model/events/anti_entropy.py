"""Events of anti-entropy: how copies become equal again."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent, Versions


@dataclass(frozen=True, slots=True)
class SummarySent(TraceEvent):
    """A primary sent a backup the versions it should have (reference replication 3.1)."""

    partition: int
    index: int
    to: MemberNumber
    versions: Versions
    """By namespace."""


@dataclass(frozen=True, slots=True)
class SummaryCompared(TraceEvent):
    """A backup compared a summary with what it has (reference replication 3.2)."""

    partition: int
    index: int
    behind: tuple[str, ...]
    """The namespaces that are dirty or have another version."""
    versions: Versions
    """What the primary had said, by namespace."""


@dataclass(frozen=True, slots=True)
class SummaryIgnored(TraceEvent):
    """A summary was not for this replica, or not from its primary (reference replication 3.2)."""

    partition: int
    index: int


@dataclass(frozen=True, slots=True)
class SyncRequested(TraceEvent):
    """A backup registered syncs and asked its primary for the fragments (reference replication 3.4)."""

    partition: int
    index: int
    namespaces: tuple[str, ...]
    to: MemberNumber


@dataclass(frozen=True, slots=True)
class SyncAnswered(TraceEvent):
    """A primary sent a whole fragment (reference replication 3.5)."""

    partition: int
    index: int
    namespace: str
    versions: tuple[int, ...]
    to: MemberNumber


@dataclass(frozen=True, slots=True)
class SyncTurnedDown(TraceEvent):
    """A primary had no permit left, its migration tasks are paused, or it is no primary (reference replication 3.5)."""

    partition: int
    index: int
    namespaces: tuple[str, ...]
    to: MemberNumber


@dataclass(frozen=True, slots=True)
class SyncInstalled(TraceEvent):
    """A backup replaced its fragment by the primary's and is clean (reference replication 3.6)."""

    partition: int
    index: int
    namespace: str
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SyncEnded(TraceEvent):
    """A sync ended with nothing installed: its registration is gone (reference replication 3.4, 3.6)."""

    partition: int
    index: int
    namespace: str
    why: str
    """turned down, expired, primary changed, target left, another slot, migrating, thrown."""


AntiEntropyEvent = (
    SummarySent
    | SummaryCompared
    | SummaryIgnored
    | SyncRequested
    | SyncAnswered
    | SyncTurnedDown
    | SyncInstalled
    | SyncEnded
)
