"""Copies that fail and are repaired, as a Markov chain.

A Markov chain on the number of copies that are up, solved in exact fractions. Copies fail independently; one repair
runs at a time, as long as any copy is down and data is left.
"""

from fractions import Fraction

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


def mean_time_to_loss(copies: int, needed: int, failure_rate: Fraction, repair_rate: Fraction) -> Fraction:
    """Return the mean time until fewer than `needed` of the copies are up, from all being up.

    By first passages: from n up to n - 1 up takes 1 / (n f), and for each repair on the way the passage from n + 1.
    """
    total = passage = Fraction(0)
    for up in range(copies, needed - 1, -1):
        repair = repair_rate if up < copies else Fraction(0)
        passage = (1 + repair * passage) / (up * failure_rate)
        total += passage
    return total


def times_to_loss(
    copies: int, failure_rate: float, repair_rate: float, runs: int, rng: Generator
) -> NDArray[np.float64]:
    """Simulate the chain until no copy is up; return the times, one number a run."""
    up = np.full(runs, copies)
    time = np.zeros(runs)
    going = np.arange(runs)
    while going.size:
        failing = up[going] * failure_rate
        repairing = np.where(up[going] < copies, repair_rate, 0.0)
        time[going] += rng.exponential(size=going.size) / (failing + repairing)
        fails = rng.random(going.size) * (failing + repairing) < failing
        up[going] += np.where(fails, -1, 1)
        going = going[up[going] > 0]
    return time
