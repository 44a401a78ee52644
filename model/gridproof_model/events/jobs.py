"""Events of stream jobs and their snapshots."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class JobSubmitted(TraceEvent):
    """The master wrote the record of a new job."""

    job: str


@dataclass(frozen=True, slots=True)
class JobWaits(TraceEvent):
    """A start condition is not met; it is tried again (reference replication 8.4)."""

    job: str
    why: str


@dataclass(frozen=True, slots=True)
class JobStarted(TraceEvent):
    """Everybody is ready, and the job begins, from a snapshot or from nothing."""

    job: str
    execution: str
    participants: tuple[MemberNumber, ...]
    """The members that take part, oldest first."""
    owners: tuple[MemberNumber, ...]
    """The member in charge, by partition, as planned."""
    snapshot: int


@dataclass(frozen=True, slots=True)
class JobStopped(TraceEvent):
    """The coordinator gives an execution up."""

    job: str
    execution: str
    why: str


@dataclass(frozen=True, slots=True)
class JobEnded(TraceEvent):
    """A job has ended for good: completed, failed or suspended."""

    job: str
    status: str
    why: str


@dataclass(frozen=True, slots=True)
class StateRestored(TraceEvent):
    """A member has read the chunks in its primary replicas (reference replication 8.4)."""

    job: str
    snapshot: int
    partitions: tuple[int, ...]
    """Those that had a chunk of the snapshot."""


@dataclass(frozen=True, slots=True)
class ItemSent(TraceEvent):
    """A source sent an item to the processor in charge of its key's partition."""

    job: str
    partition: int
    shard: int
    number: int


@dataclass(frozen=True, slots=True)
class ItemCounted(TraceEvent):
    """The processor in charge of a partition counted an item."""

    job: str
    partition: int
    shard: int
    number: int


@dataclass(frozen=True, slots=True)
class SourceSaved(TraceEvent):
    """A member's sources saved their offsets and sent their barriers (reference replication 8.2, 2)."""

    job: str
    snapshot: int
    offsets: tuple[tuple[int, int], ...]
    """Of each shard, by its number."""


@dataclass(frozen=True, slots=True)
class BarrierArrived(TraceEvent):
    """An input delivered its barrier (reference replication 8.3)."""

    job: str
    snapshot: int
    source: MemberNumber
    """The member that sent it."""


@dataclass(frozen=True, slots=True)
class CounterSaved(TraceEvent):
    """All live inputs delivered their barriers, and the processors of these partitions saved their state."""

    job: str
    snapshot: int
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChunkWritten(TraceEvent):
    """A chunk's write ended; confirmed copies are those that acknowledgements vouch for."""

    job: str
    snapshot: int
    vertex: str
    """source or counter: whose state it is."""
    partition: int
    failure: str
    """Why it was not written; empty where it was."""
    confirmed_copies: int
    """Copies that acknowledgements vouch for."""


@dataclass(frozen=True, slots=True)
class SnapshotBegun(TraceEvent):
    """The execution record knows the new id, the other map is cleared, everybody is notified (8.2, 1)."""

    job: str
    snapshot: int
    map_index: int
    terminal: bool
    """Whether the job stops with it."""


@dataclass(frozen=True, slots=True)
class SnapshotValidated(TraceEvent):
    """Every phase-1 result is good, and the validation record is written (8.2, 3)."""

    job: str
    snapshot: int
    chunk_count: int
    """How many chunks were written."""


@dataclass(frozen=True, slots=True)
class SnapshotRecorded(TraceEvent):
    """The execution record is written: the commit point (8.2, 3)."""

    job: str
    snapshot: int
    map_index: int


@dataclass(frozen=True, slots=True)
class SnapshotFailed(TraceEvent):
    """The previous snapshot stays the job's (8.2, 3)."""

    job: str
    snapshot: int
    why: str


@dataclass(frozen=True, slots=True)
class MapCleared(TraceEvent):
    """One of the two snapshot maps is empty now."""

    job: str
    map_index: int


JobEvent = (
    JobSubmitted
    | JobWaits
    | JobStarted
    | JobStopped
    | JobEnded
    | StateRestored
    | ItemSent
    | ItemCounted
    | SourceSaved
    | BarrierArrived
    | CounterSaved
    | ChunkWritten
    | SnapshotBegun
    | SnapshotValidated
    | SnapshotRecorded
    | SnapshotFailed
    | MapCleared
)
