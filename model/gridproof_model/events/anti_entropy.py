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
    """The replica index of the backup, 1 or more."""
    to: MemberNumber
    """The backup that is to compare these versions with its own."""
    versions: Versions
    """For each namespace, the entry of the primary's version vector that belongs to this backup."""


@dataclass(frozen=True, slots=True)
class SummaryCompared(TraceEvent):
    """A backup compared a summary with what it has (sync.4)."""

    partition: int
    """The partition that was compared."""
    index: int
    """The replica index of this backup, 1 or more."""
    behind: tuple[str, ...]
    """The namespaces that are dirty or have another version; empty if this backup is in sync."""
    versions: Versions
    """For each namespace, the version that the primary's summary states."""


@dataclass(frozen=True, slots=True)
class SummaryIgnored(TraceEvent):
    """A backup ignored a summary that was for another replica index, or did not come from its primary (sync.3)."""

    partition: int
    """The partition that the summary was about."""
    index: int
    """The replica index for which the summary was meant, 1 or more."""


@dataclass(frozen=True, slots=True)
class SyncRequested(TraceEvent):
    """A backup registered syncs and asked its primary for the fragments (sync.10)."""

    partition: int
    """The partition of the fragments."""
    index: int
    """The replica index of this backup, 1 or more."""
    namespaces: tuple[str, ...]
    """The namespaces of the fragments asked for, one for each permit; none of these fragments is on its way already."""
    to: MemberNumber
    """The primary that was asked."""


@dataclass(frozen=True, slots=True)
class SyncAnswered(TraceEvent):
    """A primary sent a whole fragment (sync.12)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index of the backup that asked, 1 or more."""
    namespace: str
    """The namespace of the fragment."""
    versions: tuple[int, ...]
    """The primary's version vector, sent with the fragment: one version for each replica index, beginning with 1."""
    to: MemberNumber
    """The backup that asked."""


@dataclass(frozen=True, slots=True)
class SyncTurnedDown(TraceEvent):
    """A sync was refused: the member has no permit left, has paused migrations, or is not the primary (sync.13)."""

    partition: int
    """The partition of the fragments."""
    index: int
    """The replica index of the backup that asked, 1 or more."""
    namespaces: tuple[str, ...]
    """The namespaces of the fragments that are not sent; other fragments of the same request may still be sent."""
    to: MemberNumber
    """The backup that asked."""


@dataclass(frozen=True, slots=True)
class SyncInstalled(TraceEvent):
    """A backup replaced its fragment by that of its primary, and is no longer dirty (sync.14)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index of this backup, 1 or more."""
    namespace: str
    """The namespace of the fragment."""
    versions: tuple[int, ...]
    """The backup's version vector now: one version for each replica index, beginning with 1; 0 below its own index."""


@dataclass(frozen=True, slots=True)
class SyncEnded(TraceEvent):
    """A sync ended without installing a fragment, and is no longer registered (sync.10, sync.14)."""

    partition: int
    """The partition of the fragment."""
    index: int
    """The replica index for which the fragment was asked, 1 or more."""
    namespace: str
    """The namespace of the fragment."""
    why: WhySyncEnded
    """Why no fragment was installed."""


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
