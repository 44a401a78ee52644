"""Locks: who takes one once, holds it once.

An unlock answers how often the lock is still held. A client that got a lock once and gave it back holds it no more,
however often its request was sent (calls.32; defect HZ-69). What was given back on one copy only may
be lost with a member, so that the client has the lock still (limits.3).
"""

from collections import Counter
from dataclasses import dataclass, field

from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Judge, Limit, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import DESTROYED, GIVEN_BY_TWO
from gridproof_properties.judging.words import count
from gridproof_properties.simulated.locks import BACKUPS

_Place = tuple[int, int, str]
"""A client, its member, a key."""


@dataclass(slots=True)
class _HoldJudge(Judge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK})
    COUNTED = "{failed} of {compared:unlock} left a client with more holds of a lock than it had taken"
    UNSEEN = "none was given back"
    held: Counter[_Place] = field(default_factory=Counter)
    """How often a client has a lock at most."""
    on_one_copy: Counter[_Place] = field(default_factory=Counter)
    """How often it gave it back on one copy only, since a member last ended."""
    since_ms: dict[_Place, int] = field(default_factory=dict)
    """When a client first asked for a lock."""

    def observe(self, record: Record) -> None:
        if isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            self.held.update(self.on_one_copy)
            self.on_one_copy.clear()
        if not isinstance(record, OperationRecord) or record.member is None:
            return
        place = (record.client, record.member, record.key)
        match record:
            case OperationRecord(kind=OperationKind.LOCK):
                self.since_ms.setdefault(place, record.start_ms)
                may_have_it = record.outcome is Outcome.UNKNOWN or record.value == "true"
                self.held[place] += may_have_it
            case OperationRecord(kind=OperationKind.UNLOCK, outcome=Outcome.OK, value=str(left)):
                self._unlock(record, place, int(left))
            case _:
                pass

    def _unlock(self, unlock: OperationRecord, place: _Place, left: int) -> None:
        most = self.held[place] = max(self.held[place] - 1, 0)
        self.on_one_copy[place] += (unlock.confirmed_copies or 0) <= BACKUPS
        story = (
            f"client {unlock.client} unlocked {unlock.key} at {unlock.end_ms:,} ms and heard that it still holds it "
            f"{count(left, 'time')}; it can hold it {count(most, 'time')} at most",
        )
        since_ms = self.since_ms.get(place, unlock.start_ms)
        is_destroyed = self.comparisons.conditions.was_destroyed(unlock.key, since_ms, unlock.end_ms)
        why = DESTROYED if is_destroyed else None
        self.comparisons.add(unlock.partition, since_ms, unlock.end_ms, story if left > most else None, why)


HELD_AS_OFTEN_AS_TAKEN = Property(
    name="held-as-often-as-taken",
    sentence="A client holds a lock no more often than it got it.",
    source="calls.32; invariant I1",
    severity=Severity.WRONG_ANSWER,
    start=_HoldJudge,
    needs=frozenset({"operation unlock"}),
    limits=(
        GIVEN_BY_TWO,
        Limit(
            Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER,
            "limits.7: a request that came twice is executed twice",
        ),
    ),
)
PROPERTIES: tuple[Property, ...] = (HELD_AS_OFTEN_AS_TAKEN,)
