"""Locks: which client has a lock, which client gets it, and how often.

First, no two clients have the same lock at the same time.

A client has a lock from the answer that says so until the client asks to give it back, or until the member that it
talked to ends: the lock of a client whose member is gone is released (calls.33). Memory: the current holder of each
lock.

Second, a lock that no client can have is given to a client that asks for it, and is reported as free.

An unlock after which the client has no hold left shows that the lock was free at some moment before the unlock ended. A
client that got the lock before that moment no longer has it; a client that gets it later, or whose request has an
unknown outcome, may have it from the moment at which it asked. A client whose member has ended no longer has the lock
after the first rest that follows this end, and one more pause between attempts: the lock is released by a call, which
is tried again as any call is (calls.33). Memory: for each lock, the clients that may have it, and the refusals that
cannot be judged before an earlier request has ended.

Third, a client holds a lock as many times as it took the lock, however often each of its requests was sent.

An unlock is answered with the number of times that the client still holds the lock. A client that got a lock one time
and gave it back no longer holds it, however often its request was sent (calls.32; defect HZ-69). An unlock that reached
only one copy may be lost with a member, and then the client still has the lock (limits.3).
"""

from collections import Counter, defaultdict
from collections.abc import Set
from dataclasses import dataclass, field
from itertools import chain
from math import inf

from gridproof_model.trace import (
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    ViewRecord,
)
from gridproof_properties.judging.judge import Cause, Judge, Limit, Property, Severity
from gridproof_properties.judging.survival import DESTROYED, GIVEN_BY_TWO, KEPT_LIMITS, why_lost
from gridproof_properties.judging.words import count
from gridproof_properties.simulated.endings import RETRY_PAUSE_MS

BACKUPS = 1
"""A lock store has one sync backup, however many backups other structures have."""
RELEASED_ON_ONE_COPY = ("the only copy on which the lock may have been released ended", "calls.33, limits.3")


@dataclass(slots=True)
class _Hold:
    """The time in which a client has a lock."""

    lock: OperationRecord
    rival: OperationRecord | None = None
    """The first request by which another client got the lock before the end of this hold was known, if there is one."""
    until_ms: float = inf
    """When the member through which the client got the lock ended; the client may have given it back earlier."""

    def member_ended(self, record: MemberRecord) -> None:
        """Note that a member ended."""
        if self.until_ms == inf:
            self.until_ms = record.at_ms if record.member == self.lock.member else inf


@dataclass(slots=True)
class _Holds:
    """The holds of one client through one member that have not ended, of one lock."""

    holds: list[_Hold] = field(default_factory=list)
    contested: int = 0
    """How many of these holds, counted from the first hold, have a rival."""

    def contest(self, lock: OperationRecord) -> None:
        """Note that another client got the lock."""
        for hold in self.holds[self.contested :]:
            hold.rival = lock
        self.contested = len(self.holds)


@dataclass(slots=True)
class _LockJudge(Judge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK})
    COUNTED = "{failed} of {compared:holding} of a lock overlapped with that of another client"
    UNSEEN = "no client got a lock"
    holds: dict[str, dict[tuple[int, int | None], _Holds]] = field(default_factory=lambda: defaultdict(dict))
    """For each key, and for each client and member: the holds that have not ended."""

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
        by_holder, holder = self.holds[lock.key], (lock.client, lock.member)
        for other, held in by_holder.items():
            if other != holder:
                held.contest(lock)
        by_holder.setdefault(holder, _Holds()).holds.append(_Hold(lock))

    def _unlock(self, unlock: OperationRecord) -> None:
        by_holder = self.holds[unlock.key]
        ended = [by_holder.pop(holder).holds for holder in list(by_holder) if holder[0] == unlock.client]
        for hold in sorted(chain(*ended), key=_number):
            self._end(hold, min(hold.until_ms, unlock.start_ms))

    def _end(self, hold: _Hold, at_ms: float) -> None:
        """Look at a hold that ended: a rival that got the lock in an earlier millisecond had it at the same time."""
        lock, story, until_ms = hold.lock, None, at_ms
        if (rival := hold.rival) is not None and rival.end_ms < at_ms:
            until_ms = rival.end_ms
            kept = f"{_describe(rival)}, though client {lock.client}, which had got it through member "
            kept += f"{lock.member} at {lock.end_ms:,} ms, still had it; only one client at a time may have a lock"
            story = (kept, *self.rest.history(lock.partition, rival.end_ms))
        why = why_lost(self.comparisons.conditions, lock, until_ms, BACKUPS)
        self.comparisons.add(lock.partition, lock.start_ms, until_ms, story, why)

    def _all_holds(self) -> list[_Hold]:
        of_each = (chain(*(held.holds for held in by_holder.values())) for by_holder in self.holds.values())
        return [hold for holds in of_each for hold in sorted(holds, key=_number)]

    def finish(self) -> None:
        for hold in self._all_holds():
            self._end(hold, hold.until_ms)


def _number(hold: _Hold) -> int:
    return hold.lock.operation


def _describe(lock: OperationRecord) -> str:
    of = "" if lock.partition is None else f" (partition {lock.partition})"
    return f"at {lock.end_ms:,} ms client {lock.client} got lock {lock.key!r}{of} through member {lock.member}"


LOCK_EXCLUDES = Property(
    name="lock-excludes",
    sentence="No two clients have a lock at the same time.",
    source="calls.33, limits.7",
    severity=Severity.WRONG_ANSWER,
    start=_LockJudge,
    needs=frozenset({"operation lock"}),
    limits=(*KEPT_LIMITS, GIVEN_BY_TWO),
)


LEFT_FREE = "0"
"""The answer to an unlock after which the client has no hold left: the answer says how often it still has the lock."""


@dataclass(slots=True)
class _Lock:
    """What is known about one lock so far."""

    takers: list[OperationRecord] = field(default_factory=list)
    """Requests that may have taken the lock since the lock was last known to be free."""
    freed_by: OperationRecord | None = None
    """The latest unlock after which no hold was left; None if no client has ever had the lock."""
    released: OperationRecord | None = None
    """The latest request that may have taken the lock, and was made through a member that has ended."""
    refusals: list[tuple[OperationRecord, OperationRecord | None]] = field(default_factory=list)
    """Answers that the lock is held though no holder is known, each with the unlock that had left the lock free."""
    looked: tuple[Set[int], int] = frozenset(), 0
    """The ended members and the number of takers at the last search for clients that had asked through an ended
    member."""

    def release(self, ended: Set[int]) -> None:
        """Note that clients whose member has ended no longer have the lock."""
        known, number = self.looked
        new = self.takers[number:] if ended == known else self.takers
        gone = [one for one in new if one.member in ended]
        if gone:
            self.released = gone[-1]
            self.takers = [one for one in self.takers if one.member not in ended]
        self.looked = ended, len(self.takers)


@dataclass(slots=True)
class _FreeLockJudge(Judge):
    READS = frozenset({MemberRecord, OperationRecord, ViewRecord})
    OPERATIONS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK, OperationKind.READ})
    COUNTED = "{failed} of {compared:request} for a free lock got the answer that the lock is held"
    UNSEEN = "no client asked for a lock that was free"
    locks: dict[str, _Lock] = field(default_factory=dict)
    ended: dict[int, int | None] = field(default_factory=dict)
    """Members that ended, each with the time of the first rest after its end; None until that rest."""
    ended_ms: dict[int, int] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        match record:
            case MemberRecord() if record.change is not MemberChange.JOINED:
                self.ended.setdefault(record.member, None)
                self.ended_ms.setdefault(record.member, record.at_ms)
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
        lock.freed_by, lock.looked = unlock, (frozenset(), 0)

    def _answered(self, lock: _Lock, asked: OperationRecord, *, is_free: bool) -> None:
        """Process an answer that is right only while some client has the lock, or only while no client has it."""
        configured = self.comparisons.conditions.configured
        # A cluster below its quorum refuses the release of a lock like any operation, and does not retry it (splits.2).
        is_released = configured is None or not configured.quorum
        if lock.takers and is_released and self.comparisons.is_at_rest(asked.partition):
            pause_ms = RETRY_PAUSE_MS if configured is None else configured.retry_pause_ms
            owed_ms = asked.start_ms - pause_ms
            lock.release({one for one, rest_ms in self.ended.items() if rest_ms is not None and rest_ms <= owed_ms})
        # Times are whole milliseconds: what came first in the millisecond in which the lock was freed is unknown.
        if lock.takers or (lock.freed_by is not None and lock.freed_by.end_ms >= asked.start_ms):
            return
        if is_free:
            self._compare(asked, lock, lock.freed_by, None)
        else:
            lock.refusals.append((asked, lock.freed_by))

    def _compare(
        self, asked: OperationRecord, lock: _Lock, freed: OperationRecord | None, story: tuple[str, ...] | None
    ) -> None:
        since, conditions = asked if freed is None else freed, self.comparisons.conditions
        why = None if freed is None else why_lost(conditions, freed, asked.end_ms, BACKUPS)
        if why is None and lock.released is not None and lock.released.member is not None:
            after_ms = self.ended_ms[lock.released.member] + 1
            is_lost = conditions.ended.are_lost(1, asked.partition, after_ms, asked.end_ms)
            why = RELEASED_ON_ONE_COPY if is_lost else None
        self.comparisons.add(asked.partition, since.start_ms, asked.end_ms, story, why)

    def finish(self) -> None:
        for lock in self.locks.values():
            for asked, freed in lock.refusals:
                self._compare(asked, lock, freed, self._describe_refusal(asked, freed, lock.released))

    def _describe_refusal(
        self, asked: OperationRecord, freed: OperationRecord | None, released: OperationRecord | None
    ) -> tuple[str, ...]:
        of = "" if asked.partition is None else f" (partition {asked.partition})"
        why = "no client had ever got it"
        if released is not None and released.end_ms < asked.start_ms:
            why = f"client {released.client}, the last to ask for it, asked member {released.member}, which has ended"
        elif freed is not None:
            why = f"client {freed.client} had given it back at {freed.end_ms:,} ms"
        held = f"at {asked.end_ms:,} ms client {asked.client} was answered that lock {asked.key!r}{of} is held, though "
        held += f"it was free: {why}; a free lock has to be reported as free, and given to a client that asks for it"
        return held, *self.rest.history(asked.partition, asked.end_ms)


FREE_LOCK_IS_GIVEN = Property(
    name="free-lock-is-given",
    sentence="A lock that no client has is given to the client that asks for it.",
    source="calls.32, calls.33",
    severity=Severity.AVAILABILITY,
    start=_FreeLockJudge,
    needs=frozenset({"operation lock"}),
    limits=(*KEPT_LIMITS, GIVEN_BY_TWO),
)


_Place = tuple[int, int, str]
"""A client, the member that it asked, and a key."""


@dataclass(slots=True)
class _HoldJudge(Judge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = frozenset({OperationKind.LOCK, OperationKind.UNLOCK})
    COUNTED = "{failed} of {compared:unlock} left a client with more holds of a lock than it had taken"
    UNSEEN = "no client gave a lock back"
    held: Counter[_Place] = field(default_factory=Counter)
    """How many times, at most, a client can hold a lock."""
    on_one_copy: Counter[_Place] = field(default_factory=Counter)
    """How often, since a member last ended, a client gave a lock back and only one copy confirmed it."""
    since_ms: dict[_Place, int] = field(default_factory=dict)
    """When a client first asked for a lock through a member."""

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
            f"at {unlock.end_ms:,} ms client {unlock.client} released lock {unlock.key!r} (partition "
            f"{unlock.partition}) through member {unlock.member}; the answer was that it still held the lock "
            f"{count(left, 'time')}, though by its own calls it could hold the lock {count(most, 'time')} at most; a "
            "client may hold a lock only as many times as it has taken the lock, less the times that it released it",
        )
        since_ms = self.since_ms.get(place, unlock.start_ms)
        is_destroyed = self.comparisons.conditions.was_destroyed(unlock.key, since_ms, unlock.end_ms)
        why = DESTROYED if is_destroyed else None
        self.comparisons.add(unlock.partition, since_ms, unlock.end_ms, story if left > most else None, why)


HELD_AS_OFTEN_AS_TAKEN = Property(
    name="held-as-often-as-taken",
    sentence="A client holds a lock at most as often as it got it.",
    source="calls.32; invariant I1",
    severity=Severity.WRONG_ANSWER,
    start=_HoldJudge,
    needs=frozenset({"operation unlock"}),
    limits=(
        GIVEN_BY_TWO,
        Limit(
            Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER, "limits.7: a request that came twice is executed twice"
        ),
    ),
)
HOLDING: tuple[Property, ...] = (HELD_AS_OFTEN_AS_TAKEN,)


PROPERTIES: tuple[Property, ...] = (LOCK_EXCLUDES, FREE_LOCK_IS_GIVEN)
