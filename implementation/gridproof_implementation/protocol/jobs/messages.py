"""What members tell each other about jobs."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.plan import ExecutionPlan
from gridproof_implementation.protocol.jobs.stream import Item
from gridproof_implementation.protocol.replies import Reply
from gridproof_implementation.protocol.structure import StructureId


@dataclass(frozen=True, slots=True)
class SubmitJob(Message):
    """Run this job, master."""

    job: JobConfig


@dataclass(frozen=True, slots=True)
class SuspendJob(Message):
    """Stop this job after a terminal snapshot, master."""

    name: str


@dataclass(frozen=True, slots=True)
class ResumeJob(Message):
    """Let this job go on, master."""

    name: str


JobCommand = SubmitJob | SuspendJob | ResumeJob


@dataclass(frozen=True, slots=True)
class CommandTaken(Reply):
    """The master has done it, or will."""

    command: JobCommand


@dataclass(frozen=True, slots=True)
class JobRequest(Message):
    """What the coordinator asks of everybody; asked again until all have answered."""

    request: int


@dataclass(frozen=True, slots=True)
class JobReply(Reply):
    """The answer to one request."""

    request: int
    failure: str = ""
    """Why it was not done; empty when it was."""


@dataclass(frozen=True, slots=True)
class ReadPrimaries(JobRequest):
    """Tell what your primary replicas hold of a map (reference replication 8.4)."""

    structure: StructureId
    keys_only: bool


@dataclass(frozen=True, slots=True)
class PrimariesRead(JobReply):
    """What the sender's primaries hold, and of which partitions."""

    partitions: tuple[int, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class InitExecution(JobRequest):
    """Make ready what the plan says (reference replication 8.4)."""

    plan: ExecutionPlan


@dataclass(frozen=True, slots=True)
class StartExecution(JobRequest):
    """Everybody is ready: restore and run."""

    execution: str


@dataclass(frozen=True, slots=True)
class TakeSnapshot(JobRequest):
    """Phase 1: save your state under this id into this map (reference replication 8.2, 1)."""

    execution: str
    snapshot: int
    map_index: int
    terminal: bool


@dataclass(frozen=True, slots=True)
class SnapshotTaken(JobReply):
    """The result of phase 1 at one member (reference replication 8.2, 2)."""

    execution: str = ""
    snapshot: int = 0
    byte_count: int = 0
    key_count: int = 0
    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class FinishSnapshot(JobRequest):
    """Phase 2: the snapshot is the job's, or came to nothing (reference replication 8.2, 4)."""

    execution: str
    snapshot: int
    success: bool


@dataclass(frozen=True, slots=True)
class TerminateExecution(JobRequest):
    """Stop, and forget this execution."""

    execution: str


@dataclass(frozen=True, slots=True)
class ExecutionEnded(Message):
    """The sender's part of an execution is over; said again until the coordinator ends the execution."""

    execution: str
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Barrier:
    """Everything before this belongs to the snapshot (reference replication 8.3)."""

    snapshot: int
    map_index: int
    terminal: bool


@dataclass(frozen=True, slots=True)
class SavedState:
    """State read from a snapshot, on its way to the processor of its key."""

    vertex: str
    key: str
    state: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RestoreEnd:
    """The sender has read all its primaries."""


@dataclass(frozen=True, slots=True)
class NoMoreItems:
    """The sender's source has told everything."""


Token = Item | Barrier | SavedState | RestoreEnd | NoMoreItems


@dataclass(frozen=True, slots=True)
class Packet(Message):
    """What the edge from one member to another carries, numbered."""

    execution: str
    number: int
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class PacketsReceived(Message):
    """All packets below this number have come."""

    execution: str
    next_number: int
