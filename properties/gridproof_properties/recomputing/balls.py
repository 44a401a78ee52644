"""Balls thrown into bins, by gridproof's own hashing of keys.

A ball is a key of type long; a bin is a partition. With several choices, a ball has several keys, and goes to that of
their partitions which has the fewest balls.

The module also has a ring of hashes, with some points for each bucket. Gridproof's Murmur3 puts the points at some of
the ring's 2^32 positions; a bucket owns the arcs that end at its points.

The module also makes tables by gridproof's own placements, with numbers as members. Every member is a group by itself,
and the previous table is empty.
"""

from math import exp, factorial, lgamma, log
from random import Random
from uuid import UUID

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from gridproof_implementation.hashing import hash_longs, partitions_of_longs
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_model.groups import MemberGroup
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.partition_table import PartitionTable

BATCH = 100
"""The number of runs that are computed together."""
STEPS = 2_000
LEVELS = 12


def throw(bins: int, balls: int, choices: int, runs: int, rng: Generator) -> NDArray[np.int64]:
    """Return how many balls each bin has after `balls` were thrown, in the shape (runs, bins)."""
    parts = [_throw(bins, balls, choices, min(BATCH, runs - start), rng) for start in range(0, runs, BATCH)]
    return np.concatenate(parts)


def _throw(bins: int, balls: int, choices: int, runs: int, rng: Generator) -> NDArray[np.int64]:
    """Throw one ball after another, in all runs at once."""
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
    """Return the share of bins with at least this load, in the limit of many bins and equally many balls.

    With one choice, loads are Poisson-distributed. With several choices, the share s(i) of bins with at least i balls
    follows ds(i)/dt = s(i - 1)^d - s(i)^d from time 0 to 1 (Mitzenmacher 1999), which is solved by the fourth-order
    method of Runge and Kutta.
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
    """Return the x, at least 2, for which Γ(x) equals the value, which has to be at least 1."""
    low, high = 2.0, 200.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if lgamma(middle) < log(value) else (low, middle)
    return low


PLACES = float(1 << 32)


def bucket_sizes(buckets: int, points: int, rng: Generator) -> NDArray[np.float64]:
    """Return the share of the ring that each bucket owns, as a multiple of the mean, for points drawn at random."""
    names = rng.integers(-(1 << 63), (1 << 63) - 1, buckets * points)
    places = hash_longs(names).view(np.uint32).astype(np.float64)
    order = places.argsort()
    arcs = np.diff(places[order], prepend=places[order[-1]] - PLACES)
    return np.bincount(order % buckets, weights=arcs, minlength=buckets) * buckets / PLACES


def first_rows(policy: PlacementPolicy, members: int, replicas: int, partitions: int, rng: Random) -> list[list[int]]:
    """Return the members of each partition, primary first, in the first table that a policy makes."""
    everybody = [
        Member(MemberId(Address(f"10.0.{number // 250}.{number % 250 + 1}", 5701), UUID(int=number + 1)))
        for number in range(members)
    ]
    numbers = {member.id: number for number, member in enumerate(everybody)}
    groups = [MemberGroup(str(number), (member,)) for number, member in enumerate(everybody)]
    target = policy.place(PlacementRequest(groups, PartitionTable.empty(partitions), replicas), rng)
    assert target is not None, "there are members"
    return [[numbers[slot] for slot in slots if slot is not None] for slots in target]


def primaries(policy: PlacementPolicy, members: int, partitions: int, rng: Random) -> NDArray[np.int64]:
    """Return how many partitions each member owns in the first table of a policy."""
    rows = first_rows(policy, members, 1, partitions, rng)
    return np.bincount([row[0] for row in rows], minlength=members)
