"""Azar and others 1994: balls into bins, with one choice or two.

Keys are the balls, and partitions the bins; gridproof's hashing of keys replaces uniform choices. The limits come from
Gonnet 1981, Azar and others 1994, Raab and Steger 1998 and Mitzenmacher 1999.
"""

from collections.abc import Iterator
from math import ceil, log, sqrt
from random import Random

import numpy as np

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_properties.intervals import exactly, mean_of
from gridproof_properties.judging.words import count
from gridproof_properties.recomputing.balls import inverse_gamma, primaries, share_at_least, throw
from gridproof_properties.recomputing.paper import Cell, Effort, Paper, Tolerance, formula

BINS = 20_000
PARTITIONS = 271

LIMIT = Tolerance("1 %: the formula holds in the limit of many bins; here are 20,000 bins", relative=0.01, trivial=1.0)
RARE = Tolerance(
    "5 %: the formula holds in the limit of many bins, and few of 20,000 bins have this load", relative=0.05
)
HALF_A_BALL = Tolerance("half a ball: the formula leaves out o(1), and loads are whole numbers", absolute=0.5)
LEADING = Tolerance(
    "19 %: the formula is the leading term; the next is (ln ln n + ln 4π) / (4 ln n) of it, which is 19 % for n = 271",
    relative=0.19,
)
CHI_SQUARE = Tolerance("1 %: the mean of a chi-square is exact for uniform hashes", relative=0.01)
CHI_SPREAD = Tolerance("5 %: the formula is the variance of a chi-square, which is exact except for 1/m", relative=0.05)
SAME = Tolerance("none: counts are whole numbers", absolute=1e-9)

NOT_STATED = "the formula is ln ln n / ln d + O(1), and the paper does not state the O(1)"


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the loads with one, two and three choices, then the balance over the default number of 271 partitions."""
    yield from _loads(effort)
    yield from _keys_over_partitions(effort)
    yield from _partitions_over_members(effort)


def _loads(effort: Effort) -> Iterator[Cell]:
    for choices, full, loads in ((1, 1_000, (1, 2, 3, 4)), (2, 600, (1, 2, 3)), (3, 600, (1, 2, 3))):
        runs = effort.runs(full)
        thrown = throw(BINS, BINS, choices, runs, effort.dice(f"{choices} choices"))
        name, inputs = count(choices, "choice"), f"{BINS:,} keys into {BINS:,} partitions, {runs} runs"
        limit = "Poisson" if choices == 1 else "the differential equations"
        for load in loads:
            value, ours = share_at_least(load, choices), mean_of((thrown >= load).mean(axis=1))
            place = f"{name}: bins with {load} balls or more"
            yield Cell(place, f"{inputs}; {limit}", formula(value), LIMIT if value > 0.05 else RARE, ours)
        place, ours = f"{name}: balls in the fullest bin", mean_of(thrown.max(axis=1).astype(np.float64))
        if choices == 1:
            inputs += "; the inverse of Γ at n, less 3/2"
            yield Cell(place, inputs, formula(inverse_gamma(BINS) - 1.5), HALF_A_BALL, ours)
        else:
            yield Cell(place, inputs, formula(log(log(BINS)) / log(choices)), None, ours, NOT_STATED)


def _keys_over_partitions(effort: Effort) -> Iterator[Cell]:
    for keys, full in ((10_000, 8_000), (1_000_000, 100)):
        runs, rng = effort.runs(full), effort.dice(f"{keys} keys")
        # The number of keys in each partition; the shape is (runs, partitions).
        counts = np.concatenate([throw(PARTITIONS, keys, 1, 1, rng) for _ in range(runs)])
        mean, place, inputs = keys / PARTITIONS, f"{keys:,} keys over {PARTITIONS} partitions", f"{runs:,} runs"
        leading, ours = formula(sqrt(2 * log(PARTITIONS) / mean)), mean_of(counts.max(axis=1) / mean - 1)
        yield Cell(f"{place}: fullest over mean, less 1", f"{inputs}; √(2 ln n · n/m)", leading, LEADING, ours)
        if keys == 10_000:
            squares, degrees = ((counts - mean) ** 2 / mean).sum(axis=1), PARTITIONS - 1
            inputs, spread = f"{inputs}; {degrees} degrees of freedom", mean_of((squares - degrees) ** 2)
            yield Cell(f"{place}: mean of chi-square", inputs, formula(degrees), CHI_SQUARE, mean_of(squares))
            yield Cell(f"{place}: variance of chi-square", inputs, formula(2 * degrees), CHI_SPREAD, spread)


def _partitions_over_members(effort: Effort) -> Iterator[Cell]:
    inputs = "first table, primaries; ⌈n/N⌉ N/n, which no placement goes below"
    for members in (10, 50):
        least = formula(ceil(PARTITIONS / members) * members / PARTITIONS, ".10g")
        for policy in PLACEMENT_POLICIES:
            counts = primaries(policy, members, PARTITIONS, Random(effort.seed))
            place = f"{PARTITIONS} partitions over {members} members, placement {policy.name}: fullest over mean"
            yield Cell(place, inputs, least, SAME, exactly(float(counts.max() / counts.mean())))


PAPER = Paper(
    "balls-1994",
    "Y. Azar, A. Broder, A. Karlin and E. Upfal, Balanced Allocations, STOC 1994, with earlier and later results",
    "how evenly keys are spread over partitions, with one choice or more",
    "gridproof's Murmur3 hashes of keys as the random choices, and gridproof's placements for members",
    "only formulas, since no numbers are printed",
    20,
    recompute,
)
