"""The records that a job keeps in maps.

Every record is a text in an ordinary map, and has the backups of that map (jobs.3). Each job has a job record, an
execution record, and two maps for snapshots: one has the last good snapshot, and the other has the snapshot that is
being taken.

A job's execution record is stored, and the coordinator has it in memory, too; the record in memory is never older than
the stored one (jobs.19)."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from typing import Any, cast

from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.node import OWN_CALL, Call, Node
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get, Process, Put, Remove
from gridproof_model.events.words import Failure, Guarantee
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import PartitioningStrategy, partition_of

KIND = "map"
JOB_RECORDS = StructureId(KIND, "__jet.records")
"""Every job that was submitted and has not ended."""
EXECUTION_RECORDS = StructureId(KIND, "__jet.executionRecords")
JOB_RESULTS = StructureId(KIND, "__jet.results")
"""The results of jobs that have ended."""
VALIDATION_KEY = "validation"


@dataclass(frozen=True, slots=True)
class ExecutionRecord:
    """The commit point of snapshots: it names a job's last good snapshot and the map that holds it (jobs.8)."""

    timestamp_us: int = 0
    """A time that grows with every write of the record; a write with an older time is ignored."""
    recorded: int = 0
    """The id of the last good snapshot; 0 if there is none."""
    map_index: int = 1
    """The index of the map that holds the last good snapshot. The first snapshot is written to the other map, whose
    index is 0."""
    ongoing: int = 0
    """The id of the snapshot that was begun last; no id is used again, even if its snapshot failed."""
    quorum: int = 0
    """How many members the job needs if it is protected from split brain; it never shrinks (jobs.16)."""

    @property
    def map_to_write(self) -> int:
        """The index of the map for the snapshot being taken; the other map has the last good snapshot (jobs.10)."""
        return 1 - self.map_index


@dataclass(frozen=True, slots=True)
class ValidationRecord:
    """The record that is written beside the chunks of a complete snapshot (jobs.8)."""

    snapshot: int
    chunk_count: int


@dataclass(frozen=True, slots=True)
class ChunkKey:
    """The key of a chunk; the partition key at its end determines the chunk's partition (jobs.2)."""

    snapshot: int
    vertex: str
    sequence: int
    """The number of the chunk, which is unique within its snapshot."""
    partition_key: str

    def __str__(self) -> str:
        return f"{self.snapshot}:{self.vertex}:{self.sequence}@{self.partition_key}"

    @classmethod
    def parse(cls, text: str) -> "ChunkKey | None":
        """Return the chunk key that a text contains; None if the text is another key."""
        head, at, partition_key = text.partition("@")
        parts = head.split(":")
        return cls(int(parts[0]), parts[1], int(parts[2]), partition_key) if at and len(parts) == 3 else None


def snapshot_map(job: str, index: int) -> StructureId:
    """Return one of a job's two snapshot maps."""
    return StructureId(KIND, f"__jet.snapshot.{job}.{index}")


def results_map(job: str) -> StructureId:
    """Return the map to which a job writes its totals when it completes."""
    return StructureId(KIND, f"results.{job}")


@lru_cache(maxsize=4096)
def partition_of_text(text: str, partition_count: int) -> int:
    """Return the partition of an entry by its key; if the key has an `@`, the text after it decides (keys.9)."""
    return partition_of(Key(KeyType.STRING, text), partition_count, PartitioningStrategy.STRING)


def invoke(
    node: Node, operation: Get | Put | Remove | Process, then: Callable[[Answer], None], *, strict: bool | None = None
) -> None:
    """Read or change an entry of a map in its key's partition, by a call that belongs to no client."""
    partition = partition_of_text(operation.key, node.settings.partition_count)
    node.invocations.invoke(Call(OWN_CALL, operation, partition, fail_on_indeterminate_state=strict), then)


@lru_cache(maxsize=16)
def partition_keys(partition_count: int) -> tuple[str, ...]:
    """Return a key for each partition: the smallest number whose text belongs to that partition (jobs.2)."""
    found: dict[int, str] = {}
    number = 0
    while len(found) < partition_count:
        found.setdefault(partition_of_text(str(number), partition_count), str(number))
        number += 1
    return tuple(found[partition] for partition in range(partition_count))


def as_text(record: ExecutionRecord | ValidationRecord | JobConfig) -> str:
    """Return the text by which a record is stored in its map."""
    return json.dumps(asdict(record), separators=(",", ":"))


def execution_record_of(text: str) -> ExecutionRecord:
    """Return the execution record that is stored as a text."""
    return ExecutionRecord(**_fields(text, ExecutionRecord))


def validation_record_of(text: str) -> ValidationRecord:
    """Return the validation record that is stored as a text."""
    return ValidationRecord(**_fields(text, ValidationRecord))


def job_of(text: str) -> JobConfig:
    """Return the job that is stored as a text."""
    values = _fields(text, JobConfig)
    return JobConfig(**{**values, "guarantee": Guarantee(values["guarantee"])})


def chunk_text(entries: Sequence[tuple[str, Sequence[int]]]) -> str:
    """Return the text of a chunk: keys with their states, in the given order."""
    return json.dumps(entries, separators=(",", ":"))


def chunk_entries(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return the states in a chunk."""
    loaded = cast("list[tuple[str, list[int]]]", json.loads(text))
    return [(key, tuple(state)) for key, state in loaded]


def _fields(text: str, kind: type[Any]) -> Mapping[str, Any]:
    values = cast("dict[str, Any]", json.loads(text))
    return {one.name: values[one.name] for one in fields(kind)}


@dataclass(frozen=True, slots=True)
class UpdateRecord:
    """Stores a record, unless an equal or later one is stored; so a second run changes nothing (jobs.11)."""

    record: ExecutionRecord

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the record that is to be stored, and no result, since the writer needs none."""
        # A late write by a former coordinator would overwrite what has been recorded since (jobs.11).
        if value is not None and execution_record_of(value).timestamp_us >= self.record.timestamp_us:
            return value, None
        return as_text(self.record), None

    def for_backup(self) -> "UpdateRecord":
        """Return this processor itself."""
        return self


@dataclass(frozen=True, slots=True)
class WriteAgain(Timer):
    """It is time to write the record of a job again, since its backup may lack the last write."""

    job: str


@dataclass(slots=True)
class RecordKeeper:
    """Reads and writes the execution record of one job; mutable."""

    node: Node
    job: JobConfig
    record: ExecutionRecord | None = None
    """The record as the coordinator knows it; None until it has been read."""
    unsafe: list[Callable[[Failure | None], None]] = field(default_factory=list)
    """The callers that wait until the record is written again."""

    @property
    def known(self) -> ExecutionRecord:
        """The record as the coordinator knows it, or an empty one if it knows none."""
        return self.record or ExecutionRecord()

    def read(self, then: Callable[[Failure | None], None]) -> None:
        """Read the stored record, as a new coordinator must."""

        def on_answer(answer: Answer) -> None:
            if answer.failure is None:
                self.record = ExecutionRecord() if answer.value is None else execution_record_of(str(answer.value))
            then(answer.failure)

        invoke(self.node, Get(EXECUTION_RECORDS, self.job.name), on_answer)

    def write(self, record: ExecutionRecord, then: Callable[[Failure | None], None]) -> None:
        """Write a record, in memory first, then in the map; every write has a later time than the write before
        (jobs.11)."""
        timestamp_us = max(self.node.now_us, self.known.timestamp_us + 1)
        self.record = written = replace(record, timestamp_us=timestamp_us)
        update = Process(EXECUTION_RECORDS, self.job.name, UpdateRecord(written))
        invoke(self.node, update, lambda answer: then(answer.failure), strict=self.job.fail_on_indeterminate)

    def write_safely(self, record: ExecutionRecord, then: Callable[[Failure | None], None]) -> None:
        """Write a record; if the job demands it, repeat the write until the backup acknowledges it (jobs.20: the safe
        loop).

        Choice (jobs.20): the loop pauses between two writes as long as between two retries (calls.15). Without the
        pause, a caller that waits only one millisecond for its backups would write a thousand times a second, and a
        backup needs more than a millisecond.
        """
        begun_us = self.node.now_us

        def on_written(failure: Failure | None) -> None:
            if failure is Failure.INDETERMINATE:
                self.unsafe.append(then)
                next_us = begun_us + self.node.settings.invocation_retry_pause_us
                self.node.set_timer(WriteAgain(self.job.name), max(next_us - self.node.now_us, 0))
            else:
                then(failure)

        self.write(record, on_written)

    def write_again(self) -> None:
        """Write the record as it is known now, for all callers that wait until its backup has it."""
        waiting, self.unsafe = self.unsafe, []
        for then in waiting:
            self.write_safely(self.known, then)
