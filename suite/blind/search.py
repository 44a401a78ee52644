"""Mutants drawn, and each searched for.

What runs reach is measured once, so that a mutant in a place that none comes to costs nothing, and the others meet the
runs first that come to theirs.
"""

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache

from suite.blind.attack import Attack, Fate, attack
from suite.blind.mutations import EQUIVALENT, BlindMutant, blind_mutants, nodes_that_run
from suite.reach.loading import find_modules
from suite.reach.measure import Reach
from suite.reach.survey import PROTOCOL, Survey


@cache
def every_mutant(package: str = PROTOCOL) -> Sequence[BlindMutant]:
    """Return every mutant of a package's modules."""
    files = find_modules(package).items()
    return tuple(one for module, file in files for one in blind_mutants(module, file.read_text(encoding="utf-8")))


def draw(mutants: Sequence[BlindMutant], number: int, seed: int) -> Sequence[BlindMutant]:
    """Return so many mutants, all where there are no more."""
    return random.Random(seed).sample(mutants, min(number, len(mutants)))


@dataclass(frozen=True, slots=True)
class BlindSearch:
    """Where each place of the code is reached, and how long to search."""

    survey: Survey
    reach: Reach
    budget_s: float
    faults: tuple[str, ...] | None = None
    """Kinds of faults that the measured runs draw from, which are all that are judged then, varied where there are
    none; without them others are judged behind those that were measured."""
    recorded: Mapping[int, str] = field(default_factory=dict)
    """What the reference records in the measured runs, where a search is to pass over runs with the same records."""
    counted: int | None = None
    """So many of the measured runs say which places are reached at all: all of them, where it is None."""

    def attacks(self, mutants: Sequence[BlindMutant], workers: int = 1) -> Iterator[Attack]:
        """Yield how each ended, in their order."""
        with ThreadPoolExecutor(workers) as pool:  # each thread waits for a process
            yield from pool.map(self.attack, mutants)

    def attack(self, mutant: BlindMutant) -> Attack:
        """Search for one mutant, if there is any point in it."""
        if mutant.key in EQUIVALENT:
            return Attack(mutant, Fate.EQUIVALENT)
        seeds = self.seeds_reaching(mutant)
        if not {run.seed for run in self.reach.runs[: self.counted]} & set(seeds):
            return Attack(mutant, Fate.NOT_REACHED)
        recorded = [self.recorded[seed] for seed in seeds] if self.recorded else []
        more_from = None if self.faults is not None else 1 + max(run.seed for run in self.reach.runs)
        return attack(mutant, seeds, more_from, self.budget_s, faults=self.faults or (), recorded=recorded)

    def seeds_reaching(self, mutant: BlindMutant) -> Sequence[int]:
        """Return the measured runs that execute the changed place; all where it is executed on loading."""
        tree = ast.parse(mutant.text)
        node = nodes_that_run(tree)[mutant.place][0]
        place = next(place for place, other in enumerate(ast.walk(tree)) if other is node)
        number = self.survey.numbers[mutant.module].get(place)
        return [run.seed for run in self.reach.runs if number is None or run.bits >> number & 1]
