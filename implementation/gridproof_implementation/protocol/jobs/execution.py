"""One member's part in one execution of a job.

The member's sources and counters exchange tokens with those of every other participant over lanes. At a barrier sources
and counters hand their state to a chunk writer, and phase 1 of the snapshot ends when all state is written (jobs.7)."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs import messages, records
from gridproof_implementation.protocol.jobs.edges import InboundEdge, InboundLane, OutboundLane
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_model.events.jobs import (
    BarrierArrived,
    ChunkWritten,
    CounterSaved,
    ItemCounted,
    ItemSent,
    SourceSaved,
    StateRestored,
)
from gridproof_model.events.words import Vertex
from gridproof_model.membership import MemberId

State = tuple[str, tuple[int, ...]]
"""A key and the state that is saved for it."""


@dataclass(slots=True)
class SourceProcessor:
    """Emits the items of the shards whose source is on one member; mutable."""

    job: JobConfig
    offsets: dict[int, int]
    """The number of the next item, by shard."""

    @property
    def has_ended(self) -> bool:
        """Whether all items of the shards have been emitted."""
        return all(offset >= self.job.items_per_shard for offset in self.offsets.values())

    def next_items(self) -> Iterator[messages.Item]:
        """Yield the next items of each shard, and move the offsets past them."""
        for shard, offset in self.offsets.items():
            end = min(offset + self.job.items_at_a_time, self.job.items_per_shard)
            for number in range(offset, end):
                yield messages.item_at(self.job, shard, number)
            self.offsets[shard] = end

    def restore(self, saved: messages.SavedState) -> None:
        """Continue the shard from its offset if it is emitted here; every member gets all offsets (jobs.17: broadcast
        keys)."""
        shard = int(saved.key)
        if shard in self.offsets:
            self.offsets[shard] = saved.state[0]

    def state(self) -> Sequence[State]:
        """Return the state to save, which is the offsets."""
        return [(str(shard), (offset,)) for shard, offset in self.offsets.items()]


@dataclass(slots=True)
class CounterProcessor:
    """Counts items and sums their values by key, for the partitions of one member; mutable."""

    slices: dict[int, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """The number of items and the sum of their values, by partition and key."""

    def count(self, partition: int, item: messages.Item) -> None:
        """Count an item, whose key belongs to the given partition."""
        totals = self.slices[partition]
        count, total = totals.get(item.key, (0, 0))
        totals[item.key] = (count + 1, total + item.value)

    def restore(self, partition: int, saved: messages.SavedState) -> None:
        """Take over a key's totals."""
        count, total = saved.state
        self.slices[partition][saved.key] = (count, total)

    def state(self, partition: int) -> Sequence[State]:
        """Return the state to save for one partition, which is its totals by key."""
        return sorted(self.slices[partition].items())


def own_primaries(node: Node) -> list[int]:
    """Return the partitions whose primary is this member by its own table; a migrating partition can still be read."""
    return [partition for partition, row in enumerate(node.partitions.rows) if row.slots[0] == node.me]


def entries_in(node: Node, structure: StructureId, partitions: Iterable[int]) -> Iterator[tuple[int, str, str]]:
    """Yield the partition, key and text of every entry of a map in these partitions, sorted by partition and key."""
    namespace = node.replicas.namespace_of(structure)
    for partition in partitions:
        if namespace not in node.replicas.namespaces(partition):
            continue
        part = node.replicas.fragment(partition, namespace).structures.get(structure)
        for key, text in sorted(part.entries().items()) if part is not None else ():
            yield partition, key, text


@dataclass(slots=True)
class ChunkWriter:
    """Writes the state that one member saves for one snapshot; mutable."""

    node: Node
    plan: messages.ExecutionPlan
    snapshot: int
    map_index: int
    on_progress: Callable[[], None]
    """Called whenever a write has ended."""
    outstanding: int = 0
    chunk_count: int = 0
    first_error: str = ""

    def write_all(self, vertex: Vertex, states: Iterable[tuple[int, Sequence[State]]]) -> None:
        """Write the state of one vertex, partition by partition; even if a write fails at once, this is reported only
        after all writes have begun (jobs.7)."""
        self.outstanding += 1
        for partition, state in states:
            self.write(vertex, partition, state)
        self.outstanding -= 1

    def write(self, vertex: Vertex, partition: int, state: Sequence[State]) -> None:
        """Write the state of one vertex for the keys of one partition, in as many chunks as are needed."""
        chunk: list[State] = []
        room = self.plan.job.chunk_limit_bytes
        for entry in state:
            size = len(records.chunk_text([entry]))
            if chunk and size > room:
                self._put(vertex, partition, chunk)
                chunk, room = [], self.plan.job.chunk_limit_bytes
            chunk.append(entry)
            room -= size
        if chunk:
            self._put(vertex, partition, chunk)

    def _put(self, vertex: Vertex, partition: int, chunk: Sequence[State]) -> None:
        text = records.chunk_text(chunk)
        self.outstanding += 1
        partition_key = records.partition_keys(self.node.settings.partition_count)[partition]
        key = records.ChunkKey(self.snapshot, vertex, self._next_sequence(), partition_key)
        put = Put(records.snapshot_map(self.plan.job.name, self.map_index), str(key), text)
        ended = partial(self._ended, vertex, partition)
        records.invoke(self.node, put, ended, strict=self.plan.job.fail_on_indeterminate)

    def _next_sequence(self) -> int:
        """Return a number that no other chunk of the snapshot has, and count the chunk; the numbers are dealt out to
        the members in turn (jobs.2)."""
        participants = self.plan.participants
        number = participants.index(self.node.me) + self.chunk_count * len(participants)
        self.chunk_count += 1
        return number

    def _ended(self, vertex: Vertex, partition: int, answer: Answer) -> None:
        self.outstanding -= 1
        failure = "" if answer.failure is None else str(answer.failure)
        self.first_error = self.first_error or failure
        copies = answer.confirmed_copies or 0
        job = self.plan.job.name
        self.node.emit(ChunkWritten(job, self.snapshot, vertex, partition, failure, copies))
        self.on_progress()


RESEND_US = SECOND_US
"""Packets that are not confirmed within this time are sent again."""


@dataclass(frozen=True, slots=True)
class EmitItems(Timer):
    """It is time for the sources to emit their next items."""

    execution: str


@dataclass(frozen=True, slots=True)
class SendAgain(Timer):
    """It is time to repeat packets that may have been lost."""

    execution: str


@dataclass(slots=True)
class SnapshotHere:
    """What this member has saved so far for one snapshot; mutable."""

    barrier: messages.Barrier
    writer: ChunkWriter
    is_source_saved: bool = False
    is_counter_saved: bool = False

    @property
    def is_taken(self) -> bool:
        """Whether each write of this member's state has succeeded or failed."""
        return self.is_source_saved and self.is_counter_saved and self.writer.outstanding == 0


class Execution:
    """The sources, counters and lanes of one member in one execution, from its plan to its end."""

    def __init__(
        self,
        node: Node,
        plan: messages.ExecutionPlan,
        on_taken: Callable[[SnapshotHere], None],
        on_end: Callable[[str], None],
    ) -> None:
        self.plan = plan
        self.source = SourceProcessor(plan.job, dict.fromkeys(plan.shards_of(node.me), 0))
        self.counter = CounterProcessor({partition: {} for partition in plan.partitions_of(node.me)})
        self.snapshot: SnapshotHere | None = None
        """The snapshot that was begun last."""
        self.is_running = False
        self._node = node
        self._on_taken = on_taken
        self._on_end = on_end
        self._edge = InboundEdge(plan.participants, plan.job.guarantee, self)
        self._out = {to: OutboundLane(node, plan.execution, to) for to in plan.participants}
        self._in = {source: InboundLane(node, plan.execution, source) for source in plan.participants}
        self._has_emitted_all = False
        self._is_stopped_by_barrier = False
        self._unwritten_results: deque[tuple[str, tuple[int, int]]] = deque()

    def start(self) -> None:
        """Send all participants the saved state that this member's primaries hold of the snapshot; items are emitted
        once all participants have done so (jobs.17)."""
        self.is_running = True
        if self.plan.restore is not None:
            self._emit_saved_state(self.plan.restore.snapshot, self.plan.restore.map_index)
        for lane in self._out.values():
            lane.send((messages.RestoreEnd(),))
        self._node.set_timer(SendAgain(self.plan.execution), RESEND_US)

    def stop(self) -> None:
        """Cancel the timers, so that this member does nothing more for the execution."""
        self._node.cancel_timer(EmitItems(self.plan.execution))
        self._node.cancel_timer(SendAgain(self.plan.execution))

    def _emit_saved_state(self, snapshot: int, map_index: int) -> None:
        read: dict[int, None] = {}
        structure = records.snapshot_map(self.plan.job.name, map_index)
        for partition, key, text in entries_in(self._node, structure, own_primaries(self._node)):
            chunk = records.ChunkKey.parse(key)
            # If this member missed a clearing of the map, chunks of older snapshots are still in it (jobs.9).
            if chunk is None or chunk.snapshot != snapshot:
                continue
            read[partition] = None
            for name, state in records.chunk_entries(text):
                saved = messages.SavedState(chunk.vertex, name, state)
                for to in self._in_charge_of(saved):
                    self._out[to].send((saved,))
        self._node.emit(StateRestored(self.plan.job.name, snapshot, tuple(read)))

    def _in_charge_of(self, saved: messages.SavedState) -> Iterable[MemberId]:
        """Return the members that get a saved state: all participants if a source saved it, else the member in charge
        of its key (jobs.17)."""
        return (
            self.plan.participants
            if saved.vertex == Vertex.SOURCE
            else (self.plan.owners[self._partition_of(saved.key)],)
        )

    def on_packet(self, sender: MemberId, packet: messages.Packet) -> None:
        """Take a packet that another participant sent."""
        tokens = self._in[sender].take(packet)
        if tokens:
            self._edge.put(sender, tokens)

    def on_packets_received(self, sender: MemberId, word: messages.PacketsReceived) -> None:
        """Note that another participant has received packets."""
        self._out[sender].on_received(word)

    @property
    def is_restored(self) -> bool:
        """Whether every participant has emitted the saved state that it read."""
        return self._edge.is_restored

    def send_again(self) -> None:
        """Repeat the packets that may have been lost."""
        for lane in self._out.values():
            lane.send_again()
        self._node.set_timer(SendAgain(self.plan.execution), RESEND_US)

    def emit_items(self) -> None:
        """Let the sources emit their next items, each to the member in charge of its key."""
        if self._is_stopped_by_barrier:
            return
        batches: dict[MemberId, list[messages.Token]] = {}
        for item in self.source.next_items():
            partition = self._partition_of(item.key)
            batches.setdefault(self.plan.owners[partition], []).append(item)
            self._node.emit(ItemSent(self.plan.job.name, partition, item.shard, item.number))
        for to, tokens in batches.items():
            self._out[to].send(tokens)
        if self.source.has_ended:
            self._has_emitted_all = True
            for lane in self._out.values():
                lane.send((messages.NoMoreItems(),))
        else:
            self._node.set_timer(EmitItems(self.plan.execution), self.plan.job.item_interval_us)

    def take_snapshot(self, barrier: messages.Barrier) -> None:
        """Save the offsets, and send the barrier after the items sent so far (jobs.6), once all state is restored."""
        here = self._here(barrier)
        if self._edge.is_restored and not here.is_source_saved:
            self._save_sources(here, barrier)
        self._report_if_taken()

    def _save_sources(self, here: SnapshotHere, barrier: messages.Barrier) -> None:
        here.is_source_saved = True
        # SourceSaved is emitted first: at the limit of calls a write fails at once, and the failure has to come later.
        offsets = tuple(self.source.offsets.items())
        self._node.emit(SourceSaved(self.plan.job.name, barrier.snapshot, offsets))
        count = self._node.settings.partition_count
        here.writer.write_all(
            Vertex.SOURCE, ((int(key) % count, ((key, state),)) for key, state in self.source.state())
        )
        self._is_stopped_by_barrier = barrier.terminal
        # A source that has emitted all its items sends no barrier: its end counts as a barrier that has come (jobs.14).
        if not self._has_emitted_all:
            for lane in self._out.values():
                lane.send((barrier,))
        # If all inputs have ended, they will bring no barrier, so only this call saves the totals.
        if self._edge.has_ended:
            self.save(barrier)

    def _here(self, barrier: messages.Barrier) -> SnapshotHere:
        if self.snapshot is None or self.snapshot.barrier != barrier:
            writer = ChunkWriter(self._node, self.plan, barrier.snapshot, barrier.map_index, self._report_if_taken)
            self.snapshot = SnapshotHere(barrier, writer)
        return self.snapshot

    def _report_if_taken(self) -> None:
        assert self.snapshot is not None, "nothing was saved for a snapshot"
        if self.snapshot.is_taken:
            self._on_taken(self.snapshot)

    def restore(self, saved: messages.SavedState) -> None:
        """Take over state that was saved in a snapshot."""
        if saved.vertex == Vertex.SOURCE:
            self.source.restore(saved)
        else:
            self.counter.restore(self._partition_of(saved.key), saved)

    def restored(self) -> None:
        """Begin to emit items, after a snapshot if one was requested meanwhile."""
        if self.snapshot is not None:
            self.take_snapshot(self.snapshot.barrier)
        self.emit_items()

    def count(self, item: messages.Item) -> None:
        """Count an item."""
        partition = self._partition_of(item.key)
        self.counter.count(partition, item)
        self._node.emit(ItemCounted(self.plan.job.name, partition, item.shard, item.number))

    def barrier_arrived(self, source: MemberId, barrier: messages.Barrier) -> None:
        """Record in the trace that one input delivered the barrier."""
        self._node.emit(BarrierArrived(self.plan.job.name, barrier.snapshot, self._node.numbers[source]))

    def save(self, barrier: messages.Barrier) -> None:
        """Save the totals of every partition under the snapshot's id (jobs.6)."""
        here = self._here(barrier)
        if here.is_counter_saved:
            return
        here.is_counter_saved = True
        self._node.emit(CounterSaved(self.plan.job.name, barrier.snapshot, tuple(self.counter.slices)))
        here.writer.write_all(Vertex.COUNTER, ((place, self.counter.state(place)) for place in self.counter.slices))
        self._report_if_taken()

    def inputs_ended(self) -> None:
        """Write this member's totals, which are final now, as results, and end.

        Choice (jobs.7): the results are written one after the other. If all were written at once, they could exceed the
        limit on calls under way (calls.26), and would do so again after every restart of the job.
        """
        self._unwritten_results.extend(
            entry for totals in self.counter.slices.values() for entry in sorted(totals.items())
        )
        self._write_next_result()

    def _write_next_result(self) -> None:
        if not self._unwritten_results:
            self._on_end("")
            return
        key, (count, total) = self._unwritten_results.popleft()
        put = Put(records.results_map(self.plan.job.name), key, f"{count} {total}")
        records.invoke(self._node, put, self._on_result_written)

    def _on_result_written(self, answer: Answer) -> None:
        if answer.failure is not None:
            self._on_end(f"a result was not written: {answer.failure}")
        else:
            self._write_next_result()

    def _partition_of(self, key: str) -> int:
        return records.partition_of_text(key, self._node.settings.partition_count)
