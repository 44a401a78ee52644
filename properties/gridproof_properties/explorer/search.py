"""Breadth-first search over packed states, a frontier at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from time import perf_counter

import numpy as np

from gridproof_model.language.lowered import Demand
from gridproof_model.language.scalars import Scalar
from gridproof_properties.explorer.numpy_kernel import Columns, Fired, NumpyKernel
from gridproof_properties.explorer.packing import WORD_BYTES, Words
from gridproof_properties.explorer.seen import Run, Seen
from gridproof_properties.explorer.starts import initial_words
from gridproof_properties.explorer.steps import ChunkSteps, StepRecord
from gridproof_properties.explorer.symmetry import CanonicalForm

CHUNK_STATES = 1 << 15
"""States whose successors are computed at once: their columns fit in the second-level cache."""
CHUNK_LEAST = 1 << 8
PENDING_STATES = 1 << 21
"""Successors gathered before they are held against the known states."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search stands."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float

    @property
    def states_per_second(self) -> float:
        """New states a second since the start."""
        return self.states / self.seconds if self.seconds else 0.0


class MemoryLimitError(Exception):
    """The next level would not fit."""


@dataclass(frozen=True, slots=True)
class Found:
    """A state that decides something, by its level and its words."""

    level: int
    words: tuple[int, ...]


@dataclass
class Search:
    """One breadth-first search: what it must notice on its way, and what it found."""

    kernel: NumpyKernel
    watched: Sequence[Scalar]
    """Conditions whose first state, if any, is wanted."""
    memory_bytes: int
    progress: Callable[[Progress], None] | None = None
    canonical: CanonicalForm | None = None
    """Maps states to the representatives of their classes."""
    seen: Seen = field(default_factory=Seen)
    record: StepRecord | None = None
    """Where to note every step; dropped where there is no room for it."""
    levels: list[Words] = field(default_factory=list)
    transitions: int = 0
    bytes_held: int = 0
    found: dict[Scalar, Found] = field(default_factory=dict)
    undefined: tuple[Demand, Found] | None = None
    deadlock: Found | None = None
    fired: list[int] = field(default_factory=list)
    refused: list[list[int]] = field(default_factory=list)

    def run(self) -> None:
        """Visit every reachable state; MemoryLimitError when they do not fit, an undefined step ends it at once."""
        started = perf_counter()
        instances = self.kernel.world.possible_instances
        self.fired = [0] * len(instances)
        self.refused = [[0] * len(instance.guards) for instance in instances]
        frontier = self._initial()
        while frontier.size and self.undefined is None:
            self.levels.append(frontier.words)
            self.seen.add(frontier)
            frontier = self._next(frontier.words)
            self._report(started, frontier.size)

    @property
    def states(self) -> int:
        """How many states were reached."""
        return sum(level.shape[1] for level in self.levels)

    @cached_property
    def chunk(self) -> int:
        """How many states are looked at together: their successors, should everything happen, fit in memory."""
        successors = len(self.kernel.world.possible_instances) * self.kernel.packing.words * WORD_BYTES
        return max(CHUNK_LEAST, min(CHUNK_STATES, self.memory_bytes // (4 * max(successors, 1))))

    def _initial(self) -> Run:
        starts = initial_words(self.kernel.world.world, self.kernel.packing, self.memory_bytes)
        return self.seen.distinct(self._represented(starts))

    def _next(self, words: Words) -> Run:
        """Return the unseen successors of a level."""
        fresh: list[Run] = []
        pending: list[Run] = []
        before = self.states - words.shape[1]
        for start in range(0, words.shape[1], self.chunk):
            pending.append(self._distinct(words[:, start : start + self.chunk], before + start))
            if sum(run.size for run in pending) > PENDING_STATES:
                fresh = [self._settled(fresh, pending)]
                pending = []
            self._hold_memory([*fresh, *pending])
        return self._settled(fresh, pending)

    def _distinct(self, words: Words, first: int) -> Run:
        """Return the successors of a chunk once each, and note the steps that lead there."""
        parts = list(self._fired(words))
        successors = self._represented(np.concatenate([words[:, :0], *(fired.successors for fired in parts)], axis=1))
        if self.record is None:
            return self.seen.distinct(successors)
        run, places = self.seen.placed(successors, self.kernel.packing.bits)
        rows = np.concatenate([np.zeros(0, dtype=np.int16), *(fired.rows.astype(np.int16) for fired in parts)])
        bounds = tuple(accumulate((fired.rows.size for fired in parts), initial=0))
        self.record.take(ChunkSteps(first, rows, bounds, places, run.keys))
        return run

    def _settled(self, fresh: list[Run], pending: list[Run]) -> Run:
        if pending:
            fresh = [*fresh, self.seen.unseen(self.seen.merged(pending))]
        return self.seen.merged(fresh)

    def _fired(self, words: Words) -> Iterator[Fired]:
        """Yield what every action instance does to some states, and notice what there is to be noticed in them."""
        columns = self.kernel.columns(words)
        self._watch(columns)
        goes_on = np.zeros(words.shape[1], dtype=bool)
        for number, fired in enumerate(self.kernel.fire(columns)):
            self._count(number, fired)
            if fired.broken and self.undefined is None:
                demand, row = fired.broken[0]
                self.undefined = demand, self._place(columns, row)
            goes_on[fired.rows] = True
            yield fired
        if self.deadlock is None and not goes_on.all():
            stuck = ~goes_on & ~self.kernel.evaluate(self.kernel.world.stopping, columns)
            if stuck.any():
                self.deadlock = self._place(columns, int(np.argmax(stuck)))

    def _watch(self, columns: Columns) -> None:
        for condition in self.watched:
            if condition not in self.found:
                holds = self.kernel.evaluate(condition, columns)
                if holds.any():
                    self.found[condition] = self._place(columns, int(np.argmax(holds)))

    def _count(self, number: int, fired: Fired) -> None:
        self.fired[number] += fired.rows.size
        self.transitions += fired.rows.size
        for guard, count in enumerate(fired.refused):
            self.refused[number][guard] += int(count)

    def _place(self, columns: Columns, row: int) -> Found:
        return Found(len(self.levels) - 1, tuple(int(word) for word in columns.words[:, row]))

    def _represented(self, words: Words) -> Words:
        return words if self.canonical is None else self.canonical.represented(words)

    def _hold_memory(self, fresh: list[Run]) -> None:
        """Raise MemoryLimitError before the limit is passed: merging may hold known and new states twice.

        Before that the steps noted are dropped: they will be held twice, too, once they are put in order.
        """
        new = sum(run.bytes for run in fresh)
        held = sum(level.nbytes for level in self.levels) + self.seen.bytes + new
        needed = held + self.seen.bytes + 2 * new
        if self.record is not None and needed + 3 * self.record.bytes > self.memory_bytes:
            self.record = None
        self.bytes_held = max(self.bytes_held, held + (0 if self.record is None else self.record.bytes))
        if needed > self.memory_bytes:
            raise MemoryLimitError

    def _report(self, started: float, frontier: int) -> None:
        if self.progress is not None:
            depth = len(self.levels) - 1
            self.progress(Progress(self.states, self.transitions, depth, frontier, perf_counter() - started))
