"""Azar and others 1994: one choice or two.

Keys are balls and partitions are bins: gridproof's hashing of keys takes the place of uniform choices. The limits are
those of Gonnet 1981, Azar and others 1994, Raab and Steger 1998 and Mitzenmacher 1999.
"""

from collections.abc import Iterator
from math import ceil, log, sqrt
from random import Random

import numpy as np
from numpy.typing import NDArray

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_properties.intervals import exactly, mean_of
from gridproof_properties.recomputing.balls import inverse_gamma, share_at_least, throw
from gridproof_properties.recomputing.dice import dice_for
from gridproof_properties.recomputing.members import primaries
from gridproof_properties.recomputing.paper import Cell, Effort, Origin, Paper, Published, Tolerance

BINS = 20_000
PARTITIONS = 271

LIMIT = Tolerance("1 %: the limit of many bins, at 20,000", relative=0.01, trivial=1.0)
RARE = Tolerance("5 %: the limit of many bins, for a load that few of 20,000 bins have", relative=0.05)
HALF_A_BALL = Tolerance("half a ball: the formula leaves out o(1), and loads are whole", absolute=0.5)
LEADING = Tolerance(
    "19 %: the formula is the leading term; the next takes (ln ln n + ln 4π) / (4 ln n) of it, so much for n = 271",
    relative=0.19,
)
CHI_SQUARE = Tolerance("1 %: the mean of a chi-square is exact for uniform hashes", relative=0.01)
CHI_SPREAD = Tolerance("5 %: the variance of a chi-square, which is exact but for 1/m", relative=0.05)
SAME = Tolerance("none: counts are whole", absolute=1e-9)


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield loads with one, two and three choices, then balance over the default 271 partitions."""
    yield from _loads(effort)
    yield from _keys_over_partitions(effort)
    yield from _partitions_over_members(effort)


def _loads(effort: Effort) -> Iterator[Cell]:
    for choices, full, loads in ((1, 1_000, (1, 2, 3, 4)), (2, 600, (1, 2, 3)), (3, 600, (1, 2, 3))):
        runs = effort.runs(full)
        thrown = throw(BINS, BINS, choices, runs, dice_for(effort, f"{choices} choices"))
        for load in loads:
            value = share_at_least(load, choices)
            shares = (thrown >= load).mean(axis=1)
            yield Cell(
                f"{choices} choice{'s' if choices > 1 else ''}: bins with {load} balls or more",
                f"{BINS:,} keys into {BINS:,} partitions, {runs} runs; "
                + ("Poisson" if choices == 1 else "the differential equations"),
                Published(f"{value:.6g}", Origin.FORMULA),
                LIMIT if value > 0.05 else RARE,
                mean_of(shares),
            )
        yield _fullest(choices, thrown)


def _fullest(choices: int, thrown: NDArray[np.int64]) -> Cell:
    place = f"{choices} choice{'s' if choices > 1 else ''}: balls in the fullest bin"
    ours = mean_of(thrown.max(axis=1).astype(np.float64))
    inputs = f"{BINS:,} keys into {BINS:,} partitions, {len(thrown)} runs"
    if choices == 1:
        published = Published(f"{inverse_gamma(BINS) - 1.5:.6g}", Origin.FORMULA)
        return Cell(place, f"{inputs}; the inverse of Γ at n, less 3/2", published, HALF_A_BALL, ours)
    published = Published(f"{log(log(BINS)) / log(choices):.6g}", Origin.FORMULA)
    why = "the formula is ln ln n / ln d + O(1), and what the O(1) is, is not stated"
    return Cell(place, inputs, published, None, ours, why)


def _keys_over_partitions(effort: Effort) -> Iterator[Cell]:
    for keys, full in ((10_000, 8_000), (1_000_000, 100)):
        runs = effort.runs(full)
        counts = _counts(effort, keys, runs)
        mean = keys / PARTITIONS
        formula = sqrt(2 * log(PARTITIONS) / mean)
        yield Cell(
            f"{keys:,} keys over {PARTITIONS} partitions: fullest over mean, less 1",
            f"{runs:,} runs; √(2 ln n · n/m)",
            Published(f"{formula:.6g}", Origin.FORMULA),
            LEADING,
            mean_of(counts.max(axis=1) / mean - 1),
        )
        if keys == 10_000:
            squares = ((counts - mean) ** 2 / mean).sum(axis=1)
            degrees = PARTITIONS - 1
            for what, value, tolerance, samples in (
                ("mean", degrees, CHI_SQUARE, squares),
                ("variance", 2 * degrees, CHI_SPREAD, (squares - degrees) ** 2),
            ):
                yield Cell(
                    f"{keys:,} keys over {PARTITIONS} partitions: {what} of chi-square",
                    f"{runs:,} runs; {degrees} degrees of freedom",
                    Published(str(value), Origin.FORMULA),
                    tolerance,
                    mean_of(samples),
                )


def _counts(effort: Effort, keys: int, runs: int) -> NDArray[np.int64]:
    """Return the keys of each partition, shape (runs, partitions)."""
    rng = dice_for(effort, f"{keys} keys")
    return np.concatenate([throw(PARTITIONS, keys, 1, 1, rng) for _ in range(runs)])


def _partitions_over_members(effort: Effort) -> Iterator[Cell]:
    for members in (10, 50):
        least = ceil(PARTITIONS / members) * members / PARTITIONS
        for policy in PLACEMENT_POLICIES:
            counts = primaries(policy, members, PARTITIONS, Random(effort.seed))
            yield Cell(
                f"{PARTITIONS} partitions over {members} members, placement {policy.name}: fullest over mean",
                "first table, primaries; ⌈n/N⌉ N/n, which no placement goes below",
                Published(f"{least:.10g}", Origin.FORMULA),
                SAME,
                exactly(float(counts.max() / counts.mean())),
            )


PAPER = Paper(
    "balls-1994",
    "Y. Azar, A. Broder, A. Karlin and E. Upfal, Balanced Allocations, STOC 1994, and what it rests on and led to",
    "how even keys lie over partitions, with one choice or more",
    "gridproof's Murmur3 of keys as the dice, its placements for members",
    "formulas alone, no number is printed",
    20,
    recompute,
)
