"""A set: items without order, in one partition.

Adding an item is idempotent, and the order of additions makes no difference, so that the sets of two clusters can be
merged without loss (splits.8, merged sets).

Choice (calls.31): items have no numbers, since equal items are one; in Hazelcast's code every item has a number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from gridproof_implementation.protocol.entry import Entry, MergePolicy
from gridproof_implementation.protocol.structure import Execution, Operation, Origin, StructureId

KIND = "set"


@dataclass(frozen=True, slots=True)
class Add(Operation):
    """Add an item, and return whether it was new; if the operation is executed twice, the second result is False."""

    item: str


@dataclass(frozen=True, slots=True)
class Discard(Operation):
    """Remove an item, and return whether it was in the set."""

    item: str


@dataclass(frozen=True, slots=True)
class Contains(Operation):
    """Return whether an item is in the set."""

    READ_ONLY: ClassVar[bool] = True
    item: str


@dataclass(frozen=True, slots=True)
class Elements(Operation):
    """Read all items, sorted."""

    READ_ONLY: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Unite(Operation):
    """Add those items of a smaller cluster that a policy accepts (splits.8); return how many were added."""

    items: tuple[Entry, ...]
    policy: MergePolicy


@dataclass(frozen=True, slots=True)
class Changed:
    """An update that sends backups the new state: items that are now in the set, and items that no longer are."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


class SetPart:
    """The items of one set."""

    __slots__ = ("_items",)

    def __init__(self) -> None:
        self._items: dict[str, None] = {}
        """The items, in a dict and not a set, since a dict has the same order in every process."""

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute one operation."""
        match operation:
            case Add(item=item):
                return self._add((item,), True) if item not in self._items else Execution(False)
            case Discard(item=item):
                if item not in self._items:
                    return Execution(False)
                del self._items[item]
                return Execution(True, Changed(absent=(item,)))
            case Contains(item=item):
                return Execution(item in self._items)
            case Elements():
                return Execution(tuple(sorted(self._items)))
            case Unite(items=items, policy=policy):
                new = tuple(
                    entry.value
                    for entry in items
                    if entry.value not in self._items and policy.merge(entry, None) is not None
                )
                return self._add(new, len(new)) if new else Execution(0)
            case _:
                raise TypeError(f"a set cannot execute {type(operation).__name__}; add a case for it to execute()")

    def _add(self, items: tuple[str, ...], result: object) -> Execution:
        self._items.update(dict.fromkeys(items))
        return Execution(result, Changed(present=items))

    def apply_backup(self, backup: object) -> None:
        """Add the present items, and remove the absent items."""
        if not isinstance(backup, Changed):
            raise TypeError(f"a set cannot apply {type(backup).__name__}; add a case for it to apply_backup()")
        self._items.update(dict.fromkeys(backup.present))
        for item in backup.absent:
            self._items.pop(item, None)

    def replica_data(self) -> object:
        """Return the items, sorted."""
        return tuple(sorted(self._items))

    def load(self, data: object) -> None:
        """Replace all items."""
        self._items = dict.fromkeys(cast("tuple[str, ...]", data))

    def entries(self) -> Mapping[str, str]:
        """Return the items; each is its own key and its own value."""
        return {item: item for item in sorted(self._items)}

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return one operation that merges all items, or none if there are no items."""
        items = tuple(Entry(item) for item in sorted(self._items))
        return [Unite(structure, items, policy)] if items else []
