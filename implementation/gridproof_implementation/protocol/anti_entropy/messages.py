"""The messages of anti-entropy between primaries and backups.

A summary travels after the updates sent to the backup before it, so that updates under way make no difference;
everything else is urgent (calls.2, sync.2).
"""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.replies import Reply, UrgentReply


@dataclass(frozen=True, slots=True)
class Summary(Message):
    """For each namespace, the one version that concerns the receiving backup (sync.1)."""

    index: int
    versions: tuple[tuple[str, int], ...]
    """Pairs of namespace and version, sorted by namespace."""
    check: int
    """The number of the check that waits for an answer; 0 if none does."""


@dataclass(frozen=True, slots=True)
class SummaryAnswer(Reply):
    """Whether a backup had all versions, and none of its fragments is dirty (sync.4)."""

    check: int
    index: int
    in_sync: bool


@dataclass(frozen=True, slots=True)
class SyncRequest(Message):
    """A backup asks for whole fragments (sync.8)."""

    URGENT: ClassVar[bool] = True

    index: int
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SyncAnswer(UrgentReply):
    """A whole fragment: data and versions read in one step (sync.12)."""

    index: int
    fragment: FragmentData


@dataclass(frozen=True, slots=True)
class SyncRetry(UrgentReply):
    """The primary gives no fragment now; the backup asks again when it next has a reason (sync.13)."""

    index: int
    namespaces: tuple[str, ...]
