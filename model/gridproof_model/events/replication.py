"""Events of replication: what backups apply and refuse."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class BackupApplied(TraceEvent):
    """A backup applied an update (reference replication 2.4)."""

    partition: int
    namespace: str
    index: int
    version: int
    """What the update brought for this index."""
    verdict: str
    """equal, next or gapped."""
    dirty: bool
    """Afterwards."""
    caller: MemberNumber
    call_id: int


@dataclass(frozen=True, slots=True)
class BackupRefused(TraceEvent):
    """A backup dropped an update: not applied, not acknowledged, nobody notified (reference replication 2.5, S6)."""

    partition: int
    namespace: str
    index: int
    version: int
    why: str
    """A `Refusal`."""
    held: int
    """The version this member has for that index."""
    dirty: bool
    """Whether what it has is known to lack something."""
    is_sync: bool
    """Whether the caller waits for its word."""
    caller: MemberNumber
    call_id: int


@dataclass(frozen=True, slots=True)
class FragmentInstalled(TraceEvent):
    """A fragment was replaced by one that migrated here (reference replication 3.7)."""

    partition: int
    namespace: str
    index: int
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReplicaKept(TraceEvent):
    """What this member holds of a partition was cut down to what a replica index holds (reference replication 3.7)."""

    partition: int
    index: int
    """-1 where nothing was kept."""


@dataclass(frozen=True, slots=True)
class ReplicaPromoted(TraceEvent):
    """Backup versions became a primary's (reference replication 3.7)."""

    partition: int
    from_index: int


@dataclass(frozen=True, slots=True)
class StructureDestroyed(TraceEvent):
    """All that this member held of a structure is gone, but for its versions (reference replication 3.1)."""

    structure: str
    """Its kind and name, with a colon between them."""


ReplicationEvent = (
    BackupApplied | BackupRefused | FragmentInstalled | ReplicaKept | ReplicaPromoted | StructureDestroyed
)
