"""What a story is: a finding about the documents, played on running members.

A finding says what the documents promise too much, by the rules that they give. Its story brings running members into
that situation, by holding and dropping messages where it must, and looks whether they do what the rules say. A story
that does not happen is refuted for that version, unless chance has a part in it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.stage import Stage


class Ending(Enum):
    """How one time that a story was played ended."""

    HAPPENED = "happened"
    REFUTED = "did not happen"
    NOT_PLAYED = "not played"
    """The members did not come into the situation that the story is about; says nothing of the finding."""


@dataclass(frozen=True, slots=True)
class PlayedOnce:
    """What one time came to."""

    ending: Ending
    sentence: str
    """What was seen, with its numbers."""
    steps: tuple[str, ...] = ()
    """What was done and seen, in order."""
    took_ms: int = 0


@dataclass(frozen=True, slots=True)
class Story:
    """One finding, played."""

    name: str
    finding: str
    """The heading of `docs/findings.md` that it is about."""
    claim: str
    """What the documents say, in one sentence."""
    seen: str
    """What is to be seen where the finding is right, in one sentence."""
    setting: Setting
    play: Callable[[Stage], PlayedOnce]
    """Plays it once; NotPlayedError where the situation does not come about."""
    held: str = ""
    """What is held, dropped or put into another order, and whether a network can do that; empty for load and faults."""
    by_chance: bool = False
    """Whether members that come into the situation may do either: it has a count, and none of it refutes it."""
    out_of_order: bool = False
    """Whether it needs an order of messages that a member behind a real connection does not take them in."""


def story(
    *, finding: str, claim: str, seen: str, setting: Setting, held: str = "", by_chance: bool = False,
    out_of_order: bool = False,
) -> Callable[[Callable[[Stage], PlayedOnce]], Story]:  # fmt: skip
    """Return what makes a story of how it is played: the name of that is the story's."""

    def named(play: Callable[[Stage], PlayedOnce]) -> Story:
        name = play.__name__.replace("_", "-")
        return Story(name, finding, claim, seen, setting, play, held, by_chance, out_of_order)

    return named


def happened(sentence: str) -> PlayedOnce:
    """Return that it was seen."""
    return PlayedOnce(Ending.HAPPENED, sentence)


def refuted(sentence: str) -> PlayedOnce:
    """Return that the members did otherwise."""
    return PlayedOnce(Ending.REFUTED, sentence)


def happened_if(is_so: bool, sentence: str) -> PlayedOnce:
    """Return whether it was seen."""
    return happened(sentence) if is_so else refuted(sentence)


@dataclass(frozen=True, slots=True)
class Played:
    """One story on one version, so many times."""

    story: str
    version: str
    times: Sequence[PlayedOnce]

    def count(self, ending: Ending) -> int:
        """Return how many times ended so."""
        return sum(one.ending is ending for one in self.times)
