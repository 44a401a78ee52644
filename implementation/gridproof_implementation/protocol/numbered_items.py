"""Ordered items, to which the primary gives numbers.

A queue and a list consist of numbered items. A backup identifies each item by its number, so the updates of backups may
arrive twice, and in any order (calls.31)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gridproof_implementation.protocol.entry import Entry, MergePolicy
from gridproof_implementation.protocol.structure import Execution, Operation, StructureId


@dataclass(frozen=True, slots=True)
class MergeItems(Operation):
    """Append those items of a smaller cluster that a policy accepts (splits.8); return how many were appended."""

    items: tuple[Entry, ...]
    policy: MergePolicy


@dataclass(frozen=True, slots=True)
class ItemsIn:
    """An update for backups that adds items with their numbers."""

    items: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class ItemOut:
    """An update for backups that removes the item with the given number."""

    number: int


class NumberedItems:
    """The items of one queue or list; mutable."""

    __slots__ = ("_items", "_last_number")

    def __init__(self) -> None:
        self._items: dict[int, str] = {}
        """The items by number; on a backup they may be in any order."""
        self._last_number = 0

    def __len__(self) -> int:
        return len(self._items)

    def append(self, items: Sequence[str]) -> ItemsIn:
        """Append items, and return the update for backups."""
        first = self._last_number + 1
        added = tuple(enumerate(items, first))
        self._items.update(added)
        self._last_number += len(items)
        return ItemsIn(added)

    def first(self) -> str | None:
        """Return the first item, or None if there is none."""
        return self._items[min(self._items)] if self._items else None

    def take_first(self) -> tuple[str, ItemOut]:
        """Remove the first item; return it and the update for backups. There must be at least one item."""
        number = min(self._items)
        return self._items.pop(number), ItemOut(number)

    def in_order(self) -> tuple[str, ...]:
        """Return all items, in the order of their numbers."""
        return tuple(self._items[number] for number in sorted(self._items))

    def merge(self, asked: MergeItems) -> Execution:
        """Append those items of a smaller cluster that the policy accepts (splits.8).

        Choice (splits.9): an item counts as existing if this cluster has an equal item, since items have no keys that
        both clusters know.
        """
        existing = frozenset(self._items.values())
        new = [
            one.value for one in asked.items if one.value not in existing and asked.policy.merge(one, None) is not None
        ]
        return Execution(len(new), self.append(new) if new else None)

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return one operation that merges all items, or none if there are no items."""
        items = tuple(Entry(item) for item in self.in_order())
        return [MergeItems(structure, items, policy)] if items else []

    def apply_backup(self, backup: object) -> None:
        """Add items with their numbers, or remove the item with the given number."""
        match backup:
            case ItemsIn(items=items):
                self._items.update(items)
                # After a promotion numbering goes on from here: a repeated number would replace an item (defect HZ-91).
                self._last_number = max(self._last_number, *(number for number, _ in items))
            case ItemOut(number=number):
                self._items.pop(number, None)
                # The update that put the item in may have been lost, but its number was used all the same.
                self._last_number = max(self._last_number, number)
            case _:
                kind = type(backup).__name__
                raise TypeError(f"numbered items cannot apply the backup {kind}; add a case to their apply_backup()")

    def replica_data(self) -> object:
        """Return the last number that was given, and the items in the order of their numbers."""
        return self._last_number, tuple(sorted(self._items.items()))

    def load(self, data: object) -> None:
        """Replace all items, and the last number."""
        self._last_number, items = cast("tuple[int, tuple[tuple[int, str], ...]]", data)
        self._items = dict(items)

    def entries(self) -> Mapping[str, str]:
        """Return the items by their numbers."""
        return {str(number): self._items[number] for number in sorted(self._items)}
