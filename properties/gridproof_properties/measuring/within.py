"""Quantities that are measured within a time limit.

Measures are computed by one of two methods; both never subtract numbers, so that small probabilities keep their digits.

*Uniformisation* (Jensen 1953; Fox and Glynn 1988) counts the events of a Poisson process whose rate is that of the
fastest state, and multiplies a vector by the matrix once for each event. *Squaring* computes by uniformisation the
matrix of a very short time, then doubles this time until the limit is reached; after each squaring, every row is
divided by its sum. Squaring takes few steps even if rates differ by many orders of magnitude, but is possible only with
few states.

The error of squaring: if each entry in a row of the matrix for a time d is off by a factor of at most 1 + e, and the
row sums to 1, then the later expectation is changed by at most e times the expected absolute change of this expectation
over d. The change summed over a behaviour is at most the expected sum, over its steps, of the greater of the
expectations before and after the step (`_variation`), once for each doubling. A squaring doubles the amount by which
the sum of a computed row differs from 1, and the division after it removes this amount, so such errors do not add up.

Poisson probabilities are computed without overflow or cancellation: as by Fox and Glynn (Communications of the ACM 31,
1988), weights are computed from the mode outwards and divided by their sum; each weight is a product of positive
factors, so its relative error is a few roundings per step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, factorial, inf, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.explorer.sparse import Floats, by_full_rows, transposed
from gridproof_properties.measuring.estimate import RELATIVE_ERROR_MAX, ROUNDING, Estimate, exactly, in_range
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.solving import RATE_ROUNDINGS, Absorbing

TOLERANCE = 1e-40
"""The part of a Poisson distribution that may be left out; less is left out if this part is not small beside the
result."""
TOLERANCE_LEAST = 1e-290
TRUNCATION_MAX = 1e-12
"""The largest part of the distribution that may be left out, relative to the result."""
DENSE_MAX = 2_000
"""The largest number of states for which a full matrix is squared, which takes 32 MB."""
LONG_MAX, LONGER_MAX = 200, 700
"""The most states for which longer, slower floats are always used, and the most for which they are used if needed."""
BLOCK = 32
"""How many products are added one after another before the sums of such blocks are added."""
SHORT = 2.0**-6
"""The expected number of events in the short time with which squaring begins."""
SHORT_EVENTS = 20
"""The probability of more events than this in the short time is neglected."""
LEFT_OUT = SHORT ** (SHORT_EVENTS + 1) / factorial(SHORT_EVENTS + 1)
"""An upper bound on the probability of the neglected events: 2e-58."""
PATIENCE_S = 120.0
"""Roughly the longest time, in seconds, that a single number may take."""
STEP_S, ENTRY_S, SQUARING_S = 2e-5, 3e-9, 1e-4
"""The costs, in seconds, by which the method is chosen: of a step, of a matrix entry in a step, of one squaring."""
MULTIPLICATION_S, LONG_MULTIPLICATION_S = 1e-10, 6e-9
"""The seconds for one multiplication in a squaring, in floats of usual length and in longer ones."""

FASTEST_AT_ONCE = "let the fastest actions happen `now`"
"""The advice for a world whose rates differ too much."""

Watch = Callable[[str, int, int], None]
"""A function that is called with what is being done, how much of it is done, and the total."""


def nobody(_what: str, _done: int, _of: int) -> None:
    """Ignore reports of progress."""


def within(chain: Absorbing, time_s: float, per_s: Floats | None = None, watch: Watch = nobody) -> Estimate:
    """Return the probability of the goal within a time; or the expected amount, collected per state at rate `per_s`.

    The amount is what is collected before the goal is reached. Raises UnmeasurableError if neither method is fast and
    exact enough.
    """
    if chain.size == 0 or not (chain.goal if per_s is None else per_s).any():
        return exactly(chain.at_goal if per_s is None else 0.0)
    fastest = float(chain.exits.max())
    if fastest == 0.0 and per_s is not None:
        return exactly(float(chain.start @ per_s) * time_s)
    events = fastest * time_s
    steps = last_event(events, TOLERANCE)
    doublings = max(0, ceil(log2(events / SHORT)))
    stepping_s = steps * (STEP_S + ENTRY_S * (chain.rates.nnz + 3 * chain.size))
    each_s = LONG_MULTIPLICATION_S if chain.size <= LONG_MAX else MULTIPLICATION_S
    squaring_s = (doublings + SHORT_EVENTS) * SQUARING_S + (doublings + 2) * each_s * (chain.size + 2) ** 3
    if chain.size > DENSE_MAX or stepping_s <= squaring_s:
        if stepping_s > PATIENCE_S:
            raise UnmeasurableError(
                f"the world is stiff: {steps:.3g} steps over {chain.size:,} states {_describe_patience(stepping_s)}; "
                f"{FASTEST_AT_ONCE}, choose a smaller world (up to {DENSE_MAX:,} states are computed in another way), "
                "or a shorter time; or simulate it with --split"
            )
        found = _stepped(chain, time_s, per_s, watch, TOLERANCE)
        if per_s is None and not found.relative_error < RELATIVE_ERROR_MAX:
            found = _stepped(chain, time_s, per_s, watch, TOLERANCE_LEAST)
        return _checked(found)
    if squaring_s > PATIENCE_S:
        raise UnmeasurableError(
            f"the world is stiff: {steps:.3g} steps, or {doublings} squarings of a matrix of {chain.size:,} states, "
            f"{_describe_patience(squaring_s)}; {FASTEST_AT_ONCE}, or choose a smaller world"
        )
    if chain.size > LONG_MAX:
        found = _squared(chain, time_s, per_s, doublings, watch, np.float64)
        if chain.size > LONGER_MAX or found.relative_error <= RELATIVE_ERROR_MAX:
            return _checked(found)
    return _checked(_squared(chain, time_s, per_s, doublings, watch, np.longdouble))


def _describe_patience(seconds: float) -> str:
    return f"take about {seconds / 60:,.0f} min, but one number may take at most {PATIENCE_S / 60:.0f} min"


def _checked(found: Estimate) -> Estimate:
    if not in_range(found).relative_error <= RELATIVE_ERROR_MAX:
        raise UnmeasurableError(
            f"the result is about {found.value:.3g}, but is not reported: the relative error of the {found.method} may "
            f"be {found.relative_error:.0e}, and at most {RELATIVE_ERROR_MAX:.0e} is allowed; {FASTEST_AT_ONCE}"
        )
    return found


def _stepped(chain: Absorbing, time_s: float, per_s: Floats | None, watch: Watch, tolerance: float) -> Estimate:
    """Return the probability or amount within a time, by uniformisation.

    The chain is observed at the events of a Poisson process with the rate of its fastest state.
    """
    fastest = float(chain.exits.max())
    events = poisson(fastest * time_s, tolerance)
    tails = events.at_least()
    moves = transposed(chain.rates)
    moves.data /= fastest
    stays, arrives = (fastest - chain.exits) / fastest, chain.goal / fastest
    here, at_goal, value, steps = chain.start.copy(), chain.at_goal, 0.0, events.last
    for step in range(events.last + 1):
        if per_s is not None:
            value += tails[step + 1] / fastest * float(here @ per_s)
        elif step >= events.first:
            value += events.weights[step - events.first] * at_goal
        at_goal += float(here @ arrives)
        here = moves @ here + stays * here
        if step % 1024 == 0:
            watch("uniformisation", step, events.last)
            if here.sum() <= TRUNCATION_MAX * ROUNDING * at_goal and per_s is None:
                value += tails[step + 1] * at_goal
                steps = step
                break
    # The bound on rounding errors: each step adds a few products to each entry.
    most = int(np.diff(moves.indptr).max(initial=0))
    rounding = ROUNDING * (steps * (most + 4) + 2 * events.weights.size)
    left_out = events.beyond * (1.0 if per_s is None else float(per_s.max(initial=0.0)))
    off = left_out / value if value else inf
    return Estimate(float(value), float(off + TOLERANCE + rounding), "uniformisation", steps)


def _squared(
    chain: Absorbing, time_s: float, per_s: Floats | None, doublings: int, watch: Watch, kind: type[np.floating[Any]]
) -> Estimate:
    """Return the probability or amount within a time, by squaring a short time's matrix, in floats of one kind."""
    size = chain.size
    chances, spent = _short(chain, time_s / 2.0**doublings, kind)
    gathered = spent[:, :size] @ (np.zeros(size) if per_s is None else per_s).astype(kind)
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
    expected = chances[:, size] if per_s is None else gathered
    value, column = float(start @ expected), expected.astype(np.float64)
    off = value + _variation(chain, time_in[:size].astype(np.float64), column)
    error = rounding * off + 2.0**doublings * LEFT_OUT * float(column.max())
    return Estimate(value, error / value if value else 0.0, "squaring", doublings)


def _square(full: NDArray[Any]) -> NDArray[Any]:
    """Return the square of a matrix, whose products are added in blocks: a sum of sums has fewer roundings."""
    square = np.zeros_like(full)
    for begin in range(0, full.shape[0], BLOCK):
        left = np.ascontiguousarray(full[:, begin : begin + BLOCK])
        square += left @ np.ascontiguousarray(full[begin : begin + BLOCK])
    return square


def _short(chain: Absorbing, short_s: float, kind: type[np.floating[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the matrix for a very short time, and the time spent in each state in it: shape (size + 2, size + 2).

    The last two states of the matrix stand for the goal, and for all states from which it cannot be reached.
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
    """Return the probabilities of 0, 1, ... events, for a small mean, until they are negligible."""
    terms = [np.exp(-mean)]
    for event in range(1, 2 * SHORT_EVENTS):
        terms.append(terms[-1] * mean / event)
    return np.array(terms)


def _variation(chain: Absorbing, time_in: Floats, expected: Floats) -> float:
    """Return an upper bound of the expected sum of the changes of the expectation, over all steps within the time."""
    size = chain.size
    before = np.repeat(expected[:size], np.diff(chain.rates.indptr))
    greater = chain.rates.copy()
    greater.data *= np.maximum(before, expected[:size][chain.rates.indices])
    flow = np.asarray(greater.sum(axis=1)).ravel()
    flow += chain.goal * np.maximum(expected[:size], expected[size]) + chain.lost * expected[:size]
    return float(time_in @ flow)


@dataclass(frozen=True)
class Poisson:
    """The probabilities of `first` to `last` events; the probability of more events is at most `beyond`."""

    first: int
    weights: Floats
    beyond: float

    @property
    def last(self) -> int:
        """The largest number of events that has a weight."""
        return self.first + int(self.weights.size) - 1

    def at_least(self) -> Floats:
        """Return, for each number from 0 to `last` + 1, the probability of at least this many events."""
        tails = np.cumsum(self.weights[::-1])[::-1]
        return np.concatenate([np.ones(self.first), tails, [0.0]])


def last_event(mean: float, tolerance: float) -> int:
    """Return a number of events that is exceeded with a probability of about `tolerance` at most."""
    spread = -np.log(tolerance)
    return int(np.ceil(mean + sqrt(2 * mean * spread) + spread + 2))


def poisson(mean: float, tolerance: float) -> Poisson:
    """Return the weights for a mean number of events; the weights left out sum to less than the tolerance."""
    mode, last = int(mean), last_event(mean, tolerance)
    first = max(0, 2 * mode - last)
    above = np.cumprod(mean / np.arange(mode + 1, last + 1, dtype=np.float64))
    below = np.cumprod(np.arange(mode, first, -1, dtype=np.float64) / mean)
    weights = np.concatenate([below[::-1], [1.0], above])
    total = weights.sum()
    following = weights[-1] * mean / (last + 1)
    beyond = following / (1 - mean / (last + 2)) / total
    return Poisson(first, weights / total, float(max(beyond, np.finfo(np.float64).tiny)))
