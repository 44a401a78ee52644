"""Barriers on their way, and counters that wait for them.

A counter of the run waits for every member, also for those that have no source: they say that they have told all. Which
of the specification's barriers is the last is told by the step in which the counter saves.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from gridproof_model.events.jobs import BarrierArrived, CounterSaved
from gridproof_model.language import Plain
from gridproof_model.specifications.snapshot import Token, Write
from gridproof_properties.refinement.behaviour import Behaviour, with_value
from gridproof_properties.refinement.snapshot.differences import AWAITED, ENDED_EARLY
from gridproof_properties.refinement.snapshot.tables import Tables
from gridproof_properties.refinement.step import Step


@dataclass(slots=True)
class Barriers:
    """The barriers of one job; mutable."""

    behaviour: Behaviour
    tables: Tables
    shards: int
    """How many sources the run has; the specification has one a partition at least."""
    partition_count: int
    has_ended: Callable[[int], bool]
    """Whether a source has told everything."""
    _held: set[tuple[int, int]] = field(default_factory=set)
    """Barriers that have come, by source and counter, and are taken as the counter saves."""

    def arrived(self, step: Step, event: BarrierArrived) -> None:
        """Take a member's barrier, at all counters of another; the last one that a counter awaits comes as it saves."""
        for counter in self.tables.partitions_at(step.member):
            for shard in self.tables.shards_at(event.source, self.shards):
                arrived = self.behaviour["execution"].arrived[counter]
                if all(has or place == shard for place, has in enumerate(arrived)):
                    self._held.add((shard, counter))
                else:
                    self.behaviour.take(step, "barrier_arrives", shard, counter)

    def passed(self, step: Step, shard: int, counter: int) -> None:
        """Take a barrier that was held back: items behind it are counted, so the counter waits for somebody else."""
        if (shard, counter) not in self._held:
            return
        execution = self.behaviour["execution"]
        idle = [place for place in range(self.shards, len(execution.queue)) if execution.arrived[counter][place]]
        if not idle or not self._is_at_barrier(shard, counter):
            return
        self._held.discard((shard, counter))
        awaited = idle[-1]
        arrived = tuple(has and place != awaited for place, has in enumerate(execution.arrived[counter]))
        lane = (Token.BARRIER, *execution.queue[awaited][counter])
        changed = execution._replace(
            arrived=with_value(execution.arrived, counter, arrived),
            queue=with_value(execution.queue, awaited, with_value(execution.queue[awaited], counter, lane)),
        )
        self.behaviour.differ(AWAITED, {"execution": changed})
        self.behaviour.take(step, "barrier_arrives", shard, counter)

    def counter_saved(self, step: Step, event: CounterSaved) -> None:
        """Take it that the counters of a member save, as the last barrier comes."""
        self.behaviour.agree(step, "snapshot", event.snapshot, self.behaviour["memory"].ongoing)
        size = len(self.behaviour["owner"])
        mine = self.tables.partitions_at(step.member)
        extra = [place for place in range(self.partition_count, size) if place in mine]
        for counter in (*event.partitions, *extra):
            self._let_the_ended_arrive(step, counter)
            missing = [shard for shard, has in enumerate(self.behaviour["execution"].arrived[counter]) if not has]
            last = next((shard for shard in reversed(missing) if self._is_at_barrier(shard, counter)), missing[-1])
            self.behaviour.take(step, "counter_saves_its_state", last, counter)
            self._held.discard((last, counter))
            is_empty = not any(self.behaviour["execution"].counted[counter])
            if counter in extra or is_empty:  # without totals there is no chunk
                self.behaviour.take(step, "counter_chunk_is_backed_up", counter)

    def source_saved(self, step: Step, shard: int) -> None:
        """Take it that a source saves; one that the run does not have has nothing to write."""
        self.behaviour.take(step, "source_saves_its_state", shard)
        if shard >= self.shards:
            self.behaviour.take(step, "source_chunk_is_backed_up", shard)

    def write_of(self, place: int) -> Plain:
        """Return how far the writes of a place are."""
        return self.behaviour["execution"].chunk_write[place]

    def forget(self) -> None:
        """Begin another execution: what was under way is gone."""
        self._held.clear()

    def _let_the_ended_arrive(self, step: Step, counter: int) -> None:
        """Let sources that have told everything save, and their barriers arrive: all but the last that is missing."""
        for shard in range(len(self.behaviour["owner"])):
            if self.has_ended(shard) and self.write_of(shard).source is Write.NONE:
                self.behaviour.differ(ENDED_EARLY)
                self.source_saved(step, shard)
        for shard, has_arrived in enumerate(self.behaviour["execution"].arrived[counter]):
            is_idle = shard >= self.shards or self.has_ended(shard)
            if not has_arrived and is_idle and self.behaviour.may("barrier_arrives", shard, counter):
                self.behaviour.take(step, "barrier_arrives", shard, counter)

    def _is_at_barrier(self, shard: int, counter: int) -> bool:
        lane = self.behaviour["execution"].queue[shard][counter]
        return bool(lane) and lane[0] is Token.BARRIER
