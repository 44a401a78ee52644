"""Estimates with intervals, at 99 %.

Normal approximation for means, Wilson's interval for shares, order statistics for quantiles.
"""

from math import ceil, floor, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.recomputing.paper import CONFIDENCE, EXACT, Estimate
from gridproof_properties.recomputing.shares import share_bounds

Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Standard deviations to each side: 2.576."""

Samples = NDArray[np.float64]


def exactly(value: float) -> Estimate:
    """Return a value that is no estimate."""
    return Estimate(value, value, value, EXACT)


def mean_of(samples: Samples, what: str = "runs") -> Estimate:
    """Return the mean of independent samples; their number must be large enough for the normal distribution."""
    mean = float(np.mean(samples))
    half = Z * float(np.std(samples, ddof=1)) / sqrt(len(samples))
    return Estimate(mean, mean - half, mean + half, f"{len(samples):,} {what}")


def share_of(hits: int, trials: int, what: str = "runs") -> Estimate:
    """Return a share (Wilson)."""
    low, high = share_bounds(hits, trials, CONFIDENCE)
    return Estimate(hits / trials, low, high, f"{trials:,} {what}")


def quantile_of(samples: Samples, share: float, what: str = "runs") -> Estimate:
    """Return a quantile of independent samples: between the order statistics that hold it at 99 %."""
    count = len(samples)
    rank, half = share * count, Z * sqrt(count * share * (1 - share))
    ranks = [_index(rank, count), _index(floor(rank - half), count), _index(ceil(rank + half) + 1, count)]
    sorted_there = np.partition(samples, sorted(set(ranks)))
    value, low, high = (float(sorted_there[index]) for index in ranks)
    return Estimate(value, low, high, f"{count:,} {what}")


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """Return an estimate in another unit."""
    low, high = sorted((estimate.low * factor, estimate.high * factor))
    return Estimate(estimate.value * factor, low, high, estimate.how)


def _index(rank: float, count: int) -> int:
    return min(max(ceil(rank) - 1, 0), count - 1)
