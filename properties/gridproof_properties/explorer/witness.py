"""Finds shortest paths to states, from the levels of a breadth-first search.

A breadth-first search does not keep predecessors. The way to a state is found backwards, level by level: in the level
before there is a state that has this state as a successor. Every path that was found is replayed by the plain
interpreter, which shares no code with the kernels.

The module also finds a behaviour in which a condition is never true: a way into a cycle, and the cycle. Of all
behaviours in which the condition is never true, the one with the shortest way into its cycle is found. The cycle is
built from shortest walks: each walk makes it fair to one more fair action, and the last walk leads back to its
beginning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import decode, encode
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import State
from gridproof_properties.explorer.exploration import Behaviour
from gridproof_properties.explorer.levels import single
from gridproof_properties.explorer.liveness import Stuck, Waiting
from gridproof_properties.explorer.packing import Words, equal
from gridproof_properties.explorer.search import FEW_STATES, PATIENCE, Found, Search
from gridproof_properties.explorer.steps import MASK_BITS, StepGraph


@dataclass(frozen=True)
class Witnesses:
    """Finds the shortest ways to states that a search found."""

    search: Search

    def behaviour(self, found: Found) -> Behaviour:
        """Return a shortest behaviour that ends in a found state (under symmetry, in a state of its class)."""
        targets = [(found.words, -1)]
        for level in range(found.level - 1, -1, -1):
            targets.append(self._predecessor(self.search.levels[level], targets[-1][0]))
        return self._replayed(targets[::-1])

    def _predecessor(self, level: Words, target: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Return a state of a level from which a step leads to the target, and that step's action instance."""
        is_deep = len(self.search.levels) > PATIENCE and self.search.canonical is None
        if is_deep and level.shape[1] <= FEW_STATES:
            wanted = single(np.array([target], dtype=np.uint64).T)[0]
            steps = ((state, self.search.plain.look(state).steps) for state in single(level))
            ways = [(number, row) for row, (_, some) in enumerate(steps) for number, after in some if after == wanted]
            number, row = min(ways)
            return tuple(int(word) for word in level[:, row]), number
        for start in range(0, level.shape[1], self.search.chunk):
            words = level[:, start : start + self.search.chunk]
            for number, fired in enumerate(self.search.kernel.fire(self.search.kernel.columns(words))):
                hits = self._matches(fired.successors, target)
                if hits.any():
                    return tuple(int(word) for word in words[:, fired.rows[int(np.argmax(hits))]]), number
        raise AssertionError("a state has no predecessor one level before; this is a defect of gridproof: report it")

    def _replayed(self, targets: list[tuple[tuple[int, ...], int]]) -> Behaviour:
        """Return the path through these states, or states of their classes, as the plain interpreter replays it.

        Each state is given with the action instance that leads to the next state; from another state of the class,
        another instance may be needed.
        """
        kernel = self.search.kernel
        runner = Runner(kernel.world.world)
        # The representative of a class of initial states is itself initial, since all states of the class are.
        state = decode(runner.world, kernel.packing.unpack(targets[0][0]))
        behaviour: list[tuple[Event | None, State]] = [(None, state)]
        for (_, number), (target, _) in pairwise(targets):
            is_exact = self.search.canonical is None
            events = [kernel.world.possible_instances[number].event] if is_exact else runner.events(state)
            steps = ((event, runner.step(state, event)) for event in events)
            event, state = next(
                (event, after) for event, after in steps if self._is_in_class(encode(runner.world, after), target)
            )
            behaviour.append((event, state))
        return tuple(behaviour)

    def _is_in_class(self, row: Sequence[int], target: tuple[int, ...]) -> bool:
        packing = self.search.kernel.packing
        if self.search.canonical is None:
            return packing.unpack(target) == tuple(row)
        return bool(self._matches(packing.pack([row]), target).any())

    def _matches(self, words: Words, target: tuple[int, ...]) -> NDArray[np.bool_]:
        canonical = self.search.canonical
        return equal(words, target) if canonical is None else canonical.is_in_class(words, target)


Walk = list[int]
"""The numbers of successive steps: each begins in the state in which the previous step ended."""


@dataclass(frozen=True)
class ProgressWitness:
    """Finds the steps of a behaviour that is stuck."""

    waiting: Waiting
    stuck: Stuck
    witnesses: Witnesses

    def way_in(self) -> Behaviour:
        """Return the behaviour from an initial state, through a state where the claim begins to wait, to its end."""
        walk: Walk = []
        here = self.stuck.end
        while not self._begins_at(here):
            walk.append(self._step_before(here))
            here = int(self._graph.sources[walk[-1]])
        return (*self.witnesses.behaviour(self.waiting.space.found(here)), *self._behaviour_of(walk[::-1]))

    def cycle(self) -> Behaviour:
        """Return the steps that repeat for ever after the way into the cycle; empty if the behaviour stops there."""
        return () if self.stuck.stands_still else self._behaviour_of(self._round())

    @property
    def _graph(self) -> StepGraph:
        return self.waiting.graph

    def _begins_at(self, state: int) -> bool:
        """Return whether the claim may begin to wait in a state at the distance at which the behaviour reaches it."""
        distance = int(self.stuck.distances[state])
        return bool(self.waiting.starts[state]) and int(self.waiting.space.levels[state]) == distance

    def _step_before(self, state: int) -> int:
        """Return a step to a state from a state that is one step nearer to the start."""
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
        """The numbers of all steps, sorted by the state to which they lead."""
        return np.argsort(self._graph.targets, kind="stable")

    @cached_property
    def _is_inside(self) -> NDArray[np.bool_]:
        """For each step, whether it is inside the component."""
        member = np.zeros(self._graph.size, dtype=bool)
        member[self.stuck.component] = True
        is_inside: NDArray[np.bool_] = member[self._graph.sources] & member[self._graph.targets]
        return is_inside

    def _round(self) -> Walk:
        """Return a closed walk that is fair to every fair action: in one of its states the action is impossible, or the
        walk has a step of the action."""
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
        """Return the action instances of `owed` that can change something in a state, so that a visit to it is not
        enough for fairness."""
        bits = [int(word) for word in self._graph.possible[:, state]]
        places = {number: place for place, number in enumerate(self.waiting.fair)}
        return frozenset(n for n in owed if bits[places[n] // MASK_BITS] >> places[n] % MASK_BITS & 1)

    def _meeting(self, owed: frozenset[int]) -> NDArray[np.bool_]:
        """Return the states in which some of these action instances are not possible, or would change nothing."""
        wanted = np.zeros((self._graph.possible.shape[0], 1), dtype=np.uint64)
        for place, number in enumerate(self.waiting.fair):
            if number in owed:
                wanted[place // MASK_BITS] |= np.uint64(1 << place % MASK_BITS)
        meeting: NDArray[np.bool_] = ((self._graph.possible & wanted) != wanted).any(axis=0)
        return meeting

    def _walk(self, start: int, goals: NDArray[np.bool_], owed: frozenset[int]) -> Walk:
        """Return a shortest walk inside the component, of at least one step, that reaches a goal or ends with a step of
        one of the action instances `owed`."""
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
        """Return the walk by which the search reached a state."""
        walk: Walk = []
        while came_by[state] != -1:
            walk.append(came_by[state])
            state = int(self._graph.sources[walk[-1]])
        return walk[::-1]
