"""Events of anti-entropy: how copies become equal again."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent, Versions
from gridproof_model.events.words import WhySyncEnded


@dataclass(frozen=True, slots=True)
class SummarySent(TraceEvent):
    """A primary sent a backup the versions that the backup should have (sync.1)."""

    partition: int
    """The partition whose versions were sent."""
    index: int
    """The replica index of the backup, from 1."""
    to: MemberNumber
    """The backup that is to compare them."""
    versions: Versions
    """For each namespace, the entry of the primary's version vector that belongs to this backup."""


@dataclass(frozen=True, slots=True)
class SummaryCompared(TraceEvent):
    """A backup compared a summary with what it has (sync.4)."""

    partition: int
    """The partition that was compared."""
    index: int
    """The replica index of this backup, from 1."""
    behind: tuple[str, ...]
    """The namespaces that are dirty or have another version; none if this backup is in sync."""
    versions: Versions
    """The primary's versions from the summary, by namespace."""


@dataclass(frozen=True, slots=True)
class SummaryIgnored(TraceEvent):
    """A backup ignored a summary that was not for its replica, or not from its primary (sync.3)."""

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
    """The namespaces of the fragments asked for, as many as there are permits; fragments on their way are left out."""
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
    """A sync was refused: its primary has no permit left, paused its migration tasks, or is no primary (sync.13)."""

    partition: int
    """The partition of the fragments."""
    index: int
    """The replica index of the backup that asked, from 1."""
    namespaces: tuple[str, ...]
    """The namespaces of the fragments that are not sent; other fragments of the same request may be sent."""
    to: MemberNumber
    """The backup that asked."""


@dataclass(frozen=True, slots=True)
class SyncInstalled(TraceEvent):
    """A backup replaced its fragment by the primary's and is no longer dirty (sync.14)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index of this backup, from 1."""
    namespace: str
    """The namespace of the fragment."""
    versions: tuple[int, ...]
    """The version vector that the backup has now: one version for each replica index, from 1; 0 below its own."""


@dataclass(frozen=True, slots=True)
class SyncEnded(TraceEvent):
    """A sync ended without installing a fragment, and its registration is gone (sync.10, sync.14)."""

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
