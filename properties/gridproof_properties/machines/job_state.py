"""A running job, as a state of `snapshot`.

A refinement map: offsets, counts, what is under way, chunks and records are read off running members; what nobody
keeps (which source a counted item came from, the highest id begun) is read off their events. A source of the
specification is a shard, a counter is a key; where a chunk's partition is does not matter to the claims that are held
in the state, nor do backup replicas, which stay as they were in the beginning.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.execution import Execution, entries_in
from gridproof_implementation.protocol.jobs.job_master import JobMaster
from gridproof_implementation.protocol.jobs.messages import Item
from gridproof_implementation.protocol.jobs.part import JobsPart
from gridproof_implementation.protocol.jobs.records import (
    EXECUTION_RECORDS,
    VALIDATION_KEY,
    ChunkKey,
    ExecutionRecord,
    chunk_entries,
    execution_record_of,
    partition_of_text,
    snapshot_map,
    validation_record_of,
)
from gridproof_implementation.protocol.node import Node
from gridproof_model.events import Event
from gridproof_model.events.jobs import (
    CounterSaved,
    ItemCounted,
    JobStarted,
    JobStopped,
    MapCleared,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
    SnapshotValidated,
)
from gridproof_model.events.words import Guarantee as Submitted
from gridproof_model.events.words import JobStatus, Vertex
from gridproof_model.identity import MemberId
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Runner
from gridproof_model.specifications.snapshot import Guarantee, Job, Phase, Token

MAPS = 2
Executions = Mapping[MemberId, Execution]
"""By participant."""


@dataclass(slots=True)
class JobHistory:
    """What events say of a job that no member keeps; mutable."""

    job: JobConfig
    partition_count: int
    restored: int = 0
    begun: int = 0
    completed: int = 0
    kept: int = 0
    phase: Phase = Phase.NONE
    counted: list[list[int]] = field(default_factory=list)
    """By key and shard, since the job began or went on."""
    saved: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    """What a key's counter had counted of each shard when it saved its state, by snapshot and key."""
    keys: dict[int, int] = field(default_factory=dict)
    """The number of the key whose state is in a partition."""

    def __post_init__(self) -> None:
        self.counted = self._nothing()
        self.keys = {partition_of_text(f"key-{key}", self.partition_count): key for key in range(self.job.key_count)}
        assert len(self.keys) == self.job.key_count, "each key has a partition of its own here"

    def take(self, event: Event) -> None:
        """Take an event in."""
        match event:
            case ItemCounted(partition=partition, shard=shard):
                self.counted[self.keys[partition]][shard] += 1
            case CounterSaved(snapshot=snapshot, partitions=partitions):
                for key in (self.keys[partition] for partition in partitions if partition in self.keys):
                    self.saved[snapshot, key] = tuple(self.counted[key])
            case JobStarted(snapshot=snapshot):
                self.restored = snapshot
                nothing = self._nothing()
                self.counted = [list(self.saved.get((self.restored, key), none)) for key, none in enumerate(nothing)]
            case SnapshotBegun(snapshot=snapshot):
                self.phase, self.begun = Phase.SAVING, max(self.begun, snapshot)
            case SnapshotValidated(snapshot=snapshot):
                self.phase, self.completed = Phase.VALIDATED, max(self.completed, snapshot)
            case SnapshotRecorded(snapshot=snapshot):
                self.phase, self.kept = Phase.RECORDED, max(self.kept, snapshot)
            case SnapshotFailed() | JobStopped():
                self.phase = Phase.NONE
            case MapCleared() if self.phase is Phase.RECORDED:
                self.phase = Phase.NONE
            case _:
                pass

    def _nothing(self) -> list[list[int]]:
        return [[0] * self.job.shard_count for _ in range(self.job.key_count)]


class JobState:
    """Looks at a job."""

    def __init__(self, runner: Runner, history: JobHistory) -> None:
        self._initial = runner.start
        self._history = history
        self._job = history.job

    def of(self, nodes: list[Node]) -> State | None:
        """Return the state of the specification that members are in; None where nobody can know, or all is over.

        Nobody can know while no member has the primary replica of a partition, or coordinates the job.
        """
        primaries = primaries_of(nodes)
        master = master_of(self._job, nodes)
        if master is None or master.status is JobStatus.COMPLETED or len(primaries) < self._history.partition_count:
            return None
        stored = self._stored(primaries)
        known = master.keeper.record or stored
        history, initial = self._history, self._initial
        is_exact = self._job.guarantee is Submitted.EXACTLY_ONCE
        executions = self._executions(master, nodes)
        ledger: Any = initial["primary_ledger"]
        validated = tuple(self._validated(primaries, number) for number in range(MAPS))
        changes: dict[str, Plain] = {
            "guarantee": Guarantee.EXACTLY_ONCE if is_exact else Guarantee.AT_LEAST_ONCE,
            "job": self._stands(master, executions),
            "memory": self._record(known),
            "primary_ledger": ledger._replace(record=self._record(stored), validated=validated),
            "primary": self._chunks(primaries, known, validated),
            "execution": self._execution(executions),
            "restored": history.restored,
            "completed": history.completed,
            "kept": max(history.kept, known.recorded),
            "begun": max(history.begun, known.ongoing),
        }
        return initial.replaced(changes)

    def _stands(self, master: JobMaster, executions: Executions) -> Job:
        if master.status is JobStatus.FAILED:
            return Job.CORRUPTED
        return Job.RUNNING if executions else Job.STOPPED

    def _executions(self, master: JobMaster, nodes: list[Node]) -> Executions:
        """Return what runs at each participant; nothing unless all have begun with their saved state."""
        found = {node.me: one for node in nodes if (one := execution_at(self._job, node)) is not None}
        plans = {one.plan.execution: one.plan for one in found.values()}
        is_whole = all(set(plan.participants) == set(found) for plan in plans.values()) and len(plans) == 1
        is_restored = all(one.is_restored for one in found.values())
        return found if is_whole and is_restored and master.status is JobStatus.RUNNING else {}

    def _execution(self, executions: Executions) -> Plain:
        """Return offsets, counts, and items under way; what has the form of the specification's execution."""
        execution: Any = self._initial["execution"]
        if not executions:
            return execution._replace(phase=self._history.phase)
        offsets = {shard: offset for one in executions.values() for shard, offset in one.source.offsets.items()}
        self._check_counts(executions)
        shards, keys = range(self._job.shard_count), range(self._job.key_count)
        under_way = [[0 for _ in keys] for _ in shards]
        for item in self._items_under_way(executions):
            under_way[item.shard][int(item.key.removeprefix("key-"))] += 1
        return execution._replace(
            phase=self._history.phase,
            offset=tuple(offsets[shard] for shard in shards),
            counted=tuple(tuple(counts) for counts in self._history.counted),
            queue=tuple(tuple((Token.ITEM,) * under_way[shard][key] for key in keys) for shard in shards),
        )

    def _items_under_way(self, executions: Executions) -> list[Item]:
        found: list[Item] = []
        for source, here in executions.items():
            for to, there in executions.items():
                sent = (packet for packet in here.unconfirmed(to) if packet.number >= there.expected(source))
                tokens = (*there.waiting(source), *(token for packet in sent for token in packet.tokens))
                found += [token for token in tokens if isinstance(token, Item)]
        return found

    def _check_counts(self, executions: Executions) -> None:
        """What counters hold is what they recorded."""
        for one in executions.values():
            for partition, totals in one.counter.slices.items():
                if partition in self._history.keys:
                    key = self._history.keys[partition]
                    held, _ = totals.get(f"key-{key}", (0, 0))
                    noted = sum(self._history.counted[key])
                    assert held == noted, f"the counter of key {key} holds {held} items, and has counted {noted}"

    def _stored(self, primaries: Mapping[int, Node]) -> ExecutionRecord:
        partition = partition_of_text(self._job.name, self._history.partition_count)
        found = {key: text for _, key, text in entries_in(primaries[partition], EXECUTION_RECORDS, [partition])}
        return execution_record_of(found[self._job.name]) if self._job.name in found else ExecutionRecord()

    def _record(self, record: ExecutionRecord) -> Plain:
        memory: Any = self._initial["memory"]
        return memory._replace(recorded=record.recorded, map=record.map_index, ongoing=record.ongoing)

    def _validated(self, primaries: Mapping[int, Node], number: int) -> int:
        partition = partition_of_text(VALIDATION_KEY, self._history.partition_count)
        entries = entries_in(primaries[partition], snapshot_map(self._job.name, number), [partition])
        found = {key: text for _, key, text in entries}
        return validation_record_of(found[VALIDATION_KEY]).snapshot if VALIDATION_KEY in found else 0

    def _chunks(self, primaries: Mapping[int, Node], known: ExecutionRecord, validated: tuple[int, ...]) -> Plain:
        """Return chunks by source and map; of several ids in one map those of the id that matters, else the last."""
        columns: list[list[Plain]] = []
        for number in range(MAPS):
            held = self._held(primaries, number, known.recorded if number == known.map_index else 0)
            columns.append([self._chunk(index, held, validated[number]) for index in range(self._job.shard_count)])
        return tuple(zip(*columns, strict=True))

    def _held(self, primaries: Mapping[int, Node], number: int, wanted: int) -> dict[str, tuple[int, int]]:
        """Return id and first number of the state that each source and key has in a map."""
        found: dict[str, tuple[int, int]] = {}
        for partition, node in primaries.items():
            for _, key, text in entries_in(node, snapshot_map(self._job.name, number), [partition]):
                chunk = ChunkKey.parse(key)
                for name, state in () if chunk is None else chunk_entries(text):
                    assert chunk is not None, "only chunks have entries"
                    place = f"{Vertex.SOURCE} {name}" if chunk.vertex == Vertex.SOURCE else name
                    later = (chunk.snapshot == wanted, chunk.snapshot)
                    if place not in found or later > (found[place][0] == wanted, found[place][0]):
                        found[place] = (chunk.snapshot, state[0])
        return found

    def _chunk(self, index: int, held: dict[str, tuple[int, int]], validated: int) -> Plain:
        chunk: Any = self._initial["primary"]
        source_id, offset = held.get(f"{Vertex.SOURCE} {index}", (0, 0))
        # A counter that has counted nothing saves nothing; its part of a whole snapshot is there all the same.
        has_nothing = sum(self._history.saved.get((validated, index), (1,))) == 0
        counter_id, count = held.get(f"key-{index}", (validated if has_nothing else 0, 0))
        counts = self._history.saved.get((counter_id, index), (0,) * self._job.shard_count)
        assert sum(counts) == count, f"snapshot {counter_id} has {count} items of key {index}, and saved {sum(counts)}"
        return chunk[0][0]._replace(source_id=source_id, offset=offset, counter_id=counter_id, counts=counts)


def primaries_of(nodes: list[Node]) -> Mapping[int, Node]:
    """Return who has the primary replica of a partition, by the latest row of those that believe it is theirs."""
    found: dict[int, Node] = {}
    for node in nodes:
        for partition, row in enumerate(node.partitions.rows):
            known = found.get(partition)
            is_later = known is None or row.version > known.partitions.rows[partition].version
            if row.slots[0] == node.me and is_later:
                found[partition] = node
    return found


def jobs_of(node: Node) -> JobsPart:
    """Return the jobs part of a member."""
    assert isinstance(node.jobs, JobsPart), "members here are those of the reference"
    return node.jobs


def master_of(job: JobConfig, nodes: list[Node]) -> JobMaster | None:
    """Return who coordinates a job; None where nobody does."""
    found = (jobs_of(node).coordinator.masters.get(job.name) for node in nodes if node.membership.is_settled_master)
    return next((master for master in found if master is not None), None)


def execution_at(job: JobConfig, node: Node) -> Execution | None:
    """Return what runs of a job at a member."""
    return jobs_of(node).participant.execution_of(job.name)
