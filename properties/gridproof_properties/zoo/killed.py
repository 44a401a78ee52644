"""Which mutants each property has killed.

Made of what mutants and mutations say that they break; `tests/mutants` holds that each of them does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gridproof_properties.zoo import TRACE_MUTATIONS, ZOO, mutated_polls, mutated_simulations, mutated_steps
from gridproof_properties.zoo.members import MEMBER_MUTANTS


@dataclass(frozen=True, slots=True)
class PlantedBug:
    """A bug that somebody planted, and the suite found."""

    name: str
    what: str
    """The rule that it follows instead, or what it changes in the records."""
    source: str
    """The real defect it stands for, or the rule it breaks."""
    number: str = ""
    """Of a mutant of the members, as `gridproof zoo` takes it."""


@cache
def bugs_killed() -> Mapping[str, tuple[PlantedBug, ...]]:
    """Return, by property, the planted bugs that break it; a property that killed none is not there."""
    found: dict[str, list[PlantedBug]] = {}
    for mutant in (*MEMBER_MUTANTS, *ZOO):
        bug = PlantedBug(mutant.name, mutant.rule, mutant.source, getattr(mutant, "number", ""))
        for name in mutant.breaks:
            found.setdefault(name, []).append(bug)
    of_other_runs = (mutated_simulations, mutated_steps, mutated_polls)
    for trace_mutation in (*TRACE_MUTATIONS, *(one for module in of_other_runs for one in module.TRACE_MUTATIONS)):
        bug = PlantedBug(trace_mutation.name, trace_mutation.change, trace_mutation.source)
        for name in trace_mutation.breaks:
            found.setdefault(name, []).append(bug)
    return {name: tuple(bugs) for name, bugs in found.items()}
