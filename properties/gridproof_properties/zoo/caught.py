"""Which planted bugs each property has caught.

Made of what mutants, specimens and doctorings say that they break; `tests/mutants` holds that each of them does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from gridproof_properties.zoo import DOCTORINGS, ZOO, doctored_simulations, doctored_steps
from gridproof_properties.zoo.members import SPECIMENS


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
def bugs_caught() -> Mapping[str, tuple[PlantedBug, ...]]:
    """Return, by property, the planted bugs that break it; a property that caught none is not there."""
    found: dict[str, list[PlantedBug]] = {}
    for mutant in (*SPECIMENS, *ZOO):
        bug = PlantedBug(mutant.name, mutant.rule, mutant.source, getattr(mutant, "number", ""))
        for name in mutant.breaks:
            found.setdefault(name, []).append(bug)
    for doctoring in (*DOCTORINGS, *doctored_simulations.DOCTORINGS, *doctored_steps.DOCTORINGS):
        bug = PlantedBug(doctoring.name, doctoring.change, doctoring.source)
        for name in doctoring.breaks:
            found.setdefault(name, []).append(bug)
    return {name: tuple(bugs) for name, bugs in found.items()}
