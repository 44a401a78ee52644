"""The messages of anti-entropy between primaries and backups.

A summary is sent in the normal lane, after all earlier updates to the same backup, so that updates under way cause no
difference. Requests for fragments and the answers to them are urgent (calls.2, sync.2)."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.fragment import FragmentData
from gridproof_implementation.protocol.replies import Reply, UrgentReply


@dataclass(frozen=True, slots=True)
class Summary(Message):
    """Sends a backup, for each namespace, the one version that concerns this backup (sync.1)."""

    index: int
    versions: tuple[tuple[str, int], ...]
    """Pairs of namespace and version, sorted by namespace."""
    check: int
    """The number of the safety check that waits for an answer; 0 if no check waits."""


@dataclass(frozen=True, slots=True)
class SummaryAnswer(Reply):
    """A backup's answer: whether it has the versions of the summary, and none of its fragments is dirty (sync.4)."""

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
    """A whole fragment, whose data and versions were read in one step (sync.12)."""

    index: int
    fragment: FragmentData


@dataclass(frozen=True, slots=True)
class SyncRetry(UrgentReply):
    """The primary refuses these fragments for now; the backup asks again when it next has a reason (sync.13)."""

    index: int
    namespaces: tuple[str, ...]
