"""What happens within a time.

Two ways, and no number is ever subtracted from another in either, so small probabilities keep their digits.

*Uniformisation* (Jensen 1953; Fox and Glynn 1988) counts the events of a Poisson process that is as fast as the
fastest state, and takes as many products of vector and matrix. *Squaring* computes the matrix of a very short time by
uniformisation and doubles the time until it is reached; each squared row is divided by its sum. It takes few steps
where rates differ by many orders, on few states.

Error of squaring: a row of the matrix of a time d that is off by a factor of at most 1 + e in each entry, and sums to
1, changes what is expected afterwards by at most e times the expected absolute change of that expectation over d.
Summed over a behaviour that is at most the expected sum over its steps of the greater of the expectations before and
after (`_variation`), once for each doubling. By how much a computed row misses a sum of 1 is doubled by a squaring, and
taken back by the division after it, so such misses do not add up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, factorial, inf, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.sparse import Floats, by_full_rows, transposed
from gridproof_properties.measuring.absorbing import Absorbing
from gridproof_properties.measuring.estimate import RELATIVE_ERROR_MAX, ROUNDING, Estimate, exactly, in_range
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.poisson import last_event, poisson

TOLERANCE = 1e-40
"""What may be left out of a Poisson distribution; once more with the second where that is not small to the result."""
TOLERANCE_LEAST = 1e-290
TRUNCATION_MAX = 1e-12
"""What may be left out, relative to the result."""
DENSE_MAX = 2_000
"""States of which a full matrix is squared: 32 MB."""
LONG_MAX, LONGER_MAX = 200, 700
"""States up to which the longer floats of the machine are used, if it has them, at once and in need: they are slow."""
BLOCK = 32
"""Products that are added one after the other; then the sums are."""
RATE_ROUNDINGS = 8
"""Operations by which a rate in a matrix came about."""
SHORT = 2.0**-6
"""Events expected in the time that squaring begins with."""
SHORT_EVENTS = 20
"""More events than so many are left out there."""
LEFT_OUT = SHORT ** (SHORT_EVENTS + 1) / factorial(SHORT_EVENTS + 1)
"""At least their probability: 2e-58."""
PATIENCE_S = 120.0
"""No single number takes longer than about this."""
STEP_S, ENTRY_S, SQUARING_S = 2e-5, 3e-9, 1e-4
"""What a step takes, an entry of the matrix in it, and a squaring: for choosing the way."""
MULTIPLICATION_S, LONG_MULTIPLICATION_S = 1e-10, 6e-9
"""What one multiplication of a squaring takes; the second of longer floats."""

FASTEST_AT_ONCE = "let the fastest actions happen `now`"
"""The cure for a stiff world."""

Watch = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and of how much."""


def nobody(_what: str, _done: int, _of: int) -> None:
    """Watch nothing."""


@dataclass(frozen=True)
class Within:
    """What a chain does within a time."""

    probability: Estimate
    """Of coming to the goal."""
    rewards: tuple[Estimate, ...]
    """What is gathered before it, for each reward."""


def within(chain: Absorbing, time_s: float, rewards: Floats, watch: Watch = nobody) -> Within:
    """Return the probability of the goal, and the expected rewards before it, within a time.

    `rewards` has a row a state, a column a reward, and holds what is gathered per second. UnmeasurableError where
    neither way is quick and exact enough.
    """
    if chain.size == 0:
        return Within(exactly(chain.at_goal), tuple(exactly(0.0) for _ in range(rewards.shape[1])))
    fastest = float(chain.exits.max())
    if fastest == 0.0:
        gathered = (float(chain.start @ rewards[:, column]) * time_s for column in range(rewards.shape[1]))
        return Within(exactly(chain.at_goal), tuple(exactly(value) for value in gathered))
    events = fastest * time_s
    steps = last_event(events, TOLERANCE)
    doublings = max(0, ceil(log2(events / SHORT)))
    stepping_s = steps * (STEP_S + ENTRY_S * (chain.rates.nnz + 3 * chain.size))
    each_s = LONG_MULTIPLICATION_S if chain.size <= LONG_MAX else MULTIPLICATION_S
    squaring_s = (doublings + SHORT_EVENTS) * SQUARING_S + (doublings + 2) * each_s * (chain.size + 2) ** 3
    if chain.size > DENSE_MAX or stepping_s <= squaring_s:
        if stepping_s > PATIENCE_S:
            raise UnmeasurableError(
                f"stiff: {steps:.3g} steps over {chain.size:,} states, {_describe_patience(stepping_s)}; "
                f"{FASTEST_AT_ONCE}, choose a smaller world (up to {DENSE_MAX:,} states take another way), or a "
                "shorter time; or simulate it with --split"
            )
        return _exact_enough(chain, rewards, _stepped(chain, time_s, rewards, watch))
    if squaring_s > PATIENCE_S:
        raise UnmeasurableError(
            f"stiff: {steps:.3g} steps, or {doublings} squarings of {chain.size:,} states, "
            f"{_describe_patience(squaring_s)}; {FASTEST_AT_ONCE}, or choose a smaller world"
        )
    if chain.size > LONG_MAX:
        found = _squared(chain, time_s, rewards, doublings, watch, np.float64)
        if chain.size > LONGER_MAX or _worst(found) <= RELATIVE_ERROR_MAX:
            return _exact_enough(chain, rewards, found)
    return _exact_enough(chain, rewards, _squared(chain, time_s, rewards, doublings, watch, np.longdouble))


def _describe_patience(seconds: float) -> str:
    return f"about {seconds / 60:,.0f} min, and a number may take {PATIENCE_S / 60:.0f} by itself"


def _worst(found: Within) -> float:
    return max(one.relative_error for one in (found.probability, *found.rewards))


def _exact_enough(chain: Absorbing, rewards: Floats, found: Within) -> Within:
    """Return the numbers; UnmeasurableError for one that is not exact enough. What follows from the graph is exact."""
    is_gathered = [bool(column.any()) for column in rewards.T]
    return Within(
        _checked(found.probability) if chain.goal.any() else exactly(chain.at_goal),
        tuple(
            _checked(one) if gathered else exactly(0.0)
            for one, gathered in zip(found.rewards, is_gathered, strict=True)
        ),
    )


def _checked(found: Estimate) -> Estimate:
    if not in_range(found).relative_error <= RELATIVE_ERROR_MAX:
        raise UnmeasurableError(
            f"about {found.value:.3g}, but the error bound of the {found.method} is {found.relative_error:.0e} of it, "
            f"too large to give it ({RELATIVE_ERROR_MAX:.0e} is the most); {FASTEST_AT_ONCE}"
        )
    return found


def _stepped(chain: Absorbing, time_s: float, rewards: Floats, watch: Watch) -> Within:
    """Return what happens within a time, by uniformisation."""
    for tolerance in (TOLERANCE, TOLERANCE_LEAST):
        found = _Uniformised(chain, time_s, tolerance).run(rewards, watch)
        if found.probability.relative_error < RELATIVE_ERROR_MAX or not chain.goal.any():
            break
    return found


class _Uniformised:
    """A chain observed at the events of a Poisson process as fast as its fastest state."""

    def __init__(self, chain: Absorbing, time_s: float, tolerance: float) -> None:
        self.chain = chain
        self.fastest = float(chain.exits.max())
        self.poisson = poisson(self.fastest * time_s, tolerance)
        self.moves = transposed(chain.rates)
        self.moves.data /= self.fastest
        self.stays = (self.fastest - chain.exits) / self.fastest
        self.arrives = chain.goal / self.fastest

    def run(self, rewards: Floats, watch: Watch) -> Within:
        """Return the probability of the goal and the rewards."""
        weights, first, last = self.poisson.weights, self.poisson.first, self.poisson.last
        tails = self.poisson.at_least()
        here, at_goal, probability = self.chain.start.copy(), self.chain.at_goal, 0.0
        gathered = np.zeros(rewards.shape[1])
        steps = last
        for step in range(last + 1):
            if step >= first:
                probability += weights[step - first] * at_goal
            if rewards.shape[1]:
                gathered += tails[step + 1] / self.fastest * (here @ rewards)
            at_goal += float(here @ self.arrives)
            here = self.moves @ here + self.stays * here
            if step % 1024 == 0:
                watch("uniformisation", step, last)
                if here.sum() <= TRUNCATION_MAX * ROUNDING * at_goal and not rewards.shape[1]:
                    probability += tails[step + 1] * at_goal
                    steps = step
                    break
        rounding = self._rounding(steps)
        return Within(
            self._estimate(probability, self.poisson.beyond, rounding, steps),
            tuple(
                self._estimate(
                    float(value), self.poisson.beyond * float(rewards[:, column].max(initial=0.0)), rounding, steps
                )
                for column, value in enumerate(gathered)
            ),
        )

    def _estimate(self, value: float, left_out: float, rounding: float, steps: int) -> Estimate:
        method = "uniformisation"
        off = left_out / value if value else inf
        return Estimate(float(value), float(off + TOLERANCE + rounding), method, steps)

    def _rounding(self, steps: int) -> float:
        """Return how far rounding may take a result: each step adds a few products to each entry."""
        most = int(np.diff(self.moves.indptr).max(initial=0))
        return ROUNDING * (steps * (most + 4) + 2 * self.poisson.weights.size)


def _squared(
    chain: Absorbing, time_s: float, rewards: Floats, doublings: int, watch: Watch, kind: type[np.floating[Any]]
) -> Within:
    """Return what happens within a time, by squaring the matrix of a short one, in floats of a kind."""
    size = chain.size
    chances, spent = _short(chain, time_s / 2.0**doublings, kind)
    gathered = spent[:, :size] @ rewards.astype(kind)
    start = np.concatenate([chain.start, [chain.at_goal, 0.0]]).astype(kind)
    time_in = start @ spent
    for done in range(doublings):
        watch("squaring", done, doublings)
        gathered = gathered + chances @ gathered
        time_in = time_in + time_in @ chances
        chances = _square(chances)
        chances /= chances.sum(axis=1, keepdims=True)
    each = float(np.finfo(kind).eps) / 2
    added = BLOCK + size // BLOCK + 1
    rounding = 4 * each * (doublings + SHORT_EVENTS + 2) * (added + 7) + RATE_ROUNDINGS * ROUNDING
    left_out = 2.0**doublings * LEFT_OUT
    results = []
    for expected in (chances[:, size], *gathered.T):
        column = expected.astype(np.float64)
        value = float(start @ expected)
        off = value + _variation(chain, time_in[:size].astype(np.float64), column)
        error = rounding * off + left_out * float(column.max())
        results.append(Estimate(value, error / value if value else 0.0, "squaring", doublings))
    return Within(results[0], tuple(results[1:]))


def _square(full: NDArray[Any]) -> NDArray[Any]:
    """Return the square of a matrix, added in blocks: a sum of sums takes fewer roundings."""
    square = np.zeros_like(full)
    for begin in range(0, full.shape[0], BLOCK):
        left = np.ascontiguousarray(full[:, begin : begin + BLOCK])
        square += left @ np.ascontiguousarray(full[begin : begin + BLOCK])
    return square


def _short(chain: Absorbing, short_s: float, kind: type[np.floating[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the matrix of a very short time, and the time spent in each state within it; shape (size + 2, size + 2).

    The last two states are the goal, and where it is out of reach.
    """
    size = chain.size
    moves = np.zeros((size + 2, size + 2), dtype=kind)
    moves[:size, :size] = chain.rates.todense()
    moves[:size, size], moves[:size, size + 1] = chain.goal, chain.lost
    exits = moves.sum(axis=1)
    fastest = exits.max()
    moves /= fastest
    sparse = by_full_rows(moves)
    stays = ((fastest - exits) / fastest)[:, None]
    mean = fastest * kind(short_s)
    chances, spent = np.zeros_like(moves), np.zeros_like(moves)
    after, weights = np.eye(size + 2, dtype=kind), _weights(mean)
    for event in range(SHORT_EVENTS + 1):
        chances += weights[event] * after
        spent += weights[event + 1 :].sum() / fastest * after
        after = sparse @ after + stays * after
    chances /= chances.sum(axis=1, keepdims=True)
    return chances, spent


def _weights(mean: Any) -> NDArray[Any]:
    """Return the probabilities of 0, 1, ... events of a small mean, until they no longer count."""
    terms = [np.exp(-mean)]
    for event in range(1, 2 * SHORT_EVENTS):
        terms.append(terms[-1] * mean / event)
    return np.array(terms)


def _variation(chain: Absorbing, time_in: Floats, expected: Floats) -> float:
    """Return at least the expected sum, over the steps within the time, of how much the expectation changes."""
    size = chain.size
    before = np.repeat(expected[:size], np.diff(chain.rates.indptr))
    greater = chain.rates.copy()
    greater.data *= np.maximum(before, expected[:size][chain.rates.indices])
    flow = np.asarray(greater.sum(axis=1)).ravel()
    flow += chain.goal * np.maximum(expected[:size], expected[size]) + chain.lost * expected[:size]
    return float(time_in @ flow)
