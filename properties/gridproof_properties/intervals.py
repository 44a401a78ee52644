"""Estimates between two bounds: the door to SciPy's statistics.

99 % each. Independent samples have the normal approximation for means, Wilson's interval for shares, order statistics
for quantiles. Runs are independent, what happens within one is not: a crash loses many writes at once. So runs are
resampled, never writes or calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cbrt, ceil, floor, sqrt
from statistics import NormalDist, fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.99
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Standard deviations to each side: 2.576."""
EXACT = "exact"
"""Where a value comes from that is no estimate."""
RESAMPLES = 2_000
SEED = 20_000_309
"""Of the resampling: equal runs have equal intervals."""
BATCH = 4_000_000
"""Numbers that are drawn at a time, at most."""
LEAST_SKEWNESS = 1e-6
"""Below it nothing is transformed."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate between two bounds, which are the value where it is exact; NaN where there is nothing to estimate."""

    value: float
    low: float
    high: float
    how: str = ""
    """`EXACT`, or how many runs it comes from; empty where a table says so for all."""


NOTHING = Interval(float("nan"), float("nan"), float("nan"))


def exactly(value: float) -> Interval:
    """Return a value that is no estimate."""
    return Interval(value, value, value, EXACT)


def mean_of(samples: Numbers, what: str = "runs") -> Interval:
    """Return the mean of independent samples; their number must be large enough for the normal distribution."""
    mean = float(np.mean(samples))
    half = Z * float(np.std(samples, ddof=1)) / sqrt(len(samples))
    return Interval(mean, mean - half, mean + half, f"{len(samples):,} {what}")


def share_of(hits: int, trials: int, what: str = "runs") -> Interval:
    """Return a share (Wilson)."""
    low, high = share_bounds(hits, trials, CONFIDENCE)
    return Interval(hits / trials, low, high, f"{trials:,} {what}")


def quantile_of(samples: Numbers, share: float, what: str = "runs") -> Interval:
    """Return a quantile of independent samples: between the order statistics that hold it at 99 %."""
    count = len(samples)
    rank, half = share * count, Z * sqrt(count * share * (1 - share))
    ranks = [_index(rank, count), _index(floor(rank - half), count), _index(ceil(rank + half) + 1, count)]
    sorted_there = np.partition(samples, sorted(set(ranks)))
    value, low, high = (float(sorted_there[index]) for index in ranks)
    return Interval(value, low, high, f"{count:,} {what}")


def scaled(estimate: Interval, factor: float) -> Interval:
    """Return an estimate in another unit."""
    low, high = sorted((estimate.low * factor, estimate.high * factor))
    return Interval(estimate.value * factor, low, high, estimate.how)


def _index(rank: float, count: int) -> int:
    return min(max(ceil(rank) - 1, 0), count - 1)


def share_interval(met: int, runs: int) -> Interval:
    """Return the share of runs of which something is true, with E. B. Wilson's interval (JASA 1927)."""
    if runs == 0:
        return NOTHING
    return Interval(met / runs, *share_bounds(met, runs, CONFIDENCE))


def ratio_interval(parts: Numbers, wholes: Numbers) -> Interval:
    """Return a sum by a sum, with a bootstrap over runs; both have a number a run.

    Where no run has any part, resampling sees nothing: then the bound is that of the share of runs that have some,
    which is no smaller as long as a part is no more than its whole. Where few have, the upper bound is no lower than
    that share's own, in proportion.
    """
    if wholes.sum() == 0:
        return NOTHING
    value = float(parts.sum() / wholes.sum())
    of_runs = share_interval(int((parts > 0).sum()), int((wholes > 0).sum()))
    if not parts.any():
        return Interval(0.0, 0.0, of_runs.high)
    found = _bootstrap((parts, wholes), _ratio, value)
    # Few runs with a part: their number is less certain than resampling them shows.
    return Interval(value, found.low, max(found.high, value * of_runs.high / of_runs.value))


def mean_interval(values: Numbers) -> Interval:
    """Return a mean over runs, with a bootstrap."""
    if values.size == 0:
        return NOTHING
    return _bootstrap((values,), _mean, float(values.mean()))


def quantile_interval(counts: NDArray[np.int64], middles: Numbers, share: float) -> Interval:
    """Return a quantile of all values of all runs, with a bootstrap over runs.

    `counts` has a row a run and a column a bucket, ascending; `middles` the number that stands for each bucket.
    """
    if counts.sum() == 0:
        return NOTHING
    of_runs, every = _quantile_of_runs(counts, middles, share), np.arange(counts.shape[0])
    return _bootstrap((every,), of_runs, float(of_runs(every[None, :])[0]))


def quantile_difference(
    counts: NDArray[np.int64],
    middles: Numbers,
    other_counts: NDArray[np.int64],
    other_middles: Numbers,
    share: float,
) -> Interval:
    """Return how much greater a quantile is than another, with a bootstrap over seeds that both have run.

    Each is of all values of all runs, as in `quantile_interval`; both have a row a seed, in the same order.
    """
    if counts.sum() == 0 or other_counts.sum() == 0:
        return NOTHING
    one = _quantile_of_runs(counts, middles, share)
    other = _quantile_of_runs(other_counts, other_middles, share)
    every = np.arange(counts.shape[0])

    def difference(runs: NDArray[np.int64], axis: int = -1) -> Numbers:
        return one(runs) - other(runs)

    return _bootstrap((every,), difference, float(difference(every[None, :])[0]))


def _quantile_of_runs(counts: NDArray[np.int64], middles: Numbers, share: float) -> Callable[..., Numbers]:
    """Return what gives the quantile of all values of the runs with these places, one sample of them a row."""
    numbers = counts.astype(np.float64)  # whole numbers are multiplied one by one, these by blocks

    def of_runs(runs: NDArray[np.int64], axis: int = -1) -> Numbers:
        drawn = np.atleast_2d(runs)
        weights = np.zeros((drawn.shape[0], counts.shape[0]), dtype=np.float64)
        for row, chosen in enumerate(drawn):
            weights[row] = np.bincount(chosen, minlength=counts.shape[0])
        sums = np.cumsum(weights @ numbers, axis=1)
        places = (sums < share * sums[:, -1:]).sum(axis=1).clip(max=middles.size - 1)
        found: Numbers = middles[places]
        return found.reshape(runs.shape[:-1])

    return of_runs


def ratio_difference(parts: Numbers, wholes: Numbers, other_parts: Numbers, other_wholes: Numbers) -> Interval:
    """Return how much greater one ratio is than another, with a bootstrap over seeds that both have run.

    All four have a number a seed, in the same order: what the dice did to both is no part of the difference.
    """
    if wholes.sum() == 0 or other_wholes.sum() == 0:
        return NOTHING

    def difference(one: Numbers, by: Numbers, other: Numbers, other_by: Numbers, axis: int = -1) -> Any:
        return _ratio(one, by, axis) - _ratio(other, other_by, axis)

    value = float(parts.sum() / wholes.sum() - other_parts.sum() / other_wholes.sum())
    return _bootstrap((parts, wholes, other_parts, other_wholes), difference, value)


def _ratio(parts: Numbers, wholes: Numbers, axis: int = -1) -> Any:
    below = wholes.sum(axis=axis)
    return np.divide(parts.sum(axis=axis), below, out=np.zeros_like(below), where=below > 0)


def _mean(values: Numbers, axis: int = -1) -> Any:
    return values.mean(axis=axis)


def _bootstrap(data: tuple[NDArray[Any], ...], statistic: Any, value: float) -> Interval:
    runs = data[0].size
    if runs < 2 or all((column == column[0]).all() for column in data):
        return Interval(value, value, value) if runs > 1 else Interval(value, float("-inf"), float("inf"))
    # Imported now: it takes longer than a campaign without an end by precision needs.
    from scipy.stats import bootstrap

    # By the name that SciPy before 1.15 knows, too.
    dice: dict[str, Any] = {"random_state": np.random.default_rng(SEED)}
    found = bootstrap(
        data, statistic, paired=True, vectorized=True, n_resamples=RESAMPLES, batch=max(1, BATCH // runs),
        confidence_level=CONFIDENCE, method="percentile", **dice,
    )  # fmt: skip
    bounds = found.confidence_interval
    return Interval(value, min(float(bounds.low), value), max(float(bounds.high), value))


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
