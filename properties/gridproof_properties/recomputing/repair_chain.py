"""Copies that fail and are repaired, modelled as a Markov chain.

The state of the chain is the number of copies that are up; the chain is solved in exact fractions. Copies fail
independently of each other; one repair runs at a time, as long as some copy is down and data is left.
"""

from fractions import Fraction

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


def mean_time_to_loss(copies: int, needed: int, failure_rate: Fraction, repair_rate: Fraction) -> Fraction:
    """Return the mean time until fewer than `needed` of the copies are up, if all are up at the start.

    The time is the sum of first passages: the passage from n to n - 1 copies takes 1 / (n f) and, for each repair on
    the way, a passage from n + 1.
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
    """Simulate the chain until no copy is up; return the time for each run."""
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


def times_to_loss_by_fixed_repairs(
    copies: int, failure_rate: float, repair_time: float, runs: int, rng: Generator
) -> NDArray[np.float64]:
    """Simulate copies that each come back a fixed time after they fail, until none is up; return each run's time."""
    time, lost = np.zeros(runs), np.zeros(runs)
    back = np.full((runs, copies), -np.inf)
    """For each copy, the time at which it will be up again; a time in the past if it is up."""
    going = np.arange(runs)
    while going.size:
        now = time[going]
        down = back[going] > now[:, None]
        fails = now + rng.exponential(1 / failure_rate, going.size) / (copies - down.sum(axis=1))
        repaired = np.where(down, back[going], np.inf).min(axis=1)
        is_failure = fails < repaired
        time[going] = np.where(is_failure, fails, repaired)
        # Choose at random one of the copies that are up.
        chosen = np.where(down, -1.0, rng.random(down.shape)).argmax(axis=1)
        back[going[is_failure], chosen[is_failure]] = fails[is_failure] + repair_time
        gone = is_failure & (down.sum(axis=1) == copies - 1)
        lost[going[gone]] = fails[gone]
        going = going[~gone]
    return lost
