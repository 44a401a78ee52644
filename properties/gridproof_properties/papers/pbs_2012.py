"""Bailis and others 2012: stale reads of partial quorums.

Versions by the closed form; milliseconds by simulation with the four one-way delays of the paper, from the fits to
production latencies that it prints. Three replicas everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import assert_never

import numpy as np

from gridproof_properties.intervals import CONFIDENCE, Interval, exactly, quantile_of, scaled, share_interval
from gridproof_properties.recomputing.dice import dice_for
from gridproof_properties.recomputing.paper import Cell, Effort, Origin, Paper, Published, Tolerance
from gridproof_properties.recomputing.quorums import Legs, Mixture, Trials, run_trials, staleness

REPLICAS = 3
TAIL = 0.999
TRIALS = 4_000_000
SSD_LEG = Mixture(0.9122, 0.235, 10, 1.66)
DISK_WRITE = Mixture(0.38, 1.05, 1.51, 0.183)
YMMR_OTHERS = Mixture(0.982, 1.5, 3.8, 0.0217)
SSD = Legs(SSD_LEG, SSD_LEG)
DISK = Legs(DISK_WRITE, SSD_LEG)
WAN = Legs(DISK_WRITE, SSD_LEG, remote_ms=75)
YMMR = Legs(Mixture(0.939, 3, 3.35, 0.0028), YMMR_OTHERS)
YMMR_PUBLISHED = Legs(Mixture(0.939, 3, 3.5, 0.0028), YMMR_OTHERS)
FITS = {"LNKD-SSD": SSD, "LNKD-DISK": DISK, "WAN": WAN, "YMMR": YMMR, "YMMR, shape 3.5": YMMR_PUBLISHED}

EXACT = Tolerance("rounding")
CHANCE = Tolerance("rounding, and half a point: the fits are printed with two or three digits", absolute=0.5)
LATENCY = Tolerance(
    "rounding, and 3 %: a tail quantile of a simulation, from fits of two or three digits", relative=0.03
)
VISIBILITY = Tolerance("rounding, and 5 %: the tail of a difference of tails, from the same fits", relative=0.05)
SWEEP = (
    "the paper does not say from how many trials it read this; the first point of a sweep whose sampled share reaches "
    "99.9 % comes too early, see the rows shown beside"
)
SWEPT = "steps as in the simulator published with the paper; 50,000 trials a point, since all three then come near it"
SHAPE = "the shape of YMMR's writes is 3.35 in print and 3.5 in the simulator published with the paper"
SWEEPS = (("LNKD-SSD", 0.01, 4), ("LNKD-DISK", 0.1, 150), ("YMMR", 1, 1500))
"""By fit: the step and the end of a sweep, in ms."""
SWEEP_TRIALS = 50_000
SWEEP_COUNT = 200


class Measure(StrEnum):
    """What is asked of trials."""

    FRESH = "reads fresh so long after the commit"
    READ = "99.9th percentile of reads"
    WRITE = "99.9th percentile of writes"
    VISIBLE = "time until 99.9 % of reads are fresh"


TOLERANCES = {
    Measure.FRESH: CHANCE, Measure.READ: LATENCY, Measure.WRITE: LATENCY, Measure.VISIBLE: VISIBILITY
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """One cell: a fit, the sizes of the quorums, a measure and what was published."""

    fit: str
    reads: int
    writes: int
    measure: Measure
    text: str | None
    origin: Origin = Origin.RECALLED
    after_ms: float = 0
    note: str = ""

    @property
    def world(self) -> tuple[str, int, int]:
        """What is simulated once for several cells."""
        return self.fit, self.reads, self.writes


ASKED = (
    Asked("LNKD-SSD", 1, 1, Measure.FRESH, "97.4"),
    Asked("LNKD-SSD", 1, 1, Measure.READ, "0.66"),
    Asked("LNKD-SSD", 1, 1, Measure.WRITE, "0.66"),
    Asked("LNKD-SSD", 1, 1, Measure.VISIBLE, "1.85", Origin.PRINTED, note=SWEEP),
    Asked("LNKD-DISK", 1, 1, Measure.FRESH, "43.9", Origin.PRINTED),
    Asked("LNKD-DISK", 1, 1, Measure.FRESH, "92.5", after_ms=10),
    Asked("LNKD-DISK", 1, 1, Measure.WRITE, "10.99"),
    Asked("LNKD-DISK", 1, 1, Measure.VISIBLE, "45.5", Origin.PRINTED, note=SWEEP),
    Asked("LNKD-DISK", 1, 2, Measure.WRITE, "20.97"),
    Asked("LNKD-DISK", 1, 3, Measure.WRITE, "112.7"),
    Asked("WAN", 1, 1, Measure.FRESH, "33"),
    Asked("WAN", 1, 1, Measure.VISIBLE, "113.0", note=SWEEP),
    Asked("WAN", 2, 1, Measure.VISIBLE, "30.2", note=SWEEP),
    Asked("YMMR", 1, 1, Measure.FRESH, "89.3", note=SHAPE),
    Asked("YMMR", 1, 1, Measure.VISIBLE, "1364", Origin.PRINTED, note=SWEEP),
    Asked("YMMR", 2, 1, Measure.VISIBLE, "202", Origin.PRINTED, note=SWEEP),
    Asked("YMMR", 1, 2, Measure.WRITE, "427"),
    Asked("YMMR", 1, 3, Measure.WRITE, "1871"),
    Asked("YMMR, shape 3.5", 1, 1, Measure.FRESH, None, note=SHAPE),
)
"""Cells of one simulation stand together."""


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield versions, then chances, latencies and times to visibility, then what reads and writes take together."""
    yield from _versions()
    runs = effort.runs(TRIALS)
    for (fit, reads, writes), several in groupby(ASKED, key=lambda asked: asked.world):
        trials = _trials(effort, fit, reads, writes)
        for asked in several:
            yield Cell(
                f"{fit}, R={reads}, W={writes}: {_words(asked)}",
                f"N={REPLICAS}, {runs:,} trials",
                None if asked.text is None else Published(asked.text, asked.origin),
                TOLERANCES[asked.measure],
                _estimate(trials, asked),
                asked.note,
                "%" if asked.measure is Measure.FRESH else "ms",
            )
    yield from _together(effort)
    for fit, step_ms, end_ms in SWEEPS:
        yield _sweep(effort, fit, step_ms, end_ms)


def _trials(effort: Effort, fit: str, reads: int, writes: int) -> Trials:
    rng = dice_for(effort, f"{fit} R={reads} W={writes}")
    return run_trials(FITS[fit], replicas=REPLICAS, reads=reads, writes=writes, trials=effort.runs(TRIALS), rng=rng)


def _words(asked: Asked) -> str:
    if asked.measure is not Measure.FRESH:
        return asked.measure
    return f"reads fresh {asked.after_ms:g} ms after the commit"


def _estimate(trials: Trials, asked: Asked) -> Interval:
    match asked.measure:
        case Measure.FRESH:
            fresh = int((trials.fresh_after <= asked.after_ms).sum())
            return scaled(share_interval(fresh, len(trials.fresh_after), "trials"), 100)
        case Measure.READ:
            return quantile_of(trials.read_latency, TAIL, "trials")
        case Measure.WRITE:
            return quantile_of(trials.write_latency, TAIL, "trials")
        case Measure.VISIBLE:
            return quantile_of(trials.fresh_after, TAIL, "trials")
    assert_never(asked.measure)


def _versions() -> Iterator[Cell]:
    """Yield the chance that a read is at most k - 1 versions behind."""
    for writes, versions, text in (
        (1, 2, "0.556"), (1, 3, "0.704"), (1, 5, "0.868"), (1, 10, "0.983"), (2, 2, "0.889")
    ):  # fmt: skip
        yield Cell(
            f"R=1, W={writes}: a read within {versions} versions",
            f"1 - (C({REPLICAS - writes}, 1) / C({REPLICAS}, 1))^{versions}",
            Published(text),
            EXACT,
            exactly(1 - staleness(REPLICAS, 1, writes) ** versions),
        )


def _together(effort: Effort) -> Iterator[Cell]:
    """Yield the sums of a read's and a write's percentile at YMMR, and how much a partial quorum saves."""
    sums = {}
    for reads, writes, text in ((1, 1, "16.4"), (2, 1, "43.3"), (3, 1, "230")):
        trials = _trials(effort, "YMMR", reads, writes)
        read = quantile_of(trials.read_latency, TAIL, "trials")
        sums[reads] = _sum(read, quantile_of(trials.write_latency, TAIL, "trials"))
        yield Cell(
            f"YMMR, R={reads}, W={writes}: 99.9th percentiles of reads and writes together",
            f"N={REPLICAS}, {effort.runs(TRIALS):,} trials",
            Published(text),
            LATENCY,
            sums[reads],
            unit="ms",
        )
    partial, strict = sums[2], sums[3]
    yield Cell(
        "YMMR: what R=2, W=1 saves of the latency of R=3, W=1",
        "the two sums above",
        Published("81.1"),
        CHANCE,
        Interval(
            100 * (1 - partial.value / strict.value),
            100 * (1 - partial.high / strict.low),
            100 * (1 - partial.low / strict.high),
            partial.how,
        ),
        unit="%",
    )


def _sum(one: Interval, other: Interval) -> Interval:
    """Return the sum of two estimates; its interval is the sum of theirs, which is wider than it needs to be."""
    return Interval(one.value + other.value, one.low + other.low, one.high + other.high, one.how)


def _sweep(effort: Effort, fit: str, step_ms: float, end_ms: float) -> Cell:
    """Read the time to visibility as a sweep over times does, each time from trials of its own."""
    fresh_after = np.sort(_trials(effort, fit, 1, 1).fresh_after)
    times = np.arange(0, end_ms, step_ms)
    shares = np.searchsorted(fresh_after, times, side="right") / len(fresh_after)
    sampled = dice_for(effort, f"sweep of {fit}").binomial(SWEEP_TRIALS, shares, (SWEEP_COUNT, len(times)))
    first = times[(sampled >= TAIL * SWEEP_TRIALS).argmax(axis=1)]
    low, high = np.quantile(first, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Cell(
        f"{fit}, R=1, W=1: first time of a sweep with 99.9 % fresh",
        f"steps of {step_ms} ms, {SWEEP_TRIALS:,} trials a point; the interval is that of single sweeps",
        None,
        None,
        Interval(float(first.mean()), float(low), float(high), f"{SWEEP_COUNT} sweeps"),
        SWEPT,
        "ms",
    )


PAPER = Paper(
    "pbs-2012",
    "P. Bailis and others, Probabilistically Bounded Staleness for Practical Partial Quorums, VLDB 2012",
    "how many versions and how long reads of partial quorums are behind, and what they save",
    "exact combinatorics, and a simulation of the four delays of the paper, written for it alone",
    60,
    recompute,
)
