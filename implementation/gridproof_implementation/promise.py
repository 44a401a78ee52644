"""The promises and weaknesses of a system under test.

Promises and weaknesses are statements of the system's own documents, with their sources. An adapter states promises in
Python, and an agent states them in its hello. Someone who audits a system of others takes its promises from its
documents and states them in a file. This file judges nothing.
"""

from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.events.words import Begins, Ends


class Speaker(StrEnum):
    """The source of a promise or weakness that no file of the auditor states."""

    ADAPTER = "the adapter"
    HELLO = "the hello"


class PromiseWord(StrEnum):
    """What the system's own documents say about a property; a property that they do not mention is not promised."""

    PROMISED = "promised"
    WEAKNESS = "weakness"
    WITHDRAWN = "withdrawn"
    """Withdraws a promise that another source states, since the documents do not make this promise."""


class FaultCondition(StrEnum):
    """The faults that happen to a grid while its clients make calls; faults of a grid at rest are not included."""

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
        """The condition's name in a hello and in a file of promises, such as "host-crash"."""
        return self.name.lower().replace("_", "-")


ALWAYS = tuple(FaultCondition)
"""All fault conditions, for promises about the time after all faults have stopped."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What the system says about one property, where, and for which numbers of backups."""

    word: PromiseWord
    source: str
    least_backups: int = 0
    """The fewest backups for which the promise is given, as in "zero data loss with one backup or more"."""
    most_backups: int | None = None
    """The most backups for which the promise is given; None for any number."""
    grouped: PromiseWord | None = None
    """What the system says if several members may share a partition group; None if it says the same in both cases."""
    under: tuple[FaultCondition, ...] = (FaultCondition.CALM,)
    """The fault conditions under which the promise is given; under others the property is measured, but cannot break
    the promise."""
    where_asked: bool = False
    """Whether the promise is given only in runs whose clients request the operations that the property is about; an
    audit requests puts, gets and removals. If `where_asked` is false, and a run compared nothing for the property, the
    verdict on the promise is unknown."""
    by: str = Speaker.ADAPTER
    """Who gives it."""

    def is_given(self, backup_count: int) -> bool:
        """Whether the promise is given for this number of backups."""
        return self.least_backups <= backup_count and (self.most_backups is None or backup_count <= self.most_backups)


def promised(
    source: str, least_backups: int = 0, most_backups: int | None = None,
    under: tuple[FaultCondition, ...] = (FaultCondition.CALM,),
) -> Promise:  # fmt: skip
    """Return a promise; `source` names the document or the rule that gives it."""
    return Promise(PromiseWord.PROMISED, source, least_backups, most_backups, under=under)


def weakness(source: str) -> Promise:
    """Return a weakness, as what a system says about a property; `source` names the document that admits it."""
    return Promise(PromiseWord.WEAKNESS, source)


@dataclass(frozen=True, slots=True)
class Weakness:
    """A weakness that the system admits: the properties that a fault makes void, and for how long."""

    takes: tuple[str, ...]
    """The names of the properties that are not promised while the weakness lasts."""
    when: tuple[FaultCondition, ...]
    """The fault conditions; any one of them makes the properties void."""
    source: str
    """The place in the system's documents where the weakness is admitted."""
    begins: Begins = Begins.FAULT
    ends: Ends = Ends.REST
    by: str = Speaker.ADAPTER
    """Who gives it."""
