"""Progress under weak fairness.

An eventually-claim is broken by a behaviour that never comes to its condition although every fair action that stays
possible happens again and again. Such a behaviour ends in one strongly connected component of the states where the
condition does not hold (or stands still in one state), and the component is fair: each fair action is impossible
somewhere in it, or happens inside it. Steps that change nothing do not count as happening.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gridproof_model.spec.lowered import LoweredClaim
from gridproof_properties.explorer.components import Nodes, components, reachable
from gridproof_properties.explorer.graph import SMALL_GRAPH_EDGES, small_components
from gridproof_properties.explorer.search import MemoryLimitError
from gridproof_properties.explorer.space import Space

EDGE_BYTES = 8 + 8 + 4


@dataclass(frozen=True)
class Edges:
    """Steps that change something, among states where the condition does not hold yet."""

    sources: Nodes
    targets: Nodes
    instances: NDArray[np.int32]
    """The number of each step's action instance."""

    @staticmethod
    def joined(parts: Sequence[Edges]) -> Edges:
        """Return the edges of all parts in one."""
        nothing = np.zeros(0, dtype=np.int64)
        return Edges(
            np.concatenate([nothing, *(part.sources for part in parts)]),
            np.concatenate([nothing, *(part.targets for part in parts)]),
            np.concatenate([nothing.astype(np.int32), *(part.instances for part in parts)]),
        )

    def within(self, kept: NDArray[np.bool_]) -> Edges:
        """Return the edges with both ends kept."""
        both = kept[self.sources] & kept[self.targets]
        return Edges(self.sources[both], self.targets[both], self.instances[both])


@dataclass(frozen=True)
class Stuck:
    """A fair way never to arrive: from a start through waiting states into a component, and on in it forever."""

    start: int
    component: Nodes
    """State numbers; one state may mean that it stands still."""
    edges: Edges
    """The waiting graph from the starts on."""


@dataclass(frozen=True)
class Waiting:
    """The states in which a claim still waits for its condition, and the steps among them."""

    space: Space
    claim: LoweredClaim
    memory_bytes: int

    def stuck(self) -> Stuck | None:
        """Return a fair behaviour that never arrives, or None; MemoryLimitError when the graph does not fit."""
        if not self.starts.any():
            return None
        label = self._labels(self.edges)
        component = self._fair_component(label)
        if component is None:
            return None
        inside = np.zeros(self.space.size, dtype=bool)
        inside[component] = True
        leads_there = reachable(self.space.size, inside, self.edges.targets, self.edges.sources)
        return Stuck(int(np.argmax(leads_there & self.starts)), component, self.edges)

    @cached_property
    def pending(self) -> NDArray[np.bool_]:
        """Where the condition does not hold."""
        return ~self.space.holds(self.claim.condition)

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        """Where the claim begins to wait."""
        trigger = self.claim.trigger
        begun = self.space.initial() if trigger is None else self.space.holds(trigger)
        return begun & self.pending

    @property
    def edges(self) -> Edges:
        """All changing steps among pending states that a start reaches through pending states."""
        return self._gathered[0]

    @property
    def possible(self) -> NDArray[np.bool_]:
        """For each fair instance (in order) and reached state: whether it can change something there."""
        return self._gathered[1]

    @property
    def live(self) -> NDArray[np.bool_]:
        """The states so reached."""
        return self._gathered[2]

    @cached_property
    def fair(self) -> list[int]:
        """The numbers of the fair instances."""
        instances = self.space.search.kernel.world.possible_instances
        return [number for number, instance in enumerate(instances) if instance.fair]

    @cached_property
    def _gathered(self) -> tuple[Edges, NDArray[np.bool_], NDArray[np.bool_]]:
        possible = np.zeros((len(self.fair), self.space.size), dtype=bool)
        live = self.starts.copy()
        parts: list[Edges] = []
        held = possible.nbytes + self.space.states.bytes
        frontier = np.flatnonzero(live)
        while frontier.size:
            fresh = []
            for start in range(0, frontier.size, self.space.search.chunk):
                found = self._expanded(frontier[start : start + self.space.search.chunk], possible)
                held += EDGE_BYTES * found.sources.size
                if 2 * held > self.memory_bytes:
                    raise MemoryLimitError
                parts.append(found)
                fresh.append(np.unique(found.targets[~live[found.targets]]))
                live[fresh[-1]] = True
            frontier = np.concatenate(fresh)
        return Edges.joined(parts), possible, live

    def _expanded(self, numbers: Nodes, possible: NDArray[np.bool_]) -> Edges:
        """Return the changing steps from some states, and note which fair instances make one."""
        kernel, space = self.space.search.kernel, self.space
        place = {number: position for position, number in enumerate(self.fair)}
        parts: list[Edges] = []
        for number, fired in enumerate(kernel.fire(kernel.columns(space.states.words[:, numbers]))):
            begin, end = numbers[fired.rows], space.numbers(fired.successors)
            changing = begin != end
            if number in place:
                possible[place[number], begin[changing]] = True
            kept = changing & self.pending[end]
            instances = np.full(np.count_nonzero(kept), number, dtype=np.int32)
            parts.append(Edges(begin[kept], end[kept], instances))
        return Edges.joined(parts)

    def _labels(self, edges: Edges) -> Nodes:
        find = small_components if self.space.size + edges.sources.size < SMALL_GRAPH_EDGES else components
        return find(self.space.size, edges.sources, edges.targets)

    def _fair_component(self, label: Nodes) -> Nodes | None:
        """Return a component in which a fair behaviour may stay forever, or None."""
        edges, live = self.edges, self.live
        inside = label[edges.sources] == label[edges.targets]
        fair = np.ones(self.space.size, dtype=bool)
        for position, number in enumerate(self.fair):
            excused = np.zeros(self.space.size, dtype=bool)
            excused[label[live & ~self.possible[position]]] = True
            excused[label[edges.sources[inside & (edges.instances == number)]]] = True
            fair &= excused
        candidates = np.unique(label[live & fair[label]])
        return np.flatnonzero(live & (label == candidates[0])) if candidates.size else None
