"""Events of replication: what backups apply and refuse."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Applied, WhyBackupRefused


@dataclass(frozen=True, slots=True)
class BackupApplied(TraceEvent):
    """A backup applied an update (backups.10)."""

    partition: int
    """The partition of the update."""
    namespace: str
    """The namespace of the update."""
    index: int
    """The replica index of this backup, from 1."""
    version: int
    """What the update brought for this index."""
    verdict: Applied
    """How that version stands to the one that this member had for the index."""
    dirty: bool
    """Whether the fragment is dirty afterwards."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 where nobody waits for backups."""


@dataclass(frozen=True, slots=True)
class BackupRefused(TraceEvent):
    """A backup dropped an update: not applied, not acknowledged, nobody notified (backups.14)."""

    partition: int
    """The partition of the update."""
    namespace: str
    """The namespace of the update."""
    index: int
    """The replica index that the update was for, from 1."""
    version: int
    """What the update brought for this index."""
    why: WhyBackupRefused
    """Which check it did not pass, or that applying it failed."""
    held: int
    """The version this member has for that index; 0 where it has none."""
    dirty: bool
    """Whether what it has is known to lack something."""
    is_sync: bool
    """Whether the caller waits for its word."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 where nobody waits for backups."""


@dataclass(frozen=True, slots=True)
class FragmentInstalled(TraceEvent):
    """A fragment was replaced by one that migrated here (migration.10)."""

    partition: int
    """The partition of the fragment."""
    namespace: str
    """The namespace of the fragment."""
    index: int
    """The replica index that this member is to have, 0 the primary's."""
    versions: tuple[int, ...]
    """The version vector that it has now: a version for each replica index, from 1; 0 below its own."""


@dataclass(frozen=True, slots=True)
class ReplicaKept(TraceEvent):
    """What this member holds of a partition was cut down to what a replica index holds (migration.18)."""

    partition: int
    """The partition that was cut down."""
    index: int
    """The replica index, 0 the primary's; -1 where nothing was kept."""


@dataclass(frozen=True, slots=True)
class ReplicaPromoted(TraceEvent):
    """Backup versions became a primary's (repair.9)."""

    partition: int
    """The partition whose versions these are."""
    from_index: int
    """The replica index that this member had before, from 1."""


@dataclass(frozen=True, slots=True)
class StructureDestroyed(TraceEvent):
    """All that this member held of a structure is gone, but for its versions (calls.34, sync.6)."""

    structure: str
    """Its kind and name, with a colon between them."""


ReplicationEvent = (
    BackupApplied | BackupRefused | FragmentInstalled | ReplicaKept | ReplicaPromoted | StructureDestroyed
)
