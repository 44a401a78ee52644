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
    """A condition for the start of a job is not met; the master tries again later (jobs.16)."""

    job: str
    """The name of the job."""
    why: str
    """Which condition is not met, or what could not be read or written."""


@dataclass(frozen=True, slots=True)
class JobStarted(TraceEvent):
    """All participants are ready, and the job begins, from a snapshot or from its beginning."""

    job: str
    """The name of the job."""
    execution: str
    """The name of the execution; no other execution of any job has it."""
    participants: tuple[MemberNumber, ...]
    """The members that take part, oldest first."""
    owners: tuple[MemberNumber, ...]
    """For each partition, the member that is in charge of it in this execution."""
    snapshot: int
    """The id of the snapshot from which the job continues; 0 if it starts from its beginning."""


@dataclass(frozen=True, slots=True)
class JobStopped(TraceEvent):
    """The coordinator ends an execution of a job."""

    job: str
    """The name of the job."""
    execution: str
    """The name of the execution; no other execution of any job has it."""
    why: str
    """Why the execution ends; `completed` if the job has completed."""


@dataclass(frozen=True, slots=True)
class JobEnded(TraceEvent):
    """A job has ended for good: it completed or failed."""

    job: str
    """The name of the job."""
    status: JobStatus
    """Whether the job completed or failed."""
    why: str
    """Why the job failed; empty if it completed."""


@dataclass(frozen=True, slots=True)
class StateRestored(TraceEvent):
    """A member has restored the state of a job from the chunks in its primary replicas (jobs.17)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that was read."""
    partitions: tuple[int, ...]
    """The partitions that have a chunk of the snapshot in a primary replica of this member."""


@dataclass(frozen=True, slots=True)
class ItemSent(TraceEvent):
    """A source sent an item to the processor in charge of its key's partition."""

    job: str
    """The name of the job."""
    partition: int
    """The partition of the item's key."""
    shard: int
    """The shard that the item comes from; shards are numbered from 0."""
    number: int
    """The item's number in its shard, counted from 0."""


@dataclass(frozen=True, slots=True)
class ItemCounted(TraceEvent):
    """The processor in charge of a partition counted an item."""

    job: str
    """The name of the job."""
    partition: int
    """The partition of the item's key."""
    shard: int
    """The shard that the item comes from; shards are numbered from 0."""
    number: int
    """The item's number in its shard, counted from 0."""


@dataclass(frozen=True, slots=True)
class SourceSaved(TraceEvent):
    """A member's sources saved their offsets and sent their barriers (jobs.6)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot for which the offsets were saved."""
    offsets: tuple[tuple[int, int], ...]
    """For each shard of this member: its number, and the number of the next item that will be emitted from it."""


@dataclass(frozen=True, slots=True)
class BarrierArrived(TraceEvent):
    """The barrier of one input arrived (jobs.14)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot to which the barrier belongs."""
    source: MemberNumber
    """The member that sent the barrier."""


@dataclass(frozen=True, slots=True)
class CounterSaved(TraceEvent):
    """The barriers of all live inputs have arrived, and the processors of these partitions have saved their state."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot for which the state was saved."""
    partitions: tuple[int, ...]
    """The partitions that this member's processors are in charge of."""


@dataclass(frozen=True, slots=True)
class ChunkWritten(TraceEvent):
    """The write of a chunk ended, with or without success."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot to which the chunk belongs."""
    vertex: Vertex
    """The kind of processor whose state is in the chunk."""
    partition: int
    """The partition in which the chunk is stored."""
    failure: str
    """Why the chunk was not written; empty if it was written."""
    confirmed_copies: int
    """How many copies are confirmed by acknowledgements, including the primary's; 0 if no copy is known to exist."""


@dataclass(frozen=True, slots=True)
class SnapshotBegun(TraceEvent):
    """A snapshot begins: its id is in the execution record, its map is empty, and all participants know it (jobs.5)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot; the ids of a job's snapshots increase from 1, and none is used twice."""
    map_index: int
    """Which of the two snapshot maps is written, 0 or 1: never the map of the last good snapshot."""
    terminal: bool
    """Whether the job stops after this snapshot."""


@dataclass(frozen=True, slots=True)
class SnapshotValidated(TraceEvent):
    """Phase 1 succeeded at all participants, and the coordinator has written the validation record (jobs.8)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that is now complete."""
    chunk_count: int
    """How many chunks were written."""


@dataclass(frozen=True, slots=True)
class SnapshotRecorded(TraceEvent):
    """The execution record is written, which commits the snapshot (jobs.8)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot from which the job restarts from now on."""
    map_index: int
    """Which of the two snapshot maps contains the snapshot, 0 or 1."""


@dataclass(frozen=True, slots=True)
class SnapshotFailed(TraceEvent):
    """A snapshot failed, and the job still restarts from the previous snapshot (jobs.8)."""

    job: str
    """The name of the job."""
    snapshot: int
    """The id of the snapshot that failed."""
    why: str
    """What failed, and at which member. If a write failed, the text begins with `the execution record`,
    `the validation record` or `the commit`."""


@dataclass(frozen=True, slots=True)
class MapCleared(TraceEvent):
    """One of the two snapshot maps was cleared."""

    job: str
    """The name of the job."""
    map_index: int
    """Which of the two maps was cleared, 0 or 1."""


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
