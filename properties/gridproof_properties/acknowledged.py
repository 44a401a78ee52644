"""What each key may hold, as its clients know.

A key may hold its last acknowledged write, any write that was under way at the same time, and any write whose outcome
is unknown: it may have been executed then, never, or later. Needs a few words a key.
"""

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
from gridproof_properties.scene import Scene

_CHANGES = {
    MemberChange.JOINED: "joined",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "crashed",
}


WRITES = (OperationKind.WRITE, OperationKind.REMOVE)
"""What changes a key."""


def precedes(first: OperationRecord, second: OperationRecord) -> bool:
    """Whether one operation had ended before the other began; a client does one thing at a time."""
    if first.client == second.client:
        return first.operation < second.operation
    return first.end_ms < second.start_ms


def is_write(operation: OperationRecord) -> bool:
    """Whether an operation changes its key; a removal writes nothing."""
    return operation.kind in WRITES


@dataclass(slots=True)
class Ledger:
    """The writes that the last value of each key may come from, and whether it is owed at all."""

    scene: Scene = field(default_factory=Scene)
    operations: int = 0
    """One more than the largest operation number so far."""
    at_rest: bool = True
    """Whether the latest view was settled and no member came or went since."""
    last_crash: int = 0
    """Value of `operations` at the latest crash."""
    _writes: dict[str, list[OperationRecord]] = field(default_factory=dict)
    _changes: list[tuple[int, str]] = field(default_factory=list)
    _crashes: int = 0
    _tolerated: int | None = None
    _excused: int = 0
    _excused_ms: int = -1
    """When the latest crash was that was one too many; what was under way then is owed by nobody, either."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        self.scene.observe(record)
        match record:
            case OperationRecord():
                self.operations = max(self.operations, record.operation + 1)
                if record.start_ms <= self._excused_ms:
                    # Its answer was under way when the last copy was lost; numbers are given out as operations begin.
                    self._excused = max(self._excused, record.operation + 1)
                if is_write(record) and record.outcome is not Outcome.REFUSED:
                    self._write(record)
            case MemberRecord():
                self._change(record)
            case ViewRecord():
                self.at_rest = record.settled
                if record.settled:
                    self._crashes = 0
                    self._tolerated = min(len(self.scene.groups), self.scene.copies) - 1
            case _:
                pass

    def acknowledged(self, key: str) -> OperationRecord | None:
        """Return the last acknowledged write of a key; None where none is, or where too many members crashed at once.

        Copies survive as many crashes between two rests as there were copies beside the primary (reference
        partitioning 9 F1).
        """
        known = [write for write in self._writes.get(key, []) if write.outcome is Outcome.OK]
        last = max(known, key=lambda write: write.operation, default=None)
        return None if last is None or last.operation < self._excused else last

    @property
    def excused(self) -> int:
        """Operations numbered below it are owed by nobody: more members crashed at once than there were backups."""
        return self._excused

    def changes_since(self, operation: OperationRecord) -> tuple[str, ...]:
        """Return the members that came and went since an operation began, a sentence each."""
        return tuple(told for number, told in self._changes if operation.operation < number)

    def keys_acknowledged(self) -> list[str]:
        """Return the keys that have an acknowledged write that is owed."""
        return [key for key in self._writes if self.acknowledged(key) is not None]

    def may_hold(self, key: str, value: str | None) -> bool:
        """Whether a read of the key may return this value, None for absent."""
        return any(write.value == value for write in self._writes.get(key, []))

    def tell_loss(self, write: OperationRecord, read: OperationRecord) -> tuple[str, ...]:
        """Return the story of a write, what happened to members after it, and what was read."""
        confirmed = "" if write.confirmed_copies is None else f" with {write.confirmed_copies} copies"
        value = "the removal" if write.kind is OperationKind.REMOVE else repr(write.value)
        found = "it is absent" if read.value is None else f"it holds {read.value!r}"
        between = [told for number, told in self._changes if write.operation < number <= read.operation]
        return (
            f"write {write.operation} of key {write.key!r}, {value}, is acknowledged{confirmed} at {write.stage!r}",
            *between,
            f"read {read.operation} of key {read.key!r} at {read.stage!r}: {found}",
        )

    def _write(self, write: OperationRecord) -> None:
        if write.outcome is Outcome.UNKNOWN:
            self._writes.setdefault(write.key, []).append(write)
            return
        older = self._writes.get(write.key, [])
        kept = [other for other in older if other.outcome is Outcome.UNKNOWN or not precedes(other, write)]
        self._writes[write.key] = [*kept, write]

    def _change(self, record: MemberRecord) -> None:
        self.at_rest = False
        self._changes.append((self.operations, f"{self.scene.call(record.member)} {_CHANGES[record.change]}"))
        if record.change is MemberChange.CRASHED:
            self.last_crash = self.operations
            self._crashes += not record.lite
            tolerated = self.scene.copies - 1 if self._tolerated is None else self._tolerated
            if self._crashes > tolerated:
                self._excused, self._excused_ms = self.operations, record.at_ms


@dataclass(frozen=True, slots=True)
class Surprise:
    """A read that returned what its key should not hold."""

    write: OperationRecord
    """The last acknowledged write."""
    read: OperationRecord


@dataclass(slots=True)
class Surprises:
    """The reads that surprise, less those that a write recorded later explains."""

    _found: list[Surprise] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def first(self) -> Surprise | None:
        """The surprise with the earliest read, if any."""
        return min(self._found, key=lambda surprise: surprise.read.operation, default=None)

    def add(self, surprise: Surprise) -> None:
        """Take in a read that surprises so far."""
        self._found.append(surprise)

    def explain(self, write: OperationRecord) -> None:
        """Take out the reads that overlapped this write, which ended after them, and saw it."""
        if self._found and write.outcome is not Outcome.REFUSED:
            self._found = [s for s in self._found if not _saw(s.read, write)]


def _saw(read: OperationRecord, write: OperationRecord) -> bool:
    return read.key == write.key and read.value == write.value and not precedes(read, write)
