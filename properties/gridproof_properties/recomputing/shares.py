"""Bounds of a share, how often of how many, and of a mean."""

from collections.abc import Sequence
from math import cbrt, sqrt
from statistics import fmean, stdev

LEAST_SKEWNESS = 1e-6
"""Below it nothing is transformed."""


def share_bounds(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the bounds of a share of independent trials, by E. B. Wilson (JASA 1927); `trials` is at least 1."""
    # Imported now: whoever asks for no share need not wait for it.
    from scipy.stats import binomtest

    bounds = binomtest(hits, trials).proportion_ci(confidence, method="wilson")
    return float(bounds.low), float(bounds.high)


def mean_bounds(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return the bounds of the mean of independent values, at least three, which may be skewed.

    Student's t with P. Hall's cubic transformation (On the removal of skewness by transformation, JRSS B 1992):
    products of shares are skewed, and plain t misses three times as often as it should.
    """
    from scipy.stats import t  # as above

    count, mean, spread = len(values), fmean(values), stdev(values)
    if spread == 0.0:
        return mean, mean
    third = sum((value - mean) ** 3 for value in values) * count / ((count - 1) * (count - 2))
    skewness = third / spread**3 / sqrt(count)
    quantile = float(t.ppf((1 + confidence) / 2, count - 1))
    low, high = (mean - _unskewed(skewness, one) * spread / sqrt(count) for one in (quantile, -quantile))
    return low, high


def _unskewed(skewness: float, quantile: float) -> float:
    """Return the quantile of a skewed mean's t from that of a symmetric one; `skewness` is that of the mean."""
    if abs(skewness) < LEAST_SKEWNESS:
        return quantile
    return 3 / skewness * (cbrt(1 + skewness * (quantile - skewness / 6)) - 1)
