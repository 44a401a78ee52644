"""Breadth-first search over packed states, one frontier at a time.

The module also returns, by number, any state of a finished search.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import decode
from gridproof_model.language.scalars import Demand, Op, Scalar
from gridproof_model.language.values import State
from gridproof_properties.explorer.levels import Levels, joined, single
from gridproof_properties.explorer.numpy_kernel import Columns, Fired, NumpyKernel
from gridproof_properties.explorer.packing import WORD_BYTES, Words, initial_words
from gridproof_properties.explorer.plain_kernel import PlainKernel
from gridproof_properties.explorer.seen import Recent, Run, Seen
from gridproof_properties.explorer.steps import ChunkSteps, StepRecord
from gridproof_properties.explorer.symmetry import CanonicalForm
from gridproof_properties.judging.words import count

CHUNK_STATES = 1 << 15
"""How many states' successors are computed at once: the columns of so many states fit in the second-level cache."""
SIFTED_STATES = 1 << 14
"""How many successors at once are compared with the recent states."""
PENDING_STATES = 1 << 21
"""How many successors are collected before they are compared with the known states."""
RECENT_SHARE = 16
"""The table of recent states may take the allowed memory, divided by this number."""
FEW_STATES = 12
"""Levels of at most this many states are computed with plain numbers, which is faster for them."""
PATIENCE = 32
"""Plain numbers are used after this many levels of few states: generating their code takes as long as some levels."""
SINGLE_STATES = 1 << 14
"""How many states are kept as plain numbers before they are packed; numbers of 16 bits allow twice as many."""
SINGLE_BYTES = 256
"""The bytes of memory that a state takes as a plain number, in a set and in a list."""
REPORT_S = 0.5
"""The seconds between two reports on a level that is not finished."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    broken: tuple[str, ...] = ()
    """The claims that were found broken until now."""

    @property
    def states_per_second(self) -> float:
        """The number of new states per second since the start."""
        return self.states / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits at which a search ends before every state is visited; None stands for no limit."""

    seconds: float | None = None
    depth: int | None = None
    """The most steps from the start: states at this distance are looked at, but no states beyond it."""
    states: int | None = None
    """The search ends after the first level with which at least this many states were reached."""
    is_first_enough: bool = False
    """Whether the search ends with the first broken claim, undefined claim or deadlock."""


class SearchEndedError(Exception):
    """Raised if a limit is reached; the message says which limit."""


class MemoryLimitError(SearchEndedError):
    """Raised if the next level would not fit in memory."""


@dataclass(frozen=True, slots=True)
class Found:
    """A state that decides a claim or another condition: its level, and its words."""

    level: int
    words: tuple[int, ...]


@dataclass
class Search:
    """One breadth-first search: the conditions that it watches for, and what it found."""

    kernel: NumpyKernel
    watched: Sequence[Scalar]
    """Conditions; for each one the search looks for the first state that fulfils it."""
    memory_bytes: int
    progress: Callable[[Progress], None] | None = None
    canonical: CanonicalForm | None = None
    """The function that maps each state to the representative of its class."""
    seen: Seen = field(default_factory=Seen)
    record: StepRecord | None = None
    """The record of every step; it is dropped if memory is short."""
    limits: Limits = field(default_factory=Limits)
    alarms: Mapping[Scalar, str] = field(default_factory=dict)
    """The watched conditions that break a claim, each with the name of the claim."""
    patience: int = PATIENCE
    transitions: int = 0
    bytes_held: int = 0
    found: dict[Scalar, Found] = field(default_factory=dict)
    undefined: tuple[Demand, Found] | None = None
    deadlock: Found | None = None
    fired: list[int] = field(default_factory=list)
    refused: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepare the search, which has no state yet."""
        words = self.kernel.packing.words
        self.levels = Levels(words)
        self._recent = Recent(words, self.seen.keys, self.memory_bytes // RECENT_SHARE, self.record is not None)
        self._started_s = self.reported_s = perf_counter()

    def run(self) -> None:
        """Visit every reachable state; raise SearchEndedError at a limit, and at once if a step is undefined."""
        instances = self.kernel.world.possible_instances
        self.fired = [0] * len(instances)
        self.refused = [[0] * len(instance.guards) for instance in instances]
        frontier, few = self._initial(), 0
        while frontier.size and self.undefined is None:
            self.levels.append(frontier.words)
            self.seen.add(frontier)
            few = few + 1 if frontier.size <= FEW_STATES and self.canonical is None else 0
            if few > self.patience:
                frontier = SingleStates(self).next(single(frontier.words))
            else:
                frontier = self._next(frontier.words)
                self.report(frontier.size)
            if frontier.size:
                self.end_before_a_level()

    @property
    def states(self) -> int:
        """The number of states that were reached."""
        return self.levels.states

    @property
    def broken(self) -> tuple[str, ...]:
        """The names of the claims that were found broken until now."""
        return tuple(self.alarms[condition] for condition in self.found if condition in self.alarms)

    @cached_property
    def plain(self) -> PlainKernel:
        """The kernel that computes the successors of single states."""
        return PlainKernel(self.kernel.world, self.kernel.packing)

    @property
    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        return self.limits.seconds is not None and perf_counter() - self._started_s > self.limits.seconds

    @cached_property
    def chunk(self) -> int:
        """How many states are looked at together, so that their columns, and all that is computed from these, fit in
        memory."""
        world, packing = self.kernel.world, self.kernel.packing
        numbers = len(world.possible_instances) * packing.words + len(world.cells) + self.kernel.longest
        return max(1, min(CHUNK_STATES, self.memory_bytes // (4 * WORD_BYTES * numbers)))

    def _initial(self) -> Run:
        starts = initial_words(self.kernel.world.world, self.kernel.packing, self.memory_bytes)
        return self.seen.distinct(self._represented(starts))

    def _next(self, words: Words) -> Run:
        """Return the successors of a level that were not seen before."""
        size = words.shape[1]
        fresh: list[Run] = []
        pending: list[Words] = []
        pending_max = min(PENDING_STATES, self.memory_bytes // (RECENT_SHARE * WORD_BYTES * len(words)))
        self._recent.fit(size)
        for start in range(0, size, self.chunk):
            first = self.states - size + start
            for part in self._sifted(words[:, start : start + self.chunk], first):
                pending.append(part)
                if sum(one.shape[1] for one in pending) > pending_max:
                    fresh, pending = [self._settled(fresh, pending)], []
                self.hold_memory(sum(run.bytes for run in fresh) + sum(one.nbytes for one in pending))
            self.end_at_once()
            if perf_counter() - self.reported_s > REPORT_S:
                self.report(size)
        return self._settled(fresh, pending) if pending or not fresh else fresh[0]

    def _sifted(self, words: Words, first: int) -> Iterator[Words]:
        """Yield those successors of a chunk that were not met recently, and record the steps to all its successors."""
        record, size, rows, ids = self.record, 0, [], []
        parts: list[Words] = []
        fired_each: list[int] = []

        def sift() -> Words:
            successors = self._represented(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1))
            if record is None:
                return successors[:, self._recent.fresh(successors)]
            fresh, named = self._recent.named(successors, record.named)
            record.name(self.seen.keys(successors[:, fresh]))
            ids.append(named)
            return successors[:, fresh]

        for fired in self._fired(words):
            fired_each.append(fired.rows.size)
            if fired.rows.size:
                parts.append(fired.successors)
                size += fired.rows.size
                if record is not None:
                    rows.append(fired.rows.astype(np.int16))
                if size > SIFTED_STATES:
                    yield sift()
                    parts, size = [], 0
        if parts:
            yield sift()
        if record is not None and rows:
            bounds = np.cumsum([0, *fired_each], dtype=np.int32)
            record.take(ChunkSteps(first, np.concatenate(rows), bounds, np.concatenate(ids)))

    def _settled(self, fresh: list[Run], pending: list[Words]) -> Run:
        """Return the states that are known to be new, merged with those in `pending` that turn out to be new."""
        nothing = np.zeros((self.kernel.packing.words, 0), dtype=np.uint64)
        new = self.seen.unseen(self.seen.distinct(np.concatenate([nothing, *pending], axis=1)))
        return self.seen.merged([*fresh, new])

    def _fired(self, words: Words) -> Iterator[Fired]:
        """Yield the effect of every action instance on some states; record which states fulfil a watched condition or
        are deadlocks, and which steps are undefined."""
        columns = self.kernel.columns(words)
        self._watch(columns)
        goes_on = np.zeros(words.shape[1], dtype=bool)
        for number, fired in enumerate(self.kernel.fire(columns)):
            self._count(number, fired)
            if fired.broken and self.undefined is None:
                demand, row = fired.broken[0]
                self.undefined = demand, self.place(columns.words[:, row])
            goes_on |= fired.possible
            yield fired
        if self.deadlock is None and not goes_on.all():
            stuck = ~goes_on & ~self.kernel.evaluate(self.kernel.world.stopping, columns)
            if stuck.any():
                self.deadlock = self.place(columns.words[:, int(np.argmax(stuck))])

    def _watch(self, columns: Columns) -> None:
        for condition in self.watched:
            if condition not in self.found:
                holds = self.kernel.evaluate(condition, columns)
                if holds.any():
                    self.found[condition] = self.place(columns.words[:, int(np.argmax(holds))])

    def _count(self, number: int, fired: Fired) -> None:
        self.fired[number] += fired.count
        self.transitions += fired.count
        for guard, refused in enumerate(fired.refused):
            self.refused[number][guard] += int(refused)

    def place(self, state: int | Words) -> Found:
        """Return the level and the words of a state of the last level, which is given as one number or in words."""
        words = joined([state], self.levels.words)[:, 0] if isinstance(state, int) else state
        return Found(len(self.levels) - 1, tuple(int(word) for word in words))

    def _represented(self, words: Words) -> Words:
        return words if self.canonical is None else self.canonical.represented(words)

    def hold_memory(self, new: int) -> None:
        """Raise MemoryLimitError before the limit is passed: merging may keep known and new states twice in memory.

        The recorded steps are dropped earlier: sorting them would keep them twice in memory, too.
        """
        held = self.levels.bytes + self.seen.bytes + self._recent.bytes + new
        needed = held + self.seen.bytes + 2 * new
        if self.record is not None and needed + 3 * self.record.bytes > self.memory_bytes:
            self.record = None
        self.bytes_held = max(self.bytes_held, held + (0 if self.record is None else self.record.bytes))
        if needed > self.memory_bytes:
            raise MemoryLimitError(f"the next states need over {self.memory_bytes / 2**20:,.0f} MiB; raise --memory")

    def end_before_a_level(self) -> None:
        """Raise SearchEndedError if no further level is to be searched."""
        if self.limits.depth is not None and len(self.levels) > self.limits.depth:
            depth = f"{count(self.limits.depth, 'step')} from the start"
            raise SearchEndedError(f"the search ended at its limit of {depth}; raise --depth")
        if self.limits.states is not None and self.states >= self.limits.states:
            raise SearchEndedError(
                f"the search ended at its limit of {count(self.limits.states, 'state')}; raise --states"
            )

    def end_at_once(self) -> None:
        """Raise SearchEndedError if the time is over, or if enough was found."""
        if self.is_late:
            raise SearchEndedError("the time limit is reached before every state was found; set a longer time limit")
        if self.limits.is_first_enough and (self.broken or self.deadlock is not None):
            raise SearchEndedError("as asked, the search ended at the first broken claim or deadlock")

    def report(self, frontier: int) -> None:
        """Report how far the search has come, if a progress function was given."""
        self.reported_s = perf_counter()
        if self.progress is not None:
            seconds = self.reported_s - self._started_s
            depth = len(self.levels) - 1
            self.progress(Progress(self.states, self.transitions, depth, frontier, seconds, self.broken))


@dataclass
class SingleStates:
    """Searches levels of a few states, one state after another, in plain numbers."""

    search: Search

    def __post_init__(self) -> None:
        """Keep all known states as plain numbers, if they are few."""
        search = self.search
        self.kernel = search.plain
        self.known: set[int] = set()
        self.is_all_known = search.states <= SINGLE_STATES
        if self.is_all_known:
            self.known.update(state for block in search.levels.blocks for state in single(block))
        self.first = search.states
        """The number of the first state whose steps are not in the record."""
        self.steps: dict[int, list[tuple[int, int]]] = {}
        """The steps of each action instance: the number of the state before the step, and the state after it."""

    def next(self, states: Sequence[int]) -> Run:
        """Search further levels as long as they have few states; return the first level that has more, or an empty
        one."""
        search = self.search
        self.first -= len(states)
        while True:
            fresh = self._fresh(states)
            search.hold_memory(SINGLE_BYTES * len(self.known))
            search.end_at_once()
            if perf_counter() - search.reported_s > REPORT_S:
                search.report(len(fresh))
            if not fresh or len(fresh) > FEW_STATES or search.undefined is not None:
                break
            search.end_before_a_level()
            search.levels.append_single(fresh)
            self.known.update(fresh)
            if len(self.known) > SINGLE_STATES:
                self._settle(len(fresh))
            states = fresh
        self._settle(0)
        search.report(len(fresh))
        return search.seen.distinct(joined(fresh if search.undefined is None else (), search.levels.words))

    def _fresh(self, states: Sequence[int]) -> list[int]:
        """Return the successors of a level that were not seen before, in the order of their keys, and record watched
        conditions, deadlocks and undefined steps."""
        search, kernel = self.search, self.kernel
        found: set[int] = set()
        broken: list[tuple[tuple[int, int], int]] = []
        for condition in search.watched:
            if condition not in search.found:
                state = next((state for state in states if kernel.holds(condition, state)), None)
                if state is not None:
                    search.found[condition] = search.place(state)
        for number, state in enumerate(states, start=search.states - len(states)):
            looked = kernel.look(state)
            broken += [(which, state) for which in looked.broken]
            for instance, guard in looked.refused:
                search.refused[instance][guard] += 1
            for instance, after in looked.steps:
                search.fired[instance] += 1
                if after not in self.known:
                    found.add(after)
                if search.record is not None:
                    self.steps.setdefault(instance, []).append((number, after))
            search.transitions += len(looked.steps)
            if search.deadlock is None and not looked.steps and not kernel.holds(search.kernel.world.stopping, state):
                search.deadlock = search.place(state)
        if broken and search.undefined is None:
            (instance, which), state = min(broken, key=lambda one: one[0])
            one = search.kernel.world.possible_instances[instance]
            search.undefined = (*one.guard_demands, *one.demands)[which], search.place(state)
        if not found or search.undefined is not None or (self.is_all_known and len(found) == 1):
            return list(found)
        run = search.seen.distinct(joined(found, search.levels.words))
        return single((run if self.is_all_known else search.seen.unseen(run)).words)

    def _settle(self, ahead: int) -> None:
        """Pack the states and steps that are plain numbers; the last `ahead` states still have to be looked at."""
        search, record = self.search, self.search.record
        words = search.levels.settle()
        if words.shape[1]:
            search.seen.add(search.seen.distinct(words))
        self.known.clear()
        self.is_all_known = False
        if record is not None and self.steps and search.undefined is None:
            by_instance = [self.steps.get(number, []) for number in range(len(search.fired))]
            steps = [step for some in by_instance for step in some]
            bounds = np.cumsum([0, *map(len, by_instance)], dtype=np.int32)
            rows = np.array([number - self.first for number, _ in steps], dtype=np.int16)
            ids = record.named + np.arange(len(steps), dtype=np.int32)
            record.name(search.seen.keys(joined((after for _, after in steps), search.levels.words)))
            record.take(ChunkSteps(self.first, rows, bounds, ids))
        self.steps.clear()
        self.first = search.states - ahead


@dataclass(frozen=True)
class Space:
    """The states of a complete search; the number of a state is its position in the order of levels."""

    search: Search

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """The number of the first state in each level and, at the end, the number of all states."""
        return np.array(self.search.levels.bounds)

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """The level of each state."""
        return np.repeat(np.arange(len(self.search.levels), dtype=np.int32), np.diff(self.bounds))

    def holds(self, condition: Scalar) -> NDArray[np.bool_]:
        """Return for every state whether a condition holds."""
        kernel, chunk, parts = self.search.kernel, self.search.chunk, []
        for block in self.search.levels.blocks:
            parts += [
                kernel.evaluate(condition, kernel.columns(block[:, start : start + chunk]))
                for start in range(0, block.shape[1], chunk)
            ]
        return np.concatenate(parts)

    def values(self, number: Scalar) -> NDArray[np.int64]:
        """Return the value of a numeric expression, or of a condition as 0 or 1, in every state."""
        if number.op is Op.CONSTANT:
            return np.full(int(self.bounds[-1]), number.value, dtype=np.int64)
        return self.holds(number).astype(np.int64)

    def initial(self) -> NDArray[np.bool_]:
        """Return, for each state, whether it is initial."""
        mask = np.zeros(int(self.bounds[-1]), dtype=bool)
        mask[: self.bounds[1]] = True
        return mask

    def found(self, number: int) -> Found:
        """Return a state, given by its number, as its level and words."""
        level = int(self.levels[number])
        words = self.search.levels[level][:, number - int(self.bounds[level])]
        return Found(level, tuple(int(word) for word in words))

    def state(self, number: int) -> State:
        """Return a state, given by its number, in plain values."""
        kernel = self.search.kernel
        return decode(kernel.world.world, kernel.packing.unpack(self.found(number).words))
