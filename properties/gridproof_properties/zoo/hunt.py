"""The search for a mutant, in drawn runs.

What is broken counts only where the reference, tried in the same way, breaks nothing of the kind (bug-zoo 10, rule 4).
Seconds are those of this process's own work, so that a busy machine changes no figure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median_high
from time import process_time

from gridproof_implementation.simulator.scenario import Scenario
from gridproof_properties.campaign.minimise import minimise
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.zoo.mutant import Mutant
from gridproof_properties.zoo.specimen import Find, Search, Specimen
from gridproof_properties.zoo.trial import broken_in

TRIES_TO_SHRINK = 60

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Catch:
    """How a mutant was found."""

    broken: tuple[Verdict, ...]
    runs: int
    seconds: float
    seed: int
    """Of the run that found it."""
    smallest: Scenario | None
    """The run made small; None where there is nothing to be left out."""

    @property
    def killed_by(self) -> str:
        """The first property that noticed."""
        return self.broken[0].property

    @property
    def size(self) -> int:
        """Errands, faults and members of the smallest run found; 1 for a single key."""
        if self.smallest is None:
            return 1
        scripts = self.smallest.scripts
        return self.smallest.members + sum(len(script.errands) + len(script.strikes) for script in scripts)


@dataclass(frozen=True, slots=True)
class Hunt:
    """One search, ended."""

    specimen: Specimen
    runs: int
    seconds: float
    catch: Catch | None
    """None where the mutant survived."""
    others: tuple["Hunt", ...] = ()
    """The same from other first seeds."""
    met: frozenset[str] | None = None
    """Properties of which some run with the mutant said something; None where each try judges one alone."""

    @property
    def searches(self) -> tuple["Hunt", ...]:
        """This one and the same from other first seeds."""
        return (self, *self.others)

    @property
    def found(self) -> tuple[int, int]:
        """From how many first seeds the mutant was found, and of how many."""
        return sum(one.catch is not None for one in self.searches), len(self.searches)

    @property
    def unmet(self) -> tuple[str, ...]:
        """What should notice the mutant, where nothing was found because no run said anything of any of it."""
        hunts = self.searches
        if any(one.catch is not None or one.met is None for one in hunts):
            return ()
        met = frozenset[str]().union(*(one.met for one in hunts if one.met is not None))
        return self.specimen.breaks if met.isdisjoint(self.specimen.breaks) else ()

    def median(self, measure: Callable[["Hunt"], float]) -> float:
        """Return the median over all first seeds; a search that found nothing took longer than any (bug-zoo 10)."""
        return median_high(measure(one) if one.catch is not None else inf for one in self.searches)

    def in_vain(self, measure: Callable[["Hunt"], float]) -> float:
        """Return the least that a search took which found nothing; 0 where each found it."""
        return min((measure(one) for one in self.searches if one.catch is None), default=0)


def hunt(
    specimen: Specimen,
    budget_s: float,
    first_seed: int = 0,
    progress: Progress | None = None,
    tries: int = TRIES_TO_SHRINK,
) -> Hunt:
    """Search until the mutant is found or so many seconds of work are spent, then make small what was found."""
    began, runs, met = process_time(), 0, frozenset[str]()
    judges_one = False
    while process_time() - began < budget_s:
        seed, runs = first_seed + runs, runs + 1
        if progress is not None:
            progress(f"hunting {specimen.name}", runs, None)
        with specimen.plant():
            find = specimen.search(seed)
        judges_one, met = judges_one or find.met is None, met | (find.met or frozenset())
        broken = _new(find, specimen.search, seed) if find.broken else ()
        if broken:
            seconds = process_time() - began
            name = broken[0].property
            smallest = None if find.scenario is None else _shrink(specimen, find.scenario, name, tries, progress)
            return Hunt(specimen, runs, seconds, Catch(broken, runs, seconds, seed, smallest))
    return Hunt(specimen, runs, process_time() - began, None, met=None if judges_one else met)


def hunt_from(
    specimen: Specimen,
    budget_s: float,
    first_seeds: Sequence[int],
    progress: Progress | None = None,
    tries: int = TRIES_TO_SHRINK,
) -> Hunt:
    """Search from each of some first seeds; only what is found first is made small."""
    hunts: list[Hunt] = []
    for seed in first_seeds:
        is_found = any(one.catch is not None for one in hunts)
        hunts.append(hunt(specimen, budget_s, seed, progress, 0 if is_found else tries))
    shown = next((one for one in hunts if one.catch is not None), hunts[0])
    return replace(shown, others=tuple(one for one in hunts if one is not shown))


def _new(find: Find, search: Search, seed: int) -> tuple[Verdict, ...]:
    """Return what the reference does not break in the same run."""
    known = {verdict.property for verdict in search(seed).broken}
    return tuple(verdict for verdict in find.broken if verdict.property not in known)


def _shrink(mutant: Mutant, scenario: Scenario, name: str, tries: int, progress: Progress | None) -> Scenario:
    """Return a smaller run in which the mutant breaks the same property; the reference must not."""

    def fails(candidate: Scenario) -> bool:
        with mutant.plant():
            if all(verdict.property != name for verdict in broken_in(candidate)):
                return False
        return all(verdict.property != name for verdict in broken_in(candidate))

    return minimise(scenario, fails, tries, progress)
