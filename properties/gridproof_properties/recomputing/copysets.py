"""Copysets, and which sets of failures lose data.

A copyset is the set of members that hold the replicas of one partition or chunk; data is lost when all members of some
copyset fail. Members are numbered from 0.
"""

from collections.abc import Collection
from itertools import combinations
from math import comb, expm1, log1p
from random import Random

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_properties.recomputing.balls import first_rows

Copyset = frozenset[int]
ENUMERATED_MAX = 300_000
"""If there are at most this many sets of failures, all are enumerated; if there are more, a sample is drawn."""


def chance_of_loss(members: int, replicas: int, failures: int, copysets: int) -> float:
    """Return the probability, by the paper's formula, that at least one of `copysets` independent copysets fails."""
    one = comb(failures, replicas) / comb(members, replicas)
    return -expm1(copysets * log1p(-one))


def permutation_copysets(members: int, replicas: int, permutations: int, rng: Generator) -> set[Copyset]:
    """Return the copysets of Copyset Replication: each permutation of the members is cut into sets of the same size."""
    found: set[Copyset] = set()
    for _ in range(permutations):
        order = rng.permutation(members).tolist()
        whole = members - members % replicas
        found.update(frozenset(order[start : start + replicas]) for start in range(0, whole, replicas))
    return found


def random_copysets(members: int, replicas: int, partitions: int, rng: Generator) -> set[Copyset]:
    """Return the copysets of partitions whose replicas are on members drawn uniformly."""
    rows = rng.random((partitions, members)).argsort(axis=1)[:, :replicas]
    return {frozenset(row) for row in rows.tolist()}


def placed_copysets(policy: PlacementPolicy, members: int, replicas: int, partitions: int, seed: int) -> set[Copyset]:
    """Return the copysets of the first table that a gridproof policy makes, with every member a group by itself."""
    return {frozenset(row) for row in first_rows(policy, members, replicas, partitions, Random(seed))}


def scatter_widths(copysets: Collection[Copyset], members: int) -> NDArray[np.float64]:
    """Return, for each member, with how many other members it shares a copyset."""
    others: list[set[int]] = [set() for _ in range(members)]
    for copyset in copysets:
        for member in copyset:
            others[member] |= copyset
    return np.array([max(len(seen) - 1, 0) for seen in others], np.float64)


def lossy_failures(
    copysets: Collection[Copyset], *, members: int, failures: int, rng: Generator, draws: int
) -> tuple[int, int, bool]:
    """Return how many sets of failures lose data, out of how many, and whether these are all possible sets.

    At most 63 members are possible, since a set is stored in one number.
    """
    bits = np.left_shift(np.int64(1), np.arange(members))
    every = comb(members, failures) <= ENUMERATED_MAX
    failed_members = (
        np.array(list(combinations(range(members), failures)))
        if every
        else rng.random((draws, members)).argsort(axis=1)[:, :failures]
    )
    failed = bits[failed_members].sum(axis=1)
    lost = np.zeros(len(failed), np.bool_)
    for copyset in copysets:
        mask = bits[list(copyset)].sum()
        lost |= (failed & mask) == mask
    return int(lost.sum()), len(failed), every
