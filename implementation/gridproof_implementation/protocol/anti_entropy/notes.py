"""What primaries and backups note of becoming equal again."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class SummarySent(Note):
    """A primary told a backup the versions it should have (reference replication 3.1)."""

    partition: int
    index: int
    to: MemberId
    versions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SummaryCompared(Note):
    """A backup compared a summary with what it has (reference replication 3.2)."""

    partition: int
    index: int
    behind: tuple[str, ...]
    """The namespaces that are dirty or have another version."""
    versions: tuple[tuple[str, int], ...]
    """What the primary had said."""


@dataclass(frozen=True, slots=True)
class SummaryIgnored(Note):
    """A summary was not for this replica, or not from its primary (reference replication 3.2)."""

    partition: int
    index: int


@dataclass(frozen=True, slots=True)
class SyncRequested(Note):
    """A backup registered syncs and asked its primary for the fragments (reference replication 3.4)."""

    partition: int
    index: int
    namespaces: tuple[str, ...]
    to: MemberId


@dataclass(frozen=True, slots=True)
class SyncAnswered(Note):
    """A primary sent a whole fragment (reference replication 3.5)."""

    partition: int
    index: int
    namespace: str
    versions: tuple[int, ...]
    to: MemberId


@dataclass(frozen=True, slots=True)
class SyncTurnedDown(Note):
    """A primary had no permit left, its migration tasks are paused, or it is no primary (reference replication 3.5)."""

    partition: int
    index: int
    namespaces: tuple[str, ...]
    to: MemberId


@dataclass(frozen=True, slots=True)
class SyncInstalled(Note):
    """A backup replaced its fragment by the primary's and is clean (reference replication 3.6)."""

    partition: int
    index: int
    namespace: str
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SyncEnded(Note):
    """A sync ended with nothing installed: its registration is gone (reference replication 3.4, 3.6)."""

    partition: int
    index: int
    namespace: str
    why: str
    """turned down, expired, primary changed, target left, another slot, migrating, thrown."""
