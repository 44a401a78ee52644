"""Balls into bins, by gridproof's own hashing of keys.

A ball is a key declared long and a bin a partition. With several choices a ball has several keys, and goes to the
partition that holds least so far.
"""

from math import exp, factorial, lgamma, log

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from gridproof_implementation.hashing import partitions_of_longs

BATCH = 100
"""Runs that are thrown together."""
STEPS = 2_000
LEVELS = 12


def throw(bins: int, balls: int, choices: int, runs: int, rng: Generator) -> NDArray[np.int64]:
    """Return how many balls each bin holds after so many were thrown, shape (runs, bins)."""
    parts = [_throw(bins, balls, choices, min(BATCH, runs - start), rng) for start in range(0, runs, BATCH)]
    return np.concatenate(parts)


def _throw(bins: int, balls: int, choices: int, runs: int, rng: Generator) -> NDArray[np.int64]:
    """Throw one ball after the other, in all runs at once."""
    keys = rng.integers(-(1 << 63), (1 << 63) - 1, balls * runs * choices)
    chosen = partitions_of_longs(keys, bins).astype(np.int64).reshape(balls, runs, choices)
    chosen += (np.arange(runs) * bins)[:, np.newaxis]
    if choices == 1:
        return np.bincount(chosen.ravel(), minlength=runs * bins).reshape(runs, bins)
    loads = np.zeros(runs * bins, np.int64)
    lanes = np.arange(runs)
    for ball in chosen:
        loads[ball[lanes, loads[ball].argmin(axis=1)]] += 1
    return loads.reshape(runs, bins)


def share_at_least(load: int, choices: int) -> float:
    """Return the share of bins with at least this load in the limit of many bins and as many balls.

    With one choice loads are Poisson. With more, the share s(i) follows ds(i)/dt = s(i - 1)^d - s(i)^d, from time 0 to
    1 (Mitzenmacher 1999), solved by Runge and Kutta's method of fourth order.
    """
    if choices == 1:
        return 1 - sum(exp(-1) / factorial(below) for below in range(load))
    shares = np.zeros(LEVELS)
    step = 1 / STEPS

    def slope(now: NDArray[np.float64]) -> NDArray[np.float64]:
        powers = now**choices
        return np.concatenate([[1.0], powers[:-1]]) - powers

    for _ in range(STEPS):
        first = slope(shares)
        second = slope(shares + step / 2 * first)
        third = slope(shares + step / 2 * second)
        shares = shares + step / 6 * (first + 2 * second + 2 * third + slope(shares + step * third))
    return float(shares[load - 1])


def inverse_gamma(value: float) -> float:
    """Return x with Γ(x) = value, for values of at least 1 (x of at least 2)."""
    low, high = 2.0, 200.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if lgamma(middle) < log(value) else (low, middle)
    return low
