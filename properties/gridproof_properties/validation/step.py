"""One step of a run: who took it, and when."""

from dataclasses import dataclass

from gridproof_model.events import NAMES
from gridproof_model.trace import EventRecord, MemberRecord
from gridproof_model.value import Value

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Step(Value):
    """Who did what, when; what exactly, the event beside it says. Its text is made when it is asked for."""

    record: EventRecord | MemberRecord
    member: int
    """Who, by its number; NOBODY for what a harness records of no one member."""

    @staticmethod
    def of(record: EventRecord | MemberRecord) -> "Step":
        """Return what a record of a member says."""
        return Step(record, NOBODY if record.member is None else record.member)

    @property
    def at_ms(self) -> int:
        """When, in milliseconds since the run began."""
        return self.record.at_ms

    def __str__(self) -> str:
        record = self.record
        what = NAMES[type(record.event)] if isinstance(record, EventRecord) else f"member {record.change.value}"
        return f"{what} of member {self.member} at {self.at_ms} ms"
