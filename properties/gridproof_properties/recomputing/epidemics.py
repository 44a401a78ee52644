"""Models of epidemics that spread one update among many sites.

Cycles are synchronous: every contact of a cycle sees the state at its start, and partners are uniform among the other
sites. All runs of a batch step together, as arrays with one line per run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

BATCH = 250
"""The number of runs that step together: their arrays fit into a processor's cache."""


@dataclass(frozen=True, slots=True)
class Rumour:
    """A way to spread a rumour, and when a site loses interest."""

    sites: int
    k: int
    """The limit of a counter; for a coin, interest is lost with chance 1/k."""
    pull: bool = False
    feedback: bool = True
    """Whether only contacts that inform no new site count; otherwise (blind) every contact counts."""
    counter: bool = True
    """Whether interest is lost after k such contacts in a row; otherwise by a coin at each of them."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The results of the runs, one number per run."""

    residue: NDArray[np.float64]
    """The share of sites that never learn the rumour."""
    traffic: NDArray[np.float64]
    """The number of updates sent, per site."""
    average_delay: NDArray[np.float64]
    """The cycles until a site learns the rumour, on average over those that do; the first site knows it in cycle 0."""
    last_delay: NDArray[np.float64]
    """The cycles until the last site that learns the rumour does."""


def spread_rumour(rule: Rumour, runs: int, rng: Generator) -> Spread:
    """Simulate runs until no site is interested any more."""
    parts = list(_batches(rule, runs, rng))
    return Spread(*(np.concatenate([getattr(part, name) for part in parts]) for name in Spread.__slots__))


def cycles_to_all(sites: int, runs: int, rng: Generator) -> NDArray[np.float64]:
    """Return the number of cycles until push anti-entropy has informed every site, one number per run."""
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
    """Return the share of sites still susceptible after one cycle of anti-entropy, one number per run."""
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
    """Return another site for each of these (numbers below `count`)."""
    others = rng.integers(0, count - 1, sites.size)
    return others + (others >= sites)


class _Batch:
    """A batch of runs; the run and the number of a site make one number."""

    def __init__(self, rule: Rumour, runs: int, rng: Generator) -> None:
        self._rule = rule
        self._runs = runs
        self._rng = rng
        self._cycle = 0
        self._heard = np.full(runs * rule.sites, -1, np.int32)
        """The cycle in which each site learned the rumour; -1 before."""
        self._misses = np.zeros(runs * rule.sites, np.int32)
        """By site, the contacts in a row that informed no new site."""
        self._sent = np.zeros(runs)
        self.active = np.arange(runs, dtype=np.int64) * rule.sites
        """The interested sites."""
        self._heard[self.active] = 0

    def push(self) -> None:
        """Let each interested site inform one other."""
        self._cycle += 1
        contacted = self._partners_of(self.active)
        self._count(self.active)
        useful = self._heard[contacted] < 0
        fresh = np.unique(contacted[useful])
        self._heard[fresh] = self._cycle
        self._lose_interest(self.active, useful, fresh)

    def pull(self) -> None:
        """Let each site ask one other, and each interested site that is asked answer."""
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
        # A site that is asked several times in a cycle counts one contact, useful if any answer was new to its asker.
        resting = self.active[~was_asked[self.active]]
        asked_once = self.active[was_asked[self.active]]
        self._lose_interest(asked_once, helped[asked_once], np.concatenate([fresh, resting]))

    def spread(self) -> Spread:
        """Return the results of the runs."""
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
        """Return another site for each site, in their order."""
        size = self._rule.sites
        numbers = np.arange(size, dtype=np.int32)
        others = self._rng.integers(0, size - 1, (self._runs, size), dtype=np.int32)
        others += others >= numbers
        others += (np.arange(self._runs, dtype=np.int32) * size)[:, np.newaxis]
        return others.ravel()

    def _count(self, senders: NDArray[np.int64] | NDArray[np.int32]) -> None:
        self._sent += np.bincount(senders // self._rule.sites, minlength=self._runs)

    def _lose_interest(self, met: NDArray[np.int64], useful: NDArray[np.bool_], staying: NDArray[np.int64]) -> None:
        """Find which sites with a contact stay interested; `staying` are the other interested sites of the next
        cycle."""
        counts = ~useful if self._rule.feedback else np.ones(met.size, np.bool_)
        if self._rule.counter:
            self._misses[met] = np.where(counts, self._misses[met] + 1, 0)
            lost = self._misses[met] >= self._rule.k
        else:
            lost = counts & (self._rng.random(met.size) < 1 / self._rule.k)
        self.active = np.concatenate([met[~lost], staying])
