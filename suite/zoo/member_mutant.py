"""A mutant of the members, with proof and search.

A mutant is proved to be a bug by its witness: a fixed story that the reference survives and the mutant does not
(docs/defects.md, Rules of an honest score, 1). Whether it is found without the witness is another question, and
`search_for` answers it (rule 2).
"""

from dataclasses import dataclass

from suite.zoo.mutant import Mutant
from suite.zoo.scenario_search import Search, Witness, search_campaign


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberMutant(Mutant):
    """One rule of the members replaced; `breaks` names what the witness breaks."""

    number: str
    """As docs/zoo.md has it."""
    defect_class: str
    """Class of defect, in docs/defects.md, Classes."""
    search: Search = search_campaign
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
