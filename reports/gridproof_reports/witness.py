"""A witness as a story: steps, and who they name.

A witness is a tuple of sentences. Where they name members ("member 2", "members 0 and 3"), the story gets a lane for
each, and every step marks the lanes it speaks of.
"""

import re
from dataclasses import dataclass

from gridproof_properties.judging.verdict import PromiseLevel, Verdict

LANES_MAX = 8
_NAMED = re.compile(r"\bmembers? \[?(\d+(?:(?:, and |, | and | or |/)\d+)*)", re.IGNORECASE)

_CRASHED = re.compile(r"\b(crashed|is killed|was killed)\b")


@dataclass(frozen=True, slots=True)
class WitnessStep:
    """One sentence, and the members it names."""

    words: str
    members: tuple[int, ...]

    @property
    def is_crash(self) -> bool:
        """Whether the step says that its one member crashed."""
        return len(self.members) == 1 and _CRASHED.search(self.words) is not None


@dataclass(frozen=True, slots=True)
class WitnessStory:
    """The smallest story that shows a property broken."""

    property: str
    promise: PromiseLevel
    sentence: str
    lanes: tuple[int, ...]
    """Members the steps name, ascending; empty when none or too many are."""
    steps: tuple[WitnessStep, ...]


def explain(verdict: Verdict) -> WitnessStory:
    """Return the story of a verdict's witness."""
    steps = tuple(WitnessStep(words, members_named(words)) for words in verdict.witness)
    named = sorted({member for step in steps for member in step.members})
    lanes = tuple(named) if len(named) <= LANES_MAX else ()
    return WitnessStory(verdict.property, verdict.promise, verdict.sentence, lanes, steps)


def members_named(words: str) -> tuple[int, ...]:
    """Return the member numbers a sentence names, ascending."""
    numbers = {int(number) for found in _NAMED.findall(words) for number in re.findall(r"\d+", found)}
    return tuple(sorted(numbers))
