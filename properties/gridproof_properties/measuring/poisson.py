"""Poisson probabilities without overflow or cancellation.

The weights are computed from the mode outwards and divided by their sum, as Fox and Glynn (Communications of the ACM
31, 1988) do: each is a product of positive factors, so its relative error is a few roundings a step.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from gridproof_properties.explorer.sparse import Floats


@dataclass(frozen=True)
class Poisson:
    """The probabilities of `first` to `last` events; those of more sum to at most `beyond`."""

    first: int
    weights: Floats
    beyond: float

    @property
    def last(self) -> int:
        """The greatest number of events that has a weight."""
        return self.first + int(self.weights.size) - 1

    def at_least(self) -> Floats:
        """Return for each number from 0 to `last` + 1 the probability of at least so many events."""
        tails = np.cumsum(self.weights[::-1])[::-1]
        return np.concatenate([np.ones(self.first), tails, [0.0]])


def last_event(mean: float, tolerance: float) -> int:
    """Return a number of events that is passed with at most about this probability."""
    spread = -np.log(tolerance)
    return int(np.ceil(mean + sqrt(2 * mean * spread) + spread + 2))


def poisson(mean: float, tolerance: float) -> Poisson:
    """Return the weights of a mean number of events; those left out weigh less than the tolerance, relative to 1."""
    mode, last = int(mean), last_event(mean, tolerance)
    first = max(0, 2 * mode - last)
    above = np.cumprod(mean / np.arange(mode + 1, last + 1, dtype=np.float64))
    below = np.cumprod(np.arange(mode, first, -1, dtype=np.float64) / mean)
    weights = np.concatenate([below[::-1], [1.0], above])
    total = weights.sum()
    following = weights[-1] * mean / (last + 1)
    beyond = following / (1 - mean / (last + 2)) / total
    return Poisson(first, weights / total, float(max(beyond, np.finfo(np.float64).tiny)))
