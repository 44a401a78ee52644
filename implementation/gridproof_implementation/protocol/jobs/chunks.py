"""Saved state on its way into a snapshot map.

State is buffered per partition and written as chunks under keys forced into that partition (reference replication
8.1), each an ordinary write to the primary with its backup. So a chunk stays local as long as the partition does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.jobs.plan import ExecutionPlan
from gridproof_implementation.protocol.jobs.processors import State
from gridproof_implementation.protocol.jobs.records import ChunkKey, chunk_text, partition_keys, snapshot_map
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.structures.map import Put
from gridproof_model.events.jobs import ChunkWritten


@dataclass(slots=True)
class ChunkWriter:
    """Writes the state of one member in one snapshot; mutable."""

    node: Node
    plan: ExecutionPlan
    snapshot: int
    map_index: int
    on_progress: Callable[[], None]
    """Called whenever a write has ended."""
    outstanding: int = 0
    byte_count: int = 0
    key_count: int = 0
    chunk_count: int = 0
    first_error: str = ""
    _written: int = field(default=0)

    def write(self, vertex: str, partition: int, state: Sequence[State]) -> None:
        """Write one vertex's state for keys of one partition, in as many chunks as it takes."""
        self.key_count += len(state)
        chunk: list[State] = []
        room = self.plan.job.chunk_limit_bytes
        for entry in state:
            size = len(chunk_text([entry]))
            if chunk and size > room:
                self._put(vertex, partition, chunk)
                chunk, room = [], self.plan.job.chunk_limit_bytes
            chunk.append(entry)
            room -= size
        if chunk:
            self._put(vertex, partition, chunk)

    def _put(self, vertex: str, partition: int, chunk: Sequence[State]) -> None:
        text = chunk_text(chunk)
        self.byte_count += len(text)
        self.chunk_count += 1
        self.outstanding += 1
        partition_key = partition_keys(self.node.settings.partition_count)[partition]
        key = ChunkKey(self.snapshot, vertex, self._next_sequence(), partition_key)
        put = Put(snapshot_map(self.plan.job.name, self.map_index), str(key), text)
        call = Call(0, put, partition, fail_on_indeterminate_state=self.plan.job.fail_on_indeterminate)
        self.node.invocations.invoke(call, lambda answer: self._ended(vertex, partition, answer))

    def _next_sequence(self) -> int:
        """Return a number no other chunk of the snapshot has: members take turns (8.1)."""
        participants = self.plan.participants
        number = participants.index(self.node.me) + self._written * len(participants)
        self._written += 1
        return number

    def _ended(self, vertex: str, partition: int, answer: Answer) -> None:
        self.outstanding -= 1
        failure = "" if answer.failure is None else str(answer.failure)
        self.first_error = self.first_error or failure
        copies = answer.confirmed_copies or 0
        job = self.plan.job.name
        self.node.emit(ChunkWritten(job, self.snapshot, vertex, partition, failure, copies))
        self.on_progress()
