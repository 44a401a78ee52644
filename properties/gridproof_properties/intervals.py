"""Estimates, each between two bounds at 99 %.

Runs are independent, but events within one run are not: a crash loses many writes at once. Therefore every estimate is
made of one number per run, never of one number per write or call. `python -m tools.interval_coverage` counts how often
these intervals miss the true value. No interval accounts for an event that occurs in one run out of hundreds and makes
up most of a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, sqrt
from statistics import NormalDist, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.99
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""The number of standard deviations from the estimate to each bound: 2.576."""
EXACT = "exact"
"""The origin of a value that is exact, and not an estimate."""
LEAST_RUNS, LEAST_UNBOUNDED_RUNS, LEAST_WITH_SOME = 30, 200, 5
"""The fewest runs for an interval; the fewest if a run may add any amount; the fewest runs with an amount above 0."""
HOW_OFTEN_ERROR, HOW_MUCH_ERROR = 0.003, 0.005
"""The probability that the true value is beyond one bound of its interval. The first is for the share of runs with an
amount above 0, the second for a mean; the second includes what is reserved for an unseen tail."""
TAIL_UNSEEN, TAIL_RUNS = 0.7, 60
"""The share of the error that is reserved for an unseen tail if there are at most `TAIL_RUNS` runs (proportionally less
if there are more): a few skewed numbers do not show their tail, so that an interval by Student's t would miss twice as
often as it should. Both values were chosen by counting misses (`tools/interval_coverage.py`)."""
EVEN_UNSEEN, MOST_UNSEEN = 0.6, 0.8
"""The share of the error that is reserved for an unseen tail in a linearised ratio with equal wholes, and the largest
such share, if few runs have most of the whole; both were chosen by counting, too."""
NOTABLE_SHARE = 0.1
"""If one run has at least this share of a sum, a report mentions it."""
DOMINANT_SHARE, DOMINATED_RUNS = 1 / 3, 15
"""If at least so many runs add to a sum and one of them has this share of it, no interval accounts for how often such a
run occurs."""
LEAST_SKEWNESS = 1e-6
"""If the skewness is below this, nothing is transformed."""
MILD_SKEWNESS = 0.25
"""If the mean of a ratio over more than `TAIL_RUNS` runs has a skewness below this, the interval of the ratio is
linearised, even if few of the runs add to the ratio."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate between two bounds; both bounds equal the value if it is exact, and are NaN if there are no bounds.

    An upper bound is infinite if the runs do not limit it.
    """

    value: float
    low: float
    high: float
    how: str = ""
    """`EXACT`, or from how many runs the value comes; empty if a table says this for all its values."""
    note: str = ""
    """A clause that says why there are no bounds, or what a reader of the bounds has to know."""


NAN, INFINITY = float("nan"), float("inf")
NOTHING = Interval(NAN, NAN, NAN)


def exactly(value: float) -> Interval:
    """Return a value that is exact, and not an estimate."""
    return Interval(value, value, value, EXACT)


def share_interval(hits: int, trials: int, of: str = "") -> Interval:
    """Return a share of independent trials, with the exact bounds of Clopper and Pearson (Biometrika 1934)."""
    if trials == 0:
        return NOTHING
    low, high = share_bounds(hits, trials)
    return Interval(hits / trials, low, high, f"{trials:,} {of}" if of else "")


def ratio_interval(parts: Numbers, wholes: Numbers) -> Interval:
    """Return the ratio of two sums; for each sum, every run has one number, which is at least 0.

    If at least half of the runs have a part above 0, or if their parts are only a little skewed, the interval of the
    linearised ratio is computed by Student's t with Hall's cubic transformation (On the removal of skewness by
    transformation, JRSS B 1992). Otherwise the ratio is the share of runs with a part above 0, times the mean part of
    these runs, divided by the mean whole of all runs; the three intervals are combined on a logarithmic scale (Zou and
    Donner, Construction of confidence limits about effect measures, Statistics in Medicine 2008).
    """
    if wholes.sum() == 0:
        return NOTHING
    value, with_some = float(parts.sum() / wholes.sum()), int((parts > 0).sum())
    is_share = bool((parts <= wholes).all())
    if note := _too_few(parts.size, with_some, "runs have some", LEAST_RUNS if is_share else LEAST_UNBOUNDED_RUNS):
        return Interval(value, NAN, NAN, note=note)
    if not _deviations(parts, wholes).any():
        return Interval(value, NAN, NAN, note=f"it is the same in each of {parts.size} runs")
    most, of = max((float(parts.max() / parts.sum()), "sum"), (float(wholes.max() / wholes.sum()), "whole"))
    note = f"one run has {most:.0%} of the {of}" if most >= NOTABLE_SHARE else ""
    if most >= DOMINANT_SHARE and with_some >= DOMINATED_RUNS:
        return Interval(value, NAN, NAN, note=f"{note}, too much for an interval")
    low, high = (float(bound[0]) for bound in _ratio_bounds(parts[:, None], wholes))
    return Interval(value, low, min(high, 1.0) if is_share else high, note=note)


def mean_interval(values: Numbers) -> Interval:
    """Return a mean over runs of numbers that are at least 0: a `ratio_interval` in which each run has the whole 1."""
    return NOTHING if values.size == 0 else ratio_interval(values, np.ones(values.size))


def quantile_interval(counts: NDArray[np.int64], middles: Numbers, share: float) -> Interval:
    """Return a quantile of the values of all runs together, with the buckets between which it lies as its bounds.

    `counts` has one row per run and one column per bucket, in ascending order; `middles` has, for each bucket, the
    number that stands for it. The share of values that lie beyond a bucket is a ratio, which has an interval of its own
    (Woodruff, Confidence intervals for medians, JASA 1952).
    """
    if counts.sum() == 0:
        return NOTHING
    place = _quantile_place(counts.sum(axis=0), share)
    value, wholes = float(middles[place]), counts.sum(axis=1).astype(np.float64)
    if note := _too_few(len(wholes), int((wholes > 0).sum()), "runs have some", LEAST_UNBOUNDED_RUNS):
        return Interval(value, NAN, NAN, note=note)
    beyond = wholes[:, None] - np.cumsum(counts, axis=1)
    low, high = _ratio_bounds(beyond.astype(np.float64), wholes)
    from_there, up_to = np.flatnonzero(low <= 1 - share), np.flatnonzero(high <= 1 - share)
    note = "" if up_to.size else f"too few of {len(wholes)} runs have values beyond it for an upper bound"
    lowest = float(middles[min(from_there[0], place)])
    highest = float(middles[max(up_to[0], place)]) if up_to.size else INFINITY
    if lowest == highest:
        return Interval(value, NAN, NAN, note="both bounds are in its bucket")
    return Interval(value, lowest, highest, note=note)


@dataclass(frozen=True, slots=True)
class Comparison:
    """By how much one estimate is greater than another, for the same seeds."""

    found: Interval
    seeds_that_differ: int
    chance: float
    """The probability of at least this difference if the two runs of each seed are swapped at random: an exact test."""


UNCOMPARED = Comparison(NOTHING, 0, 1.0)


Both = tuple[Interval, Interval]


def compare_ratios(
    parts: Numbers, wholes: Numbers, other_parts: Numbers, other_wholes: Numbers, intervals: Both | None = None
) -> Comparison:
    """Return by how much one ratio is greater than another, seed by seed; `intervals` are the intervals of the two
    ratios, if these are already known.

    All four arrays have one number per seed, in the same order, so that the effect that the random numbers of a seed
    have on both ratios cancels out.
    """
    if wholes.sum() == 0 or other_wholes.sum() == 0:
        return UNCOMPARED
    one, other = intervals or (ratio_interval(parts, wholes), ratio_interval(other_parts, other_wholes))
    both = (parts.sum() + other_parts.sum()) / (wholes.sum() + other_wholes.sum())
    apart = (parts - both * wholes) - (other_parts - both * other_wholes)
    differs = (parts != other_parts) | (wholes != other_wholes)
    deviations = _deviations(parts, wholes), _deviations(other_parts, other_wholes)
    return _compared(one, other, deviations, apart, differs)


def compare_quantiles(
    counts: NDArray[np.int64],
    middles: Numbers,
    other_counts: NDArray[np.int64],
    other_middles: Numbers,
    share: float,
    intervals: Both | None = None,
) -> Comparison:
    """Return by how much one quantile is greater than another, seed by seed; `intervals` are those of both, if already
    known.

    Each quantile is that of all values of all runs, as in `quantile_interval`; both arrays of counts have one row per
    seed, in the same order.
    """
    if counts.sum() == 0 or other_counts.sum() == 0:
        return UNCOMPARED
    one, other = intervals or (
        quantile_interval(counts, middles, share), quantile_interval(other_counts, other_middles, share)
    )  # fmt: skip
    every = np.unique(np.concatenate((middles, other_middles)))
    sides = [np.zeros((len(counts), every.size), dtype=np.int64) for _ in range(2)]
    sides[0][:, np.searchsorted(every, middles)] = counts
    sides[1][:, np.searchsorted(every, other_middles)] = other_counts
    place = _quantile_place((sides[0] + sides[1]).sum(axis=0), share)
    excess, other_excess = (
        side[:, place + 1 :].sum(axis=1) + side[:, place] / 2 - (1 - share) * side.sum(axis=1) for side in sides
    )
    differs = (sides[0] != sides[1]).any(axis=1)
    return _compared(one, other, (excess, other_excess), excess - other_excess, differs)


def _compared(
    one: Interval, other: Interval, moved: tuple[Numbers, Numbers], apart: Numbers, differs: NDArray[np.bool_]
) -> Comparison:
    """Join the intervals of two estimates (Zou and Donner, as above), considering how each seed moves both of them.

    `moved` is by how much each seed moves the one and the other estimate; `apart` has the differences that are swapped.
    """
    value, differing, chance = one.value - other.value, int(differs.sum()), swapping_chance(apart)
    missing = next((one.note for one in (one, other) if not isfinite(one.high)), "")
    note = _too_few(differs.size, differing, "seeds differ") or missing
    together = float(np.corrcoef(*moved)[0, 1]) if min(np.ptp(moved[0]), np.ptp(moved[1])) > 0 else 0.0
    low = value - _joined(one.value - one.low, other.high - other.value, together)
    high = value + _joined(one.high - one.value, other.value - other.low, together)
    if not note and high - low <= 1e-9 * abs(value):
        note = "each seed differs by as much"
    return Comparison(Interval(value, NAN, NAN, note=note) if note else Interval(value, low, high), differing, chance)


ENUMERATED = 14
"""If at most this many seeds differ, all ways of swapping their runs are counted."""
SWAPS, EXCEEDING, BATCH = 30_000, 50, 1_000
"""How many swaps are drawn if more seeds than `ENUMERATED` differ; fewer are drawn once so many of them reach the
difference (Besag and Clifford, 1991)."""
SEED = 20_000_309
"""The random seed of the drawn swaps, so that equal runs give equal probabilities."""


def swapping_chance(differences: Numbers) -> float:
    """Return the probability that the summed difference is this large if the runs of each seed are swapped at random.

    If all seeds that differ differ by the same amount, this is McNemar's exact test (Psychometrika 1947).
    """
    there = differences[differences != 0]
    if there.size == 0:
        return 1.0
    sizes, seen = np.abs(there), abs(float(there.sum()))
    least = seen - 1e-9 * float(sizes.sum())
    if np.ptp(sizes) <= 1e-9 * sizes[0]:
        from scipy.stats import binomtest  # imported here: see `share_bounds`

        return float(binomtest(int((there > 0).sum()), int(there.size)).pvalue)
    if there.size <= ENUMERATED:
        signs = 1 - 2 * (np.arange(2**there.size)[:, None] >> np.arange(there.size) & 1)
        return float((np.abs(signs @ there) >= least).mean())
    dice, drawn, exceeding = np.random.default_rng(SEED), 0, 0
    while drawn < SWAPS and exceeding < EXCEEDING:
        signs = 1 - 2 * dice.integers(0, 2, (BATCH, there.size), dtype=np.int8)
        exceeding += int((np.abs(signs @ there) >= least).sum())
        drawn += BATCH
    return (exceeding + 1) / (drawn + 1)


def clear_of_chance(chances: Sequence[float], error: float) -> list[bool]:
    """Return which of several tests are significant, so that only one of `1 / error` such sets of tests has a test that
    is significant by chance.

    The method: Holm, A simple sequentially rejective multiple test procedure (Scandinavian Journal of Statistics 1979).
    """
    stands, ascending = [False] * len(chances), sorted(range(len(chances)), key=lambda place: chances[place])
    for number, place in enumerate(ascending):
        if chances[place] > error / (len(chances) - number):
            break
        stands[place] = True
    return stands


def runs_for(found: Interval, runs: int, share: float) -> int | None:
    """Return about how many runs make the wider half of an interval `share` of its value; None if no number does."""
    half = max(found.high - found.value, found.value - found.low)
    return ceil(runs * (half / (share * found.value)) ** 2) if found.value > 0 and half < INFINITY else None


def _too_few(runs: int, with_some: int, what: str, least: int = LEAST_RUNS) -> str:
    if runs < least:
        return f"{runs} runs are too few for an interval, {least} are not"
    if with_some < LEAST_WITH_SOME:
        return f"{with_some or 'none'} of {runs} {what}, an interval needs {LEAST_WITH_SOME}"
    return ""


def _quantile_place(counts: NDArray[np.int64], share: float) -> int:
    sums = np.cumsum(counts)
    return int(np.searchsorted(sums, share * sums[-1]))


def _joined(one: float, other: float, together: float) -> float:
    return sqrt(max(one * one + other * other - 2 * together * one * other, 0.0))


def _deviations(parts: Numbers, wholes: Numbers) -> Numbers:
    """Return by how much each run moves the ratio of each column of `parts`, times the number of runs.

    A run that has much of the whole draws the ratio towards its own, and so seems nearer to the ratio than it is:
    therefore, as in the jackknife, each run is compared with the ratio of the other runs.
    """
    by = wholes.reshape(-1, *(1,) * (parts.ndim - 1))
    ratio, others = parts.sum(axis=0) / wholes.sum(), 1 - by / wholes.sum()
    found: Numbers = (parts - ratio * by) / wholes.mean()
    weighted = np.divide(1 - 1 / len(wholes), others, out=np.ones_like(others), where=others > 0)
    return np.where(np.abs(found) > 1e-12 * np.maximum(ratio, 1e-300), found * weighted, 0.0)


def _ratio_bounds(parts: Numbers, wholes: Numbers) -> tuple[Numbers, Numbers]:
    """Return the bounds of the ratio of each column's sum to the sum of `wholes`; 0 and infinity if there are too few
    parts."""
    from scipy.special import betaincinv  # imported here: see `share_bounds`

    runs, by, ratio = len(wholes), float(wholes.mean()), parts.sum(axis=0) / wholes.sum()
    has_some = parts > 0
    with_some = has_some.sum(axis=0)
    counting = float(wholes.sum() ** 2 / (wholes**2).sum())  # fewer than there are, if few have most (Kish, 1965)
    deviations = _deviations(parts, wholes)
    low, high = _mean_bounds(ratio + deviations, counting=counting)
    low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    low, high = np.where(with_some == 0, 0.0, low), np.where(with_some < LEAST_WITH_SOME, INFINITY, high)
    spread = np.maximum(deviations.std(axis=0), 1e-300)
    is_skewed = ((deviations / spread) ** 3).mean(axis=0) >= MILD_SKEWNESS * sqrt(runs)
    is_skewed |= counting <= TAIL_RUNS
    few = np.flatnonzero((with_some >= LEAST_WITH_SOME) & (2 * with_some < runs) & is_skewed)
    if few.size:
        hits, size = with_some[few], ratio[few] * runs / with_some[few]
        size_low, size_high = _mean_bounds(parts[:, few] / by, has_some[:, few])
        by_low, by_high = (float(bound[0]) for bound in _mean_bounds(wholes[:, None]))
        often_low = betaincinv(hits, runs - hits + 1, HOW_OFTEN_ERROR) * runs / hits
        often_high = betaincinv(hits + 1, runs - hits, 1 - HOW_OFTEN_ERROR) * runs / hits
        with np.errstate(divide="ignore"):
            below = _length(often_low, np.maximum(size_low, 0.0) / size, by / by_high)
            above = _length(often_high, size_high / size, by / max(by_low, 0.0) if by_low > 0 else INFINITY)
        low[few], high[few] = ratio[few] * np.exp(-below), ratio[few] * np.exp(above)
    return low, high


def _length(*factors: Any) -> Numbers:
    found: Numbers = np.sqrt(sum(np.log(factor) ** 2 for factor in factors))
    return found


def _mean_bounds(
    values: Numbers, counted: NDArray[np.bool_] | None = None, counting: float | None = None, error: float | None = None
) -> tuple[Numbers, Numbers]:
    """Return the bounds of the mean of each column over the runs that are `counted`, by Student's t with Hall's
    transformation.

    The degrees of freedom of t are those of `counting` effective runs. The error beyond each bound is `error`; if that
    is not given, it is what `HOW_MUCH_ERROR` leaves after its reserve for unseen tails.
    """
    from scipy.special import stdtrit  # imported here: see `share_bounds`

    weights = np.ones(values.shape) if counted is None else counted.astype(np.float64)
    many = np.maximum(weights.sum(axis=0), 3.0)
    mean = (values * weights).sum(axis=0) / many
    apart = (values - mean) * weights
    spread = np.sqrt((apart**2).sum(axis=0) / (many - 1))
    third = (apart**3).sum(axis=0) * many / ((many - 1) * (many - 2))
    skewness = np.divide(third, spread**3 * np.sqrt(many), out=np.zeros_like(mean), where=spread > 0)
    believed = many if counting is None else np.full_like(many, max(counting, 3.0))
    unseen = TAIL_UNSEEN if counting is None else np.minimum(EVEN_UNSEEN * np.sqrt(many / believed), MOST_UNSEEN)
    beyond = HOW_MUCH_ERROR * (1 - unseen * np.minimum(1.0, TAIL_RUNS / believed)) if error is None else error
    quantile, error_of_mean = stdtrit(believed - 1, 1 - beyond), spread / np.sqrt(many)
    low, high = (mean - _unskewed(skewness, side) * error_of_mean for side in (quantile, -quantile))
    return low, high


def _unskewed(skewness: Numbers, quantile: Numbers) -> Numbers:
    """Return the quantile of t for a mean with this skewness, given the quantile for a symmetric mean."""
    is_skewed = np.abs(skewness) >= LEAST_SKEWNESS
    third = np.where(is_skewed, skewness, 1.0) / 3
    found: Numbers = np.where(is_skewed, (np.cbrt(1 + 3 * third * (quantile - third / 2)) - 1) / third, quantile)
    return found


def share_bounds(hits: int, trials: int) -> tuple[float, float]:
    """Return the bounds of Clopper and Pearson for a share of independent trials; there must be at least one trial."""
    # Imported here: commands that compute no interval of a share need not wait for SciPy.
    from scipy.special import betaincinv

    error = (1 - CONFIDENCE) / 2
    low = float(betaincinv(hits, trials - hits + 1, error)) if hits else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1 - error)) if hits < trials else 1.0
    return low, high


def mean_of(samples: Numbers, what: str = "runs") -> Interval:
    """Return the mean of independent samples; their number must be large enough for the normal distribution."""
    mean = float(np.mean(samples))
    half = Z * float(np.std(samples, ddof=1)) / sqrt(len(samples))
    return Interval(mean, mean - half, mean + half, f"{len(samples):,} {what}")


def quantile_of(samples: NDArray[np.floating[Any]], share: float, what: str = "runs") -> Interval:
    """Return a quantile of independent samples, with the order statistics that enclose it at 99 % as its bounds."""
    count = len(samples)
    rank, half = share * count, Z * sqrt(count * share * (1 - share))
    ranks = [_index(rank, count), _index(floor(rank - half), count), _index(ceil(rank + half) + 1, count)]
    sorted_there = np.partition(samples, sorted(set(ranks)))
    value, low, high = (float(sorted_there[index]) for index in ranks)
    return Interval(value, low, high, f"{count:,} {what}")


def _index(rank: float, count: int) -> int:
    return min(max(ceil(rank) - 1, 0), count - 1)


def scaled(estimate: Interval, factor: float) -> Interval:
    """Return the same estimate in another unit."""
    low, high = sorted((estimate.low * factor, estimate.high * factor))
    return replace(estimate, value=estimate.value * factor, low=low, high=high)


def mean_bounds(values: Sequence[float]) -> tuple[float, float]:
    """Return the bounds of the mean of independent shares; there must be at least three shares, which may be skewed.

    If all shares are equal, nothing shows their spread: then the mean is at most as far away as the probability that
    one more share would differ, which `share_bounds` limits.
    """
    if stdev(values) == 0.0:
        otherwise = 1.0 - share_bounds(len(values), len(values))[0]
        return max(values[0] - otherwise, 0.0), min(values[0] + otherwise, 1.0)
    low, high = _mean_bounds(np.array(values, dtype=np.float64)[:, None], error=(1 - CONFIDENCE) / 2)
    return float(low[0]), float(high[0])
