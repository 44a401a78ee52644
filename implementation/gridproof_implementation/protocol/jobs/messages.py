"""What members send each other about jobs: items, plans, commands, questions, tokens.

The items a job reads are numbered, keyed, and repeatable: a shard is a stream that can be emitted anew from any offset,
as a replayable source needs (jobs.17).

An execution plan says which member runs what, from start to stop. The plan is made once by the coordinator, from its
table as it stands: the processor in charge of partition p runs on the member that owned p then, and stays there even if
p moves (jobs.2).

What a coordinator asks of several members at a time (`Rounds`) is asked again every second until all have answered. An
answer to a question that is over is ignored, and so is every late message of an older execution (jobs.11).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

from gridproof_implementation.protocol.effects import Message, Timer
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.replies import Reply
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import StructureId
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a stream, to be counted."""

    shard: int
    number: int
    """The item's offset in its shard, from 0."""
    key: str
    value: int


def item_at(job: JobConfig, shard: int, number: int) -> Item:
    """Return an item of a shard: the same at every emission. Shards use all keys in turn, each from another one on."""
    return Item(shard, number, f"key-{(shard + number) % job.key_count}", number + 1)


@dataclass(frozen=True, slots=True)
class Restored:
    """The snapshot that an execution begins from."""

    snapshot: int
    map_index: int


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """One execution of a job."""

    execution: str
    """A name that no other execution has; messages about another execution are ignored (jobs.11)."""
    job: JobConfig
    participants: tuple[MemberId, ...]
    """The data members, oldest first."""
    owners: tuple[MemberId, ...]
    """The member in charge, by partition."""
    restore: Restored | None
    """The snapshot to restore; None if the execution begins without saved state."""

    def shards_of(self, member: MemberId) -> Iterator[int]:
        """Yield the shards whose source runs at a member: the participants get shards in turn."""
        return iter(range(self.participants.index(member), self.job.shard_count, len(self.participants)))

    def partitions_of(self, member: MemberId) -> list[int]:
        """The partitions whose processor runs at a member."""
        return [partition for partition, owner in enumerate(self.owners) if owner == member]


@dataclass(frozen=True, slots=True)
class SubmitJob(Message):
    """A request to the master to run a job."""

    job: JobConfig


@dataclass(frozen=True, slots=True)
class CommandTaken(Reply):
    """The master has carried out a command, or will."""

    command: SubmitJob


@dataclass(frozen=True, slots=True)
class JobRequest(Message):
    """A request of the coordinator to several members, repeated until all of them have answered."""

    request: int


@dataclass(frozen=True, slots=True)
class JobReply(Reply):
    """The answer to one request."""

    request: int
    failure: str = ""
    """Why the request was not carried out; empty if it was."""


@dataclass(frozen=True, slots=True)
class ReadPrimaries(JobRequest):
    """A request to send what the receiver's primary replicas hold of a map (jobs.17)."""

    structure: StructureId
    keys_only: bool


@dataclass(frozen=True, slots=True)
class PrimariesRead(JobReply):
    """What the sender's primary replicas hold of a map, and the partitions of these replicas."""

    partitions: tuple[int, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class InitExecution(JobRequest):
    """A request to make ready what the plan says (jobs.15)."""

    plan: ExecutionPlan


@dataclass(frozen=True, slots=True)
class StartExecution(JobRequest):
    """A request to restore and run: all participants are ready."""

    execution: str


@dataclass(frozen=True, slots=True)
class TakeSnapshot(JobRequest):
    """Phase 1, a request to save the receiver's state under this id into this map (jobs.5)."""

    execution: str
    snapshot: int
    map_index: int
    terminal: bool


@dataclass(frozen=True, slots=True)
class SnapshotTaken(JobReply):
    """The result of phase 1 at one member (jobs.7)."""

    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class FinishSnapshot(JobRequest):
    """Phase 2: the snapshot was recorded as the job's, or failed (jobs.9)."""

    execution: str
    snapshot: int
    success: bool


@dataclass(frozen=True, slots=True)
class TerminateExecution(JobRequest):
    """A request to stop and forget an execution."""

    execution: str


@dataclass(frozen=True, slots=True)
class ExecutionEnded(Message):
    """The sender's part of an execution is over; sent again until the coordinator ends the execution."""

    execution: str
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Barrier:
    """Everything before this belongs to the snapshot (jobs.6)."""

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
    """The sender has emitted all saved state that its primaries hold."""


@dataclass(frozen=True, slots=True)
class NoMoreItems:
    """The sender's source has emitted everything."""


Token = Item | Barrier | SavedState | RestoreEnd | NoMoreItems


@dataclass(frozen=True, slots=True)
class Packet(Message):
    """A numbered packet of tokens on the edge from one member to another."""

    execution: str
    number: int
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class PacketsReceived(Message):
    """All packets below this number have come."""

    execution: str
    next_number: int


ASK_AGAIN_US = SECOND_US

Replies = Mapping[MemberId, JobReply]


@dataclass(frozen=True, slots=True)
class AskAgain(Timer):
    """Not all members have answered a question."""

    request: int


@dataclass(slots=True)
class Round:
    """One question to several members; mutable."""

    request: JobRequest
    awaited: dict[MemberId, None]
    then: Callable[[Replies], object]
    replies: dict[MemberId, JobReply] = field(default_factory=dict)


class Rounds:
    """The open questions of one member."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._numbers = count()
        self._open: dict[int, Round] = {}

    def __len__(self) -> int:
        return len(self._open)

    def ask(
        self, members: Iterable[MemberId], ask: Callable[[int], JobRequest], then: Callable[[Replies], object]
    ) -> int:
        """Ask members, and return the question's number; `then` gets all answers together, at once if no member is
        asked."""
        number = next(self._numbers)
        self._open[number] = Round(ask(number), dict.fromkeys(members), then)
        self.on_ask_again(AskAgain(number))
        self._end_if_complete(number)
        return number

    def forget(self, number: int | None) -> None:
        """Forget a question: its answers do not count any more."""
        if number is not None and self._open.pop(number, None) is not None:
            self._node.cancel_timer(AskAgain(number))

    def is_open(self, number: int | None) -> bool:
        """Whether an answer to this question still counts."""
        return number in self._open

    def on_reply(self, sender: MemberId, reply: JobReply) -> None:
        """Take an answer."""
        asked = self._open.get(reply.request)
        if asked is not None and sender in asked.awaited:
            del asked.awaited[sender]
            asked.replies[sender] = reply
            self._end_if_complete(reply.request)

    def member_removed(self, gone: MemberId) -> None:
        """Wait no longer for the answers of a member that left."""
        for number, asked in list(self._open.items()):
            if gone in asked.awaited:
                del asked.awaited[gone]
                self._end_if_complete(number)

    def _end_if_complete(self, number: int) -> None:
        asked = self._open[number]
        if not asked.awaited:
            self.forget(number)
            asked.then(asked.replies)

    def on_ask_again(self, timer: AskAgain) -> None:
        """Ask the members again that have not answered."""
        asked = self._open[timer.request]
        for member in asked.awaited:
            self._node.send(member, asked.request)
        self._node.set_timer(timer, ASK_AGAIN_US)
