"""What a story is: a finding about the documents, played on running members.

A finding says where the documents promise too much, judged by the rules that they state themselves. The story of a
finding brings running members into the finding's situation, by holding and dropping messages if needed, and checks
whether the members do what the rules say. If a story does not happen on a version, it is refuted for that version,
unless chance decides what members do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.stage import Stage


class Ending(Enum):
    """The result of playing a story once."""

    HAPPENED = "happened"
    REFUTED = "did not happen"
    NOT_PLAYED = "not played"
    """The situation that the story is about did not come about; this shows nothing about the finding."""


@dataclass(frozen=True, slots=True)
class PlayedOnce:
    """The result of playing a story once, with what was seen."""

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
    """The heading of the finding in `docs/findings.md`."""
    claim: str
    """What the documents say, in one sentence."""
    seen: str
    """What is to be seen if the finding is right, in one sentence."""
    setting: Setting
    play: Callable[[Stage], PlayedOnce]
    """Plays the story once; raises NotPlayedError if the story's situation does not come about."""
    held: str = ""
    """What is held, dropped or reordered, and whether a network can do that; empty for load and faults alone."""
    by_chance: bool = False
    """Whether chance decides what members do: then trials are counted, and a count of 0 does not refute the finding."""
    out_of_order: bool = False
    """Whether the story needs messages in an order that a real connection to a member does not produce."""


def story(
    *, finding: str, claim: str, seen: str, setting: Setting, held: str = "", by_chance: bool = False,
    out_of_order: bool = False,
) -> Callable[[Callable[[Stage], PlayedOnce]], Story]:  # fmt: skip
    """Return a decorator that makes a story of the function that plays it; the story gets the function's name."""

    def named(play: Callable[[Stage], PlayedOnce]) -> Story:
        name = play.__name__.replace("_", "-")
        return Story(name, finding, claim, seen, setting, play, held, by_chance, out_of_order)

    return named


def happened(sentence: str) -> PlayedOnce:
    """Return the result that the finding was seen."""
    return PlayedOnce(Ending.HAPPENED, sentence)


def refuted(sentence: str) -> PlayedOnce:
    """Return the result that the members did not do what the finding says that they do."""
    return PlayedOnce(Ending.REFUTED, sentence)


def happened_if(is_so: bool, sentence: str) -> PlayedOnce:
    """Return the result that the finding was seen, or, if it was not, that it is refuted."""
    return happened(sentence) if is_so else refuted(sentence)


@dataclass(frozen=True, slots=True)
class Played:
    """The results of playing one story a number of times on one version."""

    story: str
    version: str
    times: Sequence[PlayedOnce]

    def count(self, ending: Ending) -> int:
        """Return how many trials ended in this way."""
        return sum(one.ending is ending for one in self.times)
