"""A lock store: reentrant locks by key.

Each partition has a part of the lock store. Only lock stores recognise a repeated request: a request to lock or unlock
changes nothing if it has the reference id of the previous request, so that a retry does not lock twice (calls.32;
defect HZ-69)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from gridproof_implementation.protocol.entry import MergePolicy
from gridproof_implementation.protocol.structure import (
    BlockingOperation,
    Execution,
    Operation,
    Origin,
    Structure,
    StructureId,
)
from gridproof_model.events.words import Failure
from gridproof_model.membership import MemberId

KIND = "lock"


@dataclass(frozen=True, slots=True)
class Lock(BlockingOperation):
    """Take a lock, or take it again if the thread has it; return whether it was taken in time (no wait: try-lock)."""

    GIVEN_UP: ClassVar[object] = False

    key: str


@dataclass(frozen=True, slots=True)
class Unlock(Operation):
    """Release a lock once, and return how often it is still locked; fail if this thread does not have it."""

    key: str


@dataclass(frozen=True, slots=True)
class IsLocked(Operation):
    """Return whether any thread has the lock."""

    READ_ONLY: ClassVar[bool] = True

    key: str


@dataclass(frozen=True, slots=True)
class ReleaseAllOf(Operation):
    """Release all locks of a member that has left, and return their number."""

    gone: MemberId


@dataclass(frozen=True, slots=True)
class Held:
    """The state of a lock, as it is stored and backed up.

    Choice (calls.32): after the last unlock the state is kept, with `count` 0, so that a repetition of this unlock is
    recognised, too.
    """

    owner: MemberId
    thread: int
    count: int
    reference_id: int
    """The reference id of the last lock or unlock request."""

    def is_by(self, origin: Origin) -> bool:
        """Whether the requesting thread has the lock, or had it last."""
        return self.owner == origin.caller and self.thread == origin.thread


def release_of(structure: StructureId, part: Structure, gone: MemberId) -> Operation | None:
    """Return the operation that releases the locks of a member that has left, or None if it has no locks."""
    return ReleaseAllOf(structure, gone) if isinstance(part, LockPart) and part.holds_for(gone) else None


class LockPart:
    """The locks of one lock store in one partition."""

    __slots__ = ("_locks",)

    def __init__(self) -> None:
        self._locks: dict[str, Held] = {}

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute one operation; the update for backups is the state of the locks that changed."""
        match operation:
            case Lock(key=key):
                return self._lock(key, origin)
            case Unlock(key=key):
                return self._unlock(key, origin)
            case IsLocked(key=key):
                return Execution(self._is_locked(key))
            case ReleaseAllOf(gone=gone):
                return self._release_all_of(gone)
            case _:
                raise TypeError(f"a lock store cannot execute {type(operation).__name__}; add a case to execute()")

    def _is_locked(self, key: str) -> bool:
        held = self._locks.get(key)
        return held is not None and held.count > 0

    def _lock(self, key: str, origin: Origin) -> Execution:
        held = self._locks.get(key)
        if held is not None and held.count > 0:
            if not held.is_by(origin):
                return Execution(wait=True)
            if self.is_repeated(held, origin):
                return Execution(True)
        count = 1 if held is None or not held.is_by(origin) else held.count + 1
        return self._store(key, Held(origin.caller, origin.thread, count, origin.reference_id), True)

    def _unlock(self, key: str, origin: Origin) -> Execution:
        held = self._locks.get(key)
        if held is None or not held.is_by(origin):
            return Execution(failure=Failure.THROWN)
        # Retries are recognised before the count is read: a retry of the last unlock finds the lock free, and succeeds.
        if self.is_repeated(held, origin):
            return Execution(held.count)
        if held.count == 0:
            return Execution(failure=Failure.THROWN)
        count = held.count - 1
        return self._store(key, Held(origin.caller, origin.thread, count, origin.reference_id), count)

    def is_repeated(self, held: Held, origin: Origin) -> bool:
        """Whether a request of a lock's holder is a retry of the holder's last request (calls.32)."""
        return held.reference_id == origin.reference_id

    def _store(self, key: str, held: Held, result: object) -> Execution:
        self._locks[key] = held
        return Execution(result, ((key, held),))

    def _release_all_of(self, gone: MemberId) -> Execution:
        released = tuple(
            (key, Held(held.owner, held.thread, 0, held.reference_id))
            for key, held in self._locks.items()
            if held.owner == gone and held.count > 0
        )
        self._locks.update(released)
        return Execution(len(released), released or None)

    def apply_backup(self, backup: object) -> None:
        """Take over the state of locks."""
        self._locks.update(cast("tuple[tuple[str, Held], ...]", backup))

    def holds_for(self, member: MemberId) -> bool:
        """Whether a member has any lock."""
        return any(held.owner == member and held.count > 0 for held in self._locks.values())

    def replica_data(self) -> object:
        """Return the locks, sorted by key."""
        return tuple((key, self._locks[key]) for key in sorted(self._locks))

    def load(self, data: object) -> None:
        """Replace all locks."""
        self._locks = dict(cast("tuple[tuple[str, Held], ...]", data))

    def entries(self) -> Mapping[str, str]:
        """Return the holder of each lock, and how often the holder has locked it."""
        taken = {key: self._locks[key] for key in sorted(self._locks) if self._is_locked(key)}
        return {key: f"{held.owner} thread {held.thread} x {held.count}" for key, held in taken.items()}

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return no operations: the locks of the smaller cluster are not merged (splits.10)."""
        return []
