"""A mutant of the members, with proof and search.

A mutant is proved to be a bug by its witness: a fixed story that the reference survives and the mutant does not
(docs/defects.md, Rules of an honest score, 1). Whether it is found without the witness is another question, and
`search_for` answers it (rule 2).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gridproof_implementation.simulator.scenario import Scenario
from gridproof_properties.judging.verdict import Verdict
from suite.zoo.mutant import Mutant

Witness = Callable[[], Sequence[Verdict]]
"""Plays a fixed story and returns what is broken in it."""


@dataclass(frozen=True, slots=True)
class Find:
    """What one try of a search came to."""

    broken: tuple[Verdict, ...]
    """What was owed and is broken."""
    scenario: Scenario | None = None
    """What was played, where that can be made smaller."""
    met: frozenset[str] | None = None
    """Properties of which the try says something, holds or broken; None where it judges one property and no other."""


Search = Callable[[int], Find]
"""Tries what a seed draws; knows no mutant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberMutant(Mutant):
    """One rule of the members replaced; `breaks` names what the witness breaks."""

    number: str
    """As docs/zoo.md has it."""
    defect_class: str
    """Class of defect, in docs/defects.md, Classes."""
    search: Search
    witness: Witness | None = None
    """None where no story is known in which it does harm: it may be no bug at all, and counts in no score."""
    guard: str = ""
    """What else, as far as is known, keeps it from doing harm in a whole grid; empty where nothing does."""
    quick: bool = False
    """Whether it is found within a second or two, so that a quick look at the zoo shows it."""

    @property
    def is_proved(self) -> bool:
        """Whether it has a witness."""
        return self.witness is not None
