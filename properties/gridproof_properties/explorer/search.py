"""Breadth-first search over packed states, a frontier at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from time import perf_counter

import numpy as np

from gridproof_model.spec.cells import encode
from gridproof_model.spec.errors import SpecificationError
from gridproof_model.spec.limits import starts_of, told
from gridproof_model.spec.lowered import Demand
from gridproof_model.spec.scalars import Scalar
from gridproof_model.spec.values import ANY
from gridproof_properties.explorer.numpy_kernel import Columns, Fired, NumpyKernel
from gridproof_properties.explorer.packing import Words
from gridproof_properties.explorer.seen import Run, Seen
from gridproof_properties.explorer.symmetry import CanonicalForm

CHUNK_STATES = 1 << 15
"""States whose successors are computed at once: their columns fit in the second-level cache."""
CHUNK_LEAST = 1 << 8
WORD_BYTES = 8
MEBIBYTE = 1 << 20
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
        world, packing = self.kernel.world.world, self.kernel.packing
        at = next((variable.at for variable in world.variables if variable.initial is ANY), None)
        if at is not None and 4 * starts_of(world.variables) * packing.words * WORD_BYTES > self.memory_bytes:
            limit = f"more than fit in {self.memory_bytes / MEBIBYTE:,.0f} MiB"
            raise SpecificationError(f"it may start in {told(starts_of(world.variables))} ways, {limit}", at)
        rows = (encode(world, state) for state in world.initial_states())
        packed = [packing.pack(part) for part in batched(rows, CHUNK_STATES)]
        return self.seen.distinct(self._represented(np.concatenate(packed, axis=1)))

    def _next(self, words: Words) -> Run:
        """Return the unseen successors of a level."""
        fresh: list[Run] = []
        pending: list[Run] = []
        for start in range(0, words.shape[1], self.chunk):
            pending.append(self.seen.distinct(self._successors(words[:, start : start + self.chunk])))
            if sum(run.size for run in pending) > PENDING_STATES:
                fresh = [self._settled(fresh, pending)]
                pending = []
            self._hold_memory([*fresh, *pending])
        return self._settled(fresh, pending)

    def _settled(self, fresh: list[Run], pending: list[Run]) -> Run:
        if pending:
            fresh = [*fresh, self.seen.unseen(self.seen.merged(pending))]
        return self.seen.merged(fresh)

    def _successors(self, words: Words) -> Words:
        columns = self.kernel.columns(words)
        self._watch(columns)
        parts: list[Words] = []
        goes_on = np.zeros(words.shape[1], dtype=bool)
        for number, fired in enumerate(self.kernel.fire(columns)):
            self._count(number, fired)
            if fired.broken and self.undefined is None:
                demand, row = fired.broken[0]
                self.undefined = demand, self._place(columns, row)
            goes_on[fired.rows] = True
            parts.append(fired.successors)
        if self.deadlock is None and not goes_on.all():
            stuck = ~goes_on & ~self.kernel.evaluate(self.kernel.world.stopping, columns)
            if stuck.any():
                self.deadlock = self._place(columns, int(np.argmax(stuck)))
        return self._represented(np.concatenate(parts, axis=1) if parts else words[:, :0])

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
        """Raise MemoryLimitError before the limit is passed: merging may hold known and new states twice."""
        held = sum(level.nbytes for level in self.levels) + self.seen.bytes + sum(run.bytes for run in fresh)
        self.bytes_held = max(self.bytes_held, held)
        if held + self.seen.bytes + 2 * sum(run.bytes for run in fresh) > self.memory_bytes:
            raise MemoryLimitError

    def _report(self, started: float, frontier: int) -> None:
        if self.progress is not None:
            depth = len(self.levels) - 1
            self.progress(Progress(self.states, self.transitions, depth, frontier, perf_counter() - started))


def batched(rows: Iterator[tuple[int, ...]], size: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield rows in lists of at most a size (`itertools.batched` of later versions of Python)."""
    while part := list(islice(rows, size)):
        yield part
