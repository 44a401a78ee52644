"""The messages that members exchange about jobs: commands, plans, questions, and packets of tokens such as items.

The items that a job reads have numbers and keys, and can be repeated: a shard is a stream that can be emitted again
from any offset, as is required of a replayable source (jobs.17).

An execution plan says what each member runs from the start of an execution to its end. The coordinator makes the plan
once, from its partition table at that time: the processor in charge of a partition runs on the member that owns the
partition then, and stays there even if the partition moves (jobs.2).

A question that a coordinator asks several members at a time (see `Rounds`) is repeated every second until all of them
have answered. An answer that comes after its question was closed is ignored, and so is every late message of an older
execution (jobs.11)."""

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
    """One item of a stream, which is to be counted."""

    shard: int
    number: int
    """The item's offset in its shard, from 0."""
    key: str
    value: int


def item_at(job: JobConfig, shard: int, number: int) -> Item:
    """Return an item of a shard, the same each time. Each shard uses all keys in turn, and begins with another key."""
    return Item(shard, number, f"key-{(shard + number) % job.key_count}", number + 1)


@dataclass(frozen=True, slots=True)
class Restored:
    """The snapshot from which an execution starts."""

    snapshot: int
    map_index: int


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The plan of one execution of a job."""

    execution: str
    """A name that no other execution has; messages about another execution are ignored (jobs.11)."""
    job: JobConfig
    participants: tuple[MemberId, ...]
    """The data members of the cluster, oldest first."""
    owners: tuple[MemberId, ...]
    """The member in charge of each partition, in the order of the partitions."""
    restore: Restored | None
    """The snapshot to restore; None if the execution begins without saved state."""

    def shards_of(self, member: MemberId) -> Iterator[int]:
        """Yield the shards whose source runs on a member; the shards are dealt out to the participants in turn."""
        return iter(range(self.participants.index(member), self.job.shard_count, len(self.participants)))

    def partitions_of(self, member: MemberId) -> list[int]:
        """Return the partitions whose processor runs on a member."""
        return [partition for partition, owner in enumerate(self.owners) if owner == member]


@dataclass(frozen=True, slots=True)
class SubmitJob(Message):
    """A request to the master to run a job."""

    job: JobConfig


@dataclass(frozen=True, slots=True)
class CommandTaken(Reply):
    """The master confirms that it has carried out a command."""

    command: SubmitJob


@dataclass(frozen=True, slots=True)
class JobRequest(Message):
    """A request of the coordinator to several members, repeated until all of them have answered."""

    request: int


@dataclass(frozen=True, slots=True)
class JobReply(Reply):
    """The answer to one request of the coordinator."""

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
    """A request to prepare the execution of a plan (jobs.15)."""

    plan: ExecutionPlan


@dataclass(frozen=True, slots=True)
class StartExecution(JobRequest):
    """A request to restore the saved state and run, sent when all participants are prepared."""

    execution: str


@dataclass(frozen=True, slots=True)
class TakeSnapshot(JobRequest):
    """Phase 1 of a snapshot: a request to save the receiver's state under this id into this map (jobs.5)."""

    execution: str
    snapshot: int
    map_index: int
    terminal: bool


@dataclass(frozen=True, slots=True)
class SnapshotTaken(JobReply):
    """The result of phase 1 of a snapshot on one member (jobs.7)."""

    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class FinishSnapshot(JobRequest):
    """Phase 2 of a snapshot: it was recorded as the job's last good snapshot, or it failed (jobs.9)."""

    execution: str
    snapshot: int
    success: bool


@dataclass(frozen=True, slots=True)
class TerminateExecution(JobRequest):
    """A request to stop an execution and forget it."""

    execution: str


@dataclass(frozen=True, slots=True)
class ExecutionEnded(Message):
    """The sender's part of an execution is over; the message is repeated until the coordinator ends the execution."""

    execution: str
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Barrier:
    """All items before this barrier belong to the snapshot (jobs.6)."""

    snapshot: int
    map_index: int
    terminal: bool


@dataclass(frozen=True, slots=True)
class SavedState:
    """State that was read from a snapshot, for the processor in charge of its key."""

    vertex: str
    key: str
    state: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RestoreEnd:
    """The sender has emitted all saved state that its primaries hold."""


@dataclass(frozen=True, slots=True)
class NoMoreItems:
    """The sender's source has emitted all its items."""


Token = Item | Barrier | SavedState | RestoreEnd | NoMoreItems


@dataclass(frozen=True, slots=True)
class Packet(Message):
    """A numbered packet of tokens on the edge from one member to another."""

    execution: str
    number: int
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class PacketsReceived(Message):
    """All packets with smaller numbers have arrived."""

    execution: str
    next_number: int


ASK_AGAIN_US = SECOND_US

Replies = Mapping[MemberId, JobReply]


@dataclass(frozen=True, slots=True)
class AskAgain(Timer):
    """It is time to repeat a question that not all members have answered."""

    request: int


@dataclass(slots=True)
class Round:
    """One question to several members, with the answers so far; mutable."""

    request: JobRequest
    awaited: dict[MemberId, None]
    then: Callable[[Replies], object]
    replies: dict[MemberId, JobReply] = field(default_factory=dict)


class Rounds:
    """The open questions that one member has asked others."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._numbers = count()
        self._open: dict[int, Round] = {}

    def __len__(self) -> int:
        return len(self._open)

    def ask(
        self, members: Iterable[MemberId], ask: Callable[[int], JobRequest], then: Callable[[Replies], object]
    ) -> int:
        """Ask members, and return the number of the question; `then` gets all answers together, and is called at once
        if no member is asked."""
        number = next(self._numbers)
        self._open[number] = Round(ask(number), dict.fromkeys(members), then)
        self.on_ask_again(AskAgain(number))
        self._end_if_complete(number)
        return number

    def forget(self, number: int | None) -> None:
        """Forget a question, so that its answers do not count any more."""
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
        """Stop waiting for the answers of a member that left."""
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
        """Repeat a question to the members that have not answered."""
        asked = self._open[timer.request]
        for member in asked.awaited:
            self._node.send(member, asked.request)
        self._node.set_timer(timer, ASK_AGAIN_US)
