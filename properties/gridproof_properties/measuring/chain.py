"""The continuous-time Markov chain of an explored world.

States are numbered as the search found them. A state in which an immediate action can change something is left in no
time (a vanishing state): it is taken out, and the rates into it go to where its immediate actions lead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gridproof_model.language.rates import Immediate, Rate, Timed
from gridproof_properties.explorer.sparse import (
    Floats,
    Mask,
    Nodes,
    Sparse,
    beside,
    by_full_rows,
    by_rows,
    reached,
    row_sums,
    scaled_rows,
    transposed,
    without_diagonal,
)
from gridproof_properties.explorer.steps import ChunkSteps, instances_of
from gridproof_properties.measuring.explored import Explored, UnmeasurableError

ENTRY_BYTES = 12
"""A rate of eight bytes, and the number of its state."""
STEP_BYTES = 8 * ENTRY_BYTES
"""What a step takes at the most, with copies of matrices for a goal, backwards, and in factors: as measured."""
NEGLIGIBLE = 1e-40
"""Probability of going round among vanishing states that is left out."""


@dataclass(frozen=True)
class Chain:
    """States in which time passes, and the rates between them."""

    numbers: Nodes
    """The number that each state has in the world."""
    rates: Sparse
    """From state to state, per second; no rate leads from a state to itself."""
    start: Floats
    """The probability that each state is the first in which time passes."""
    events: Mapping[str, Floats]
    """Of each action that is counted, how often it happens per second in each state."""
    events_at_once: Mapping[str, float]
    """Of each action that is counted, how often it happens before any time has passed."""

    @property
    def size(self) -> int:
        """How many states."""
        return int(self.numbers.size)

    @cached_property
    def exits(self) -> Floats:
        """The rate at which each state is left."""
        return row_sums(self.rates)

    @cached_property
    def backwards(self) -> Sparse:
        """The transpose of the rates."""
        return transposed(self.rates)

    def reached(self, allowed: Mask) -> Mask:
        """Return the states on the paths from the start through allowed states."""
        return reached(self.rates, self.start > 0, allowed)

    def part(self, kept: Mask) -> Sparse:
        """Return the rates among some states."""
        return self.rates if kept.all() else self.rates[kept][:, kept].tocsr()


@dataclass(frozen=True)
class RawChain:
    """Steps with rates, and steps with weights, before vanishing states are taken out."""

    timed: Sparse
    immediate: Sparse
    start: Floats
    counted: Mapping[str, Floats]
    """Of each counted action the rate in each state, or, of an immediate one, the weight."""
    immediate_names: frozenset[str]
    memory_bytes: int

    def chain(self, kept: Mask | None = None) -> Chain:
        """Return the chain; states in `kept` stay, even those that are left at once, and are then never left.

        UnmeasurableError where immediate actions go on for ever, or their paths do not fit.
        """
        size = self.start.size
        vanishing = np.diff(self.immediate.indptr) > 0
        if kept is not None:
            vanishing &= ~kept
        if not vanishing.any():
            counted = {name: per_s for name, per_s in self.counted.items() if name not in self.immediate_names}
            nothing = dict.fromkeys(self.immediate_names, np.zeros(size))
            everyone = np.arange(size, dtype=np.int32)
            return Chain(everyone, self.timed, self.start, {**nothing, **counted}, dict.fromkeys(self.counted, 0.0))
        return self._without(vanishing)

    def _without(self, vanishing: Mask) -> Chain:
        tangible = ~vanishing
        ways = self._ways(vanishing)
        size = int(tangible.sum())
        into = self.timed[tangible][:, vanishing]
        rates = without_diagonal(self.timed[tangible][:, tangible] + into @ ways[:, :size])
        at_once = np.asarray(self.start[vanishing] @ ways).ravel()
        caused = into @ ways[:, size:]
        events: dict[str, Floats] = {}
        for name, per_s in self.counted.items():
            events[name] = np.zeros(size) if name in self.immediate_names else per_s[tangible]
        names = [name for name in self.counted if name in self.immediate_names]
        for column, name in enumerate(names):
            events[name] = np.asarray(caused[:, [column]].todense()).ravel()
        before = dict.fromkeys(self.counted, 0.0)
        before.update({name: float(at_once[size + column]) for column, name in enumerate(names)})
        numbers = np.flatnonzero(tangible).astype(np.int32)
        return Chain(numbers, rates.tocsr(), self.start[tangible] + at_once[:size], events, before)

    def _ways(self, vanishing: Mask) -> Sparse:
        """Return of each vanishing state where it leads, as probabilities, and how often each action then happens."""
        tangible = ~vanishing
        rows = self.immediate[vanishing]
        shares = 1.0 / row_sums(rows)
        chances = scaled_rows(rows, shares)
        again, out = chances[:, vanishing], chances[:, tangible]
        if not self._all_leave(again, np.diff(out.indptr) > 0):
            raise UnmeasurableError("immediate actions go on for ever: give one of them a rate")
        names = [name for name in self.counted if name in self.immediate_names]
        counts = [self.counted[name][vanishing] * shares for name in names]
        ways = beside(out, by_full_rows(np.column_stack(counts))) if counts else out
        while again.nnz and row_sums(again).max() > NEGLIGIBLE:
            ways = ways + again @ ways
            again = again @ again
            if (again.nnz + ways.nnz) * ENTRY_BYTES > self.memory_bytes:
                raise UnmeasurableError("the paths of immediate actions would pass the memory limit: give some a rate")
        return ways.tocsr()

    def _all_leave(self, again: Sparse, leaving: Mask) -> bool:
        return bool(reached(transposed(again), leaving, np.ones(leaving.size, dtype=bool)).all())


def raw_chain(world: Explored, rates: Mapping[str, Rate], counted: tuple[str, ...], memory_bytes: int) -> RawChain:
    """Return the steps of a world with their rates; UnmeasurableError when they do not fit."""
    builder = _Builder(world, rates, counted)
    needed = world.bytes + builder.steps * STEP_BYTES + world.size * 8 * (len(counted) + 8)
    if needed > memory_bytes:
        limit = f"{memory_bytes / 2**20:,.0f} MiB"
        raise UnmeasurableError(f"the matrix of {world.size:,} states and {builder.steps:,} steps would pass {limit}")
    timed = builder.matrix(immediate=False)
    immediate = builder.matrix(immediate=True)
    names = frozenset(name for name in counted if isinstance(rates[name], Immediate))
    return RawChain(timed, immediate, world.start, builder.counts(), names, memory_bytes)


class _Builder:
    """Turns the steps that a search noted into rows of matrices, a chunk at a time."""

    def __init__(self, world: Explored, rates: Mapping[str, Rate], counted: tuple[str, ...]) -> None:
        self.world = world
        instances = world.lowered.possible_instances
        self.actions = [instance.event.action for instance in instances]
        self.amounts = np.array([_amount(rates[name]) for name in self.actions], dtype=np.float64)
        self.is_immediate = np.array([isinstance(rates[name], Immediate) for name in self.actions], dtype=bool)
        self.counted = counted
        self.steps = sum(chunk.rows.size for chunk in world.record.chunks)

    def matrix(self, *, immediate: bool) -> Sparse:
        """Return the rates, or the weights, of all steps that change something."""
        wanted = self.amounts * (self.is_immediate == immediate)
        room = self.steps if wanted.any() else 0
        targets, values = np.empty(room, dtype=np.int32), np.empty(room)
        counts = np.zeros(self.world.size + 1, dtype=np.int64)
        filled = 0
        for chunk in self.world.record.chunks if room else ():
            amounts, arrivals = wanted[instances_of(chunk)], self._arrivals(chunk)
            taken = np.flatnonzero((amounts > 0) & (arrivals != chunk.rows + np.int32(chunk.first)))
            taken = taken[np.argsort(chunk.rows[taken], kind="stable")]
            targets[filled : filled + taken.size] = arrivals[taken]
            values[filled : filled + taken.size] = amounts[taken]
            filled += taken.size
            tally = np.bincount(chunk.rows[taken])
            counts[chunk.first + 1 : chunk.first + 1 + tally.size] = tally
        return by_rows(np.cumsum(counts), targets[:filled], values[:filled], self.world.size)

    def counts(self) -> dict[str, Floats]:
        """Return for each counted action its rate in each state; of an immediate one what changes something counts."""
        found = {name: np.zeros(self.world.size) for name in self.counted}
        for chunk in self.world.record.chunks if self.counted else ():
            changing = self._arrivals(chunk) != chunk.rows + np.int32(chunk.first)
            for number, (begin, end) in enumerate(pairwise(chunk.bounds)):
                name = self.actions[number]
                if name in found and begin < end:
                    rows = chunk.rows[begin:end]
                    if self.is_immediate[number]:
                        rows = rows[changing[begin:end]]
                    # Each state stands once among the steps of an instance.
                    found[name][chunk.first :][rows] += self.amounts[number]
        return found

    def _arrivals(self, chunk: ChunkSteps) -> Nodes:
        return self.world.numbers[chunk.ids]


def _amount(rate: Rate) -> float:
    match rate:
        case Timed(per_second=amount) | Immediate(weight=amount):
            return amount
