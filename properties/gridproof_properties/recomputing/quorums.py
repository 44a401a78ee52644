"""Partial quorums with randomly drawn one-way delays.

A write is sent to every replica, and commits at the W-th acknowledgement; a read is sent to every replica, and ends at
the R-th response. A response is fresh if the write reached its replica before the read did.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

BATCH = 250_000
"""The number of trials that are drawn together."""

Delays = NDArray[np.float64]
Kept = NDArray[np.float32]
"""Results of millions of trials, for which seven digits are enough."""


@dataclass(frozen=True, slots=True)
class Mixture:
    """A delay in ms: with some probability it is Pareto-distributed, otherwise exponential."""

    pareto_weight: float
    scale_ms: float
    shape: float
    rate_per_ms: float

    def draw(self, rng: Generator, trials: int, replicas: int) -> Delays:
        """Return delays in the shape (trials, replicas)."""
        size = (trials, replicas)
        # `1 - random` is never 0, so its negative power is always defined.
        pareto = self.scale_ms * (1 - rng.random(size)) ** (-1 / self.shape)
        return np.where(rng.random(size) < self.pareto_weight, pareto, rng.exponential(1 / self.rate_per_ms, size))


def exponential(mean_ms: float) -> Mixture:
    """Return an exponential delay, without a Pareto part."""
    return Mixture(0, 1, 1, 1 / mean_ms)


@dataclass(frozen=True, slots=True)
class Legs:
    """The one-way delays of writes, acknowledgements, reads and responses."""

    write: Mixture
    others: Mixture
    remote_ms: float = 0.0
    """Added to each delay to or from all replicas but one: writer and reader are each next to a random replica."""


@dataclass(frozen=True, slots=True)
class Trials:
    """The results of trials in ms, with a row for each trial, and a column for each size of quorum from 1 on."""

    writes: Kept
    """The latency of a write."""
    reads: Kept
    """The latency of a read."""
    missing: Kept
    """How much later the write than the read reaches the first answering replica, if both start together."""

    def fresh_after(self, reads: int, writes: int) -> Kept:
        """Return, for each trial, how long after the commit a read is fresh; negative if it is fresh from the start."""
        return self.missing[:, reads - 1] - self.writes[:, writes - 1]


def run_trials(legs: Legs, *, replicas: int, trials: int, rng: Generator) -> Trials:
    """Draw trials; their results can be used for every size of read and write quorums."""
    parts = [_batch(legs, replicas, min(BATCH, trials - start), rng) for start in range(0, trials, BATCH)]
    return Trials(*(np.concatenate([getattr(part, name) for part in parts]) for name in Trials.__slots__))


def staleness(replicas: int, reads: int, writes: int) -> float:
    """Return the probability that a read quorum and a write quorum, both drawn uniformly, do not overlap."""
    return comb(replicas - writes, reads) / comb(replicas, reads)


def _batch(legs: Legs, replicas: int, trials: int, rng: Generator) -> Trials:
    write, ack, read, response = (
        mixture.draw(rng, trials, replicas) for mixture in (legs.write, legs.others, legs.others, legs.others)
    )
    if legs.remote_ms:
        for going, coming in ((write, ack), (read, response)):
            remote = legs.remote_ms * (np.arange(replicas) != rng.integers(0, replicas, (trials, 1)))
            going += remote
            coming += remote
    return outcomes(write, ack, read, response)


def outcomes(write: Delays, ack: Delays, read: Delays, response: Delays) -> Trials:
    """Return the results of trials with these delays, in arrays with one row per trial and one column per replica."""
    latency = read + response
    order = np.argsort(latency, axis=1)
    missing = np.minimum.accumulate(np.take_along_axis(write - read, order, axis=1), axis=1)
    kept = np.sort(write + ack, axis=1), np.take_along_axis(latency, order, axis=1), missing
    return Trials(*(one.astype(np.float32) for one in kept))
