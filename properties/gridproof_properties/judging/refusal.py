"""What is shown of a refusal: the event that is refused, and what was explained just before it.

Plain values of texts and records, without states: they outlive the run, and reports draw them.
"""

from dataclasses import dataclass

from gridproof_model.trace import EventRecord, MemberRecord, Record, ViewRecord
from gridproof_model.value import Immutable

Element = tuple[str, int]
"""An element of an index set, by the name of the set: ("member", 2)."""


@dataclass(frozen=True, slots=True)
class LogLine(Immutable):
    """A line of a log, and where it stands."""

    number: int
    """The first is 1."""
    fields: tuple[tuple[str, object], ...]


Recorded = Record | LogLine
"""What a behaviour is shown."""


@dataclass(frozen=True, slots=True)
class Occurrence(Immutable):
    """Something recorded, as a specification takes it."""

    text: str
    """In a few words."""
    recorded: Recorded | None
    """None where nobody said which record it was."""
    actions: tuple[str, ...] = ()
    """What it was taken as; of what is refused, what it might have been."""
    named: tuple[Element, ...] = ()
    """Whom these actions name."""

    @property
    def at_ms(self) -> int:
        """When it happened; 0 for a line of a log, or where nobody knows."""
        match self.recorded:
            case EventRecord() | MemberRecord() | ViewRecord():
                return self.recorded.at_ms
            case _:
                return 0


@dataclass(frozen=True, slots=True)
class Refusal(Immutable):
    """The first event of a behaviour that its specification refuses."""

    whose: str
    """What the behaviour is about; empty where there is only one."""
    why: str
    """The event, and what is wrong with it, in one sentence."""
    event: Occurrence
    before: tuple[Occurrence, ...]
    """What was explained just before it, the newest last."""
    left_out: int
    """How many steps were explained before these."""
