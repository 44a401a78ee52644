"""Models of epidemics that spread one update among many sites.

Cycles are synchronous: every contact in a cycle sees the state at the start of the cycle, and partners are drawn
uniformly from the other sites. All runs of a batch advance together, as arrays with a row for each run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

BATCH = 250
"""The number of runs that advance together: their arrays fit in a processor's cache."""


@dataclass(frozen=True, slots=True)
class Rumour:
    """How a rumour is spread, and when a site loses interest in it."""

    sites: int
    k: int
    """The limit of the counter; or, with a coin, interest is lost with probability 1/k."""
    pull: bool = False
    feedback: bool = True
    """Whether only contacts with sites that know the rumour already can end interest; if not (blind), all can."""
    counter: bool = True
    """Whether interest is lost after k contacts in a row that can end it; if not, a coin decides at each of these."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The results of the runs: arrays with a number for each run."""

    residue: NDArray[np.float64]
    """The share of sites that never learn of the rumour."""
    traffic: NDArray[np.float64]
    """The number of updates that were sent, divided by the number of sites."""
    average_delay: NDArray[np.float64]
    """The mean number of cycles until a site learns of the rumour, if it does; the first site knows it in cycle 0."""
    last_delay: NDArray[np.float64]
    """The cycle in which the last site that learns of the rumour does so."""


def spread_rumour(rule: Rumour, runs: int, rng: Generator) -> Spread:
    """Simulate runs until no site is interested in the rumour any more."""
    parts = list(_batches(rule, runs, rng))
    return Spread(*(np.concatenate([getattr(part, name) for part in parts]) for name in Spread.__slots__))


def cycles_to_all(sites: int, runs: int, rng: Generator) -> NDArray[np.float64]:
    """Return, for each run, the number of cycles until push anti-entropy has informed every site."""
    cycles = np.zeros(runs)
    for run in range(runs):
        knows = np.zeros(sites, np.bool_)
        knows[0] = True
        while not knows.all():
            senders = np.flatnonzero(knows)
            knows[_partners(senders, sites, rng)] = True
            cycles[run] += 1
    return cycles


def one_cycle(sites: int, susceptible: int, *, pull: bool, runs: int, rng: Generator) -> NDArray[np.float64]:
    """Return, for each run, the share of sites that are still uninformed after a cycle of anti-entropy."""
    left = np.zeros(runs)
    for run in range(runs):
        knows = np.arange(sites) >= susceptible
        if pull:
            askers = np.flatnonzero(~knows)
            knows[askers] = knows[_partners(askers, sites, rng)]
        else:
            knows[_partners(np.flatnonzero(knows), sites, rng)] = True
        left[run] = np.count_nonzero(~knows) / sites
    return left


def _batches(rule: Rumour, runs: int, rng: Generator) -> Iterator[Spread]:
    for start in range(0, runs, BATCH):
        batch = _Batch(rule, min(BATCH, runs - start), rng)
        while batch.active.size:
            batch.pull() if rule.pull else batch.push()
        yield batch.spread()


def _partners(sites: NDArray[np.int64], count: int, rng: Generator) -> NDArray[np.int64]:
    """Return a partner for each of these sites (numbers below `count`): another site, drawn uniformly."""
    others = rng.integers(0, count - 1, sites.size)
    return others + (others >= sites)


class _Batch:
    """A batch of runs; each site of each run has one number."""

    def __init__(self, rule: Rumour, runs: int, rng: Generator) -> None:
        self._rule = rule
        self._runs = runs
        self._rng = rng
        self._cycle = 0
        self._heard = np.full(runs * rule.sites, -1, np.int32)
        """For each site, the cycle in which it learned of the rumour; -1 if it has not."""
        self._misses = np.zeros(runs * rule.sites, np.int32)
        """For each site, how many of its contacts in a row have informed no new site."""
        self._sent = np.zeros(runs)
        self.active = np.arange(runs, dtype=np.int64) * rule.sites
        """The numbers of the interested sites."""
        self._heard[self.active] = 0

    def push(self) -> None:
        """Let each interested site inform another site."""
        self._cycle += 1
        contacted = self._partners_of(self.active)
        self._count(self.active)
        useful = self._heard[contacted] < 0
        fresh = np.unique(contacted[useful])
        self._heard[fresh] = self._cycle
        self._lose_interest(self.active, useful, fresh)

    def pull(self) -> None:
        """Let each site ask another site, and each interested site that is asked answer."""
        self._cycle += 1
        interested = np.zeros(self._heard.size, np.bool_)
        interested[self.active] = True
        asked = self._partners_of_all()
        askers = np.flatnonzero(interested[asked])
        asked = asked[askers]
        self._count(asked)
        useful = self._heard[askers] < 0
        fresh = askers[useful]
        helped = np.zeros(self._heard.size, np.bool_)
        helped[asked[useful]] = True
        was_asked = np.zeros(self._heard.size, np.bool_)
        was_asked[asked] = True
        self._heard[fresh] = self._cycle
        # If a site is asked several times in a cycle, that is one contact, useful if any answer was new to its asker.
        resting = self.active[~was_asked[self.active]]
        asked_once = self.active[was_asked[self.active]]
        self._lose_interest(asked_once, helped[asked_once], np.concatenate([fresh, resting]))

    def spread(self) -> Spread:
        """Return the results of all runs in the batch."""
        heard = self._heard.reshape(self._runs, self._rule.sites)
        knows = heard >= 0
        known = knows.sum(axis=1)
        return Spread(
            1 - known / self._rule.sites,
            self._sent / self._rule.sites,
            np.where(knows, heard, 0).sum(axis=1) / known,
            heard.max(axis=1).astype(np.float64),
        )

    def _partners_of(self, sites: NDArray[np.int64]) -> NDArray[np.int64]:
        numbers = sites % self._rule.sites
        return sites - numbers + _partners(numbers, self._rule.sites, self._rng)

    def _partners_of_all(self) -> NDArray[np.int32]:
        """Return a partner for each site, in the order of the sites: another site, drawn uniformly."""
        size = self._rule.sites
        numbers = np.arange(size, dtype=np.int32)
        others = self._rng.integers(0, size - 1, (self._runs, size), dtype=np.int32)
        others += others >= numbers
        others += (np.arange(self._runs, dtype=np.int32) * size)[:, np.newaxis]
        return others.ravel()

    def _count(self, senders: NDArray[np.int64] | NDArray[np.int32]) -> None:
        self._sent += np.bincount(senders // self._rule.sites, minlength=self._runs)

    def _lose_interest(self, met: NDArray[np.int64], useful: NDArray[np.bool_], staying: NDArray[np.int64]) -> None:
        """Decide which sites that had a contact stay interested; `staying` are the other sites interested in the next
        cycle."""
        counts = ~useful if self._rule.feedback else np.ones(met.size, np.bool_)
        if self._rule.counter:
            self._misses[met] = np.where(counts, self._misses[met] + 1, 0)
            lost = self._misses[met] >= self._rule.k
        else:
            lost = counts & (self._rng.random(met.size) < 1 / self._rule.k)
        self.active = np.concatenate([met[~lost], staying])
