"""A map: entries by key; backups receive the new state of an entry.

For an entry processor backups receive the operation instead (calls.30)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from gridproof_implementation.protocol.entry import Entry, MergePolicy
from gridproof_implementation.protocol.entry_processor import EntryProcessor, ProcessorError
from gridproof_implementation.protocol.structure import Execution, Operation, Origin, StructureId, UpdateError
from gridproof_model.events.words import Failure
from gridproof_model.value import Value

KIND = "map"


@dataclass(frozen=True, slots=True)
class Put(Operation):
    """Set an entry, and return the value that was replaced; a put that is executed twice replaces its own value."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Remove(Operation):
    """Remove an entry, and return its value; if there is no entry, no backup is sent (calls.29)."""

    key: str


@dataclass(frozen=True, slots=True)
class Get(Operation):
    """Read an entry."""

    READ_ONLY: ClassVar[bool] = True
    key: str


@dataclass(frozen=True, slots=True)
class ContainsKey(Operation):
    """Return whether there is an entry."""

    READ_ONLY: ClassVar[bool] = True
    key: str


@dataclass(frozen=True, slots=True)
class PutIfAbsent(Operation):
    """Set an entry if there is none; return the existing value, or None if the entry was set."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class CompareAndSet(Operation):
    """Replace a value by another if it is the expected value, and return whether it was replaced."""

    key: str
    expected: str
    value: str


@dataclass(frozen=True, slots=True)
class CompareAndRemove(Operation):
    """Remove an entry if it has the expected value, and return whether it was removed."""

    key: str
    expected: str


@dataclass(frozen=True, slots=True)
class Process(Operation):
    """Run a processor on one entry, and return its result; this counts as a write even if it only reads (strict.4)."""

    key: str
    processor: EntryProcessor


@dataclass(frozen=True, slots=True)
class PutAll(Operation):
    """Set those entries that belong to one partition; there is no result."""

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def combined(cls, values: Sequence[object]) -> object:
        """Return nothing."""
        return None


@dataclass(frozen=True, slots=True)
class Clear(Operation):
    """Remove the entries of one partition; there is no result."""

    @classmethod
    def combined(cls, values: Sequence[object]) -> object:
        """Return nothing."""
        return None


@dataclass(frozen=True, slots=True)
class Size(Operation):
    """Count the entries of one partition."""

    READ_ONLY: ClassVar[bool] = True

    @classmethod
    def combined(cls, values: Sequence[object]) -> object:
        """Return the sum."""
        return sum(cast("Sequence[int]", values))


@dataclass(frozen=True, slots=True)
class Merge(Operation):
    """Merge an entry of a smaller cluster by a merge policy; return whether anything changed (splits.8)."""

    key: str
    entry: Entry
    policy: MergePolicy


@dataclass(frozen=True, slots=True)
class States(Value):
    """An update that sends backups the new state of entries, None for a removed entry; the update is idempotent."""

    entries: tuple[tuple[str, Entry | None], ...]


@dataclass(frozen=True, slots=True)
class Rerun:
    """An update that sends backups an operation: each backup runs the processor on its own copy of the value."""

    key: str
    processor: EntryProcessor
    now_us: int


@dataclass(frozen=True, slots=True)
class Emptied:
    """An update for backups that removes all entries."""


class MapPart:
    """The entries of one map in one partition."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute one operation."""
        match operation:
            case Put(key=key, value=value):
                return self._set(key, value, origin.now_us, self._value(key))
            case Get(key=key):
                return Execution(self._value(key))
            case ContainsKey(key=key):
                return Execution(key in self._entries)
            case Size():
                return Execution(len(self._entries))
            case Remove(key=key):
                return self._drop(key, self._value(key))
            case PutIfAbsent(key=key, value=value):
                before = self._value(key)
                return self._set(key, value, origin.now_us, None) if before is None else Execution(before)
            case CompareAndSet(key=key, expected=expected, value=value):
                is_same = self._value(key) == expected
                return self._set(key, value, origin.now_us, True) if is_same else Execution(False)
            case CompareAndRemove(key=key, expected=expected):
                return self._drop(key, True) if self._value(key) == expected else Execution(False)
            case Process():
                return self._process(operation, origin.now_us)
            case PutAll(pairs=pairs):
                return self._put_all(pairs, origin.now_us)
            case Clear():
                return self._clear()
            case Merge():
                return self._merge(operation)
            case _:
                raise TypeError(f"a map cannot execute {type(operation).__name__}; add a case for it to execute()")

    def _value(self, key: str) -> str | None:
        entry = self._entries.get(key)
        return None if entry is None else entry.value

    def _set(self, key: str, value: str, now_us: int, result: object) -> Execution:
        before = self._entries.get(key)
        entry = self._entries[key] = Entry(value, 1, now_us) if before is None else before.updated(value, now_us)
        return Execution(result, States(((key, entry),)))

    def _drop(self, key: str, result: object) -> Execution:
        if self._entries.pop(key, None) is None:
            return Execution(result)
        return Execution(result, States(((key, None),)))

    def _process(self, operation: Process, now_us: int) -> Execution:
        key, processor = operation.key, operation.processor
        try:
            value, result = processor.process(self._value(key))
        except ProcessorError:
            return Execution(failure=Failure.THROWN)
        again = processor.for_backup()
        if again is None:
            return Execution(result)
        self._store(key, value, now_us)
        return Execution(result, Rerun(key, again, now_us))

    def _store(self, key: str, value: str | None, now_us: int) -> None:
        if value is None:
            self._drop(key, None)
        else:
            self._set(key, value, now_us, None)

    def _put_all(self, pairs: tuple[tuple[str, str], ...], now_us: int) -> Execution:
        for key, value in pairs:
            self._set(key, value, now_us, None)
        keys = dict.fromkeys(key for key, _ in pairs)
        return Execution(None, States(tuple((key, self._entries[key]) for key in keys)) if keys else None)

    def _clear(self) -> Execution:
        if not self._entries:
            return Execution()
        self._entries = {}
        return Execution(None, Emptied())

    def _merge(self, operation: Merge) -> Execution:
        key, existing = operation.key, self._entries.get(operation.key)
        merged = operation.policy.merge(operation.entry, existing)
        if merged == existing:
            return Execution(False)
        if merged is None:
            return self._drop(key, True)
        self._entries[key] = merged
        return Execution(True, States(((key, merged),)))

    def apply_backup(self, backup: object) -> None:
        """Take over the state of entries, or run a processor on this replica's value; raise UpdateError if it fails."""
        match backup:
            case States(entries=entries):
                # Each entry is looked at: a key that is new here says nothing about the keys after it (defect HZ-57).
                for key, entry in entries:
                    if entry is None:
                        self._entries.pop(key, None)
                    else:
                        self._entries[key] = entry
            case Rerun(key=key, processor=processor, now_us=now_us):
                try:
                    value, _ = processor.process(self._value(key))
                except ProcessorError as error:
                    raise UpdateError(str(error)) from error
                self._store(key, value, now_us)
            case Emptied():
                self._entries = {}
            case _:
                raise TypeError(f"a map cannot apply {type(backup).__name__}; add a case for it to apply_backup()")

    def replica_data(self) -> object:
        """Return the entries, sorted by key."""
        return tuple((key, self._entries[key]) for key in sorted(self._entries))

    def load(self, data: object) -> None:
        """Replace all entries."""
        self._entries = dict(cast("tuple[tuple[str, Entry], ...]", data))

    def entries(self) -> Mapping[str, str]:
        """Return the values."""
        return {key: entry.value for key, entry in self._entries.items()}

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return one merge operation for each entry."""
        return [
            Merge(structure, key, entry, policy) for key, entry in sorted(self._entries.items(), key=lambda i: i[0])
        ]
