"""Locks: who takes one once, holds it once.

An unlock tells how often the lock is still held. A client that got a lock once and gave it back holds it no more,
however often its request was sent (reference replication 5; bug-zoo HZ-69).
"""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count


@dataclass(slots=True)
class _HoldJudge:
    held: dict[tuple[int, int, str], int] = field(default_factory=dict)
    """How often a client has a lock at most, by client, member and key."""
    seen: int = 0
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord) or record.member is None:
            return
        place = (record.client, record.member, record.key)
        match record:
            case OperationRecord(kind=OperationKind.LOCK):
                may_have_it = record.outcome is Outcome.UNKNOWN or record.value == "true"
                self.held[place] = self.held.get(place, 0) + may_have_it
            case OperationRecord(kind=OperationKind.UNLOCK, outcome=Outcome.OK, value=str(left)):
                self._unlock(record, place, int(left))
            case _:
                pass

    def _unlock(self, unlock: OperationRecord, place: tuple[int, int, str], left: int) -> None:
        self.seen += 1
        most = self.held[place] = max(self.held.get(place, 0) - 1, 0)
        if left > most:
            self.witness = self.witness or (
                f"client {unlock.client} gives {unlock.key} back at {unlock.end_ms} ms and is told that it has it "
                f"{count(left, 'time')} more, and got it {count(most, 'time')} more at most",
            )

    def conclude(self) -> Finding:
        if self.witness:
            return Finding(Result.BROKEN, "a lock taken once was held twice", self.witness)
        if not self.seen:
            return Finding(Result.UNKNOWN, "no lock was given back")
        return Finding(Result.HOLDS, f"{count(self.seen, 'lock')} given back, none held longer")


HELD_AS_OFTEN_AS_TAKEN = Property(
    name="held-as-often-as-taken",
    sentence="A client holds a lock no more often than it got it.",
    source="reference replication 5; bug-zoo I1",
    start=_HoldJudge,
)
PROPERTIES: tuple[Property, ...] = (HELD_AS_OFTEN_AS_TAKEN,)
