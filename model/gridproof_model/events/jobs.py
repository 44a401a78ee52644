"""Events of stream jobs and their snapshots."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import JobStatus, Vertex


@dataclass(frozen=True, slots=True)
class JobSubmitted(TraceEvent):
    """The master wrote the record of a new job."""

    job: str
    """The name of the job."""


@dataclass(frozen=True, slots=True)
class JobWaits(TraceEvent):
    """A start condition is not met; it is tried again (jobs.16)."""

    job: str
    """The name of the job."""
    why: str
    """Which start condition is not met, or what could not be read or written."""


@dataclass(frozen=True, slots=True)
class JobStarted(TraceEvent):
    """Everybody is ready, and the job begins, from a snapshot or from nothing."""

    job: str
    """The name of the job."""
    execution: str
    """The name of the execution, which no other of any job has."""
    participants: tuple[MemberNumber, ...]
    """The members that take part, oldest first."""
    owners: tuple[MemberNumber, ...]
    """The member in charge, by partition, as planned."""
    snapshot: int
    """The id of the snapshot that it goes on from; 0 for none, where it begins anew."""


@dataclass(frozen=True, slots=True)
class JobStopped(TraceEvent):
    """The coordinator gives an execution up."""

    job: str
    """The name of the job."""
    execution: str
    """The name of the execution, which no other of any job has."""
    why: str
    """Why it is given up; `completed` where the job has completed."""


@dataclass(frozen=True, slots=True)
class JobEnded(TraceEvent):
    """A job has ended for good: completed or failed."""

    job: str
    """The name of the job."""
    status: JobStatus
    """Whether the job completed or failed."""
    why: str
    """Why it ended so; empty for a job that has completed."""


@dataclass(frozen=True, slots=True)
class StateRestored(TraceEvent):
    """A member has read the chunks in its primary replicas (jobs.17)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that was read."""
    partitions: tuple[int, ...]
    """The partitions with a chunk of the snapshot in a primary replica here."""


@dataclass(frozen=True, slots=True)
class ItemSent(TraceEvent):
    """A source sent an item to the processor in charge of its key's partition."""

    job: str
    """The name of the job."""
    partition: int
    """The partition of the item's key."""
    shard: int
    """The shard that the item is of, from 0."""
    number: int
    """The item's number in its shard, from 0."""


@dataclass(frozen=True, slots=True)
class ItemCounted(TraceEvent):
    """The processor in charge of a partition counted an item."""

    job: str
    """The name of the job."""
    partition: int
    """The partition of the item's key."""
    shard: int
    """The shard that the item is of, from 0."""
    number: int
    """The item's number in its shard, from 0."""


@dataclass(frozen=True, slots=True)
class SourceSaved(TraceEvent):
    """A member's sources saved their offsets and sent their barriers (jobs.6)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that they were saved for."""
    offsets: tuple[tuple[int, int], ...]
    """For each shard of this member its number, and the number of the next item that it is to emit."""


@dataclass(frozen=True, slots=True)
class BarrierArrived(TraceEvent):
    """An input delivered its barrier (jobs.14)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that the barrier is of."""
    source: MemberNumber
    """The member that sent it."""


@dataclass(frozen=True, slots=True)
class CounterSaved(TraceEvent):
    """All live inputs delivered their barriers, and the processors of these partitions saved their state."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that it was saved for."""
    partitions: tuple[int, ...]
    """The partitions that this member's processors are in charge of."""


@dataclass(frozen=True, slots=True)
class ChunkWritten(TraceEvent):
    """A chunk's write ended; confirmed copies are those that acknowledgements vouch for."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that the chunk is of."""
    vertex: Vertex
    """The kind of processor whose state it is."""
    partition: int
    """The partition that the chunk is kept in."""
    failure: str
    """Why it was not written; empty where it was."""
    confirmed_copies: int
    """Copies that acknowledgements vouch for, the primary included; 0 where none is known to be there."""


@dataclass(frozen=True, slots=True)
class SnapshotBegun(TraceEvent):
    """The execution record knows the new id, the other map is cleared, everybody is notified (jobs.5)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot: ids grow from 1, and none is used twice for a job."""
    map_index: int
    """Which of the two snapshot maps is written, 0 or 1: never the one with the last good snapshot."""
    terminal: bool
    """Whether the job stops with it."""


@dataclass(frozen=True, slots=True)
class SnapshotValidated(TraceEvent):
    """Every phase-1 result is good, and the validation record is written (jobs.8)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that is whole."""
    chunk_count: int
    """How many chunks were written."""


@dataclass(frozen=True, slots=True)
class SnapshotRecorded(TraceEvent):
    """The execution record is written: the commit point (jobs.8)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that is the job's from now on."""
    map_index: int
    """Which of the two snapshot maps holds it, 0 or 1."""


@dataclass(frozen=True, slots=True)
class SnapshotFailed(TraceEvent):
    """The previous snapshot stays the job's (jobs.8)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that failed."""
    why: str
    """What went wrong, and with whom; a failed write begins it: `the execution record`, `the validation record` or
    `the commit`."""


@dataclass(frozen=True, slots=True)
class MapCleared(TraceEvent):
    """One of the two snapshot maps is empty now."""

    job: str
    """The name of the job."""
    map_index: int
    """Which of the two it is, 0 or 1."""


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
