"""Events of a stream job, as actions of the specification.

The source of a shard is the specification's source of the same number, the counter of a partition its counter. The
first of the specification's two maps is the run's second: both begin with the other one.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from functools import cache
from typing import assert_never

from gridproof_model.events.harness import JobAsked
from gridproof_model.events.jobs import (
    BarrierArrived,
    ChunkWritten,
    CounterSaved,
    ItemCounted,
    ItemSent,
    JobEnded,
    JobStarted,
    JobStopped,
    MapCleared,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
    SnapshotValidated,
    SourceSaved,
)
from gridproof_model.events.membership import ClusterStateChanged, MemberRemoved
from gridproof_model.language.run import Runner
from gridproof_model.specifications.snapshot import Guarantee, Job, Phase, Write, specification
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.snapshot.barriers import Barriers
from gridproof_properties.refinement.snapshot.differences import DEALT, ENDED, OVER, TWO_CLUSTERS
from gridproof_properties.refinement.snapshot.snapshots import OfTheCoordinator, Snapshots
from gridproof_properties.refinement.snapshot.tables import MEMBERS_MAX, Tables
from gridproof_properties.refinement.step import Step
from gridproof_properties.validation.engine import Onlooker

OfParticipants = ItemSent | ItemCounted | SourceSaved | BarrierArrived | CounterSaved | ChunkWritten
Read = OfParticipants | OfTheCoordinator | JobStarted | JobStopped | JobEnded | MemberRemoved | ClusterStateChanged
"""What is read of a run, besides rows."""
PLENTY = 5_000
"""Of what only bounds a world: items, snapshots, losses, missed backups."""
SOURCE = "source"
"""The vertex whose chunks are offsets."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was submitted."""

    guarantee: Guarantee
    is_strict: bool
    shards: int
    items: int
    partition_count: int

    @staticmethod
    def of(asked: JobAsked, partition_count: int) -> "Wanted":
        """Return what somebody asked for; a job without snapshots aligns nothing, as one at least once."""
        exact = asked.guarantee == Guarantee.EXACTLY_ONCE.value
        guarantee = Guarantee.EXACTLY_ONCE if exact else Guarantee.AT_LEAST_ONCE
        return Wanted(guarantee, asked.strict, asked.shards, asked.items, partition_count)


@cache
def runner_of(partitions: int, *, is_strict: bool) -> Runner:
    """Return the world of one job over so many partitions."""
    return Runner(
        specification.world(
            members=MEMBERS_MAX,
            partitions=partitions,
            items=PLENTY,
            snapshots=PLENTY,
            crashes=PLENTY,
            misses=PLENTY,
            fails_on_indeterminate=is_strict,
        )
    )


def behaviour_of(wanted: Wanted, differences: Counter[str], onlooker: Onlooker | None) -> Behaviour:
    """Return the beginning of a job's behaviour."""
    runner = runner_of(max(wanted.shards, wanted.partition_count), is_strict=wanted.is_strict)
    starts = (state for state in runner.initial_states() if state["guarantee"] is wanted.guarantee)
    return Behaviour(runner, next(starts), differences, onlooker)


@dataclass(slots=True)
class Follower:
    """Follows one job from its first start to its end; mutable."""

    wanted: Wanted
    scene: Scene
    differences: Counter[str]
    onlooker: Onlooker | None = None
    behaviour: Behaviour = field(init=False)
    tables: Tables = field(init=False)
    snapshots: Snapshots = field(init=False)
    barriers: Barriers = field(init=False)
    _coordinator: int | None = None
    _under_way: dict[tuple[int, int], deque[int]] = field(default_factory=dict)
    """The numbers of the items from a source to a counter."""
    _told: dict[int, int] = field(default_factory=dict)
    """How many items each source has told."""
    _saved: dict[tuple[int, int], int] = field(default_factory=dict)
    """The same as it was saved, by snapshot and source."""

    def __post_init__(self) -> None:
        self.behaviour = behaviour_of(self.wanted, self.differences, self.onlooker)
        self.tables = Tables(self.behaviour, self.scene, self.wanted.partition_count)
        self.snapshots = Snapshots(self.behaviour, self.tables, is_strict=self.wanted.is_strict)
        counted, sources = self.wanted.partition_count, self.wanted.shards
        self.barriers = Barriers(self.behaviour, self.tables, sources, counted, self._has_ended)

    def see(self, step: Step, event: Read) -> None:
        """Take the next step of anybody."""
        match event:
            case JobStarted():
                self._job_started(step, event)
            case JobStopped():
                self._job_stopped(step, event)
            case JobEnded():
                self._job_ended(step, event)
            case MemberRemoved():
                self._member_removed(event)
            case ClusterStateChanged():
                self._state_changed(event)
            case SnapshotBegun() | SnapshotValidated() | SnapshotRecorded() | SnapshotFailed() | MapCleared():
                self._coordinated(step, event)
            case _:
                if not self._is_over(step):
                    self._taken_part(step, event)

    def _taken_part(self, step: Step, event: OfParticipants) -> None:
        match event:
            case ItemSent():
                self._item_sent(step, event)
            case ItemCounted():
                self._item_counted(step, event)
            case SourceSaved():
                self._source_saved(step, event)
            case BarrierArrived():
                self.barriers.arrived(step, event)
            case CounterSaved():
                self.barriers.counter_saved(step, event)
            case ChunkWritten():
                self._chunk_written(step, event)
            case _:
                assert_never(event)

    def member_ended(self, member: int, *, is_graceful: bool) -> None:
        """Take note that a member is gone; without its coordinator an execution is over."""
        if is_graceful:
            self.tables.left.add(member)
        self.tables.was_empty |= not any(self.scene.may_stand_in(one, (), 0) for one in self.scene.alive)
        if member == self._coordinator:
            self._coordinator = None

    def _is_over(self, step: Step) -> bool:
        """Whether a participant's step belongs to an execution that the coordinator has given up, or died with."""
        if self._coordinator is None or self.behaviour["job"] is not Job.RUNNING:
            self.behaviour.differ(OVER)
            return True
        return step.member not in self.tables.participants

    def _job_started(self, step: Step, event: JobStarted) -> None:
        behaviour = self.behaviour
        if self._coordinator is not None and step.member != self._coordinator:
            raise OutOfScopeError(TWO_CLUSTERS)
        if behaviour["job"] is Job.SUBMITTED:
            behaviour.take(step, "job_is_submitted")
        else:
            self._give_up(step, is_named=event.snapshot == behaviour["memory"].ongoing)
            self.tables.secure(step)
            self.snapshots.trust_the_record(event)
            behaviour.take(step, "job_goes_on")
        self.tables.plan(step, event)
        self._coordinator = step.member
        self.snapshots.is_first = True
        snapshot = event.snapshot
        behaviour.agree(step, "snapshot", snapshot, behaviour["restored"])
        self._under_way.clear()
        self.barriers.forget()
        self._told = {shard: self._saved.get((snapshot, shard), 0) for shard in range(self.wanted.shards)}

    def _job_stopped(self, step: Step, event: JobStopped) -> None:
        why = event.why
        if step.member != self._coordinator:
            raise OutOfScopeError(TWO_CLUSTERS)
        if why == "completed":
            for (shard, counter), waiting in self._under_way.items():
                self.behaviour.agree(step, f"items from source {shard} to counter {counter}", 0, len(waiting))
            raise OutOfScopeError(ENDED)
        self._give_up(step, is_named=True)

    def _give_up(self, step: Step, *, is_named: bool) -> None:
        """Let an execution end with what was lost; a snapshot that was validated may be the record's already."""
        behaviour = self.behaviour
        if behaviour["execution"].phase is Phase.VALIDATED and is_named:
            behaviour.take(step, "snapshot_is_recorded", False)
        is_alone = not self.tables.lose_the_dead(step)
        if behaviour["job"] is Job.RUNNING and (is_alone or self._coordinator is None or not self._all_there()):
            self.snapshots.stop()

    def _all_there(self) -> bool:
        """Whether everybody that takes part is there still."""
        return all(member in self.scene.alive for member in self.tables.participants)

    def _job_ended(self, step: Step, event: JobEnded) -> None:
        if event.status == "failed" and self.behaviour["job"] is Job.STOPPED:
            self.tables.lose_the_dead(step)
            self.tables.secure(step)
            if self.wanted.is_strict:
                self.behaviour.take(step, "job_is_found_corrupted")
        raise OutOfScopeError(ENDED)

    def _item_sent(self, step: Step, event: ItemSent) -> None:
        shard, counter, number = event.shard, event.partition, event.number
        self.behaviour.agree(step, "number", number, self._told[shard])
        self._told[shard] += 1
        self._under_way.setdefault((shard, counter), deque()).append(number)
        execution = self.behaviour["execution"]
        skipped = (counter - shard - execution.offset[shard]) % len(execution.offset)
        if skipped:
            offsets = tuple(o + skipped if place == shard else o for place, o in enumerate(execution.offset))
            self.behaviour.differ(DEALT, {"execution": execution._replace(offset=offsets)})
        self.behaviour.take(step, "source_tells_item", shard, counter)

    def _item_counted(self, step: Step, event: ItemCounted) -> None:
        shard, counter = event.shard, event.partition
        waiting = self._under_way.get((shard, counter))
        if not waiting:
            self.behaviour.refuse(step, "no such item is under way")
        else:
            self.behaviour.agree(step, "number", event.number, waiting.popleft())
        self.barriers.passed(step, shard, counter)
        self.behaviour.take(step, "counter_counts_item", shard, counter)

    def _source_saved(self, step: Step, event: SourceSaved) -> None:
        snapshot = event.snapshot
        self.behaviour.agree(step, "snapshot", snapshot, self.behaviour["memory"].ongoing)
        for shard, offset in event.offsets:
            self.behaviour.agree(step, f"offset of source {shard}", offset, self._told[shard])
            self._saved[snapshot, shard] = offset
        for shard in self.tables.shards_at(step.member, self.wanted.shards):
            if not (self._has_ended(shard) and self.barriers.write_of(shard).source is not Write.NONE):
                self.barriers.source_saved(step, shard)

    def _has_ended(self, shard: int) -> bool:
        """Whether a source has told everything; one that the run does not have goes with the oldest member's."""
        mine = [shard] if shard < self.wanted.shards else range(0, self.wanted.shards, len(self.tables.participants))
        return all(self._told[one] == self.wanted.items for one in mine)

    def _chunk_written(self, step: Step, event: ChunkWritten) -> None:
        if self.behaviour["execution"].phase is not Phase.SAVING:
            return
        if event.snapshot < self.behaviour["memory"].ongoing:
            self.behaviour.differ(OVER)
            return
        self.behaviour.agree(step, "snapshot", event.snapshot, self.behaviour["memory"].ongoing)
        if event.vertex != SOURCE:
            self.snapshots.chunk_ended(step, event, event.partition, "counter")
            return
        mine = self.tables.shards_at(step.member, self.wanted.shards)
        here = [shard for shard in mine if shard % self.wanted.partition_count == event.partition]
        shard = next((shard for shard in here if self.barriers.write_of(shard).source is Write.WRITING), here[0])
        self.snapshots.chunk_ended(step, event, shard, "source")

    def _coordinated(self, step: Step, event: OfTheCoordinator) -> None:
        if step.member != self._coordinator:
            raise OutOfScopeError(TWO_CLUSTERS)
        self.snapshots.see(step, event)

    def _member_removed(self, event: MemberRemoved) -> None:
        if event.member in self.scene.alive:
            raise OutOfScopeError(TWO_CLUSTERS)

    def _state_changed(self, event: ClusterStateChanged) -> None:
        self.tables.was_frozen |= event.state != "active"
