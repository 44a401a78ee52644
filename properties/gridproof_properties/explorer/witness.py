"""Shortest paths, found again from the levels.

A breadth-first search keeps no predecessors. The way to a state is found backwards, level by level: some state of the
level before has it as a successor. Every path is then replayed by the run reading, which shares no code with the
kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import decode, encode
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import State
from gridproof_properties.explorer.exploration import Behaviour
from gridproof_properties.explorer.levels import single
from gridproof_properties.explorer.packing import Words, equal
from gridproof_properties.explorer.search import FEW_STATES, PATIENCE, Found, Search


@dataclass(frozen=True)
class Witnesses:
    """Shows the shortest way to states a search found."""

    search: Search

    def behaviour(self, found: Found) -> Behaviour:
        """Return a shortest behaviour that ends in a found state (or, under symmetry, in one of its class)."""
        targets = [(found.words, -1)]
        for level in range(found.level - 1, -1, -1):
            targets.append(self._predecessor(self.search.levels[level], targets[-1][0]))
        return self._replayed(targets[::-1])

    def _predecessor(self, level: Words, target: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Return a state of a level that has a successor, and the instance that leads there."""
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
        raise AssertionError("a state of a breadth-first level has a predecessor in the level before")

    def _replayed(self, targets: list[tuple[tuple[int, ...], int]]) -> Behaviour:
        """Return the path through these states, or states of their classes, as the run reading walks it.

        Each comes with the instance that leads from it to the next: to another of its class another one may lead.
        """
        kernel = self.search.kernel
        runner = Runner(kernel.world.world)
        # A representative of a class of initial states is an initial state itself: they start alike.
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
