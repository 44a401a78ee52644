"""One step of a run: who took it, and when."""

from dataclasses import dataclass

from gridproof_model.events import NAMES
from gridproof_model.trace import EventRecord, MemberRecord
from gridproof_model.value import Value

Slots = tuple[int | None, ...]
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Step(Value):
    """Who did what, when; what exactly, the event beside it says."""

    text: str
    """The step in a few words."""
    at_ms: int
    member: int

    @staticmethod
    def of(record: EventRecord) -> "Step":
        """Return what a record of a member says."""
        member = NOBODY if record.member is None else record.member
        return Step(f"{NAMES[type(record.event)]} of member {member} at {record.at_ms} ms", record.at_ms, member)

    @staticmethod
    def of_member(record: MemberRecord) -> "Step":
        """Return that a member came or went."""
        text = f"member {record.change.value} of member {record.member} at {record.at_ms} ms"
        return Step(text, record.at_ms, record.member)
