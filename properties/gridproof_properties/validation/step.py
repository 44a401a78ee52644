"""One step of a run: who took it, and when."""

from dataclasses import dataclass

from gridproof_model.events import NAMES
from gridproof_model.trace import EventRecord, MemberRecord
from gridproof_model.value import Value

Slots = tuple[int | None, ...]
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Step(Value):
    """Who did what, when; what exactly, the event beside it says. Its text is made when it is asked for."""

    what: str
    at_ms: int
    member: int

    @staticmethod
    def of(record: EventRecord) -> "Step":
        """Return what a record of a member says."""
        member = NOBODY if record.member is None else record.member
        return Step(NAMES[type(record.event)], record.at_ms, member)

    @staticmethod
    def of_member(record: MemberRecord) -> "Step":
        """Return that a member came or went."""
        return Step(f"member {record.change.value}", record.at_ms, record.member)

    def __str__(self) -> str:
        return f"{self.what} of member {self.member} at {self.at_ms} ms"
