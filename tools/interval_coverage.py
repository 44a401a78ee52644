"""How often intervals miss, and how wide they are: `python -m tools.interval_coverage [--studies N] [DIR]`.

A truth is drawn from again and again, each time as many runs as a study has; a study misses where its interval does not
hold the truth. Some truths are made to be hard: rare, skewed, in bursts. With the folder of a campaign the truth is a
cell's own runs, of which studies draw some with replacement; where one run has much of the sum they are no truth that
thirty runs could know, which the estimate itself says, and the line is printed and not counted. Beside each stands the
narrowest of three other methods that hold as well (those that miss more often than `MOST_MISSES` do not count):
Student's t, Hall's transformation, and both factors, each at 99 % as in a textbook.

`--until SHARE` says instead how far estimates are off that end their own campaign, as `gridproof campaign --until` has
it: looks at 25 runs, 50, and then at a quarter more each, until the wider half of the interval is within the share.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gridproof_properties import intervals
from gridproof_properties.intervals import (
    Comparison,
    Interval,
    compare_quantiles,
    compare_ratios,
    mean_interval,
    quantile_interval,
    ratio_interval,
)
from gridproof_reports.campaigns.estimate_names import Until

MOST_MISSES, WIDEST, USUAL = 0.015, 1.3, 0.95
STUDIES = 10_000
Dice = np.random.Generator
Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Truth:
    """A truth and how a study of it is drawn."""

    name: str
    value: float
    draw: Callable[[Dice, int], tuple[Numbers, ...]]
    """Given dice and a number of runs: the arguments of `interval`, but for a share."""
    interval: Callable[..., Interval | Comparison]
    share: tuple[float, ...] = ()
    note: str = ""
    """Of real rows, what the estimate of them all says beside its interval: not counted as a failure, and printed."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What studies of one truth came to."""

    truth: str
    runs: int
    studies: int
    given: int
    """That had an interval."""
    below: int
    """Whose interval lies below the truth; `above` likewise."""
    above: int
    clear: int
    """That call a difference clear; of a truth without one, wrongly."""
    width: float
    """Mean, by the truth."""
    open_above: int
    """Without an upper bound."""
    best: float
    """Mean width of the narrowest other method that holds; NaN where none does."""
    note: str = ""
    """Of the truth."""

    @property
    def misses(self) -> float:
        """Of the studies with an interval; of all where hardly any has one, for those few saw more than there is."""
        return (self.below + self.above) / (self.given if self.is_usual else self.studies)

    @property
    def is_usual(self) -> bool:
        """Whether nearly every study has an interval."""
        return self.given >= USUAL * self.studies

    @property
    def holds(self) -> bool:
        """Whether it misses seldom enough, and is narrow enough."""
        is_narrow = not (self.is_usual and self.width > WIDEST * self.best)
        return is_narrow and max(self.misses, self.clear / self.studies) <= MOST_MISSES

    def __str__(self) -> str:
        """Return a line."""
        best = "" if isnan(self.best) else f", {self.width / self.best:.2f} of the narrowest other"
        above = f", {self.open_above / self.studies:.1%} open above" if self.open_above else ""
        clear = f", {self.clear / self.studies:.2%} called clear" if self.clear else ""
        verdict = "holds" if self.holds else f"not counted, for {self.note}:" if self.note else "FAILS"
        return (
            f"{verdict} {self.truth}, {self.runs} runs: {self.misses:.2%} miss "
            f"({self.above / self.studies:.2%} above, {self.below / self.studies:.2%} below it), "
            f"{self.given / self.studies:.0%} have an interval, width {self.width:.3g} of the truth{best}{above}{clear}"
        )


def cover(truth: Truth, runs: int, studies: int) -> Coverage:
    """Draw studies of a truth."""
    dice = np.random.default_rng(crc32(f"{truth.name} {runs}".encode()))
    found, others, clear = [], dict[str, list[Interval]](), 0
    for _ in range(studies):
        drawn = truth.draw(dice, runs)
        one = truth.interval(*drawn, *truth.share)
        if isinstance(one, Comparison):
            clear += truth.value == 0 and one.chance < 0.01
            one = one.found
        found.append(one)
        if truth.interval in (ratio_interval, mean_interval) and not isnan(one.low):
            parts, wholes = drawn if len(drawn) == 2 else (drawn[0], np.ones(len(drawn[0])))
            for name, bounds in OTHERS.items():
                others.setdefault(name, []).append(bounds(parts, wholes))
    given = [one for one in found if not isnan(one.low)]
    closed = [one for one in given if isfinite(one.high)]
    below, above = _misses(given, truth.value)
    widths = [
        _width(its, truth.value) for its in others.values() if sum(_misses(its, truth.value)) <= MOST_MISSES * studies
    ]
    return Coverage(
        truth.name, runs, studies, len(given), below, above, clear, _width(closed, truth.value),
        len(given) - len(closed), min(widths, default=float("nan")), truth.note,
    )  # fmt: skip


def _misses(found: Sequence[Interval], value: float) -> tuple[int, int]:
    return sum(one.high < value for one in found), sum(one.low > value for one in found)


def _width(found: Sequence[Interval], value: float) -> float:
    widths = [one.high - one.low for one in found if isfinite(one.high)]
    return float(np.mean(widths)) / (abs(value) or 1.0) if widths else float("nan")


def _students(parts: Numbers, wholes: Numbers) -> Interval:
    from scipy.special import stdtrit

    deviations, runs = intervals._deviations(parts, wholes), len(parts)
    value = parts.sum() / wholes.sum()
    half = stdtrit(runs - 1, 0.995) * deviations.std(ddof=1) / runs**0.5
    return Interval(value, max(value - half, 0.0), value + half)


def _halls(parts: Numbers, wholes: Numbers) -> Interval:
    value = parts.sum() / wholes.sum()
    low, high = intervals._mean_bounds((value + intervals._deviations(parts, wholes))[:, None], error=0.005)
    return Interval(value, max(float(low[0]), 0.0), float(high[0]))


def _factors(parts: Numbers, wholes: Numbers) -> Interval:
    value, has_some, by = parts.sum() / wholes.sum(), parts > 0, wholes.mean()
    often = intervals.share_interval(int(has_some.sum()), len(parts))
    much = parts[has_some].mean() / by
    low, high = (float(bound[0]) for bound in intervals._mean_bounds(parts[has_some][:, None] / by, error=0.005))
    below = np.hypot(np.log(often.value / often.low), np.log(much / low) if low > 0 else np.inf)
    above = np.hypot(np.log(often.high / often.value), np.log(high / much))
    return Interval(value, value * np.exp(-below), value * np.exp(above))


OTHERS = {"Student's": _students, "Hall's": _halls, "factors": _factors}


def _writes(dice: Dice, runs: int) -> Numbers:
    return dice.poisson(np.clip(dice.normal(560, 60, runs), 50, None)).astype(float)


SIZES: dict[str, tuple[Callable[[Dice, int, Numbers], Numbers], float]] = {
    "any share of a run": (lambda dice, runs, wholes: wholes * dice.random(runs), 0.5),
    "mostly a small share": (lambda dice, runs, wholes: wholes * dice.beta(0.5, 5, runs), 0.5 / 5.5),
    "lognormal": (lambda dice, runs, wholes: dice.lognormal(1, 1, runs), float(np.exp(1.5)) / 560),
    "geometric": (lambda dice, runs, wholes: dice.geometric(0.3, runs).astype(float), 1 / 0.3 / 560),
}


def rare_losses() -> Iterator[Truth]:
    """Yield ratios: some share of runs loses something, and how much."""
    for name, (size, mean) in SIZES.items():
        for often in (0.05, 0.15, 0.4, 0.9):

            def draw(dice: Dice, runs: int, size: Any = size, often: float = often) -> tuple[Numbers, ...]:
                wholes = _writes(dice, runs)
                return (dice.random(runs) < often) * size(dice, runs, wholes), wholes

            yield Truth(f"ratio, {name}, in {often:.0%} of runs", often * mean, draw, ratio_interval)


def uneven_wholes() -> Iterator[Truth]:
    """Yield ratios by wholes that differ much from run to run, and with which the parts go."""

    def draw(dice: Dice, runs: int) -> tuple[Numbers, ...]:
        wholes = dice.poisson(dice.lognormal(5, 0.8, runs)) + 1
        return dice.binomial(wholes, dice.beta(1, 9, runs)).astype(float), wholes.astype(float)

    yield Truth("ratio, by uneven wholes", 0.1, draw, ratio_interval)

    def rarely(dice: Dice, runs: int) -> tuple[Numbers, ...]:
        parts, wholes = draw(dice, runs)
        return parts * (dice.random(runs) < 0.2), wholes

    yield Truth("ratio, by uneven wholes, in 20% of runs", 0.02, rarely, ratio_interval)
    yield Truth("mean, a rare count", 0.3, lambda dice, runs: (dice.poisson(0.3, runs).astype(float),), mean_interval)
    yield Truth("mean, a count", 4.0, lambda dice, runs: (dice.poisson(4.0, runs).astype(float),), mean_interval)


BUCKETS = np.unique(np.round(np.geomspace(1, 100_000, 120)))


def _latencies(dice: Dice, runs: int, often: float) -> Numbers:
    """Return histograms of calls of runs of which some have a burst of slow ones."""
    slow = np.where(dice.random(runs) < often, dice.beta(1, 12, runs), 0.0)
    middles = dice.normal(7.0, 0.1, runs)
    values = dice.normal(0, 0.5, (runs, 100)) + middles[:, None]
    values = np.where(dice.random((runs, 100)) < slow[:, None], dice.normal(10.0, 0.8, (runs, 100)), values)
    places = np.searchsorted(BUCKETS, np.exp(values)).clip(max=BUCKETS.size - 1)
    flat = np.bincount((places + BUCKETS.size * np.arange(runs)[:, None]).ravel(), minlength=runs * BUCKETS.size)
    return flat.reshape(runs, BUCKETS.size)


def quantiles() -> Iterator[Truth]:
    """Yield quantiles of calls, of which slow ones come in bursts."""
    for often in (0.3, 0.8):
        every = _latencies(np.random.default_rng(1), 200_000, often).sum(axis=0)
        for share in (0.5, 0.99):
            truth = float(BUCKETS[np.searchsorted(np.cumsum(every), share * every.sum())])
            yield Truth(
                f"quantile {share:g}, bursts in {often:.0%} of runs", truth,
                lambda dice, runs, often=often: (_latencies(dice, runs, often), BUCKETS),  # type: ignore[misc]
                quantile_interval, (share,),
            )  # fmt: skip


def differences() -> Iterator[Truth]:
    """Yield differences between two cells whose runs have something in common; of the first of each kind, none."""
    for factor in (1.0, 0.5):
        for often in (0.15, 0.6):

            def losses(dice: Dice, runs: int, factor: float = factor, often: float = often) -> tuple[Numbers, ...]:
                wholes, crashed = _writes(dice, runs), dice.random(runs) < often
                sides = []
                for times in (1.0, factor):
                    there = crashed & (dice.random(runs) < 0.7)
                    sides += [there * times * dice.lognormal(1, 1, runs), wholes]
                return tuple(sides)

            truth = often * 0.7 * float(np.exp(1.5)) / 560 * (1 - factor)
            yield Truth(f"difference of ratios, {often:.0%} crash, {factor:g} times", truth, losses, compare_ratios)

            def runs_lost(dice: Dice, runs: int, factor: float = factor, often: float = often) -> tuple[Numbers, ...]:
                crashed, ones = dice.random(runs) < often, np.ones(runs)
                sides = [(crashed & (dice.random(runs) < 0.7 * times)).astype(float) for times in (1.0, factor)]
                return sides[0], ones, sides[1], ones

            yield Truth(
                f"difference of shares of runs, {often:.0%} crash, {factor:g} times", often * 0.7 * (1 - factor),
                runs_lost, compare_ratios,
            )  # fmt: skip
    for share in (0.5, 0.99):
        yield Truth(
            f"difference of quantiles {share:g}, none", 0.0,
            lambda dice, runs: (_latencies(dice, runs, 0.8), BUCKETS, _latencies(dice, runs, 0.8), BUCKETS),
            compare_quantiles, (share,),
        )  # fmt: skip


def real_rows(folder: Path) -> Iterator[Truth]:
    """Yield the estimates of each cell of a campaign, as truths of which studies draw runs."""
    from gridproof_reports.campaigns.estimate_names import ESTIMATES, Kind
    from gridproof_reports.campaigns.estimates import cells_of
    from gridproof_reports.campaigns.store import Store

    for rows in cells_of(Store(folder)):
        for one in ESTIMATES:
            if one.kind is Kind.QUANTILE:
                counts, middles = rows.histograms(one.quantity).spread()
                if counts.sum():
                    every = counts.sum(axis=0)
                    value = float(middles[np.searchsorted(np.cumsum(every), one.share * every.sum())])
                    yield Truth(
                        f"cell {rows.cell}, {one.name}", value,
                        lambda dice, runs, c=counts, m=middles: (c[dice.integers(0, len(c), runs)], m),  # type: ignore[misc]
                        quantile_interval, (one.share,),
                    )  # fmt: skip
            elif one.kind is not Kind.RUNS:
                parts = rows.counts(one.quantity)
                wholes = rows.counts(one.by) if one.by else np.ones(rows.runs)
                if parts.sum() and wholes.sum():

                    def draw(dice: Dice, runs: int, parts: Any = parts, wholes: Any = wholes) -> tuple[Numbers, ...]:
                        chosen = dice.integers(0, len(parts), runs)
                        return parts[chosen], wholes[chosen]

                    note = ratio_interval(parts, wholes).note
                    yield Truth(
                        f"cell {rows.cell}, {one.name}", parts.sum() / wholes.sum(), draw, ratio_interval, note=note
                    )


def truths() -> Iterator[Truth]:
    """Yield every truth that is made."""
    for kind in (rare_losses, uneven_wholes, quantiles, differences):
        yield from kind()


def ended_by_itself(truth: Truth, within: float, studies: int) -> str:
    """Return how far an estimate is off on average, and how often its interval misses, that ends its own campaign."""
    dice = np.random.default_rng(crc32(f"{truth.name} until {within}".encode()))
    until, looks, values, misses = Until(truth.name, within), [1], [], 0
    while looks[-1] * 25 < 5_000:
        looks.append(int(np.ceil(max(looks[-1] + 1, looks[-1] * 1.25))))
    for _ in range(studies):
        drawn = truth.draw(dice, 25 * looks[-1])
        for look in looks:
            one = truth.interval(*(column[: 25 * look] for column in drawn), *truth.share)
            assert isinstance(one, Interval)
            if until.is_met(one.value, one.low, one.high):
                values.append(one.value)
                misses += not one.low <= truth.value <= one.high
                break
    off, error = np.mean(values) / truth.value - 1, np.std(values) / truth.value / len(values) ** 0.5
    return (
        f"{truth.name}, until ± {within:.0%}: {len(values):,} of {studies:,} studies end; off by {off:+.1%} on average "
        f"(standard error {error:.1%}), {misses / len(values):.1%} miss"
    )


def shares_of_runs() -> Iterator[Truth]:
    """Yield shares of runs."""
    for share in (0.02, 0.05, 0.1, 0.3):
        yield Truth(
            f"share of runs, {share:.0%}", share,
            lambda dice, runs, share=share: ((dice.random(runs) < share),),  # type: ignore[misc]
            lambda had: intervals.share_interval(int(had.sum()), len(had)),
        )  # fmt: skip


def main() -> int:
    """Print a line a truth and number of runs; 1 where one fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.interval_coverage")
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="of a campaign, whose rows are the truth")
    parser.add_argument("--studies", type=int, default=STUDIES, metavar="N")
    parser.add_argument("--runs", default="30,40,100,200", metavar="N,...")
    parser.add_argument("--only", default="", metavar="WORDS", help="truths with these words in their names")
    parser.add_argument("--until", type=float, metavar="SHARE", help="of estimates that end their own campaign")
    arguments = parser.parse_args()
    if arguments.until is not None:
        for truth in (*shares_of_runs(), *rare_losses()):
            if arguments.only in truth.name:
                print(ended_by_itself(truth, arguments.until, arguments.studies), flush=True)
        return 0
    failed = 0
    for truth in truths() if arguments.folder is None else real_rows(arguments.folder):
        if arguments.only in truth.name:
            for runs in map(int, arguments.runs.split(",")):
                found = cover(truth, runs, arguments.studies)
                failed += not (found.holds or found.note)
                print(found, flush=True)
    print(f"{failed} fail")
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
