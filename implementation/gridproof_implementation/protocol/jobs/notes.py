"""What members note of jobs and snapshots."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class JobSubmitted(Note):
    """The master wrote the record of a new job."""

    job: str


@dataclass(frozen=True, slots=True)
class JobWaits(Note):
    """A start condition is not met; it is tried again (reference replication 8.4)."""

    job: str
    why: str


@dataclass(frozen=True, slots=True)
class JobStarted(Note):
    """Everybody is ready, and the job begins, from a snapshot or from nothing."""

    job: str
    execution: str
    participants: tuple[MemberId, ...]
    owners: tuple[MemberId, ...]
    """The member in charge, by partition, as planned."""
    snapshot: int


@dataclass(frozen=True, slots=True)
class JobStopped(Note):
    """The coordinator gives an execution up."""

    job: str
    execution: str
    why: str


@dataclass(frozen=True, slots=True)
class JobEnded(Note):
    """For good: completed, failed or suspended."""

    job: str
    status: str
    why: str


@dataclass(frozen=True, slots=True)
class StateRestored(Note):
    """A member has read the chunks in its primary replicas (reference replication 8.4)."""

    job: str
    snapshot: int
    partitions: tuple[int, ...]
    """Those that had a chunk of the snapshot."""


@dataclass(frozen=True, slots=True)
class ItemTold(Note):
    """A source sent an item to the processor in charge of its key's partition."""

    job: str
    partition: int
    shard: int
    number: int


@dataclass(frozen=True, slots=True)
class ItemCounted(Note):
    """The processor in charge of a partition counted an item."""

    job: str
    partition: int
    shard: int
    number: int


@dataclass(frozen=True, slots=True)
class SourceSaved(Note):
    """A member's sources saved their offsets and sent their barriers (reference replication 8.2, 2)."""

    job: str
    snapshot: int
    offsets: tuple[tuple[int, int], ...]
    """By shard."""


@dataclass(frozen=True, slots=True)
class BarrierArrived(Note):
    """An input delivered its barrier (reference replication 8.3)."""

    job: str
    snapshot: int
    source: MemberId


@dataclass(frozen=True, slots=True)
class CounterSaved(Note):
    """All live inputs delivered their barriers, and the processors of these partitions saved their state."""

    job: str
    snapshot: int
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChunkWritten(Note):
    """A chunk's write ended; confirmed copies are those that acknowledgements vouch for."""

    job: str
    snapshot: int
    vertex: str
    partition: int
    failure: str
    confirmed_copies: int


@dataclass(frozen=True, slots=True)
class SnapshotBegun(Note):
    """The execution record knows the new id, the other map is cleared, everybody is told (8.2, 1)."""

    job: str
    snapshot: int
    map_index: int
    terminal: bool


@dataclass(frozen=True, slots=True)
class SnapshotValidated(Note):
    """Every phase-1 result is good, and the validation record is written (8.2, 3)."""

    job: str
    snapshot: int
    chunk_count: int


@dataclass(frozen=True, slots=True)
class SnapshotRecorded(Note):
    """The execution record is written: the commit point (8.2, 3)."""

    job: str
    snapshot: int
    map_index: int


@dataclass(frozen=True, slots=True)
class SnapshotFailed(Note):
    """The previous snapshot stays the job's (8.2, 3)."""

    job: str
    snapshot: int
    why: str


@dataclass(frozen=True, slots=True)
class MapCleared(Note):
    """One of the two snapshot maps is empty now."""

    job: str
    map_index: int
