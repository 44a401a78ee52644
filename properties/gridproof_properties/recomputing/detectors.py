"""Models of the failure detectors in papers; the reference implementation has other detectors."""

from statistics import NormalDist

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


def periods_to_detection(members: int, alive: int, runs: int, rng: Generator) -> NDArray[np.float64]:
    """Return, for each run, the period in which a living member first pings a failed member.

    In each period every living member pings one other member, drawn uniformly.
    """
    found = np.zeros(runs)
    going = np.arange(runs)
    period = 0
    while going.size:
        period += 1
        pinged = (rng.integers(0, members - 1, (going.size, alive)) == 0).any(axis=1)
        found[going[pinged]] = period
        going = going[~pinged]
    return found


def late_heartbeats(threshold: float, window: int, runs: int, rng: Generator) -> int:
    """Return in how many runs the suspicion φ of a living member reaches the threshold before its heartbeat arrives.

    φ is -log10 of the probability that the heartbeat comes even later, by a normal distribution with the mean and the
    standard deviation of the last `window` intervals, as Hayashibara and others define it; here the intervals are
    normally distributed.
    """
    quantile = NormalDist().inv_cdf(1 - 10**-threshold)
    late = 0
    for start in range(0, runs, BATCH):
        intervals = rng.normal(100.0, 10.0, (min(BATCH, runs - start), window + 1))
        seen = intervals[:, :-1]
        suspected = seen.mean(axis=1) + quantile * seen.std(axis=1)
        late += int((intervals[:, -1] > suspected).sum())
    return late


BATCH = 2_000
"""The number of runs that are drawn together."""
