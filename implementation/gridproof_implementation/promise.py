"""What a subject says of itself: promises, and weaknesses.

Both are the subject's own word, with the place where it stands. An adapter gives it in Python, an agent in its hello;
whoever audits a system that is not his own reads its documents himself, and gives it in a file. Nothing here is judged.
"""

from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.events.words import Begins, Ends


class Speaker(StrEnum):
    """Whose word it is, where it is not a file's of the auditor."""

    ADAPTER = "the adapter"
    HELLO = "the hello"


class PromiseWord(StrEnum):
    """What a subject's own documents say of a property; a property it does not name is not promised."""

    PROMISED = "promised"
    WEAKNESS = "weakness"
    WITHDRAWN = "withdrawn"
    """Said of the word of somebody else: they say nothing of the kind."""


class FaultCondition(StrEnum):
    """What happens to a grid while its clients are at work; what happens to it at rest is no such thing."""

    CALM = "calm"
    CRASH = "a process ends"
    HOST_CRASH = "a host ends"
    CRASHES = "more members end than there are backups"
    RESTART = "a process ends and starts again at once"
    LEAVE = "a member leaves"
    PAUSE = "a process stops for a while"
    CUT = "hosts cannot reach each other"
    SLOW = "a link is slow"
    LOSSY = "messages get lost"

    @property
    def short(self) -> str:
        """Its name in a hello and in a file of promises: "host-crash"."""
        return self.name.lower().replace("_", "-")


ALWAYS = tuple(FaultCondition)
"""For what is promised once faults have stopped, whatever they were."""


@dataclass(frozen=True, slots=True)
class Promise:
    """The subject's word on one property, where it gives it, and for how many backups."""

    word: PromiseWord
    source: str
    least_backups: int = 0
    """It is given where at least so many backups are asked for: "zero data loss with one backup or more"."""
    most_backups: int | None = None
    """It is given where at most so many are; None for any number."""
    grouped: PromiseWord | None = None
    """What is said instead where several members may share a partition group; None where groups change nothing."""
    under: tuple[FaultCondition, ...] = (FaultCondition.CALM,)
    """Under which fault conditions it is given; under all others it is measured, and accuses nobody."""
    where_asked: bool = False
    """Whether it is given only in runs whose clients ask for the operations that it is about: an audit asks for puts,
    gets and removals. Any other promise that nothing was compared for is unknown."""
    by: str = Speaker.ADAPTER
    """Who says so."""

    def is_given(self, backup_count: int) -> bool:
        """Whether it is given where so many backups are asked for."""
        return self.least_backups <= backup_count and (self.most_backups is None or backup_count <= self.most_backups)


def promised(
    source: str, least_backups: int = 0, most_backups: int | None = None,
    under: tuple[FaultCondition, ...] = (FaultCondition.CALM,),
) -> Promise:  # fmt: skip
    """Return what is promised, by its source."""
    return Promise(PromiseWord.PROMISED, source, least_backups, most_backups, under=under)


def weakness(source: str) -> Promise:
    """Return what is documented to go wrong, by its source."""
    return Promise(PromiseWord.WEAKNESS, source)


@dataclass(frozen=True, slots=True)
class Weakness:
    """What a subject admits: what a fault takes away, from when it begins until it is over."""

    takes: tuple[str, ...]
    """The names of the properties that are not promised then."""
    when: tuple[FaultCondition, ...]
    """Any of these fault conditions."""
    source: str
    """Where its documents say so."""
    begins: Begins = Begins.FAULT
    ends: Ends = Ends.REST
    by: str = Speaker.ADAPTER
    """Who says so."""
