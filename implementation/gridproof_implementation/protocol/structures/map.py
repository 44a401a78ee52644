"""A map: entries by key, backed up by state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from gridproof_implementation.protocol.structure import Execution, Operation, Origin

KIND = "map"


@dataclass(frozen=True, slots=True)
class Put(Operation):
    """Set an entry; gives the value it replaced."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Remove(Operation):
    """Take an entry out; gives its value; a miss sends no backup (reference replication 5)."""

    key: str


@dataclass(frozen=True, slots=True)
class Get(Operation):
    """Read an entry."""

    READ_ONLY: ClassVar[bool] = True
    key: str


class MapPart:
    """The entries of one map in one partition."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute one operation; the backup of a change is the entry's new state, None for an absent entry."""
        match operation:
            case Put(key=key, value=value):
                before = self._entries.get(key)
                self._entries[key] = value
                return Execution(before, (key, value))
            case Get(key=key):
                return Execution(self._entries.get(key))
            case Remove(key=key):
                before = self._entries.pop(key, None)
                return Execution(before, None if before is None else (key, None))
            case _:
                raise TypeError(f"a map has no {type(operation).__name__}")

    def apply_backup(self, backup: object) -> None:
        """Take over an entry's state."""
        key, value = cast("tuple[str, str | None]", backup)
        if value is None:
            self._entries.pop(key, None)
        else:
            self._entries[key] = value

    def replica_data(self) -> object:
        """Return the entries, sorted by key."""
        return tuple(sorted(self._entries.items()))

    def load(self, data: object) -> None:
        """Replace all entries."""
        self._entries = dict(cast("tuple[tuple[str, str], ...]", data))

    def entries(self) -> Mapping[str, str]:
        """Return the entries."""
        return self._entries
