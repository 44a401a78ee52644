"""Locks: a lock that nobody can have is given to who asks for it, and said to be free.

An unlock that leaves nothing held says that the lock was free at some moment until its end. Whoever was answered before
that it got the lock has it no more; who gets it later, or whose request has an unknown outcome, may have it from the
beginning of that request on. Whoever asked through a member that has ended has it no more from the pause between
attempts after the first rest behind its end on: the release is a call, tried again as any other is (calls.33). Keeps
who may have which lock, and the refusals that wait for requests that began before them.
"""

from collections.abc import Set
from dataclasses import dataclass, field

from gridproof_model.trace import (
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    ViewRecord,
)
from gridproof_properties.judging.judge import Judge, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import GIVEN_BY_TWO, KEPT_LIMITS, why_lost
from gridproof_properties.simulated.endings import RETRY_PAUSE_MS
from gridproof_properties.simulated.locks import BACKUPS

LEFT_FREE = "0"
"""What an unlock answers: how often the lock is still held."""


@dataclass(slots=True)
class _Lock:
    """What is known of a lock."""

    takers: list[OperationRecord] = field(default_factory=list)
    """Requests that may have taken it since it was last known to be free."""
    freed_by: OperationRecord | None = None
    """The unlock that last left nothing held; None where nobody has ever had the lock."""
    released: OperationRecord | None = None
    """The latest request that may have taken it, and whose member has ended."""
    refusals: list[tuple[OperationRecord, OperationRecord | None]] = field(default_factory=list)
    """Answers that it is held, by nobody that is known, and the unlock that had left it free."""

    def release(self, ended: Set[int]) -> None:
        """Take in that whoever asked through a member that has ended has the lock no more."""
        gone = [one for one in self.takers if one.member in ended]
        if gone:
            self.released = gone[-1]
            self.takers = [one for one in self.takers if one.member not in ended]


@dataclass(slots=True)
class _FreeLockJudge(Judge):
    READS = frozenset({MemberRecord, OperationRecord, ViewRecord})
    OPERATIONS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK, OperationKind.READ})
    COUNTED = "{failed} of {compared:request} for a free lock got the answer that it is held"
    UNSEEN = "nobody asked for a lock that was free"
    locks: dict[str, _Lock] = field(default_factory=dict)
    ended: dict[int, int | None] = field(default_factory=dict)
    """Members that are gone, with the time of the first rest behind their end, once there was one."""

    def observe(self, record: Record) -> None:
        match record:
            case MemberRecord() if record.change is not MemberChange.JOINED:
                self.ended.setdefault(record.member, None)
            case ViewRecord(settled=True):
                self.ended |= {member: record.at_ms for member, rest_ms in self.ended.items() if rest_ms is None}
            case OperationRecord(kind=OperationKind.LOCK):
                self._lock(self.locks.setdefault(record.key, _Lock()), record)
            case OperationRecord(kind=OperationKind.UNLOCK, outcome=Outcome.OK, value=value) if value == LEFT_FREE:
                self._freed(self.locks.setdefault(record.key, _Lock()), record)
            case OperationRecord(kind=OperationKind.READ, outcome=Outcome.OK) if record.key in self.locks:
                self._answered(self.locks[record.key], record, is_free=record.value == "false")
            case _:
                pass

    def _lock(self, lock: _Lock, asked: OperationRecord) -> None:
        is_taken = asked.outcome is Outcome.OK and asked.value == "true"
        if asked.outcome is Outcome.OK:
            self._answered(lock, asked, is_free=is_taken)
        if is_taken or asked.outcome is not Outcome.OK:
            # A request without an answer may still be executed, however late.
            lock.takers.append(asked)
            lock.refusals = [(one, freed) for one, freed in lock.refusals if one.end_ms < asked.start_ms]

    def _freed(self, lock: _Lock, unlock: OperationRecord) -> None:
        lock.takers = [one for one in lock.takers if one.outcome is not Outcome.OK or one.end_ms >= unlock.start_ms]
        lock.freed_by = unlock

    def _answered(self, lock: _Lock, asked: OperationRecord, *, is_free: bool) -> None:
        """Take in an answer that is only right while somebody has the lock, or while nobody has."""
        configured = self.comparisons.conditions.configured
        # Too few members refuse the release like any other operation, and nobody asks for it again (splits.2).
        is_released = configured is None or not configured.quorum
        if lock.takers and is_released and self.comparisons.is_at_rest(asked.partition):
            pause_ms = RETRY_PAUSE_MS if configured is None else configured.retry_pause_ms
            owed_ms = asked.start_ms - pause_ms
            lock.release({one for one, rest_ms in self.ended.items() if rest_ms is not None and rest_ms <= owed_ms})
        # Times are whole milliseconds: in the one in which it was freed nobody knows which came first.
        if lock.takers or (lock.freed_by is not None and lock.freed_by.end_ms >= asked.start_ms):
            return
        if is_free:
            self._compare(asked, lock.freed_by, None)
        else:
            lock.refusals.append((asked, lock.freed_by))

    def _compare(self, asked: OperationRecord, freed: OperationRecord | None, story: tuple[str, ...] | None) -> None:
        since = asked if freed is None else freed
        why = None if freed is None else why_lost(self.comparisons.conditions, freed, asked.end_ms, BACKUPS)
        self.comparisons.add(asked.partition, since.start_ms, asked.end_ms, story, why)

    def finish(self) -> None:
        for lock in self.locks.values():
            for asked, freed in lock.refusals:
                self._compare(asked, freed, _describe(asked, freed, lock.released))


def _describe(
    asked: OperationRecord, freed: OperationRecord | None, released: OperationRecord | None
) -> tuple[str, ...]:
    refused = f"client {asked.client} heard at {asked.end_ms:,} ms that {asked.key} is held"
    if released is not None and released.end_ms < asked.start_ms:
        who = f"client {released.client} had asked for {asked.key} through member {released.member}, which has ended"
        return who, refused
    if freed is None:
        return refused, "nobody had ever got it"
    return f"client {freed.client} gave {freed.key} back at {freed.end_ms:,} ms, which left it free", refused


FREE_LOCK_IS_GIVEN = Property(
    name="free-lock-is-given",
    sentence="A lock that nobody has is given to who asks for it.",
    source="calls.32, calls.33",
    severity=Severity.AVAILABILITY,
    start=_FreeLockJudge,
    needs=frozenset({"operation lock"}),
    limits=(*KEPT_LIMITS, GIVEN_BY_TWO),
)
PROPERTIES: tuple[Property, ...] = (FREE_LOCK_IS_GIVEN,)
