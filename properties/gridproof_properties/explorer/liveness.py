"""Progress under weak fairness.

An eventually-claim is broken by a behaviour in which its condition is never true although every fair action that stays
possible happens again and again. A behaviour that breaks an eventually-claim ends in one strongly connected component
of the states where the condition is false, or stops for ever in one of these states; and its end is fair: each fair
action is impossible somewhere in the component, or happens inside it. A step that changes nothing does not count as
happening.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.scalars import LoweredClaim
from gridproof_properties.explorer.search import Space
from gridproof_properties.explorer.sparse import Nodes, components
from gridproof_properties.explorer.steps import MASK_BITS, Instances, StepGraph

FAR = np.iinfo(np.int32).max
SORTED_SHARE = 64
"""If fewer than one in this many states are reached, sorting them is faster than going through all states."""
Distances = NDArray[np.int32]
"""For each state: the number of steps of a shortest path to it through a state where the claim begins to wait; FAR if
there is no such path."""


@dataclass(frozen=True)
class Stuck:
    """The end of a fair behaviour in which the condition is never true, with a shortest way to this end."""

    end: int
    """The state in which the behaviour stops, or enters the component in which it goes on for ever."""
    component: Nodes
    """The states of the component; if there is only one state, the behaviour may stop there."""
    stands_still: bool
    distances: Distances


@dataclass(frozen=True)
class Waiting:
    """The states in which a claim is still waiting for its condition."""

    space: Space
    graph: StepGraph
    claim: LoweredClaim
    fair: Sequence[int]
    """The numbers of the action instances that are fair."""

    def stuck(self) -> Stuck | None:
        """Return a fair behaviour in which the condition is never true, by a shortest way; None if there is none."""
        if not self.starts.any():
            return None
        distances = self._distances()
        live = distances != FAR
        still = live & self.graph.stands_still
        labels = self._fair_components(live) if self.graph.goes_back else None
        ends = still if labels is None else still | (labels >= 0)
        if not ends.any():
            return None
        nearest = np.flatnonzero(ends & (distances == distances[ends].min()))
        stands = nearest[still[nearest]]
        end = int(stands[0] if stands.size else nearest[0])
        component = np.array([end]) if stands.size or labels is None else np.flatnonzero(labels == labels[end])
        return Stuck(end, component.astype(np.int32), bool(stands.size), distances)

    @cached_property
    def pending(self) -> NDArray[np.bool_]:
        """For each state, whether the condition is false there."""
        return ~self.space.holds(self.claim.condition)

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        """For each state, whether the claim begins to wait there."""
        trigger = self.claim.trigger
        begun = self.space.initial() if trigger is None else self.space.holds(trigger)
        return begun & self.pending

    def _distances(self) -> Distances:
        """Return the distance of each state in which the claim may wait: the level of a state where the wait begins,
        plus the number of steps from there while the claim waits."""
        graph, levels = self.graph, self.space.levels
        distances = np.full(graph.size, FAR, dtype=np.int32)
        if np.array_equal(self.starts, self.pending):
            # If every pending state is also a start state, the shortest distance of each is its exploration level.
            distances[self.pending] = levels[self.pending]
            return distances
        starts = np.flatnonzero(self.starts).astype(np.int32)
        frontier, step = starts[:0], int(levels[starts[0]])
        while frontier.size or starts.size:
            if not frontier.size:
                step = int(levels[starts[0]])
            now = starts[: np.searchsorted(levels[starts], step, side="right")]
            starts = starts[now.size :]
            frontier = np.concatenate([frontier, now])
            frontier = frontier[distances[frontier] == FAR]
            distances[frontier] = step
            nearby = graph.targets[graph.steps_from(frontier)]
            nearby = nearby[self.pending[nearby] & (distances[nearby] == FAR)]
            if nearby.size < graph.size // SORTED_SHARE:
                frontier = np.unique(nearby)
            else:
                is_reached = np.zeros(graph.size, dtype=bool)
                is_reached[nearby] = True
                frontier = np.flatnonzero(is_reached).astype(np.int32)
            step += 1
        return distances

    def _fair_components(self, live: NDArray[np.bool_]) -> Nodes:
        """Return for each `live` state the component where a fair behaviour may stay for ever, -1 if there is none."""
        graph = self.graph
        kept = graph.recurrent
        kept = kept[live[graph.sources[kept]] & live[graph.targets[kept]]]
        sources, targets = graph.sources[kept], graph.targets[kept]
        labels = components(graph.size, sources, targets)
        inside = labels[sources] == labels[targets]
        kept, sources = kept[inside], sources[inside]
        is_cyclic = np.zeros(graph.size, dtype=bool)
        is_cyclic[labels[sources]] = True
        is_fair = is_cyclic & self._meets_fairness(labels, sources, graph.instances[kept], live & is_cyclic[labels])
        return np.where(live & is_fair[labels], labels, -1).astype(np.int32)

    def _meets_fairness(
        self, labels: Nodes, sources: Nodes, instances: Instances, members: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return for each component whether each fair action is impossible somewhere in it or happens inside it."""
        states = np.flatnonzero(members)
        words = self.graph.possible.shape[0]
        everywhere = np.full((words, self.graph.size), np.iinfo(np.uint64).max, dtype=np.uint64)
        happening = np.zeros((words, self.graph.size), dtype=np.uint64)
        for word in range(words):
            np.bitwise_and.at(everywhere[word], labels[states], self.graph.possible[word, states])
            np.bitwise_or.at(happening[word], labels[sources], self._bits(word)[instances])
        meets: NDArray[np.bool_] = np.bitwise_or.reduce(everywhere & ~happening, axis=0) == 0
        return meets

    def _bits(self, word: int) -> NDArray[np.uint64]:
        """Return for each action instance the bit that represents it in a word; 0 if the instance is not fair."""
        bits = np.zeros(len(self.space.search.kernel.world.possible_instances), dtype=np.uint64)
        for position, number in enumerate(self.fair):
            if position // MASK_BITS == word:
                bits[number] = np.uint64(1 << position % MASK_BITS)
        return bits
