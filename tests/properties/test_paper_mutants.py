"""Models that are wrong on purpose leave the tolerance of a cell that counts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from gridproof_properties.papers import (
    balls_1994,
    bursts_2010,
    copysets_2013,
    data_loss_1988,
    demers_1987,
    detectors_2002,
    jump_hash_2014,
    pbs_2012,
)
from gridproof_properties.recomputing import copysets, epidemics, quorums
from gridproof_properties.recomputing.balls import bucket_sizes, throw
from gridproof_properties.recomputing.detectors import periods_to_detection
from gridproof_properties.recomputing.epidemics import Rumour, Spread, one_cycle, spread_rumour
from gridproof_properties.recomputing.paper import Cell, Comparison, Effort, Origin
from gridproof_properties.recomputing.quorums import Trials, outcomes
from gridproof_properties.recomputing.repair_chain import mean_time_to_loss, times_to_loss
from tests.house.source_tree import ROOT
from tests.properties.papers_read_back import read_page

EFFORT = Effort(seed=0, share=0.05)
PAGE = read_page((ROOT / "docs" / "papers.md").read_text(encoding="utf-8"))
SSD, DISK = "LNKD-SSD, R=1, W=1: ", "LNKD-DISK, R=1, W=1: "
FRESH = "reads fresh 0 ms after the commit"
READS, WRITES = "99.9th percentile of reads", "99.9th percentile of writes"
SWEEP = "first time of a sweep with 99.9 % fresh"
Numbers = NDArray[Any]


@dataclass(frozen=True)
class Mutant:
    """A change of a model, and a cell that it has to leave."""

    name: str
    paper: ModuleType
    place: str
    at: object
    attribute: str
    wrong: object


def without(leg: int) -> Callable[..., Trials]:
    """Return the outcomes of trials in which one of the four legs takes no time."""
    return lambda *legs: outcomes(*(0 * delays if number == leg else delays for number, delays in enumerate(legs)))


def by_slot(write: Numbers, ack: Numbers, read: Numbers, response: Numbers) -> Trials:
    """Return outcomes where the first replicas answer, not the fastest."""
    right = outcomes(write, ack, read, response)
    waited, missing = np.maximum.accumulate(read + response, axis=1), np.minimum.accumulate(write - read, axis=1)
    return Trials(right.writes, waited, missing)


def latest(write: Numbers, ack: Numbers, read: Numbers, response: Numbers) -> Trials:
    """Return outcomes where the last replica that a write reaches counts, not the first: max for min."""
    right = outcomes(write, ack, read, response)
    order = np.argsort(read + response, axis=1)
    missing = np.maximum.accumulate(np.take_along_axis(write - read, order, axis=1), axis=1)
    return Trials(right.writes, right.reads, missing)


def one_ack_fewer(write: Numbers, ack: Numbers, read: Numbers, response: Numbers) -> Trials:
    """Return outcomes where a write waits for one acknowledgement fewer, but for one at least."""
    right = outcomes(write, ack, read, response)
    return Trials(right.writes[:, [0, 0, 1]], right.reads, right.missing)


def never_set_back(batch: Any, met: Numbers, useful: Numbers, staying: Numbers) -> None:
    """Count contacts that inform nobody, however many did in between."""
    batch._misses[met] += ~useful
    lost = batch._misses[met] >= batch._rule.k
    batch.active = np.concatenate([met[~lost], staying])


def only_useful(rule: Rumour, runs: int, rng: Generator) -> Spread:
    """Count the messages that inform somebody."""
    right = spread_rumour(rule, runs, rng)
    return Spread(right.residue, 1 - right.residue, right.average_delay, right.last_delay)


def fuller(bins: int, balls: int, choices: int, runs: int, rng: Generator) -> Numbers:
    """Throw each ball into the fuller bin: max for min."""
    loads = np.zeros((runs, bins), np.int64)
    lanes = np.arange(runs)
    for chosen in rng.integers(0, bins, (balls, runs, choices)):
        loads[lanes, chosen[lanes, loads[lanes[:, None], chosen].argmax(axis=1)]] += 1
    return loads


def all_repaired_at_once(copies: int, needed: int, failure: Fraction, repair: Fraction) -> Fraction:
    """Repair as many copies at a time as are down."""
    total = passage = Fraction(0)
    for up in range(copies, needed - 1, -1):
        passage = (1 + (copies - up) * repair * passage) / (up * failure)
        total += passage
    return total


def any_of_a_copyset(found: Any, *, members: int, failures: int, rng: Generator, draws: int) -> tuple[int, int, bool]:
    """Lose data where any two of a copyset fail."""
    pairs = {frozenset(sorted(one)[:2]) for one in found}
    return copysets.lossy_failures(pairs, members=members, failures=failures, rng=rng, draws=draws)


MUTANTS = [
    *(
        Mutant(f"leg {leg} left out", pbs_2012, place, quorums, "outcomes", without(leg))
        for leg, place in ((0, SSD + FRESH), (1, SSD + WRITES), (2, SSD + READS), (3, SSD + READS))
    ),
    Mutant("the first replicas, not the fastest", pbs_2012, SSD + READS, quorums, "outcomes", by_slot),
    Mutant("max for min", pbs_2012, f"LNKD-SSD, R=2, W=1: {SWEEP}", quorums, "outcomes", latest),
    Mutant("one acknowledgement fewer", pbs_2012, f"LNKD-SSD, R=1, W=2: {WRITES}", quorums, "outcomes", one_ack_fewer),
    Mutant(
        "fresh 10 ms later",
        pbs_2012,
        SSD + FRESH,
        Trials,
        "fresh_after",
        lambda trials, reads, writes: trials.missing[:, reads - 1] - trials.writes[:, writes - 1] - 10,
    ),
    Mutant("four replicas", pbs_2012, DISK + FRESH, pbs_2012, "REPLICAS", 4),
    Mutant(
        "a counter that is not set back",
        demers_1987,
        "table 1, k = 2, residue s",
        epidemics._Batch,
        "_lose_interest",
        never_set_back,
    ),
    Mutant(
        "blind, not with feedback",
        demers_1987,
        "table 1, k = 2, residue s",
        demers_1987,
        "Rumour",
        lambda sites, k, **named: Rumour(sites, k, feedback=False),
    ),
    Mutant(
        "a coin, not a counter",
        demers_1987,
        "table 1, k = 2, residue s",
        demers_1987,
        "Rumour",
        lambda sites, k, **named: Rumour(sites, k, counter=False),
    ),
    Mutant(
        "useful messages alone", demers_1987, "table 1, k = 1, traffic m", demers_1987, "spread_rumour", only_useful
    ),
    Mutant("300 sites", demers_1987, "table 1, k = 1, t_last", demers_1987, "SITES", 300),
    Mutant(
        "push for pull",
        demers_1987,
        "1.3, pull: susceptible after one cycle, 50% before",
        demers_1987,
        "one_cycle",
        lambda sites, before, *, pull, runs, rng: one_cycle(sites, before, pull=not pull, runs=runs, rng=rng),
    ),
    Mutant("max for min", balls_1994, "2 choices: bins with 1 balls or more", balls_1994, "throw", fuller),
    Mutant(
        "one choice for two",
        balls_1994,
        "2 choices: bins with 2 balls or more",
        balls_1994,
        "throw",
        lambda bins, balls, choices, runs, rng: throw(bins, balls, 1, runs, rng),
    ),
    Mutant(
        "every copy repaired at once",
        data_loss_1988,
        "3 copies of a partition",
        data_loss_1988,
        "mean_time_to_loss",
        all_repaired_at_once,
    ),
    Mutant(
        "one copy alone can fail",
        data_loss_1988,
        "2 copies of a partition",
        data_loss_1988,
        "mean_time_to_loss",
        lambda copies, needed, failure, repair: mean_time_to_loss(copies, needed, failure / copies, repair),
    ),
    Mutant(
        "no repair",
        data_loss_1988,
        "2 copies where a repair takes an eighth of a life",
        data_loss_1988,
        "times_to_loss",
        lambda copies, failure, repair, runs, rng: times_to_loss(copies, failure, 0.0, runs, rng),
    ),
    Mutant(
        "every chunk recovered at once",
        bursts_2010,
        "table 3, no correlated failures, R=4",
        bursts_2010,
        "mean_time_to_loss",
        all_repaired_at_once,
    ),
    Mutant(
        "repair of another length each time",
        bursts_2010,
        "Iliadis and Venkatesan 2017 (68): 3 copies, repair of fixed length",
        bursts_2010,
        "times_to_loss_by_fixed_repairs",
        lambda copies, failure, repair, runs, rng: times_to_loss(copies, failure, 1 / repair, runs, rng),
    ),
    Mutant("51 of 5,000 fail", copysets_2013, "Facebook's HDFS, replicas in a window", copysets_2013, "FAILURES", 51),
    Mutant(
        "a permutation more",
        copysets_2013,
        "RAMCloud, Copyset Replication, scatter width 2",
        copysets_2013,
        "permutation_copysets",
        lambda members, replicas, count, rng: copysets.permutation_copysets(members, replicas, count + 1, rng),
    ),
    Mutant(
        "two of a copyset are enough",
        copysets_2013,
        "271 partitions, 50 members, 5 fail: random replication",
        copysets_2013,
        "lossy_failures",
        any_of_a_copyset,
    ),
    Mutant(
        "a point more",
        jump_hash_2014,
        "10 points a bucket: standard error",
        jump_hash_2014,
        "bucket_sizes",
        lambda buckets, points, rng: bucket_sizes(buckets, points + 1, rng),
    ),
    Mutant(
        "each pings two",
        detectors_2002,
        "SWIM, 199 of 200 members alive: periods until a failed one is first pinged",
        detectors_2002,
        "periods_to_detection",
        lambda members, alive, runs, rng: periods_to_detection(members, 2 * alive, runs, rng),
    ),
    Mutant(
        "a seventh of heartbeats",
        detectors_2002,
        "accrual detector, φ = 1: suspected while it lives, a heartbeat",
        detectors_2002,
        "late_heartbeats",
        lambda threshold, window, runs, rng: runs // 7,
    ),
]


@pytest.mark.xdist_group("papers")
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.paper.PAPER.name}: {mutant.name}")
def test_a_mutant_leaves_a_cell_that_counts_and_holds_on_the_page(
    mutant: Mutant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutant.at, mutant.attribute, mutant.wrong)

    cells: Iterator[Cell] = mutant.paper.recompute(EFFORT)
    cell = next(one for one in cells if one.place == mutant.place)
    assert cell.comparison is Comparison.OUTSIDE
    assert cell.published is not None
    assert cell.published.origin is not Origin.RECALLED
    (page,) = (one for place, one in PAGE[mutant.paper.PAPER.name].items() if place.startswith(mutant.place))
    assert page is Comparison.WITHIN


def test_every_paper_has_a_mutant() -> None:
    from gridproof_properties.papers import PAPERS

    assert {mutant.paper.PAPER.name for mutant in MUTANTS} == {paper.name for paper in PAPERS}
