"""Partial quorums with drawn one-way delays.

A write goes to every replica and is committed at the W-th acknowledgement; a read goes to every replica and ends at the
R-th response. A response is fresh if the write had reached that replica before the read did.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

BATCH = 250_000
"""Trials drawn together."""

Delays = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mixture:
    """A delay in ms: Pareto with some weight, else exponential."""

    pareto_weight: float
    scale_ms: float
    shape: float
    rate_per_ms: float

    def draw(self, rng: Generator, trials: int, replicas: int) -> Delays:
        """Return delays, shape (trials, replicas)."""
        size = (trials, replicas)
        # 1 - random is never 0, which has no power below 0.
        pareto = self.scale_ms * (1 - rng.random(size)) ** (-1 / self.shape)
        return np.where(rng.random(size) < self.pareto_weight, pareto, rng.exponential(1 / self.rate_per_ms, size))


@dataclass(frozen=True, slots=True)
class Legs:
    """The delays of a write on its way, and of acknowledgements, reads and responses."""

    write: Mixture
    others: Mixture
    remote_ms: float = 0.0
    """Added one way to every replica but one; the writer and the reader are each beside a random one."""


@dataclass(frozen=True, slots=True)
class Trials:
    """What became of each trial, in ms, one number a trial."""

    write_latency: Delays
    read_latency: Delays
    fresh_after: Delays
    """From so long after the commit a read is fresh; negative where any read is."""


def run_trials(legs: Legs, *, replicas: int, reads: int, writes: int, trials: int, rng: Generator) -> Trials:
    """Draw trials with a read quorum and a write quorum of these sizes."""
    parts = [
        _batch(legs, replicas, reads, writes, min(BATCH, trials - start), rng) for start in range(0, trials, BATCH)
    ]
    return Trials(*(np.concatenate([getattr(part, name) for part in parts]) for name in Trials.__slots__))


def staleness(replicas: int, reads: int, writes: int) -> float:
    """Return the chance that a read quorum misses a write quorum, both drawn uniformly."""
    return comb(replicas - writes, reads) / comb(replicas, reads)


def _batch(legs: Legs, replicas: int, reads: int, writes: int, trials: int, rng: Generator) -> Trials:
    write, ack, read, response = (
        mixture.draw(rng, trials, replicas) for mixture in (legs.write, legs.others, legs.others, legs.others)
    )
    if legs.remote_ms:
        for going, coming in ((write, ack), (read, response)):
            remote = legs.remote_ms * (np.arange(replicas) != rng.integers(0, replicas, (trials, 1)))
            going += remote
            coming += remote
    commit = np.sort(write + ack, axis=1)[:, writes - 1]
    latency = read + response
    first = np.argsort(latency, axis=1)[:, :reads]
    missing = np.take_along_axis(write - read, first, axis=1).min(axis=1)
    read_latency = np.take_along_axis(latency, first[:, -1:], axis=1)[:, 0]
    return Trials(commit, read_latency, missing - commit)
