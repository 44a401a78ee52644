"""Estimates probabilities of rare events by splitting.

The chain of a specification is simulated, not explored, so that a world that does not fit in memory can be measured,
too. A **level** is a value of a numeric definition that falls on the way to the goal, such as the number of copies
left. Trials start from the states, and at the moments, in which the previous level was first reached
(`fixed_effort.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from random import Random
from time import monotonic

from gridproof_model.language import Specification, World
from gridproof_model.language.evaluate import Evaluator, evaluator
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.rates import Immediate, Rate, Staged, refuse_other_than_plain
from gridproof_model.language.run import Runner
from gridproof_model.language.values import State
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.fixed_effort import BATCHES, Batch, Split, climb, split_of
from gridproof_properties.measuring.predicates import Predicate, number_of
from gridproof_properties.measuring.within import Watch, nobody

TRIALS = 400
LEVELS_MAX = 64
PATIENCE_S = 120.0
"""Roughly the longest time, in seconds, that a single probability may take."""
STATES_KEPT = 500_000
"""For how many states the possible steps are kept; for further states they are computed each time."""
AT_ONCE_MAX = 10_000
"""The largest number of immediate steps at one moment."""


@dataclass(frozen=True, slots=True)
class _Ways:
    """The steps that are possible in a state."""

    next: tuple[State, ...]
    cumulated: tuple[float, ...]
    total: float
    """The rate at which the state is left, per second; for a vanishing state, the sum of weights."""
    at_once: bool
    level: int
    at_goal: bool


_Entry = tuple[State, float]
"""A state, and the time in seconds at which it was entered."""


@dataclass
class Splitter:
    """Simulates one world with given rates."""

    world: World
    rates: dict[str, Rate]
    level: Evaluator
    seed: int = 0
    trials: int = TRIALS
    batches: int = BATCHES
    watch: Watch = nobody
    steps: int = 0
    _known: dict[State, _Ways] = field(default_factory=dict)
    _runner: Runner = field(init=False)
    _goal: Predicate | None = None
    _until: float = 0.0

    def __post_init__(self) -> None:
        refuse_other_than_plain(self.rates, "a simulation")
        self._runner = Runner(self.world)

    def probability(self, goal: Predicate, time_s: float) -> Split:
        """Return the probability of a goal within a time; raise UnmeasurableError if too few trials reach the goal, or
        too slowly."""
        began, self._goal = monotonic(), goal
        self._known.clear()
        self.steps, self._until = 0, began + PATIENCE_S
        starts = list(self._runner.initial_states())
        levels = self._levels(starts)
        batches = []
        for number in range(self.batches):
            self.watch(f"splitting, {goal.name}", number, self.batches)
            batches.append(self._batch(Random(f"{self.seed} {goal.name} {number}"), starts, levels, time_s))
        return replace(split_of(goal.name, levels, batches, monotonic() - began), steps=self.steps)

    def _levels(self, starts: Sequence[State]) -> tuple[int, ...]:
        """Return the values of the levels, from just below the lowest start down to 0."""
        lowest = min(int(self.level(state.values, {})) for state in starts)
        if lowest > LEVELS_MAX:
            raise UnmeasurableError(f"--split: the level has {lowest} values; name a level with at most {LEVELS_MAX}")
        return tuple(range(lowest - 1, -1, -1))

    def _batch(self, dice: Random, starts: Sequence[State], levels: Sequence[int], time_s: float) -> Batch:
        def trial(entry: _Entry, level: int | None) -> _Entry | None:
            return self._trial(dice, *entry, level, time_s)

        return climb(dice, [(state, 0.0) for state in starts], levels, self.trials, trial)

    def _trial(self, dice: Random, state: State, now_s: float, level: int | None, time_s: float) -> _Entry | None:
        """Simulate until a level is reached (without a level, the goal); return None if the time is over before."""
        known, random, at_once = self._known, dice.random, 0
        while True:
            ways = known.get(state) or self._ways(state)
            if ways.at_goal or (level is not None and ways.level <= level):
                return state, now_s
            if ways.total == 0.0:
                return None
            self.steps += 1
            if ways.at_once:
                at_once += 1
                if at_once > AT_ONCE_MAX:
                    cure = "give one of them a rate such as 1/s"
                    raise UnmeasurableError(f"actions with rate `now` follow one another for ever: {cure}")
            else:
                at_once = 0
                now_s += dice.expovariate(ways.total)
                if now_s > time_s:
                    return None
            drawn, place = random() * ways.total, 0
            while place < len(ways.next) - 1 and drawn >= ways.cumulated[place]:
                place += 1
            state = ways.next[place]
            if self.steps % 65_536 == 0 and monotonic() > self._until:
                raise UnmeasurableError(
                    f"the simulation was stopped after {PATIENCE_S:.0f} s and {self.steps:,} steps, before all batches "
                    "were done: take fewer trials, or give the fastest actions the rate `now` (at once) or `never`"
                )

    def _ways(self, state: State) -> _Ways:
        if len(self._known) >= STATES_KEPT:
            self._known.clear()
        timed: list[tuple[State, float]] = []
        immediate: list[tuple[State, float]] = []
        for event in self._runner.events(state):
            rate = self.rates[event.action]
            assert not isinstance(rate, Staged), "times with stages are refused"
            amount = rate.weight if isinstance(rate, Immediate) else rate.per_second
            # A step with the rate `never`, or one that changes nothing, does not leave the state.
            if amount > 0 and (after := self._runner.step(state, event)) != state:
                (immediate if isinstance(rate, Immediate) else timed).append((after, amount))
        chosen = immediate or timed
        cumulated = tuple(accumulate(amount for _, amount in chosen))
        assert self._goal is not None, "a goal is asked for"
        self._known[state] = ways = _Ways(
            tuple(after for after, _ in chosen),
            cumulated,
            cumulated[-1] if cumulated else 0.0,
            bool(immediate),
            int(self.level(state.values, {})),
            self._runner.holds(self._goal.condition, state),
        )
        return ways


def level_of(specification: Specification, world: World, name: str) -> Evaluator:
    """Return the function that computes a level, given the name of a numeric definition; raise PredicateError for any
    other name."""
    found = number_of(specification, name)
    return evaluator(Grounding(dict(world.constants)).part(found.body, found.at), world.names)
