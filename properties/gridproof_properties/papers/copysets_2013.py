"""Cidon and others 2013: copysets and correlated failures.

The figures in the abstract are recomputed from their inputs; then the same formula is tested on tables of gridproof's
own placements, with every possible failure enumerated.
"""

from collections.abc import Collection, Iterator
from math import comb

import numpy as np

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_properties.intervals import exactly, mean_of, share_interval
from gridproof_properties.judging.words import count
from gridproof_properties.recomputing.copysets import (
    Copyset,
    chance_of_loss,
    lossy_failures,
    permutation_copysets,
    placed_copysets,
    random_copysets,
    scatter_widths,
)
from gridproof_properties.recomputing.paper import Cell, Effort, Paper, Published, Tolerance, formula

NODES, REPLICAS, FAILURES = 5_000, 3, 50
CHUNKS_PER_NODE = 8_000
PARTITIONS = 271
TABLES = 120
LIKELY_TABLES, PLACED_TABLES = 2_400, 480
"""How many random and placed tables are made if most failures lose data, since then the few that lose none matter."""
DRAWS = 200_000
MAKERS = (None, *PLACEMENT_POLICIES)
"""What makes the tables: chance (None), or one of gridproof's placements."""

CUT = Tolerance("only in the last digit: the paper cuts off without rounding (99.9996 is 99.99 there)", is_cut=True)
YEARS = Tolerance("3.2 %: the value is the inverse of a chance that is given in two digits, 0.0016", relative=0.032)
OVERLAP = Tolerance("1 %: permutations may overlap, and members that are left over are in no set", relative=0.01)
EXPECTED = Tolerance(
    "2 % of the probability of loss or no loss: the formula is exact for independent rows", relative=0.02, trivial=1.0
)
EVENED = Tolerance(
    "5 % of the probability of loss or no loss: the formula takes rows as independent and uniform, but our placements "
    "balance counts",
    relative=0.05,
    trivial=1.0,
)
DEPENDENT = Tolerance(
    "5 %: the formula takes copysets as independent, but sets of failures share members", relative=0.05
)


MORE_EVEN = (
    "our placements balance the number of partitions per member, so rows are not independent: the share of failures "
    "without a loss is up to a tenth larger or smaller"
)
FEW_SETS = (
    "a fifth of all sets of three are copysets here: the formula allows repeated copysets and gives too little; with "
    "the 271 partitions instead of the copysets it gives 0.614"
)


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield the figures in the abstract, scatter widths, and the formula on gridproof's own tables."""
    yield from _abstract(effort)
    for members, replicas in ((10, 3), (20, 2), (20, 3), (50, 2), (50, 3), (100, 2), (100, 3)):
        yield from _exactly_the_replicas(effort, members, replicas)
    for members, failures in ((20, 4), (50, 5)):
        yield from _more_failures(effort, members, failures)


def _abstract(effort: Effort) -> Iterator[Cell]:
    failing = f"N={NODES:,}, R={REPLICAS}, {FAILURES} nodes fail"
    every = comb(NODES, REPLICAS)
    chunks = NODES * CHUNKS_PER_NODE // REPLICAS
    random = round(every * -np.expm1(-chunks / every))
    minimal = permutation_copysets(NODES, REPLICAS, 1, effort.dice("scatter 2"))
    wider = permutation_copysets(NODES, REPLICAS, 5, effort.dice("scatter 10"))
    windows = "windows of 11 other nodes give C(11, 2) pairs per node; with windows of 10 the chance would be 19.1 %"
    for what, many, text, note in (
        ("RAMCloud, random replication", random, "99.99", ""),
        ("RAMCloud, Copyset Replication, scatter width 2", len(minimal), "0.15", ""),
        ("Facebook's HDFS, replicas in a window", NODES * comb(11, 2), "22.8", windows),
        ("Facebook's HDFS, Copyset Replication, scatter width 10", len(wider), "0.78", ""),
    ):
        chance = 100 * chance_of_loss(NODES, REPLICAS, FAILURES, many)
        yield Cell(what, f"{failing}, {many:,} copysets", Published(text), CUT, exactly(chance), note, "%")
    place, inputs = "years between losses, one failure of the whole a year", f"{failing}, {len(minimal):,} copysets"
    yearly = exactly(1 / chance_of_loss(NODES, REPLICAS, FAILURES, len(minimal)))
    yield Cell(place, inputs, Published("625"), YEARS, yearly, unit="years")
    for permutations, copysets in ((1, minimal), (5, wider)):
        place = f"mean scatter width of {count(permutations, 'permutation')}"
        inputs = f"N={NODES:,}, R={REPLICAS}; P (R - 1)"
        width = exactly(float(scatter_widths(copysets, NODES).mean()))
        yield Cell(place, inputs, formula(permutations * (REPLICAS - 1)), OVERLAP, width)


def _exactly_the_replicas(effort: Effort, members: int, replicas: int) -> Iterator[Cell]:
    """Let as many members fail as a partition has replicas: data is lost if they are a copyset."""
    chance = chance_of_loss(members, replicas, replicas, PARTITIONS)
    for policy in MAKERS:
        is_likely, is_placed = chance > 0.5, policy is not None
        tables = effort.runs((PLACED_TABLES if is_placed else LIKELY_TABLES) if is_likely else TABLES)
        every = (len(_made(effort, members, replicas, policy, number)) for number in range(tables))
        ours = mean_of(np.array([found / comb(members, replicas) for found in every]), "tables")
        place = f"{PARTITIONS} partitions, {members} members, {replicas} fail: {_name(policy)}"
        tolerance, note = EVENED if is_placed else EXPECTED, MORE_EVEN if is_placed and is_likely else ""
        yield Cell(place, f"R={replicas}, {tables} tables", formula(chance), tolerance, ours, note)


def _more_failures(effort: Effort, members: int, failures: int) -> Iterator[Cell]:
    """Let more members fail than a partition has replicas, for one table of each maker."""
    for policy in MAKERS:
        copysets = _made(effort, members, REPLICAS, policy, 0)
        place = f"{PARTITIONS} partitions, {members} members, {failures} fail: {_name(policy)}"
        width = scatter_widths(copysets, members).mean()
        inputs = f"R={REPLICAS}, {len(copysets)} copysets, mean scatter width {width:.1f}"
        chance = formula(chance_of_loss(members, REPLICAS, failures, len(copysets)))
        rng = effort.dice(f"{failures} of {members} fail, {_name(policy)}")
        lossy, looked_at, every = lossy_failures(
            copysets, members=members, failures=failures, rng=rng, draws=effort.runs(DRAWS)
        )
        ours = exactly(lossy / looked_at) if every else share_interval(lossy, looked_at, "sets of failures")
        yield Cell(place, inputs, chance, DEPENDENT, ours, FEW_SETS if members == 20 else "")


def _name(policy: PlacementPolicy | None) -> str:
    return "random replication" if policy is None else f"placement {policy.name}"


def _made(
    effort: Effort, members: int, replicas: int, policy: PlacementPolicy | None, number: int
) -> Collection[Copyset]:
    """Return the copysets of one table that one of gridproof's placements made, or that was drawn at random."""
    if policy is None:
        rng = effort.dice(f"table {number} of {members}, {replicas}")
        return random_copysets(members, replicas, PARTITIONS, rng)
    return placed_copysets(policy, members, replicas, PARTITIONS, effort.seed * LIKELY_TABLES + number)


PAPER = Paper(
    "copysets-2013",
    "A. Cidon and others, Copysets: Reducing the Frequency of Data Loss in Cloud Storage, USENIX ATC 2013",
    "the chance that a failure of many nodes at once loses data, by how replicas are placed",
    "exact combinatorics; tables of the placements hazelcast and optimal beside random replication",
    "the paper's abstract and section 2, as quoted in notes on the paper",
    25,
    recompute,
)
