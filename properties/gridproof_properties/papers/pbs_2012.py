"""Bailis and others 2012: stale reads in systems with partial quorums.

Staleness in versions is computed by the closed form; staleness in milliseconds by simulation of the paper's four
one-way delays, from the fits to production latencies that the paper prints. The tolerances are the paper's own sampling
error, by the numbers of trials stated in the paper or in the scripts published with it.
"""

from collections.abc import Iterator
from itertools import zip_longest
from statistics import NormalDist

import numpy as np

from gridproof_properties.intervals import Interval, Z, exactly, quantile_of, scaled, share_interval
from gridproof_properties.recomputing.paper import Cell, Effort, Paper, Published, Tolerance
from gridproof_properties.recomputing.quorums import Kept, Legs, Mixture, Trials, exponential, run_trials, staleness

REPLICAS = 3
TAIL = 0.999
TRIALS = 8_000_000
SYNTHETIC_TRIALS = 4_000_000
"""The number of trials with delays that only few cells use."""
SSD_LEG = Mixture(0.9122, 0.235, 10, 1.66)
DISK_WRITE = Mixture(0.38, 1.05, 1.51, 0.183)
YMMR_OTHERS = Mixture(0.982, 1.5, 3.8, 0.0217)
SSD = Legs(SSD_LEG, SSD_LEG)
DISK = Legs(DISK_WRITE, SSD_LEG)
WAN = Legs(DISK_WRITE, SSD_LEG, remote_ms=75)
YMMR = Legs(Mixture(0.939, 3, 3.35, 0.0028), YMMR_OTHERS)
YMMR_PUBLISHED = Legs(Mixture(0.939, 3, 3.5, 0.0028), YMMR_OTHERS)

SAMPLED_AT = NormalDist().inv_cdf(0.9995)
"""The range of this many standard deviations contains 99.9 of 100 samples of the paper's size: with nearly a hundred
cells, a smaller range would not do."""
PAPER_LATENCIES, PAPER_VISIBILITY = 1_000_000, 50_000
"""The paper's number of trials in table 4 for a latency, and for each time of a sweep."""
PAPER_FIGURES, PAPER_SYNTHETIC = 100_000, 10_000
"""How many trials the paper's scripts make for each time of a figure: of most figures, and of those with exponential
delays."""
EXACT = Tolerance("rounding", trivial=1.0)
CHANCE = "rounding, and the range in which 99.9 % of results lie if they have as many trials as the published scripts"
LATENCY = "rounding, and the range in which 99.9 % of results lie if they have 1,000,000 trials, the paper's number"
VISIBILITY = "rounding, half a step, and the range in which 99.9 % of sweeps with the paper's trials per time lie"

SWEPT = (
    "as in the published simulator, this is the first time of a sweep at which 99.9 % of the trials, drawn anew at "
    "each time, are fresh; it comes before the time at which 99.9 % of reads are fresh (the rows shown beside)"
)
SHAPE = (
    "the shape of the distribution of YMMR's writes is 3.35 in print, and 3.5 in the simulator published with the paper"
)
TWICE = "the text has 10.47 and the table 10.99 for the same value"
TEN = (
    "the text's value for 2 replicas agrees with a sweep, but its value for 10 replicas is nearer to the exact time; "
    "the reason is unknown"
)
STEPS_MS = {"LNKD-SSD": 0.01, "LNKD-DISK": 0.1, "WAN": 0.1, "YMMR": 1.0}
SWEEPS = 3_000
SWEEP_MARGIN = 0.003
"""A sweep never ends at a time when the share of stale reads is this much above the wanted share."""


QUORUMS = (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3)
"""The rows of table 4: the number of replicas for which a read waits, then the number for which a write waits. The
first three quorums do not overlap."""
Texts = tuple[str, ...]
TABLE_4: dict[str, tuple[Legs, Texts, Texts, Texts]] = {
    "LNKD-SSD": (
        SSD,
        ("0.66", "0.66", "1.63", "1.62", "4.14", "0.65"),
        ("0.66", "1.63", "0.65", "1.64", "0.65", "4.09"),
        ("1.85", "1.79", "0"),
    ),
    "LNKD-DISK": (
        DISK,
        ("0.66", "0.65", "1.63", "1.64", "4.12", "0.65"),
        ("10.99", "20.97", "10.9", "20.96", "10.89", "112.65"),
        ("45.5", "43.3", "13.6"),
    ),
    "YMMR": (
        YMMR,
        ("5.58", "5.61", "32.6", "33.18", "219.27", "5.63"),
        ("10.83", "427.12", "10.73", "428.11", "10.79", "1870.86"),
        ("1364.0", "1352.0", "202.0"),
    ),
    "WAN": (
        WAN,
        ("3.4", "3.4", "151.3", "151.31", "153.86", "3.44"),
        ("55.12", "167.64", "56.36", "167.72", "55.19", "241.55"),
        ("113.0", "0", "30.2"),
    ),
}
"""For each fit and each of `QUORUMS`, in ms: the 99.9th percentiles of reads and writes, and the time until 99.9 % of
reads are fresh; if quorums overlap, every read is fresh at once."""
FRESH = {
    "LNKD-SSD": (("97.4", 0.0),),
    "LNKD-DISK": (("43.9", 0.0), ("92.5", 10.0)),
    "YMMR": (("89.3", 0.0),),
    "WAN": (("33", 0.0),),
}
"""For each fit: how many of 100 reads with R=1 and W=1 are fresh, and how many ms after the commit they are made."""
MIDDLES = {"LNKD-SSD": ("0.489", "0.657"), "LNKD-DISK": ("1.50", "10.47")}
"""For each fit: the median and the 99.9th percentile of writes, as stated in the paper's text."""
SAVINGS = (
    ("LNKD-SSD", (1, 1), (2, 2), "59.5", "1.94"),
    ("LNKD-DISK", (2, 1), (3, 1), "16.5", "2.48"),
    ("YMMR", (2, 1), (3, 1), "81.1", "186.7"),
)
"""For each fit: R and W of a partial quorum, R and W of the fastest strict quorum, and the saving in % and in ms."""


def recompute(effort: Effort) -> Iterator[Cell]:
    """Yield staleness in versions, then each fit with its row of table 4, then cells that only the text has."""
    yield from _versions()
    for fit, (legs, reads, writes, visible) in TABLE_4.items():
        trials = _trials(effort, fit, legs, TRIALS)
        for text, after_ms in FRESH[fit]:
            yield _fresh(f"{fit}, R=1, W=1", trials, text, after_ms, SHAPE if fit == "YMMR" else "")
        for quorum, read, write, fresh_ms in zip_longest(QUORUMS, reads, writes, visible):
            yield from _row(effort, fit, trials, quorum, read, write, fresh_ms)
        for share, text in zip((0.5, TAIL), MIDDLES.get(fit, ()), strict=False):
            yield _latency(f"{fit}, W=1, in the text: {_percentile(share)} of writes", trials.writes[:, 0], text, share)
        for saving in SAVINGS:
            if saving[0] == fit:
                yield from _saved(trials, *saving)
    shaped = _trials(effort, "YMMR, shape 3.5", YMMR_PUBLISHED, TRIALS)
    yield _fresh("YMMR, shape 3.5, R=1, W=1", shaped, None, 0.0, SHAPE)
    place = f"YMMR, shape 3.5, W=1: {_percentile(TAIL)} of writes"
    slowest = quantile_of(shaped.writes[:, 0], TAIL, "trials")
    yield Cell(place, _inputs(shaped), None, None, slowest, SHAPE, "ms")
    yield from _synthetic(effort)


def _trials(effort: Effort, name: str, legs: Legs, full: int, replicas: int | None = None) -> Trials:
    return run_trials(legs, replicas=replicas or REPLICAS, trials=effort.runs(full), rng=effort.dice(name))


def _versions() -> Iterator[Cell]:
    """Yield the probabilities that a read is at most k - 1 versions behind."""
    for writes, versions, text in (
        (1, 2, "0.556"), (1, 3, "0.704"), (1, 5, "0.868"), (1, 10, "0.983"), (2, 2, "0.889")
    ):  # fmt: skip
        place = f"R=1, W={writes}: a read within {versions} versions"
        inputs = f"1 - (C({REPLICAS - writes}, 1) / C({REPLICAS}, 1))^{versions}"
        ours = exactly(1 - staleness(REPLICAS, 1, writes) ** versions)
        yield Cell(place, inputs, Published(text), EXACT, ours)


def _fresh(
    place: str, trials: Trials, text: str | None, after_ms: float, note: str = "", sample: int = PAPER_FIGURES
) -> Cell:
    after = trials.fresh_after(1, 1)
    fresh = int((after <= after_ms).sum())
    share = fresh / len(after)
    allowed = 100 * SAMPLED_AT * (share * (1 - share) / sample) ** 0.5
    place = f"{place}: reads fresh {after_ms:g} ms after the commit"
    published = None if text is None else Published(text)
    ours = scaled(share_interval(fresh, len(after), "trials"), 100)
    return Cell(place, _inputs(trials), published, Tolerance(CHANCE, absolute=allowed), ours, note, "%")


def _row(
    effort: Effort, fit: str, trials: Trials, quorum: tuple[int, int], read: str, write: str, visible: str | None
) -> Iterator[Cell]:
    reads, writes = quorum
    place = f"{fit}, R={reads}, W={writes}"
    yield _latency(f"{place}: {_percentile(TAIL)} of reads", trials.reads[:, reads - 1], read)
    yield _latency(f"{place}: {_percentile(TAIL)} of writes", trials.writes[:, writes - 1], write)
    if visible is not None:
        after = trials.fresh_after(reads, writes)
        yield _swept(effort, place, after, STEPS_MS[fit], visible)
        place, ours = f"{place}: time until 99.9 % of reads are fresh", quantile_of(after, TAIL, "trials")
        yield Cell(place, _inputs(trials), None, None, ours, unit="ms")


def _latency(place: str, values: Kept, text: str, share: float = TAIL) -> Cell:
    inputs, ours = f"N={REPLICAS}, {len(values):,} trials", quantile_of(values, share, "trials")
    tolerance = Tolerance(LATENCY, absolute=_sampled(values, share))
    is_shaped = place.startswith("YMMR") and "W=1: 99.9th percentile of w" in place
    note = TWICE if text == "10.47" else SHAPE if is_shaped else ""
    return Cell(place, inputs, Published(text), tolerance, ours, note, "ms")


def _sampled(values: Kept, share: float) -> float:
    """Return how far a percentile of a sample of the paper's size may be from that of the larger sample made here."""
    apart = SAMPLED_AT * (share * (1 - share) / PAPER_LATENCIES) ** 0.5
    least, middle, most = np.quantile(values, [share - apart, share, share + apart])
    return float(max(middle - least, most - middle))


def _percentile(share: float) -> str:
    return "median" if share == 0.5 else f"{100 * share:g}th percentile"


def _swept(
    effort: Effort, place: str, fresh_after: Kept, step_ms: float, text: str, sample: int = PAPER_VISIBILITY
) -> Cell:
    """Compute the time to visibility many times, as the published simulator does it."""
    ordered = np.sort(fresh_after)
    from_ms = max(float(np.quantile(ordered, TAIL - SWEEP_MARGIN)) // step_ms * step_ms, 0.0)
    times = np.arange(from_ms, max(float(ordered[-1]), 0.0) + 2 * step_ms, step_ms)
    shares = np.searchsorted(ordered, times, side="right") / len(ordered)
    upto = int((shares < (1 + TAIL) / 2).sum()) + 1
    rng = effort.dice(f"sweep of {place}")
    sampled = rng.binomial(sample, shares[:upto], (effort.runs(SWEEPS), len(shares[:upto])))
    first = times[(sampled >= TAIL * sample).argmax(axis=1)]
    mean, spread = float(first.mean()), float(first.std())
    half = Z * spread * (1 / len(first) + sample / len(ordered)) ** 0.5
    sweeps, place = f"{len(first):,} sweeps", f"{place}: first time of a sweep with 99.9 % fresh"
    inputs = f"steps of {step_ms:g} ms, {sample:,} trials a time, {sweeps}"
    tolerance = Tolerance(VISIBILITY, absolute=step_ms / 2 + float(np.quantile(np.abs(first - mean), 0.999)))
    ours = Interval(mean, mean - half, mean + half, sweeps)
    return Cell(place, inputs, Published(text), tolerance, ours, TEN if text == "53.7" else SWEPT, "ms")


def _saved(
    trials: Trials, fit: str, partial: tuple[int, int], strict: tuple[int, int], percent: str, ms: str
) -> Iterator[Cell]:
    """Yield how much lower the 99.9th percentiles of reads and writes together are with a partial quorum than with a
    strict one."""
    parts = [
        values[:, size - 1] for sizes in (partial, strict) for values, size in zip(
            (trials.reads, trials.writes), sizes, strict=True
        )
    ]  # fmt: skip
    first, second, third, fourth = (quantile_of(values, TAIL, "trials") for values in parts)
    saved = Interval(
        third.value + fourth.value - first.value - second.value,
        # If both settings have the same W, their writes are the same, and the bounds on write latencies cancel out.
        third.low - first.high + (fourth.low - second.high if partial[1] != strict[1] else 0.0),
        third.high - first.low + (fourth.high - second.low if partial[1] != strict[1] else 0.0),
        first.how,
    )
    allowed = sum(_sampled(values, TAIL) ** 2 for values in parts) ** 0.5
    place = "{}: what R={}, W={} saves of the latency of R={}, W={}".format(fit, *partial, *strict)
    of_all = 100 / (third.value + fourth.value)
    for of, printed, factor, unit in (("", percent, of_all, "%"), (", in time", ms, 1.0, "ms")):
        tolerance = Tolerance(LATENCY, absolute=allowed * factor)
        yield Cell(place + of, _inputs(trials), Published(printed), tolerance, scaled(saved, factor), unit=unit)


def _synthetic(effort: Effort) -> Iterator[Cell]:
    """Yield the cells for exponential delays, whose writes take a quarter or ten times as long, and for N replicas."""
    for write_ms, share, visible, step_ms in ((0.25, "94", "1", 0.01), (10.0, "41", "65", 1.0)):
        legs = Legs(exponential(write_ms), exponential(1.0))
        trials = _trials(effort, f"exponential {write_ms}", legs, SYNTHETIC_TRIALS)
        place = f"exponential, writes {write_ms:g} ms and others 1 ms on average, R=1, W=1"
        yield _fresh(place, trials, share, 0.0, sample=PAPER_SYNTHETIC)
        yield _swept(effort, place, trials.fresh_after(1, 1), step_ms, visible, PAPER_SYNTHETIC)
    for replicas, share, visible in ((2, "57.5", "45.3"), (10, "21.1", "53.7")):
        trials = _trials(effort, f"DISK with {replicas}", DISK, SYNTHETIC_TRIALS, replicas)
        place = f"LNKD-DISK, {replicas} replicas, R=1, W=1"
        yield _fresh(place, trials, share, 0.0)
        yield _swept(effort, place, trials.fresh_after(1, 1), STEPS_MS["LNKD-DISK"], visible, PAPER_FIGURES)


def _inputs(trials: Trials) -> str:
    return f"N={trials.reads.shape[1]}, {len(trials.reads):,} trials"


PAPER = Paper(
    "pbs-2012",
    "P. Bailis and others, Probabilistically Bounded Staleness for Practical Partial Quorums, VLDB 2012",
    "by how many versions and how long reads of partial quorums are behind, and how much latency they save",
    "exact combinatorics, and a simulation of the four delays of the paper, written for it alone",
    "the paper's text, tables and scripts, kept by its authors (github.com/pbailis/pbs-vldb-historical-paper-material)",
    90,
    recompute,
)
