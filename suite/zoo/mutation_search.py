"""Searches for a mutant in drawn runs.

A broken property counts only if the reference does not break it in the same run (docs/defects.md, Rules of an honest
score, 4). Times are processor times of this process, in seconds, so that they do not depend on how busy the machine is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import median_high
from time import process_time

from gridproof_implementation.simulator.scenario import Scenario
from gridproof_properties.campaign.minimise import minimise
from gridproof_properties.judging.verdict import Verdict
from suite.zoo.mutant import Find, MemberMutant, Mutant, Search, try_scenario

TRIES_TO_SHRINK = 60

Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True, slots=True)
class Kill:
    """How a mutant was found and what found it."""

    broken: tuple[Verdict, ...]
    runs: int
    seconds: float
    seed: int
    """The seed of the run in which the mutant was found."""
    smallest: Scenario | None
    """The run after it was made small; None if it has no parts that could be left out."""

    @property
    def killed_by(self) -> str:
        """The first property that noticed the mutant."""
        return self.broken[0].property

    @property
    def size(self) -> int:
        """The number of operations, faults and members in the smallest run found; 1 for a single key."""
        if self.smallest is None:
            return 1
        scripts = self.smallest.scripts
        return self.smallest.members + sum(
            len(script.client_operations) + len(script.fault_events) for script in scripts
        )


@dataclass(frozen=True, slots=True)
class MutationSearch:
    """A finished search for a single mutant."""

    member_mutant: MemberMutant
    runs: int
    seconds: float
    kill: Kill | None
    """How the mutant was found; None if it survived."""
    others: tuple["MutationSearch", ...] = ()
    """The searches for the same mutant that began with other first seeds."""
    met: frozenset[str] | None = None
    """The properties that some run with the mutant kept or broke; None if each try judges only one property."""

    @property
    def searches(self) -> tuple["MutationSearch", ...]:
        """This search, and those from other first seeds."""
        return (self, *self.others)

    @property
    def found(self) -> tuple[int, int]:
        """Return from how many first seeds the mutant was found, and how many first seeds there were."""
        return sum(one.kill is not None for one in self.searches), len(self.searches)

    @property
    def unmet(self) -> tuple[str, ...]:
        """The properties that should notice the mutant, if it was not found because no run met any of them."""
        searches = self.searches
        if any(one.kill is not None or one.met is None for one in searches):
            return ()
        met = frozenset[str]().union(*(one.met for one in searches if one.met is not None))
        return self.member_mutant.breaks if met.isdisjoint(self.member_mutant.breaks) else ()

    def median(self, measure: Callable[["MutationSearch"], float]) -> float:
        """Return the median over all first seeds; a search that found nothing counts as longer than any other search
        (docs/defects.md, Rules of an honest score)."""
        return median_high(measure(one) if one.kill is not None else inf for one in self.searches)

    def in_vain(self, measure: Callable[["MutationSearch"], float]) -> float:
        """Return the least value of a measure in the searches that found nothing; 0 if all of them found the mutant."""
        return min((measure(one) for one in self.searches if one.kill is None), default=0)


def search_for(
    member_mutant: MemberMutant,
    budget_s: float,
    first_seed: int = 0,
    progress: Progress | None = None,
    tries: int = TRIES_TO_SHRINK,
) -> MutationSearch:
    """Search until the mutant is found or `budget_s` seconds are spent; then make the run that was found small."""
    began, runs, met = process_time(), 0, frozenset[str]()
    judges_one = False
    while process_time() - began < budget_s:
        seed, runs = first_seed + runs, runs + 1
        if progress is not None:
            progress(f"searching for {member_mutant.name}", runs, None)
        with member_mutant.plant():
            find = member_mutant.search(seed)
        judges_one, met = judges_one or find.met is None, met | (find.met or frozenset())
        broken = new_in(find, member_mutant.search, seed)
        if broken:
            seconds = process_time() - began
            name = broken[0].property
            smallest = None if find.scenario is None else _shrink(member_mutant, find.scenario, name, tries, progress)
            return MutationSearch(member_mutant, runs, seconds, Kill(broken, runs, seconds, seed, smallest))
    return MutationSearch(member_mutant, runs, process_time() - began, None, met=None if judges_one else met)


def search_from(
    member_mutant: MemberMutant,
    budget_s: float,
    first_seeds: Sequence[int],
    progress: Progress | None = None,
    tries: int = TRIES_TO_SHRINK,
) -> MutationSearch:
    """Search from each of several first seeds; only the run that is found first is made small."""
    searches: list[MutationSearch] = []
    for seed in first_seeds:
        is_found = any(one.kill is not None for one in searches)
        searches.append(search_for(member_mutant, budget_s, seed, progress, 0 if is_found else tries))
    shown = next((one for one in searches if one.kill is not None), searches[0])
    return replace(shown, others=tuple(one for one in searches if one is not shown))


def new_in(find: Find, search: Search, seed: int) -> tuple[Verdict, ...]:
    """Return the broken verdicts on properties that the reference does not break in the same run."""
    if not find.broken:
        return ()
    known = {verdict.property for verdict in search(seed).broken}
    return tuple(verdict for verdict in find.broken if verdict.property not in known)


def _shrink(mutant: Mutant, scenario: Scenario, name: str, tries: int, progress: Progress | None) -> Scenario:
    """Return a smaller run in which the mutant breaks the same property, and the reference does not."""

    def fails(candidate: Scenario) -> bool:
        with mutant.plant():
            if all(verdict.property != name for verdict in try_scenario(candidate).broken):
                return False
        return all(verdict.property != name for verdict in try_scenario(candidate).broken)

    return minimise(scenario, fails, tries, progress)
