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
    """The replica index of this backup, 1 or more."""
    version: int
    """The version that the update carried for this replica index."""
    verdict: Applied
    """How the update's version compares with the version that this member had for the same index."""
    dirty: bool
    """Whether the fragment is dirty afterwards."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 if no caller waits for backups."""


@dataclass(frozen=True, slots=True)
class BackupRefused(TraceEvent):
    """A backup dropped an update: it neither applied nor acknowledged it, and notified no member (backups.14)."""

    partition: int
    """The partition of the update."""
    namespace: str
    """The namespace of the update."""
    index: int
    """The replica index for which the update was meant, 1 or more."""
    version: int
    """The version that the update carried for the replica index for which it was meant."""
    why: WhyBackupRefused
    """Which check the update failed, or that applying it failed."""
    held: int
    """The version that this member has for the same replica index; 0 if it has none."""
    dirty: bool
    """Whether this member's fragment is marked dirty, which means that it is known to lack an update."""
    is_sync: bool
    """Whether the caller waits for this backup's acknowledgement."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 if no caller waits for backups."""


@dataclass(frozen=True, slots=True)
class FragmentInstalled(TraceEvent):
    """A fragment was replaced by one that a migration brought (migration.10)."""

    partition: int
    """The partition of the fragment."""
    namespace: str
    """The namespace of the fragment."""
    index: int
    """The replica index that this member is to have; 0 means the primary."""
    versions: tuple[int, ...]
    """The replica's version vector now: one version for each replica index, beginning with 1; 0 below its own index."""


@dataclass(frozen=True, slots=True)
class ReplicaKept(TraceEvent):
    """This member's copy of a partition was reduced to what a copy at its new replica index has (migration.18)."""

    partition: int
    """The partition of the copy."""
    index: int
    """The replica index whose content was kept; 0 means the primary, and -1 means that nothing was kept."""


@dataclass(frozen=True, slots=True)
class ReplicaPromoted(TraceEvent):
    """A promoted backup's versions became those of a primary (repair.9)."""

    partition: int
    """The partition to which these versions belong."""
    from_index: int
    """The replica index that this member had before, 1 or more."""


@dataclass(frozen=True, slots=True)
class StructureDestroyed(TraceEvent):
    """This member deleted all that it had of a structure, except the structure's versions (calls.34, sync.6)."""

    structure: str
    """The structure's kind and name, with a colon between them."""


ReplicationEvent = (
    BackupApplied | BackupRefused | FragmentInstalled | ReplicaKept | ReplicaPromoted | StructureDestroyed
)
