"""Locks: who takes one once, holds it once.

An unlock tells how often the lock is still held. A client that got a lock once and gave it back holds it no more,
however often its request was sent (reference replication 5; bug-zoo HZ-69). What was given back on one copy only may
be lost with a member, so that the client has the lock still (reference replication 11 N3).
"""

from collections import Counter
from dataclasses import dataclass, field

from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.simulated.locks import BACKUPS
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

_Place = tuple[int, int, str]
"""A client, its member, a key."""


@dataclass(slots=True)
class _HoldJudge:
    held: Counter[_Place] = field(default_factory=Counter)
    """How often a client has a lock at most."""
    on_one_copy: Counter[_Place] = field(default_factory=Counter)
    """How often it gave it back on one copy only, since a member last ended."""
    seen: int = 0
    witness: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            self.held.update(self.on_one_copy)
            self.on_one_copy.clear()
        if not isinstance(record, OperationRecord) or record.member is None:
            return
        place = (record.client, record.member, record.key)
        match record:
            case OperationRecord(kind=OperationKind.LOCK):
                may_have_it = record.outcome is Outcome.UNKNOWN or record.value == "true"
                self.held[place] += may_have_it
            case OperationRecord(kind=OperationKind.UNLOCK, outcome=Outcome.OK, value=str(left)):
                self._unlock(record, place, int(left))
            case _:
                pass

    def _unlock(self, unlock: OperationRecord, place: _Place, left: int) -> None:
        self.seen += 1
        most = self.held[place] = max(self.held[place] - 1, 0)
        self.on_one_copy[place] += (unlock.confirmed_copies or 0) <= BACKUPS
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
