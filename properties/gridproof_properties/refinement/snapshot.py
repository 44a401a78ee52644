"""The records of members about a stream job, validated by the specification `snapshot`.

A behaviour is a job: it lasts from the job's submission, when no member knows anything about the job, to the end of the
run. Every record of a member about the job, or about members that it has removed, is one or more actions of the
specification.

Steps without a record are inferred. A coordinator that ends, gives up or is succeeded may have taken an id without a
record of this. A new coordinator has read some record that names the snapshot from which it starts, and has removed the
members that it does not list.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, product
from typing import assert_never

from gridproof_model.events import harness, jobs, kinds_of, membership
from gridproof_model.events.words import JobStatus, SnapshotWrite, Vertex
from gridproof_model.language import Plain, State
from gridproof_model.language.run import Event
from gridproof_model.membership import ClusterState
from gridproof_model.specifications.snapshot import Ending, Guarantee, Phase, Write, specification
from gridproof_properties.refinement.known import of_living_or_ended
from gridproof_properties.refinement.read import OfAllJobs, OfCoordinators, OfJob, OfJobs, OfNoJob, OfParticipants
from gridproof_properties.validation.engine import Agrees, GivenUpError, Observation, RefusedError, always, says
from gridproof_properties.validation.judge import Behaviour, SpecificationJudge, Worlds

RECORDS_MAX = 2_000
OF_JOB = "shards", "partitions", "items", "strict"  # as each job states them
UNRECORDED = ("id_is_taken",)
"""The action, never recorded, that a coordinator may have taken before it ended, gave up or was succeeded."""


class BehaviourOfSnapshot(Behaviour):
    """The behaviour of one job; mutable."""

    WORLDS = Worlds(
        specification,
        ("ids", "endings", "removals", "omissions", "exposures", "misses", "stops"),
        {"executions": 8, "snapshots": 16, "writes": RECORDS_MAX, **dict.fromkeys(OF_JOB)},
    )

    def __init__(self, job: harness.JobAsked, known: "SnapshotJudge") -> None:
        self._gone = frozenset(known.gone)
        """The members that had ended before the job was submitted."""
        self._lists = known.lists
        self._unlisted: set[tuple[int, int]] = set()
        """Pairs of two members: the first does not list the second, which counts as removed only for this reason."""
        self._executions: dict[str, int] = {}
        """For each execution, by its name in the run, its number in this behaviour."""
        of_job = {"shards": job.shards, "partitions": known.partition_count, "items": job.items, "strict": job.strict}
        runner = self.WORLDS.runner(members=known.count, **of_job)
        # A job without snapshots aligns no barriers, just as a job that promises only at-least-once.
        guarantee = Guarantee.EXACTLY_ONCE if job.guarantee == Guarantee.EXACTLY_ONCE.value else Guarantee.AT_LEAST_ONCE
        super().__init__(runner, runner.start.replaced({"guarantee": guarantee}))
        self.validation.given = ((runner, ()),)  # it begins in an initial state of the specification

    def ended(self, member: int) -> None:
        """Record that a member ended."""
        self.validation.let_happen(UNRECORDED)
        super().ended(member)

    def expose(self) -> None:
        """Record that from now on some write may have no second copy."""
        if not self.state["exposed"]:
            self.take_all(always("copies_are_exposed"))

    def take(self, member: int, event: OfJob | OfAllJobs) -> None:
        """Continue the behaviour with an event of a member."""
        if isinstance(event, OfParticipants):
            self._take_each(lambda state: _taken_part(member, event, state))
            return
        if isinstance(event, jobs.JobStarted | jobs.SnapshotBegun):
            self._make_room()
        match event:
            case membership.MemberRemoved(member=gone):
                # Members gone before the job do not concern it, and an earlier list may have shown the removal already.
                if gone not in self._gone and (member, gone) not in self._unlisted:
                    self.take_all(of_living_or_ended("member_is_removed", member, gone, self.state))
            case membership.ClusterStateChanged():
                self.expose()
            case jobs.JobStarted():
                self._executions[event.execution] = len(self._executions)
                if not self.state["knows_record"][member]:
                    self._remove_unlisted(member)
                    # An earlier coordinator may have had a snapshot id written, and learn of this write late or never.
                    self.validation.let_happen(UNRECORDED)
                self._take_each(lambda state: _started(member, event, state))
            case jobs.JobStopped():
                if event.execution in self._executions:
                    self.validation.let_happen(UNRECORDED)
                    self.take_all(_stopped(member, event, self._executions[event.execution]))
            case _:
                self._take_each(lambda state: _coordinated(member, event, state, may_miss=not self.size["strict"]))

    def _remove_unlisted(self, member: int) -> None:
        """Remove the earlier coordinators that a new coordinator does not list; it may never have listed them."""
        listed = self._lists.get(member, range(self.size["members"]))
        for other, has_coordinated in enumerate(self.state["knows_record"]):
            if has_coordinated and other not in listed and not self.state["removed"][member][other]:
                self._unlisted.add((member, other))
                self.take_all(of_living_or_ended("member_is_removed", member, other, self.state))

    def _take_each(self, observed: Callable[[State], Iterable[Observation]]) -> None:
        """Continue with an event that is several actions, from each state, as the actions may depend on the state."""
        found, refused = list[State](), list[RefusedError]()
        for state in self.validation.states:
            self.validation.states = (state,)
            try:
                self.take_all(*observed(state))
                found.extend(self.validation.states)
            except RefusedError as error:
                refused.append(error)
        if not found:
            raise refused[0]
        self.validation.states = tuple(found if len(found) < 2 else dict.fromkeys(found))

    def _make_room(self) -> None:
        """Continue in a larger world, if the present world has no room for another execution or snapshot."""
        used = sum(run.coordinator is not None for run in self.state["underway"])
        begun = sum(one.id > 0 for one in self.state["saved"])
        if len(self.state["records"]) > RECORDS_MAX - 3:
            many = f"the jobs write more than {RECORDS_MAX - 3:,} records, too many to validate"
            raise GivenUpError(f"{many}; validate a shorter run")
        if used == self.size["executions"]:
            self.widen(executions=2 * used)
        if begun + 1 >= self.size["snapshots"]:  # taking an id needs room for one more snapshot
            self.widen(snapshots=2 * self.size["snapshots"])


class SnapshotJudge(SpecificationJudge[str, BehaviourOfSnapshot]):
    """Gives each record to the jobs that it concerns; keeps members' lists, and whether writes have second copies."""

    SPECIFICATION = specification
    WATCHED = kinds_of(OfJobs)
    CALLED = "job {}"

    def __init__(self) -> None:
        super().__init__()
        self.is_frozen = False
        """Whether the cluster state ever forbade promotions: after that, a member that starts again has no data."""
        self.lists: dict[int, tuple[int, ...]] = {}
        """The latest list of each member."""

    def concerned(self, member: int, event: OfJob | OfAllJobs | OfNoJob) -> Iterable[str]:
        """Return the job that an event concerns; all jobs if a member is removed or the cluster was frozen."""
        match event:
            case harness.JobAsked():
                if self.partition_count > 0 and event.job not in self.behaviours:
                    self.begin(event.job, lambda: BehaviourOfSnapshot(event, self))
                return ()
            case membership.MemberListInstalled():
                self.lists[member] = event.members
                return ()
            case membership.MemberRemoved():
                return self.behaviours
            case membership.ClusterStateChanged():
                self.is_frozen |= event.state is not ClusterState.ACTIVE
                return self.behaviours if self.is_frozen else ()
            case _ if event.job not in self.behaviours:
                return ()
            case jobs.JobStarted():
                groups = {self.groups.get(member) for member in event.participants}
                # Members' writes have no second copy if there are no backups, only one group, or a frozen cluster.
                if self.backup_count == 0 or len(groups) < 2 or self.is_frozen:
                    self.let(self.behaviours, BehaviourOfSnapshot.expose)
            case _:
                pass
        return (event.job,)


FAILED_BY = {
    SnapshotWrite.EXECUTION_RECORD: "record_is_not_written",
    SnapshotWrite.VALIDATION_RECORD: "validation_is_not_written",
    SnapshotWrite.COMMIT: "commit_is_in_doubt",
}
"""The action by which a snapshot fails, for each write that may fail."""
Stated = tuple[str, object, Callable[[Plain], object]]
"""What an event states about a snapshot: a name, the stated value, and how to read the value from the snapshot."""


def _taken_part(member: int, event: OfParticipants, state: State) -> Iterator[Observation]:
    """Yield the actions of a participant in the execution in which it takes part."""
    here = state["present"][member]
    run: Plain = None if here is None else state["underway"][here]
    match event:
        case jobs.ChunkWritten():
            yield _chunk_ended(member, event, state)
        case _ if here is None:
            yield Observation(missing="the member takes part in no execution")
        case jobs.ItemSent(shard=shard, partition=partition):
            last = "number", event.number, lambda after: after["underway"][here].queue[shard][partition][-1]
            yield always("item_is_emitted", member, shard, partition, agrees=says(last))
        case jobs.ItemCounted(shard=shard, partition=partition):
            first = "number", event.number, lambda _: run.queue[shard][partition][0]
            yield always("item_is_counted", member, shard, partition, agrees=says(first))
        case jobs.SourceSaved(snapshot=snapshot):
            for shard, offset in event.offsets:
                saved = "offset", offset, lambda taken, shard=shard: taken.offset[shard]
                yield always("source_saves_its_state", member, shard, agrees=_takes(here, snapshot, saved))
        case jobs.BarrierArrived(snapshot=snapshot):
            for shard, partition in product(_places_of(event.source, run.source), _places_of(member, run.counter)):
                yield always("barrier_arrives", member, shard, partition, agrees=_takes(here, snapshot))
        case jobs.CounterSaved(snapshot=snapshot):
            mine = _places_of(member, run.counter)
            agrees = _takes(here, snapshot, ("partitions", sorted(event.partitions), lambda taken: mine))
            for partition in mine:
                yield always("counter_saves_its_state", member, partition, agrees=agrees)
        case jobs.StateRestored():
            restored = "snapshot", event.snapshot, lambda after: after["saved"][run.restored].id
            every_chunk = "partitions", sorted(event.partitions), lambda after: _chunks_read(member, run, after)
            # Chunks that have no second copy may be missing.
            may_miss = state["exposed"] or state["saved"][run.restored].is_bare
            agrees = says(restored) if may_miss else says(restored, every_chunk)
            yield always("saved_state_is_read", member, agrees=agrees)
        case _:
            assert_never(event)


def _places_of(member: int, owners: Iterable[int]) -> list[int]:
    """Return the numbers of the sources, or of the counters, that this member owns."""
    return [place for place, owner in enumerate(owners) if owner == member]


def _takes(execution: int, snapshot: int, *more: Stated) -> Agrees:
    """Return a function that tests if the snapshot that an execution takes has the stated id and other values."""
    stated: tuple[Stated, ...] = (("snapshot", snapshot, lambda taken: taken.id), *more)
    return lambda state: says(*stated)(state["saved"][state["underway"][execution].taking])


def _chunks_read(member: int, run: Plain, state: State) -> list[int]:
    """Return the partitions whose chunks a member should have in its primary replicas."""
    held = {shard % len(run.counter) for shard in range(len(run.source))}
    held |= {partition for partition, counts in enumerate(state["saved"][run.restored].counted) if any(counts)}
    return sorted(partition for partition in held if run.counter[partition] == member)


def _chunk_ended(member: int, event: jobs.ChunkWritten, state: State) -> Observation:
    """Return the observation that a write of a member ended, in any execution in which it took part."""
    ending = Ending.FAILED if event.failure else Ending.BACKED if event.confirmed_copies > 1 else Ending.BARE
    is_source = event.vertex is Vertex.SOURCE
    for number, run in enumerate(state["underway"]):
        if run.taking is not None and state["saved"][run.taking].id == event.snapshot:
            owners, writes = (run.source, run.source_write) if is_source else (run.counter, run.counter_write)
            for place in _places_of(member, owners):
                if place % len(run.counter) == event.partition and writes[place] is Write.WRITING:
                    return always("source_chunk_ends" if is_source else "counter_chunk_ends", number, place, ending)
    return Observation(missing="no such write is under way")


def _coordinated(member: int, event: OfCoordinators, state: State, *, may_miss: bool) -> Iterator[Observation]:
    """Yield the actions of a coordinator, which takes an id before any other member sees this id.

    No event records whether a record's backup acknowledged the write; in a job that is not strict, the acknowledgement
    may be missing.
    """
    runs, phase = state["runs"][member], state["phase"][member]
    match event:
        case jobs.MapCleared():
            if phase is Phase.NONE:
                yield always("id_is_taken", member)
            yield always("map_is_cleared", member, event.map_index, may_miss and phase in (Phase.NONE, Phase.TAKEN))
        case jobs.SnapshotBegun(snapshot=snapshot):
            agrees = _takes(runs, snapshot, ("map", event.map_index, lambda taken: taken.map))
            yield always("snapshot_begins", member, event.terminal, agrees=agrees)
        case jobs.SnapshotValidated(snapshot=snapshot):
            # A complete snapshot has a chunk of each source, and of each counter that has counted.
            chunks = "chunks", event.chunk_count, lambda taken: len(taken.offset) + sum(map(any, taken.counted))
            yield always("snapshot_is_validated", member, may_miss, agrees=_takes(runs, snapshot, chunks))
            yield always("commit_is_sent", member)
        case jobs.SnapshotRecorded(snapshot=snapshot):
            agrees = _takes(runs, snapshot, ("map", event.map_index, lambda taken: taken.map))
            yield always("snapshot_is_recorded", member, may_miss, agrees=agrees)
        case jobs.SnapshotFailed():
            write = next((one for one in SnapshotWrite if event.why.startswith(one)), None)
            if write is SnapshotWrite.EXECUTION_RECORD and phase is Phase.NONE:
                yield always("id_is_taken", member)
            action = "snapshot_fails" if write is None else FAILED_BY[write]
            last_begun = "snapshot", event.snapshot, lambda after: after["memory"][member].ongoing
            yield always(action, member, agrees=says(last_begun))
        case jobs.JobEnded():
            if event.status is JobStatus.FAILED:
                if not state["knows_record"][member]:
                    yield _reads(member, state)  # it may have read it only to find its snapshot incomplete
                yield always("job_is_found_corrupted", member)
        case _:
            assert_never(event)


def _started(member: int, event: jobs.JobStarted, state: State) -> Iterator[Observation]:
    """Yield the actions that start an execution: a record is read, a plan is made, all participants get ready."""
    if not state["knows_record"][member]:
        yield _reads(member, state, event.snapshot)
    restored = "snapshot", event.snapshot, lambda after: _named(after["memory"][member], after)
    yield always("execution_is_planned", member, agrees=says(restored))
    for other, is_gone in enumerate(state["removed"][member]):
        if not is_gone and other not in event.participants:
            yield always("member_is_left_out", member, other)
    for shard, source in zip(range(len(state["saved"][0].offset)), cycle(event.participants), strict=False):
        yield always("source_is_planned", member, shard, source)
    for partition, owner in enumerate(event.owners):
        yield always("counter_is_planned", member, partition, owner)
    actions = ("member_takes_part", "member_has_taken_part")

    def is_ready(participant: int) -> Observation:
        return Observation(lambda now: [Event(action, (participant, now["runs"][member])) for action in actions])

    yield from map(is_ready, event.participants)
    yield always("execution_starts", member)


def _reads(member: int, state: State, snapshot: int | None = None) -> Observation:
    """Return what a new coordinator may have read: any record, or any that names `snapshot`; for 0 also no record."""
    places = {record: at for at, record in enumerate(state["records"]) if snapshot in (None, _named(record, state))}
    read = [Event("record_is_read", (member, place)) for place in places.values()]
    if snapshot == 0:
        read.append(Event("record_is_missing", (member,)))
    missing = "no record was written" if snapshot is None else f"no record that was written names snapshot {snapshot}"
    return Observation(read, missing=missing)


def _named(record: Plain, state: State) -> int:
    return 0 if record.recorded is None else int(state["saved"][record.recorded].id)


def _stopped(member: int, event: jobs.JobStopped, execution: int) -> Observation:
    """Return the observation that a coordinator gives up its execution, since it is broken or for an outside reason."""
    completes = event.why == JobStatus.COMPLETED
    names = ["execution_completes"] if completes else ["broken_execution_stops", "execution_stops"]
    actions = [Event(name, (member,)) for name in names]
    missing = "its coordinator runs another execution, or none"
    return Observation(lambda state: actions if state["runs"][member] == execution else (), missing=missing)
