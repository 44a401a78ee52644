"""Bounds of a share, how often of how many, and of a mean."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev


def share_bounds(hits: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the bounds of a share of independent trials, by E. B. Wilson (JASA 1927); `trials` is at least 1."""
    # Imported now: whoever asks for no share need not wait for it.
    from scipy.stats import binomtest

    bounds = binomtest(hits, trials).proportion_ci(confidence, method="wilson")
    return float(bounds.low), float(bounds.high)


def mean_bounds(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """Return the bounds of the mean of independent values, at least two, by Student's t."""
    from scipy.stats import t  # as above

    half = float(t.ppf((1 + confidence) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
    return fmean(values) - half, fmean(values) + half
