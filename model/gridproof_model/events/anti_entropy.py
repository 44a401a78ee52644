"""Events of anti-entropy: how copies become equal again."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent, Versions
from gridproof_model.events.words import WhySyncEnded


@dataclass(frozen=True, slots=True)
class SummarySent(TraceEvent):
    """A primary sent a backup the versions it should have (sync.1)."""

    partition: int
    """The partition whose versions were sent."""
    index: int
    """The replica index of the backup, from 1."""
    to: MemberNumber
    """The backup that is to compare them."""
    versions: Versions
    """By namespace, the one entry of the primary's version vector that is this backup's."""


@dataclass(frozen=True, slots=True)
class SummaryCompared(TraceEvent):
    """A backup compared a summary with what it has (sync.4)."""

    partition: int
    """The partition that was compared."""
    index: int
    """The replica index of this backup, from 1."""
    behind: tuple[str, ...]
    """The namespaces that are dirty or have another version; none where this backup is in sync."""
    versions: Versions
    """What the primary had said, by namespace."""


@dataclass(frozen=True, slots=True)
class SummaryIgnored(TraceEvent):
    """A summary was not for this replica, or not from its primary (sync.3)."""

    partition: int
    """The partition that the summary was about."""
    index: int
    """The replica index that the summary was for, from 1."""


@dataclass(frozen=True, slots=True)
class SyncRequested(TraceEvent):
    """A backup registered syncs and asked its primary for the fragments (sync.10)."""

    partition: int
    """The partition of the fragments."""
    index: int
    """The replica index of this backup, from 1."""
    namespaces: tuple[str, ...]
    """The namespaces of the fragments asked for, as many as there are permits; those on their way are left out."""
    to: MemberNumber
    """The primary that was asked."""


@dataclass(frozen=True, slots=True)
class SyncAnswered(TraceEvent):
    """A primary sent a whole fragment (sync.12)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index of the backup that asked, from 1."""
    namespace: str
    """The namespace of the fragment."""
    versions: tuple[int, ...]
    """The primary's version vector, sent with the fragment: a version for each replica index, from 1."""
    to: MemberNumber
    """The backup that asked."""


@dataclass(frozen=True, slots=True)
class SyncTurnedDown(TraceEvent):
    """A primary had no permit left, its migration tasks are paused, or it is no primary (sync.13)."""

    partition: int
    """The partition of the fragments."""
    index: int
    """The replica index of the backup that asked, from 1."""
    namespaces: tuple[str, ...]
    """The namespaces of the fragments that are not sent; others of the same request may be."""
    to: MemberNumber
    """The backup that asked."""


@dataclass(frozen=True, slots=True)
class SyncInstalled(TraceEvent):
    """A backup replaced its fragment by the primary's and is clean (sync.14)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index of this backup, from 1."""
    namespace: str
    """The namespace of the fragment."""
    versions: tuple[int, ...]
    """The version vector that the backup has now: a version for each replica index, from 1; 0 below its own."""


@dataclass(frozen=True, slots=True)
class SyncEnded(TraceEvent):
    """A sync ended with nothing installed: its registration is gone (sync.10, sync.14)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index that the fragment was asked for, from 1."""
    namespace: str
    """The namespace of the fragment."""
    why: WhySyncEnded
    """Why nothing was installed."""


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
