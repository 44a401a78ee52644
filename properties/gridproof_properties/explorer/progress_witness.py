"""How a behaviour never arrives: a way in, a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_model.spec.cells import decode
from gridproof_model.spec.run import Event
from gridproof_model.spec.values import State
from gridproof_properties.explorer.exploration import Behaviour
from gridproof_properties.explorer.liveness import Edges, Stuck, Waiting
from gridproof_properties.explorer.witness import Witnesses

Walk = list[int]
"""Edge numbers, each beginning where the one before ended."""


@dataclass(frozen=True)
class ProgressWitness:
    """Tells how a stuck behaviour goes."""

    waiting: Waiting
    stuck: Stuck
    witnesses: Witnesses

    def way_in(self) -> Behaviour:
        """Return the behaviour from an initial state, through the start of the claim, into the component."""
        start = self.witnesses.behaviour(self.waiting.space.found(self.stuck.start))
        return (*start, *self._told(self.stuck.edges, self._way))

    def cycle(self) -> Behaviour:
        """Return what goes on forever from the end of the way in; empty when it stands still."""
        inside = self.stuck.edges.within(np.isin(np.arange(self._size), self.stuck.component))
        if inside.sources.size == 0:
            return ()
        entry = int(self.stuck.edges.targets[self._way[-1]]) if self._way else self.stuck.start
        return self._told(inside, self._round(inside, entry))

    @property
    def _size(self) -> int:
        return self.waiting.space.size

    @cached_property
    def _way(self) -> Walk:
        return shortest_walk(self._size, self.stuck.edges, self.stuck.start, self.stuck.component)

    def _round(self, inside: Edges, entry: int) -> Walk:
        """Return a closed walk that excuses every fair action: where it is impossible, or by its own step."""
        walk: Walk = []
        here = entry
        for position, number in enumerate(self.waiting.fair):
            impossible = self.stuck.component[~self.waiting.possible[position, self.stuck.component]]
            if impossible.size:
                walk += shortest_walk(self._size, inside, here, impossible)
            else:
                step = int(np.flatnonzero(inside.instances == number)[0])
                walk += [*shortest_walk(self._size, inside, here, inside.sources[step : step + 1]), step]
            here = int(inside.targets[walk[-1]]) if walk else entry
        if not walk:
            walk = [int(np.flatnonzero(inside.sources == entry)[0])]
            here = int(inside.targets[walk[-1]])
        return walk + shortest_walk(self._size, inside, here, np.array([entry]))

    def _told(self, edges: Edges, walk: Walk) -> Behaviour:
        return tuple((self._event(edges, step), self._state(int(edges.targets[step]))) for step in walk)

    def _event(self, edges: Edges, step: int) -> Event:
        return self.waiting.space.search.kernel.world.possible_instances[int(edges.instances[step])].event

    def _state(self, number: int) -> State:
        kernel = self.waiting.space.search.kernel
        return decode(kernel.world.world, kernel.packing.unpack(self.waiting.space.states.words[:, number]))


def shortest_walk(size: int, edges: Edges, start: int, goals: NDArray[np.int64]) -> Walk:
    """Return a shortest walk from a node to one of the goals; empty when it is one."""
    came_by = np.full(size, -1)
    reached = np.zeros(size, dtype=bool)
    reached[start] = True
    while not reached[goals].any():
        fresh = np.flatnonzero(reached[edges.sources] & ~reached[edges.targets])
        assert fresh.size, "the goals are reachable"
        came_by[edges.targets[fresh]] = fresh
        reached[edges.targets[fresh]] = True
    walk: Walk = []
    here = int(goals[reached[goals]][0])
    while here != start:
        walk.append(int(came_by[here]))
        here = int(edges.sources[walk[-1]])
    return walk[::-1]
