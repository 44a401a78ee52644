"""A list: items in the order in which they were appended.

A list is in one partition. An append that is executed twice leaves two items (calls.31)."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.numbered_items import MergeItems, NumberedItems
from gridproof_implementation.protocol.structure import Execution, Operation, Origin

KIND = "list"


@dataclass(frozen=True, slots=True)
class Append(Operation):
    """Append an item, and return True."""

    item: str


@dataclass(frozen=True, slots=True)
class ReadAll(Operation):
    """Read all items in their order."""

    READ_ONLY: ClassVar[bool] = True


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
            case MergeItems():
                return self.merge(operation)
            case _:
                raise TypeError(f"a list cannot execute {type(operation).__name__}; add a case for it to execute()")
