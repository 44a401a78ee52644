"""The distributions from which times are drawn.

Each time is drawn by inversion from one uniform random number, so that two runs with equal seeds and different
parameters are compared on common random numbers (Law, "Simulation Modeling and Analysis", 5th edition, chapters 8 and
11.2). All times are in microseconds.

A distribution is read from a text such as `lognormal(2ms,0.5)`, and written as such a text. The text of a distribution
has a name and parameters; a duration alone means a constant time, and a rate such as `1/30s` means an exponential
distribution. Measured times are written in the parentheses of `empirical`, or the parentheses name a file with one time
on each line: a number of milliseconds, or a duration with its unit."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from math import exp, log, log1p
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from gridproof_implementation.simulator.durations import (
    DECIMALS,
    DURATION_MAX_US,
    DistributionError,
    is_rate,
    read_duration_us,
    read_rate_gap_us,
    write_duration,
    write_number,
)
from gridproof_model.own_modules import read_text

if TYPE_CHECKING:
    from statistics import NormalDist

LEAST_SHARE = 2.0**-53
"""Half of the distance between two neighbouring random numbers; this value replaces the random number 0, whose normal
quantile is infinite."""


@cache
def _normal() -> "NormalDist":
    # Imported here: few runs have a normal distribution, and an import at the top of the file would delay all runs.
    from statistics import NormalDist

    return NormalDist()


@dataclass(frozen=True, slots=True)
class Constant:
    """A distribution that always gives the same time."""

    value_us: float

    def at(self, share: float) -> float:
        """Return the quantile of a probability from 0 to 1."""
        return self.value_us


@dataclass(frozen=True, slots=True)
class Uniform:
    """A time between two given times; all times between them are equally likely."""

    low_us: float
    high_us: float

    def at(self, share: float) -> float:
        """Return the quantile of a probability from 0 to 1."""
        return self.low_us + share * (self.high_us - self.low_us)


@dataclass(frozen=True, slots=True)
class Exponential:
    """The time to the next event of a Poisson process."""

    mean_us: float

    def at(self, share: float) -> float:
        """Return the quantile of a probability from 0 to 1."""
        return -self.mean_us * log1p(-share)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """A time whose logarithm is normally distributed: most values are near the median, and the tail is long."""

    median_us: float
    sigma: float
    """The standard deviation of the natural logarithm."""

    def at(self, share: float) -> float:
        """Return the quantile of a probability from 0 to 1."""
        return self.median_us * exp(self.sigma * _normal().inv_cdf(max(share, LEAST_SHARE)))


@dataclass(frozen=True, slots=True)
class Pareto:
    """A time with a power-law tail; its mean is infinite if the shape is at most 1."""

    least_us: float
    shape: float

    def at(self, share: float) -> float:
        """Return the quantile of a probability from 0 to 1, but at most `DURATION_MAX_US`."""
        return min(self.least_us * exp(min(-log1p(-share) / self.shape, 700.0)), DURATION_MAX_US)


@dataclass(frozen=True, slots=True)
class Empirical:
    """One of the given measured times; all of them are equally likely."""

    samples_us: tuple[float, ...]
    """The measured times, in ascending order."""

    def at(self, share: float) -> float:
        """Return the quantile of a probability from 0 to 1."""
        return self.samples_us[int(share * len(self.samples_us))]


Distribution = Constant | Uniform | Exponential | LogNormal | Pareto | Empirical


def draw_us(distribution: Distribution, rng: Random) -> float:
    """Draw one time, in microseconds; for every distribution this takes one number from `rng`."""
    return distribution.at(rng.random())


@dataclass(frozen=True, slots=True)
class Zipf:
    """The popularity of keys: requests for the key of rank k are proportional to 1 / k^exponent (Zipf's law)."""

    exponent: float

    def cumulated(self, keys: int) -> tuple[float, ...]:
        """Return the shares of requests for the first key, for the first two keys, and so on; the last share, of all
        keys, is 1."""
        weights = [exp(-self.exponent * log(rank)) for rank in range(1, keys + 1)]
        whole, sums = sum(weights), 0.0
        shares = []
        for weight in weights:
            sums += weight
            shares.append(sums / whole)
        shares[-1] = 1.0
        return tuple(shares)


SAMPLES_MAX = 100_000
TEXT_MAX = 200
"""How many characters of a text are repeated in an error message."""
SIGMA_MAX = 10.0
IN_TIME_SHARE = 0.99
LONGEST_LATENCY_US = 100_000
"""The longest latency in a wide-area network; the shortest timeout that a seed draws is five times as long."""
FORMS = {
    "constant": "constant(2ms)",
    "uniform": "uniform(1ms,5ms)",
    "exponential": "exponential(2ms)",
    "lognormal": "lognormal(2ms,0.5)",
    "pareto": "pareto(1ms,1.5)",
    "empirical": "empirical(FILE)",
}
"""For each distribution an example of its text, with parameters or with a file of measured times."""
_CALL = re.compile(r"([a-z]+)\((.*)\)", re.ASCII | re.DOTALL)
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]+)?", re.ASCII)


def read_distribution(text: str) -> Distribution:
    """Return the distribution that a text describes; raise DistributionError if it describes none, or its file cannot
    be read."""
    found = _CALL.fullmatch(text.strip())
    if found is None:
        gap = is_rate(text)
        return Exponential(read_rate_gap_us(text)) if gap else Constant(_read_bare(text))
    name, inside = found[1], found[2]
    parts = [part.strip() for part in inside.split(",")]
    match name, parts:
        case "constant", [value]:
            return Constant(read_duration_us(value))
        case "uniform", [low, high]:
            return _uniform(read_duration_us(low), read_duration_us(high), text)
        case "exponential", [mean]:
            return Exponential(_above_zero(read_duration_us(mean), "the mean", text))
        case "lognormal", [median, sigma]:
            return LogNormal(_above_zero(read_duration_us(median), "the median", text), _read_sigma(sigma, text))
        case "pareto", [least, shape]:
            least_us = _above_zero(read_duration_us(least), "the least value", text)
            return Pareto(least_us, _above_zero(_read_number(shape, text), "the shape", text))
        case "empirical", _:
            return _empirical(inside, parts)
        case _:
            raise DistributionError(f"{_cut(text)!r} is no distribution; there are {', '.join(FORMS.values())}")


def read_latency(text: str) -> Distribution:
    """Return the distribution of how long a message takes; raise DistributionError if messages take longer than members
    wait.

    The protocol's timeouts assume a usual network: a joiner asks every second, a call may end after half a second.
    """
    distribution = read_distribution(text)
    if distribution.at(IN_TIME_SHARE) > LONGEST_LATENCY_US:
        raise DistributionError(
            f"{_cut(text)!r} lets more than 1 % of messages take longer than 100 ms; nothing is promised of a grid in "
            "which messages may take as long as members wait for answers; write a shorter time"
        )
    return distribution


def write_distribution(distribution: Distribution) -> str:
    """Return the text of a distribution; measured times stand in the text itself, so that it needs no file."""
    values: list[str] = []
    for name, value in ((one.name, getattr(distribution, one.name)) for one in fields(distribution)):
        numbers: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
        values += map(write_duration if name.endswith("_us") else write_number, numbers)
    return f"{type(distribution).__name__.lower()}({','.join(values)})"


def read_popularity(text: str) -> Zipf:
    """Return the popularity of keys that a text describes: `uniform`, or `zipf(EXPONENT)`."""
    if text.strip() == "uniform":
        return Zipf(0.0)
    found = _CALL.fullmatch(text.strip())
    if found is None or found[1] != "zipf":
        raise DistributionError(f"{_cut(text)!r} is no popularity of keys; write uniform or, for example, zipf(1.1)")
    exponent = _read_number(found[2].strip(), text)
    if exponent > SIGMA_MAX:
        raise DistributionError(f"{_cut(text)}: the exponent of zipf must be at most {SIGMA_MAX:g}")
    return Zipf(exponent)


def _read_bare(text: str) -> float:
    try:
        return read_duration_us(text)
    except DistributionError:
        if text.strip()[:1].isdigit():
            raise
        forms = ", ".join(FORMS.values())
        raise DistributionError(f"{_cut(text)!r} is no distribution; write a duration, a rate, or {forms}") from None


def _uniform(low_us: float, high_us: float, text: str) -> Uniform:
    if low_us > high_us:
        raise DistributionError(f"{_cut(text)}: the first time is above the second; write the smaller time first")
    return Uniform(low_us, high_us)


def _read_sigma(text: str, whole: str) -> float:
    sigma = _read_number(text, whole)
    if sigma > SIGMA_MAX:
        raise DistributionError(f"{_cut(whole)}: sigma must be at most {SIGMA_MAX:g}")
    return sigma


def _read_number(text: str, whole: str) -> float:
    if len(text) > 30 or _NUMBER.fullmatch(text) is None:
        raise DistributionError(f"{_cut(whole)!r}: {_cut(text)!r} is no number of 0 or more; write digits, as in 0.5")
    return round(float(text), DECIMALS)


def _above_zero(value: float, what: str, text: str) -> float:
    if not value > 0:
        raise DistributionError(f"{_cut(text)}: {what} must be above 0")
    return value


def _empirical(inside: str, parts: Sequence[str]) -> Empirical:
    samples = []
    with suppress(DistributionError):  # what holds no times is a name, which may begin with a digit, too
        samples = [read_duration_us(part) for part in parts]
    if samples:
        return _of_samples(samples, "the times")
    try:
        lines = read_text(Path(inside.strip())).splitlines()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text"
        cure = "name a file of measured times, or write times such as 1ms,2.5ms"
        raise DistributionError(f"{_cut(inside)}: cannot be read: {reason}; {cure}") from None
    for number, line in enumerate(lines, start=1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        try:
            samples.append(read_duration_us(word if word[-1].isalpha() else f"{word}ms"))
        except DistributionError:
            raise DistributionError(
                f"{_cut(inside)}: line {number} is no time; write milliseconds, or a number with a unit, such as 2ms"
            ) from None
    return _of_samples(samples, _cut(inside))


def _of_samples(samples_us: Sequence[float], source: str) -> Empirical:
    if not samples_us:
        raise DistributionError(f"{source}: the file has no time in it; write one time per line")
    if len(samples_us) > SAMPLES_MAX:
        raise DistributionError(f"{source}: {len(samples_us):,} times are given; give at most {SAMPLES_MAX:,}")
    return Empirical(tuple(sorted(samples_us)))


def _cut(text: str) -> str:
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + "…"
