"""What a member notes of the replicas it holds."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_implementation.protocol.structure import StructureId
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class BackupApplied(Note):
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
    caller: MemberId
    call_id: int


@dataclass(frozen=True, slots=True)
class BackupRefused(Note):
    """A backup dropped an update: not applied, not acknowledged, nobody told (reference replication 2.5, S6)."""

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
    caller: MemberId
    call_id: int


@dataclass(frozen=True, slots=True)
class FragmentInstalled(Note):
    """A fragment was replaced by one that migrated here (reference replication 3.7)."""

    partition: int
    namespace: str
    index: int
    versions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReplicaKept(Note):
    """What this member holds of a partition was cut down to what a replica index holds (reference replication 3.7)."""

    partition: int
    index: int
    """-1 where nothing was kept."""


@dataclass(frozen=True, slots=True)
class ReplicaPromoted(Note):
    """Backup versions became a primary's (reference replication 3.7)."""

    partition: int
    from_index: int


@dataclass(frozen=True, slots=True)
class StructureDestroyed(Note):
    """All that this member held of a structure is gone, but for its versions (reference replication 3.1)."""

    structure: StructureId
