"""The continuous-time Markov chain of an explored world.

States have the numbers that the search gave them. No time passes in a state in which an immediate action can change
something (a vanishing state): the state is removed, and the rates into it lead instead to the states to which its
immediate actions lead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gridproof_model.language.rates import Immediate, Rate, Staged, Timed, Together
from gridproof_properties.explorer import sparse
from gridproof_properties.measuring.explored import Explored, UnmeasurableError
from gridproof_properties.measuring.staged import StagedPaths, Steps

ENTRY_BYTES = 12
"""The bytes that a matrix entry takes: a rate of eight bytes, and the number of its state."""
STEP_BYTES = 8 * ENTRY_BYTES
"""The most memory per step, as measured, with the matrix, its copy for a goal, its transpose and its factors."""
NEGLIGIBLE = 1e-40
"""A probability of going round among vanishing states that is small enough to be neglected."""


@dataclass(frozen=True)
class Chain:
    """The states in which time passes, and the rates between them."""

    numbers: sparse.Nodes
    """For each state of the chain, its number in the world."""
    rates: sparse.Sparse
    """The rates from state to state, per second; there is none from a state to itself."""
    start: sparse.Floats
    """For each state, the probability that it is the first state in which time passes."""
    events: Mapping[str, sparse.Floats]
    """For each counted action, how many times per second it happens in each state."""
    events_at_once: Mapping[str, float]
    """For each counted action, the mean number of times that it happens before any time has passed."""

    @property
    def size(self) -> int:
        """The number of states."""
        return int(self.numbers.size)

    @cached_property
    def exits(self) -> sparse.Floats:
        """The rate at which each state is left."""
        return sparse.row_sums(self.rates)

    @cached_property
    def backwards(self) -> sparse.Sparse:
        """The transpose of the rates."""
        return sparse.transposed(self.rates)

    def reached(self, allowed: sparse.Mask) -> sparse.Mask:
        """Return the states on paths from the start through allowed states."""
        return sparse.reached(self.rates, self.start > 0, allowed)

    def part(self, kept: sparse.Mask) -> sparse.Sparse:
        """Return the rates between the given states."""
        return self.rates if kept.all() else self.rates[kept][:, kept].tocsr()


@dataclass(frozen=True)
class RawChain:
    """The steps with their rates or weights, before vanishing states are removed."""

    timed: sparse.Sparse
    immediate: sparse.Sparse
    start: sparse.Floats
    counted: Mapping[str, sparse.Floats]
    """For each counted action, its rate in each state; for an immediate action, its weight."""
    immediate_names: frozenset[str]
    memory_bytes: int
    world_states: sparse.Nodes
    """The number of each state in the world; a world's state occurs once for each combination of its clocks' stages."""

    def chain(self, kept: sparse.Mask | None = None) -> Chain:
        """Return the chain; states in `kept` stay in it, even vanishing ones, which are then never left.

        Raises UnmeasurableError if immediate actions never end, or if the paths of these actions do not fit in memory.
        """
        size = self.start.size
        vanishing = np.diff(self.immediate.indptr) > 0
        if kept is not None:
            vanishing &= ~kept
        if not vanishing.any():
            counted = {name: per_s for name, per_s in self.counted.items() if name not in self.immediate_names}
            nothing = {name: np.zeros(size) for name in self.counted if name in self.immediate_names}
            everyone = np.arange(size, dtype=np.int32)
            return Chain(everyone, self.timed, self.start, {**nothing, **counted}, dict.fromkeys(self.counted, 0.0))
        return self._without(vanishing)

    def _without(self, vanishing: sparse.Mask) -> Chain:
        tangible = ~vanishing
        ways = self._ways(vanishing)
        size = int(tangible.sum())
        into = self.timed[tangible][:, vanishing]
        rates = sparse.without_diagonal(self.timed[tangible][:, tangible] + into @ ways[:, :size])
        at_once = np.asarray(self.start[vanishing] @ ways).ravel()
        caused = into @ ways[:, size:]
        events, before = (
            {name: per_s[tangible] for name, per_s in self.counted.items()},
            dict.fromkeys(self.counted, 0.0),
        )
        for column, name in enumerate(name for name in self.counted if name in self.immediate_names):
            events[name] = np.asarray(caused[:, [column]].todense()).ravel()
            before[name] = float(at_once[size + column])
        numbers = np.flatnonzero(tangible).astype(np.int32)
        return Chain(numbers, rates.tocsr(), self.start[tangible] + at_once[:size], events, before)

    def _ways(self, vanishing: sparse.Mask) -> sparse.Sparse:
        """Return, for each vanishing state, the probabilities of the states to which it leads, and how often each
        action happens on the way."""
        tangible = ~vanishing
        rows = self.immediate[vanishing]
        shares = 1.0 / sparse.row_sums(rows)
        chances = sparse.scaled_rows(rows, shares)
        again, out = chances[:, vanishing], chances[:, tangible]
        if not sparse.reached(
            sparse.transposed(again), np.diff(out.indptr) > 0, np.ones(again.shape[0], dtype=bool)
        ).all():
            problem = f"some of the actions with rate `now` ({', '.join(sorted(self.immediate_names))})"
            raise UnmeasurableError(f"{problem} follow one another for ever: give one of them a rate such as 1/s")
        names = [name for name in self.counted if name in self.immediate_names]
        counts = [self.counted[name][vanishing] * shares for name in names]
        ways = sparse.beside(out, sparse.by_full_rows(np.column_stack(counts))) if counts else out
        while again.nnz and sparse.row_sums(again).max() > NEGLIGIBLE:
            ways = ways + again @ ways
            again = again @ again
            if (again.nnz + ways.nnz) * ENTRY_BYTES > self.memory_bytes:
                cure = "give some of these actions a rate such as 1/s"
                raise UnmeasurableError(f"the paths of actions with rate `now` do not fit in memory: {cure}")
        return ways.tocsr()


def raw_chain(
    world: Explored,
    rates: Mapping[str, Rate],
    counted: tuple[str, ...],
    memory_bytes: int,
    *,
    together: tuple[Together, ...] = (),
    each: Mapping[str, sparse.Floats] | None = None,
) -> RawChain:
    """Return the steps of a world with their rates; raise UnmeasurableError if they do not fit in memory.

    `each` has, for every definition with which a rate is multiplied, the definition's value in each state.
    """
    count = sum(chunk.rows.size for chunk in world.record.chunks)
    needed = world.bytes + count * STEP_BYTES + world.size * 8 * (len(counted) + 8)
    if needed > memory_bytes:
        limit = f"{memory_bytes / 2**20:,.0f} MiB"
        raise UnmeasurableError(f"{world.size:,} states and {count:,} steps need more than {limit}; raise --memory")
    actions = [instance.event.action for instance in world.lowered.possible_instances]
    steps = Steps.of(world)
    stages = {number: rate for number, name in enumerate(actions) if isinstance(rate := rates[name], Staged)}
    room = (memory_bytes - world.bytes) // STEP_BYTES
    paths = StagedPaths(steps, world.size, {number: rate.stages for number, rate in stages.items()}, room)
    builder = _Builder(paths, steps, actions, rates, each or {})
    timed = builder.matrix(immediate=False)
    if stages:
        timed = timed + paths.advances({number: rate.per_second for number, rate in stages.items()})
    for one in together:
        timed = timed + builder.together(one)
    names = frozenset(name for name, rate in rates.items() if isinstance(rate, Immediate))
    return RawChain(
        timed, builder.matrix(immediate=True), paths.spread_start(world.start), builder.counts(counted), names,
        memory_bytes, paths.world_states,
    )  # fmt: skip


class _Builder:
    """Turns steps into rows of matrices."""

    def __init__(
        self,
        paths: StagedPaths,
        steps: Steps,
        actions: Sequence[str],
        rates: Mapping[str, Rate],
        each: Mapping[str, sparse.Floats],
    ) -> None:
        self.paths, self.steps, self.actions, self.rates = paths, steps, actions, rates
        amounts = np.array([_amount(rates[name]) for name in actions], dtype=np.float64)
        self.amounts: sparse.Floats = amounts[steps.instances]
        for number, name in enumerate(actions):
            rate = rates[name]
            if isinstance(rate, Timed) and rate.each:
                taken = steps.instances == number
                self.amounts[taken] *= each[rate.each][steps.sources[taken]]
        immediate = np.array([isinstance(rates[name], Immediate) for name in actions], dtype=bool)
        self.is_immediate: sparse.Mask = immediate[steps.instances]

    def matrix(self, *, immediate: bool) -> sparse.Sparse:
        """Return the rates, or the weights, of all steps that change something."""
        taken = (self.is_immediate == immediate) & (self.amounts > 0)
        return self.paths.matrix(self.steps.only(taken), self.amounts[taken])

    def together(self, one: Together) -> sparse.Sparse:
        """Return the rate of actions that happen together, from each state to each state to which they lead."""
        reached_at_once = self._leads(one.actions[0])
        for name in one.actions[1:]:
            after = self._leads(name)
            stuck = np.diff(after.indptr) == 0
            reached_at_once = reached_at_once @ (after + sparse.diagonal(stuck.astype(np.float64)))
        places = reached_at_once.tocoo()
        steps = Steps(places.row, places.col, np.full(places.nnz, -1, dtype=np.int32))
        return self.paths.matrix(steps, np.full(places.nnz, one.rate.per_second))

    def _of(self, name: str) -> sparse.Mask:
        numbers = [number for number, action in enumerate(self.actions) if action == name]
        return np.isin(self.steps.instances, numbers)

    def _leads(self, name: str) -> sparse.Sparse:
        steps = self.steps.only(self._of(name))
        return sparse.by_places(steps.sources, steps.targets, None, self.paths.size)

    def counts(self, counted: tuple[str, ...]) -> dict[str, sparse.Floats]:
        """Return for each counted action its rate in each state; of an immediate action, only steps that change
        something count."""
        found = {}
        for name in counted:
            taken = self._of(name) & (self.amounts > 0)
            if isinstance(self.rates[name], Immediate):
                taken &= self.steps.sources != self.steps.targets
            found[name] = self.paths.rates_of(self.steps.only(taken), self.amounts[taken])
        return found


def _amount(rate: Rate) -> float:
    match rate:
        case Timed(per_second=amount) | Immediate(weight=amount):
            return amount
        case Staged():
            return rate.per_second
