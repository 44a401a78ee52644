"""The observation table of `streams`: which actions an event is, and what it says of the state afterwards.

Members are named by their numbers in the run, executions and snapshots by the order in which they began.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from gridproof_model.events.jobs import (
    BarrierArrived,
    ChunkWritten,
    CounterSaved,
    ItemCounted,
    ItemSent,
    JobStarted,
    JobStopped,
    MapCleared,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
    SnapshotValidated,
    SourceSaved,
    StateRestored,
)
from gridproof_model.events.words import JobStatus, SnapshotWrite, Vertex
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_model.specifications.streams.state import Ending, Phase, Write
from gridproof_properties.refinement.observing import always, differs
from gridproof_properties.validation.engine import Agrees, Observation, Text

OfParticipants = ItemSent | ItemCounted | SourceSaved | BarrierArrived | CounterSaved | ChunkWritten | StateRestored
OfCoordinators = SnapshotBegun | SnapshotValidated | SnapshotRecorded | SnapshotFailed | MapCleared
FAILED_BY = {
    SnapshotWrite.EXECUTION_RECORD: "record_is_not_written",
    SnapshotWrite.VALIDATION_RECORD: "validation_is_not_written",
    SnapshotWrite.COMMIT: "commit_is_in_doubt",
}
"""How a snapshot failed, by the write that did."""


def started(text: Text, member: int, event: JobStarted, state: State) -> Iterator[tuple[Observation, ...]]:
    """Yield what the start of an execution is: a record is read, a plan is made, and everybody is ready."""
    if not state["knows_record"][member]:
        yield reads_record(text, member, state, event.snapshot)
    yield (always(text, "execution_is_planned", member, agrees=begins_from(member, event.snapshot)),)
    for other, is_gone in enumerate(state["removed"][member]):
        if not is_gone and other not in event.participants:
            yield (always(text, "member_is_left_out", member, other),)
    for shard in range(len(state["saved"][0].offset)):
        source = event.participants[shard % len(event.participants)]
        yield (always(text, "source_is_planned", member, shard, source),)
    for partition, owner in enumerate(event.owners):
        yield (always(text, "counter_is_planned", member, partition, owner),)
    for participant in event.participants:
        yield tuple(
            of_planned(text, action, member, participant) for action in ("member_takes_part", "member_has_taken_part")
        )
    yield (always(text, "execution_starts", member),)


def stopped(text: Text, member: int, event: JobStopped, execution: int) -> Observation:
    """Return that a coordinator gives up the execution that it runs, or that it completes."""
    action = Event("execution_completes" if event.why == JobStatus.COMPLETED else "execution_stops", (member,))
    missing = "its coordinator runs another execution, or none"
    return Observation(text, lambda state: (action,) if state["runs"][member] == execution else (), missing=missing)


def reads_record(text: Text, member: int, state: State, snapshot: int) -> tuple[Observation, ...]:
    """Return which records a new coordinator may have read that goes on from a snapshot: any that names it."""
    places = {record: place for place, record in enumerate(state["records"]) if named(state, record) == snapshot}
    read = tuple(always(text, "record_is_read", member, place) for place in places.values())
    return read if snapshot else (*read, always(text, "record_is_missing", member))


def named(state: State, record: Plain) -> int:
    """Return the id of the snapshot that a record names; 0 for none."""
    return 0 if record.recorded is None else int(state["saved"][record.recorded].id)


def begins_from(member: int, snapshot: int) -> Agrees:
    """Return whether what a coordinator plans begins from a snapshot."""
    return lambda state: differs("snapshot", snapshot, named(state, state["memory"][member]))


def of_planned(text: Text, action: str, coordinator: int, member: int) -> Observation:
    """Return an event of a participant that is asked to be ready for what a coordinator plans."""
    return Observation(text, lambda state: (Event(action, (member, state["runs"][coordinator])),))


def coordinated(text: Text, member: int, event: OfCoordinators, state: State) -> Iterator[Observation]:
    """Yield what a coordinator does for a snapshot; an id is taken before anybody sees it."""
    phase = state["phase"][member]
    match event:
        case MapCleared(map_index=map_index):
            if phase is Phase.NONE:
                yield always(text, "id_is_taken", member)
            yield always(text, "map_is_cleared", member, map_index)
        case SnapshotBegun(snapshot=snapshot, map_index=map_index, terminal=terminal):
            yield always(text, "snapshot_begins", member, terminal, agrees=is_of(member, snapshot, map_index))
        case SnapshotValidated(snapshot=snapshot, chunk_count=chunk_count):
            yield always(text, "snapshot_is_validated", member, agrees=has_chunks(member, snapshot, chunk_count))
            yield always(text, "commit_is_sent", member)
        case SnapshotRecorded(snapshot=snapshot, map_index=map_index):
            yield always(text, "snapshot_is_recorded", member, agrees=is_of(member, snapshot, map_index))
        case SnapshotFailed(snapshot=snapshot, why=why):
            write = next((one for one in SnapshotWrite if why.startswith(one)), None)
            if write is SnapshotWrite.EXECUTION_RECORD and phase is Phase.NONE:
                yield always(text, "id_is_taken", member)
            action = "snapshot_fails" if write is None else FAILED_BY[write]
            yield always(text, action, member, agrees=has_begun(member, snapshot))
        case _:
            assert_never(event)


def is_of(member: int, snapshot: int, map_index: int) -> Agrees:
    """Return whether the snapshot of a coordinator has this id and this map."""

    def agrees(state: State) -> str | None:
        taking = state["saved"][state["underway"][state["runs"][member]].taking]
        return differs("snapshot", snapshot, taking.id) or differs("map", map_index, taking.map)

    return agrees


def has_begun(member: int, snapshot: int) -> Agrees:
    """Return whether an id is the last that a coordinator has begun."""
    return lambda state: differs("snapshot", snapshot, state["memory"][member].ongoing)


def has_chunks(member: int, snapshot: int, chunk_count: int) -> Agrees:
    """Return whether a whole snapshot has so many chunks: one of each source, and of each counter that has counted."""

    def agrees(state: State) -> str | None:
        taking = state["saved"][state["underway"][state["runs"][member]].taking]
        count = len(taking.offset) + sum(any(counts) for counts in taking.counted)
        return differs("snapshot", snapshot, taking.id) or differs("chunks", chunk_count, count)

    return agrees


def taken_part(text: Text, member: int, event: OfParticipants, state: State) -> Iterator[Observation]:
    """Yield what a participant does, by what it takes part in; nothing where an event says nothing of the job."""
    if isinstance(event, ChunkWritten):
        yield chunk_ended(text, member, event)
        return
    here = state["present"][member]
    if here is None:
        yield Observation(text, missing="the member takes part in no execution")
        return
    run = state["underway"][here]
    mine = [partition for partition, one in enumerate(run.counter) if one == member]
    match event:
        case ItemSent(shard=shard, partition=partition, number=number):
            agrees = sends(member, shard, partition, number)
            yield always(text, "item_is_emitted", member, shard, partition, agrees=agrees)
        case ItemCounted():
            yield counts(text, member, event)
        case SourceSaved(snapshot=snapshot, offsets=offsets):
            for shard, offset in offsets:
                agrees = saves(member, snapshot, shard, offset)
                yield always(text, "source_saves_its_state", member, shard, agrees=agrees)
        case BarrierArrived(snapshot=snapshot, source=source):
            for shard in (shard for shard, one in enumerate(run.source) if one == source):
                for partition in mine:
                    yield always(text, "barrier_arrives", member, shard, partition, agrees=takes(member, snapshot))
        case CounterSaved():
            yield from counters_saved(text, member, event, mine, run.counted)
        case StateRestored(snapshot=snapshot, partitions=partitions):
            yield always(text, "saved_state_is_read", member, agrees=has_restored(member, snapshot, partitions))
        case _:
            assert_never(event)


def counters_saved(
    text: Text, member: int, event: CounterSaved, mine: Sequence[int], counted: Plain
) -> Iterator[Observation]:
    """Yield that the counters of a member save: all that it has."""
    snapshot, refused = event.snapshot, differs("partitions", sorted(event.partitions), mine)
    for partition in mine:
        agrees = takes(member, snapshot) if refused is None else lambda state: refused
        has_chunk = any(counted[partition])
        yield always(text, "counter_saves_its_state", member, partition, has_chunk, agrees=agrees)


def sends(member: int, shard: int, partition: int, number: int) -> Agrees:
    """Return whether the last item from a source to a counter has a number."""

    def agrees(state: State) -> str | None:
        queue = state["underway"][state["present"][member]].queue[shard][partition]
        return differs("number", number, queue[-1])

    return agrees


def counts(text: Text, member: int, event: ItemCounted) -> Observation:
    """Return that an item is counted, where the next one has its number."""

    def find(state: State) -> Iterator[Event]:
        queues = state["underway"][state["present"][member]].queue
        is_one = event.shard < len(queues) and event.partition < len(queues[0])
        queue = queues[event.shard][event.partition] if is_one else ()
        if queue and queue[0] == event.number:
            yield Event("item_is_counted", (member, event.shard, event.partition))

    return Observation(text, find, missing=f"item {event.number} is not the next from its source")


def takes(member: int, snapshot: int) -> Agrees:
    """Return whether a member saves its state for a snapshot."""

    def agrees(state: State) -> str | None:
        taking = state["underway"][state["present"][member]].taking
        return differs("snapshot", snapshot, state["saved"][taking].id)

    return agrees


def saves(member: int, snapshot: int, shard: int, offset: int) -> Agrees:
    """Return whether a source has saved an offset for a snapshot."""

    def agrees(state: State) -> str | None:
        taking = state["saved"][state["underway"][state["present"][member]].taking]
        return differs("snapshot", snapshot, taking.id) or differs("offset", offset, taking.offset[shard])

    return agrees


def has_restored(member: int, snapshot: int, partitions: Iterable[int]) -> Agrees:
    """Return whether a member has found every chunk of a snapshot that is to be in its primary replicas."""

    def agrees(state: State) -> str | None:
        run = state["underway"][state["present"][member]]
        restored, size = state["saved"][run.restored], len(run.counter)
        held = {shard % size for shard in range(len(run.source))}
        held |= {partition for partition, counts in enumerate(restored.counted) if any(counts)}
        mine = sorted(partition for partition in held if run.counter[partition] == member)
        refused = None if state["exposed"] else differs("partitions", sorted(partitions), mine)
        return differs("snapshot", snapshot, restored.id) or refused

    return agrees


def chunk_ended(text: Text, member: int, event: ChunkWritten) -> Observation:
    """Return that a write of a member ended, of whatever execution that it took part in."""
    ending = Ending.FAILED if event.failure else Ending.BACKED if event.confirmed_copies > 1 else Ending.BARE

    def find(state: State) -> Iterator[Event]:
        for number, run in enumerate(state["underway"]):
            if run.taking is None or state["saved"][run.taking].id != event.snapshot:
                continue
            if event.vertex is not Vertex.SOURCE:
                places = [event.partition] if run.counter[event.partition] == member else []
                action, states = "counter_chunk_ends", run.counter_write
            else:
                shards = range(event.partition, len(run.source), len(run.counter))
                places = [shard for shard in shards if run.source[shard] == member]
                action, states = "source_chunk_ends", run.source_write
            place = next((place for place in places if states[place] is Write.WRITING), None)
            if place is not None:
                yield Event(action, (number, place, ending))
                return

    return Observation(text, find, missing="no such write is under way")
