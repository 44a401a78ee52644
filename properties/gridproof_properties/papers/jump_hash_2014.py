"""Lamping and Veach 2014: how evenly a hash ring spreads keys over its buckets.

The recomputed table is the one with which the paper compares its own jump hash: the standard error of a bucket's size,
and the sizes between which 99 % of the buckets are, for 1,000 buckets with some points each. The points are placed by
gridproof's hash.
"""

from collections.abc import Iterator
from random import Random

import numpy as np

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_properties.intervals import CONFIDENCE, exactly, mean_of, quantile_of
from gridproof_properties.judging.words import count
from gridproof_properties.recomputing.balls import bucket_sizes, primaries
from gridproof_properties.recomputing.paper import Cell, Effort, Origin, Paper, Published, Tolerance, formula

BUCKETS = 1_000
TABLE = {
    1: ("0.9979060", "0.005", "5.25", 2_000),
    10: ("0.3151810", "0.37", "1.98", 1_000),
    100: ("0.0996996", "0.76", "1.28", 200),
    1000: ("0.0315723", "0.92", "1.09", 50),
}
"""For each points per bucket: the standard error, the interval's lower and upper end, and the rings in a full run."""
OF_KEYS = "this is an error of the arithmetic over all keys of 64 bits: a sample of keys varies by far more"
NO_POINTS = "with partitions instead of points, hashes do not decide how many partitions a member owns"

SPREAD = Tolerance(
    "3 %: the paper does not say how many rings it made; the spread of a single ring varies by 2 % and more",
    relative=0.03,
)
ENDS = Tolerance("rounding, and 3 % of the size or of its distance from the mean", relative=0.03, trivial=1.0)
FRACTION = Tolerance("2 %: the formula is exact for infinitely many places", relative=0.02)


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the table, the fullest bucket of small rings, and gridproof's own placements for comparison."""
    for points, (error, least, most, rings) in TABLE.items():
        yield from _row(effort, points, rings, error, least, most)
    jump = Published("7.64e-9", Origin.RECALLED)
    yield Cell("jump hash: standard error", f"{BUCKETS:,} buckets", jump, None, None, OF_KEYS)
    for buckets in (10, 100):
        yield _fullest(effort, buckets)
    for policy in PLACEMENT_POLICIES:
        counts = primaries(policy, 10, 271, Random(effort.seed))
        place = f"placement {policy.name}: standard error of what a member owns"
        ours = exactly(float(counts.std() / counts.mean()))
        yield Cell(place, "271 partitions, 10 members, first table", None, None, ours, NO_POINTS)


def _row(effort: Effort, points: int, full: int, error: str, least: str, most: str) -> Iterator[Cell]:
    rings = effort.runs(full)
    rng = effort.dice(f"{points} points")
    sizes = np.array([bucket_sizes(BUCKETS, points, rng) for _ in range(rings)])
    named, inputs = f"{count(points, 'point')} a bucket", f"{BUCKETS:,} buckets, {rings:,} rings"
    yield Cell(f"{named}: standard error", inputs, Published(error), SPREAD, mean_of(sizes.std(axis=1), "rings"))
    for end, text, share in (("least", least, (1 - CONFIDENCE) / 2), ("most", most, (1 + CONFIDENCE) / 2)):
        ours = quantile_of(sizes.ravel(), share, "buckets")
        yield Cell(f"{named}: {end} of 99 % of bucket sizes", inputs, Published(text), ENDS, ours)


def _fullest(effort: Effort, buckets: int) -> Cell:
    """Compare the largest of n arcs with its expected value: the mean arc times H(n) = 1 + 1/2 + … + 1/n."""
    rings, rng = effort.runs(10_000), effort.dice(f"{buckets} buckets")
    largest = np.array([bucket_sizes(buckets, 1, rng).max() for _ in range(rings)])
    harmonic = formula(sum(1 / number for number in range(1, buckets + 1)))
    place = f"{buckets} buckets of one point: the largest over the mean"
    inputs = f"{rings:,} rings; 1 + 1/2 + … + 1/{buckets}"
    return Cell(place, inputs, harmonic, FRACTION, mean_of(largest, "rings"))


PAPER = Paper(
    "jump-hash-2014",
    "J. Lamping and E. Veach, A Fast, Minimal Memory, Consistent Hash Algorithm, arXiv 1406.2294 (2014)",
    "how uneven the buckets of a hash ring are, by points per bucket",
    "gridproof's Murmur3 puts the points on the ring; gridproof's placements are shown beside",
    "the paper's table of rings; the error of jump hash is quoted from memory",
    30,
    recompute,
)
