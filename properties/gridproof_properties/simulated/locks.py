"""Locks: two clients never have one at the same time.

A client has a lock from the answer that says so until it asks to give it back, or until the member it talked to ends: a
lock of a member that is gone is released (calls.33). Keeps who has which lock now.
"""

from dataclasses import dataclass, field
from math import inf

from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.judge import Judge, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import GIVEN_BY_TWO, KEPT_LIMITS, why_lost

BACKUPS = 1
"""What a lock store keeps: one sync backup, whatever other structures have."""


@dataclass(slots=True)
class _Hold:
    """A lock that a client has."""

    lock: OperationRecord
    rivals: list[OperationRecord] = field(default_factory=list)
    """Locks others got while it was not yet seen to end."""
    until_ms: float = inf
    """When the member ended through which it was got; its client may have asked to give it back before."""

    def member_ended(self, record: MemberRecord) -> None:
        """Take in that a member ended."""
        if self.until_ms == inf:
            self.until_ms = record.at_ms if record.member == self.lock.member else inf


@dataclass(slots=True)
class _LockJudge(Judge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK})
    COUNTED = "two clients had the lock at once in {failed} of {compared:holding}"
    UNSEEN = "no lock was got"
    holds: dict[str, list[_Hold]] = field(default_factory=dict)
    """By key: those that have not ended."""

    def observe(self, record: Record) -> None:
        match record:
            case MemberRecord() if record.change is not MemberChange.JOINED:
                for hold in self._all_holds():
                    hold.member_ended(record)
            case OperationRecord(kind=OperationKind.LOCK, outcome=Outcome.OK, value="true"):
                self._lock(record)
            case OperationRecord(kind=OperationKind.UNLOCK):
                self._unlock(record)
            case _:
                pass

    def _lock(self, lock: OperationRecord) -> None:
        holds = self.holds.setdefault(lock.key, [])
        for hold in holds:
            if (lock.client, lock.member) != (hold.lock.client, hold.lock.member):
                hold.rivals.append(lock)
        holds.append(_Hold(lock))

    def _unlock(self, unlock: OperationRecord) -> None:
        holds = self.holds.get(unlock.key, [])
        for hold in [hold for hold in holds if hold.lock.client == unlock.client]:
            self._end(hold, min(hold.until_ms, unlock.start_ms))
            holds.remove(hold)

    def _end(self, hold: _Hold, at_ms: float) -> None:
        """Look at a hold that ended: rivals that got the lock before, to the millisecond, had it at the same time."""
        lock, rivals = hold.lock, [rival for rival in hold.rivals if rival.end_ms < at_ms]
        story = (_describe(lock), _describe(rivals[0])) if rivals else None
        until_ms = rivals[0].end_ms if rivals else at_ms
        why = why_lost(self.comparisons.conditions, lock, until_ms, BACKUPS)
        self.comparisons.add(lock.partition, lock.start_ms, until_ms, story, why)

    def _all_holds(self) -> list[_Hold]:
        return [hold for holds in self.holds.values() for hold in holds]

    def finish(self) -> None:
        for hold in self._all_holds():
            self._end(hold, hold.until_ms)


def _describe(lock: OperationRecord) -> str:
    return f"client {lock.client} got {lock.key} through member {lock.member} at {lock.end_ms:,} ms"


LOCK_EXCLUDES = Property(
    name="lock-excludes",
    sentence="No two clients have a lock at the same time.",
    source="calls.33, limits.7",
    severity=Severity.WRONG_ANSWER,
    start=_LockJudge,
    needs=frozenset({"operation lock"}),
    limits=(*KEPT_LIMITS, GIVEN_BY_TWO),
)
PROPERTIES: tuple[Property, ...] = (LOCK_EXCLUDES,)
