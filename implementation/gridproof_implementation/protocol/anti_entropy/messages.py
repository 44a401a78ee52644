"""What primaries and backups send each other.

The summary waits its turn behind the backups sent before it, so that what is still under way makes no difference;
everything else is urgent (calls.2, sync.2).
"""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.replies import Reply, UrgentReply


@dataclass(frozen=True, slots=True)
class Summary(Message):
    """The one version of each namespace that concerns a backup (sync.1)."""

    index: int
    versions: tuple[tuple[str, int], ...]
    """By namespace, sorted."""
    check: int
    """The number of the check that waits for an answer; 0 where nobody does."""


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
    """The primary does not answer now; ask again when there is a reason to (sync.13)."""

    index: int
    namespaces: tuple[str, ...]
