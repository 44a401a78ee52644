"""Estimates a rare probability as a product of shares, level by level.

Each level has the same number of trials: a trial starts from a state in which the previous level was first reached, and
all such states are equally likely. The product of the shares of trials that reach the next level estimates the
probability without bias (fixed effort: Garvels, "The splitting method in rare event simulation", 2000). The interval is
computed from independent batches, each of which goes through all levels. This module does not know what a trial does:
it may follow the chain of a specification, or a simulated run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from random import Random
from typing import TypeVar

from gridproof_properties.intervals import mean_bounds
from gridproof_properties.measuring.explored import UnmeasurableError

BATCHES = 30

Entry = TypeVar("Entry")
"""The place from which a trial starts, or at which it reaches a level."""


@dataclass(frozen=True, slots=True)
class Split:
    """The probability of an event within a time, estimated by splitting."""

    of: str
    value: float
    low: float
    """The lower bound of the 99 % interval, computed over batches; the next field is the upper bound."""
    high: float
    levels: tuple[int, ...]
    """The values of the level at which runs were split, from the start to the goal."""
    shares: tuple[float, ...]
    """For each level, the mean share of its trials that reach the next level or, from the last level, the goal."""
    trials: int
    """The number of trials in all batches and levels."""
    steps: int
    """The number of steps of the chain, or of inputs to members, in all trials."""
    seconds: float

    @property
    def plain_runs(self) -> float:
        """Roughly how many plain runs would give an interval of the same width."""
        half = max(self.high - self.value, self.value - self.low)
        return self.value * (1 - self.value) * (2.5758 / half) ** 2 if half > 0 else float("inf")

    def way_to(self, goal: str) -> str:
        """Return a text that names, level by level, the share of trials that reach the next level."""
        names = [*map(str, self.levels), goal]
        return ", ".join(f"to {name}: {share:.3g}" for name, share in zip(names, self.shares, strict=True))


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one pass through all levels."""

    shares: tuple[float, ...]
    """For each level, the share of trials that reached the next level; the list ends with a level where none did."""
    trials: int
    steps: int = 0


def climb(
    dice: Random,
    starts: Sequence[Entry],
    levels: Sequence[int],
    trials: int,
    trial: Callable[[Entry, int | None], Entry | None],
) -> Batch:
    """Go through all levels, then from the last level to the goal, which is passed as level None. A `trial` returns
    where it reached the level; None if it did not."""
    entries, shares, tried = starts, list[float](), 0
    for level in (*levels, None):
        found = []
        for _ in range(trials):
            tried += 1
            reached = trial(dice.choice(entries), level)
            if reached is not None:
                found.append(reached)
        shares.append(len(found) / trials)
        if not found:
            break
        entries = found
    return Batch(tuple(shares), tried)


def split_of(of: str, levels: Sequence[int], batches: Sequence[Batch], seconds: float) -> Split:
    """Return the estimate from at least three batches; raise UnmeasurableError if no trial reached the goal."""
    stages = len(levels) + 1
    results = [prod(batch.shares) if len(batch.shares) == stages else 0.0 for batch in batches]
    tried = sum(batch.trials for batch in batches)
    if not any(results):
        raise UnmeasurableError(f"none of {tried:,} trials reached the goal: raise --trials, or use closer levels")
    by_level = tuple(
        sum(batch.shares[stage] if stage < len(batch.shares) else 0.0 for batch in batches) / len(batches)
        for stage in range(stages)
    )
    low, high = mean_bounds(results)
    value, steps = sum(results) / len(results), sum(batch.steps for batch in batches)
    return Split(of, value, max(low, 0.0), min(high, 1.0), tuple(levels), by_level, tried, steps, seconds)
