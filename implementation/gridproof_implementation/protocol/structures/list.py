"""A list: items in the order of their appends.

It lives in one partition. An append executed twice leaves two items (calls.31).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.entry import Entry, MergePolicy
from gridproof_implementation.protocol.numbered_items import NumberedItems
from gridproof_implementation.protocol.structure import Execution, Operation, Origin, StructureId

KIND = "list"


@dataclass(frozen=True, slots=True)
class Append(Operation):
    """Put an item at the end; gives True."""

    item: str


@dataclass(frozen=True, slots=True)
class ReadAll(Operation):
    """Read all items, in order."""

    READ_ONLY: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class MergeAppends(Operation):
    """Bring the items of a smaller cluster in under a policy, behind those that are there (splits.8); counts the
    changes."""

    items: tuple[Entry, ...]
    policy: MergePolicy


class ListPart(NumberedItems):
    """The items of one list."""

    __slots__ = ()

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute one operation."""
        match operation:
            case Append(item=item):
                return Execution(True, self.append((item,)))
            case ReadAll():
                return Execution(self.in_order())
            case MergeAppends(items=items, policy=policy):
                new = self.new_under(policy, items)
                return Execution(len(new), self.append(new) if new else None)
            case _:
                raise TypeError(f"a list has no {type(operation).__name__}")

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return one merge of all items."""
        items = tuple(Entry(item) for item in self.in_order())
        return [MergeAppends(structure, items, policy)] if items else []
