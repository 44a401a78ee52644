"""One step of a run: who took it, and when."""

from dataclasses import dataclass, fields

from gridproof_model.events import NAMES, Event
from gridproof_model.trace import EventRecord, MemberRecord
from gridproof_model.value import Value

Slots = tuple[int | None, ...]
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Step(Value):
    """Who did what, when; what exactly, the event beside it says."""

    name: str
    at_ms: int
    member: int
    event: Event | None = None
    """None where a member came or went."""

    @staticmethod
    def of(record: EventRecord) -> "Step":
        """Return what a record of a member says."""
        member = NOBODY if record.member is None else record.member
        return Step(NAMES[type(record.event)], record.at_ms, member, record.event)

    @staticmethod
    def of_member(record: MemberRecord) -> "Step":
        """Return that a member came or went."""
        return Step(f"member {record.change.value}", record.at_ms, record.member)

    def describe(self) -> str:
        """Return the step in a few words."""
        return f"{self.name} of member {self.member} at {self.at_ms} ms"

    def __str__(self) -> str:
        event = self.event
        details = [] if event is None else [f"{one.name}={getattr(event, one.name)}" for one in fields(event)]
        return f"the event: {self.describe()}, {' '.join(details)}"
