"""Draws mutants, and searches for each of them in runs.

Which places the runs reach is measured once: so a mutant in a place that no run reaches takes no time, and for every
other mutant the runs that reach its place are tried first.
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
    """Return every mutant of the modules in a package."""
    files = find_modules(package).items()
    return tuple(one for module, file in files for one in blind_mutants(module, file.read_text(encoding="utf-8")))


def draw(mutants: Sequence[BlindMutant], number: int, seed: int) -> Sequence[BlindMutant]:
    """Return a number of mutants drawn at random; all of them if there are no more than that."""
    return random.Random(seed).sample(mutants, min(number, len(mutants)))


@dataclass(frozen=True, slots=True)
class BlindSearch:
    """Which runs reach each place of the code, and how long to search for a mutant."""

    survey: Survey
    reach: Reach
    budget_s: float
    faults: tuple[str, ...] | None = None
    """The kinds of faults in the measured runs (empty for varied runs); if they are given, only these runs are judged;
    if they are None, further runs are judged after the measured ones."""
    recorded: Mapping[int, str] = field(default_factory=dict)
    """The digests of the reference's records in the measured runs; a search passes over runs with the same records."""
    counted: int | None = None
    """How many of the measured runs decide which places are reached; None if all of them do."""

    def attacks(self, mutants: Sequence[BlindMutant], workers: int = 1) -> Iterator[Attack]:
        """Yield the result for each mutant, in order."""
        with ThreadPoolExecutor(workers) as pool:  # each thread only waits for a process
            yield from pool.map(self.attack, mutants)

    def attack(self, mutant: BlindMutant) -> Attack:
        """Search for one mutant, unless the mutant is equivalent or no run reaches it."""
        if mutant.key in EQUIVALENT:
            return Attack(mutant, Fate.EQUIVALENT)
        seeds = self.seeds_reaching(mutant)
        if not {run.seed for run in self.reach.runs[: self.counted]} & set(seeds):
            return Attack(mutant, Fate.NOT_REACHED)
        recorded = [self.recorded[seed] for seed in seeds] if self.recorded else []
        more_from = None if self.faults is not None else 1 + max(run.seed for run in self.reach.runs)
        return attack(mutant, seeds, more_from, self.budget_s, faults=self.faults or (), recorded=recorded)

    def seeds_reaching(self, mutant: BlindMutant) -> Sequence[int]:
        """Return the measured runs that execute the changed place; all if it is executed when the module is loaded."""
        tree = ast.parse(mutant.text)
        node = nodes_that_run(tree)[mutant.place][0]
        place = next(place for place, other in enumerate(ast.walk(tree)) if other is node)
        number = self.survey.numbers[mutant.module].get(place)
        return [run.seed for run in self.reach.runs if number is None or run.bits >> number & 1]
