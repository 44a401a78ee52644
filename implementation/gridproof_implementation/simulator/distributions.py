"""Distributions of times.

Each is drawn by inversion of one uniform number, so that two runs with equal dice and different parameters are compared
on common random numbers (A. M. Law, "Simulation Modeling and Analysis", 5th edition, chapters 8 and 11.2). Times are
microseconds.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, log, log1p
from random import Random
from typing import TYPE_CHECKING

from gridproof_implementation.simulator.durations import DURATION_MAX_US

if TYPE_CHECKING:
    from statistics import NormalDist

LEAST_SHARE = 2.0**-53
"""Half of the distance between two neighbours that dice give: a normal quantile of 0 is infinite."""


@cache
def _normal() -> "NormalDist":
    # Imported now: few runs have a normal distribution, and all would wait for it.
    from statistics import NormalDist

    return NormalDist()


@dataclass(frozen=True, slots=True)
class Constant:
    """Always the same."""

    value_us: float

    def at(self, share: float) -> float:
        """Return the quantile."""
        return self.value_us


@dataclass(frozen=True, slots=True)
class Uniform:
    """Equally likely everywhere between two times."""

    low_us: float
    high_us: float

    def at(self, share: float) -> float:
        """Return the quantile."""
        return self.low_us + share * (self.high_us - self.low_us)


@dataclass(frozen=True, slots=True)
class Exponential:
    """Time to the next event of a Poisson process."""

    mean_us: float

    def at(self, share: float) -> float:
        """Return the quantile."""
        return -self.mean_us * log1p(-share)


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Its logarithm is normal: many usual values, a long tail."""

    median_us: float
    sigma: float
    """Standard deviation of the natural logarithm."""

    def at(self, share: float) -> float:
        """Return the quantile."""
        return self.median_us * exp(self.sigma * _normal().inv_cdf(max(share, LEAST_SHARE)))


@dataclass(frozen=True, slots=True)
class Pareto:
    """A tail by a power law; the mean is infinite where the shape is at most 1."""

    least_us: float
    shape: float

    def at(self, share: float) -> float:
        """Return the quantile, cut at `DURATION_MAX_US`."""
        return min(self.least_us * exp(min(-log1p(-share) / self.shape, 700.0)), DURATION_MAX_US)


@dataclass(frozen=True, slots=True)
class Empirical:
    """Any of the times that were measured, each equally likely."""

    samples_us: tuple[float, ...]
    """Ascending."""

    def at(self, share: float) -> float:
        """Return the quantile."""
        return self.samples_us[int(share * len(self.samples_us))]


Distribution = Constant | Uniform | Exponential | LogNormal | Pareto | Empirical


def draw_us(distribution: Distribution, rng: Random) -> float:
    """Draw one time, in microseconds; `rng` gives one number for it, whatever the distribution."""
    return distribution.at(rng.random())


@dataclass(frozen=True, slots=True)
class Zipf:
    """Popularity of keys: the key of rank k is asked for in proportion to 1 / k^exponent (Zipf's law)."""

    exponent: float

    def cumulated(self, keys: int) -> tuple[float, ...]:
        """Return the shares of the first, the first two, … of so many keys; the last one is 1."""
        weights = [exp(-self.exponent * log(rank)) for rank in range(1, keys + 1)]
        whole, sums = sum(weights), 0.0
        shares = []
        for weight in weights:
            sums += weight
            shares.append(sums / whole)
        shares[-1] = 1.0
        return tuple(shares)
