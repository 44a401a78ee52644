"""How a behaviour never arrives: a way in, a cycle.

The way in is a shortest one over all behaviours that never arrive. The cycle goes from one fair action to the nearest
whose fairness it does not meet yet, and home.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.exploration import Behaviour
from gridproof_properties.explorer.liveness import Stuck, Waiting
from gridproof_properties.explorer.steps import MASK_BITS, StepGraph
from gridproof_properties.explorer.witness import Witnesses

Walk = list[int]
"""Numbers of steps, each beginning where the one before ended."""


@dataclass(frozen=True)
class ProgressWitness:
    """Shows how a stuck behaviour goes."""

    waiting: Waiting
    stuck: Stuck
    witnesses: Witnesses

    def way_in(self) -> Behaviour:
        """Return the behaviour from an initial state, through a start of the claim, to where it never arrives."""
        walk: Walk = []
        here = self.stuck.end
        while not self._begins_at(here):
            walk.append(self._step_before(here))
            here = int(self._graph.sources[walk[-1]])
        return (*self.witnesses.behaviour(self.waiting.space.found(here)), *self._behaviour_of(walk[::-1]))

    def cycle(self) -> Behaviour:
        """Return what goes on forever from the end of the way in; empty when it stands still."""
        return () if self.stuck.stands_still else self._behaviour_of(self._round())

    @property
    def _graph(self) -> StepGraph:
        return self.waiting.graph

    def _begins_at(self, state: int) -> bool:
        """Return whether the claim may begin to wait in a state by the time the way in comes there."""
        distance = int(self.stuck.distances[state])
        return bool(self.waiting.starts[state]) and int(self.waiting.space.levels[state]) == distance

    def _step_before(self, state: int) -> int:
        """Return a step to a state from one that is a step nearer."""
        places = np.searchsorted(self._graph.targets, [state, state + 1], sorter=self._by_target)
        steps = self._by_target[slice(*places)]
        distances = self.stuck.distances[self._graph.sources[steps]]
        return int(steps[distances == self.stuck.distances[state] - 1][0])

    def _behaviour_of(self, walk: Walk) -> Behaviour:
        instances = self.waiting.space.search.kernel.world.possible_instances
        return tuple(
            (
                instances[int(self._graph.instances[step])].event,
                self.waiting.space.state(int(self._graph.targets[step])),
            )
            for step in walk
        )

    @cached_property
    def _by_target(self) -> NDArray[np.int64]:
        """All steps, by the state they lead to."""
        return np.argsort(self._graph.targets, kind="stable")

    @cached_property
    def _is_inside(self) -> NDArray[np.bool_]:
        """Which steps are within the component."""
        member = np.zeros(self._graph.size, dtype=bool)
        member[self.stuck.component] = True
        is_inside: NDArray[np.bool_] = member[self._graph.sources] & member[self._graph.targets]
        return is_inside

    def _round(self) -> Walk:
        """Return a closed walk that is fair to every action: it has a state where it is impossible, or its own step."""
        home = np.zeros(self._graph.size, dtype=bool)
        home[self.stuck.end] = True
        here, owed = self.stuck.end, self._still_owed(frozenset(self.waiting.fair), self.stuck.end)
        walk: Walk = []
        while owed or not walk:
            way = self._walk(here, self._meeting(owed), owed)
            for step in way:
                here = int(self._graph.targets[step])
                owed = self._still_owed(owed - {int(self._graph.instances[step])}, here)
            walk += way
        return walk if here == self.stuck.end else walk + self._walk(here, home, frozenset())

    def _still_owed(self, owed: frozenset[int], state: int) -> frozenset[int]:
        """Return those of some fair instances that can change something in a state: being there meets no fairness."""
        bits = [int(word) for word in self._graph.possible[:, state]]
        places = {number: place for place, number in enumerate(self.waiting.fair)}
        return frozenset(n for n in owed if bits[places[n] // MASK_BITS] >> places[n] % MASK_BITS & 1)

    def _meeting(self, owed: frozenset[int]) -> NDArray[np.bool_]:
        """Return the states in which one of some fair instances can change nothing."""
        wanted = np.zeros((self._graph.possible.shape[0], 1), dtype=np.uint64)
        for place, number in enumerate(self.waiting.fair):
            if number in owed:
                wanted[place // MASK_BITS] |= np.uint64(1 << place % MASK_BITS)
        meeting: NDArray[np.bool_] = ((self._graph.possible & wanted) != wanted).any(axis=0)
        return meeting

    def _walk(self, start: int, goals: NDArray[np.bool_], owed: frozenset[int]) -> Walk:
        """Return a shortest walk of at least one step within the component: to a goal, or ending with a step owed."""
        graph = self._graph
        came_by: dict[int, int] = {start: -1}
        frontier = np.array([start], dtype=np.int32)
        while True:
            going = graph.steps_from(frontier)
            going = going[self._is_inside[going]]
            assert going.size, "a component is strongly connected"
            last = going[goals[graph.targets[going]] | np.isin(graph.instances[going], list(owed))]
            if last.size:
                return [*self._back(came_by, int(graph.sources[last[0]])), int(last[0])]
            reached: list[int] = []
            for step, target in zip(going.tolist(), graph.targets[going].tolist(), strict=True):
                if target not in came_by:
                    came_by[target] = step
                    reached.append(target)
            frontier = np.array(sorted(reached), dtype=np.int32)

    def _back(self, came_by: dict[int, int], state: int) -> Walk:
        """Return the walk by which a state was come to."""
        walk: Walk = []
        while came_by[state] != -1:
            walk.append(came_by[state])
            state = int(self._graph.sources[walk[-1]])
        return walk[::-1]
