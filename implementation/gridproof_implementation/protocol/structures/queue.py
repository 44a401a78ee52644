"""A queue: items in order, in one partition.

An update that a backup receives twice makes no difference, but an operation that is executed twice does: a second offer
leaves two items, and a second poll loses one (calls.31)."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.numbered_items import MergeItems, NumberedItems
from gridproof_implementation.protocol.structure import BlockingOperation, Execution, Operation, Origin

KIND = "queue"


@dataclass(frozen=True, slots=True)
class Offer(Operation):
    """Append an item, and return True."""

    item: str


@dataclass(frozen=True, slots=True)
class Poll(BlockingOperation):
    """Remove and return the first item; if there is none, wait as long as asked, and return None if none came."""


@dataclass(frozen=True, slots=True)
class Peek(Operation):
    """Read the first item; return None if there is none."""

    READ_ONLY: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class QueueSize(Operation):
    """Count the items."""

    READ_ONLY: ClassVar[bool] = True


class QueuePart(NumberedItems):
    """The items of one queue."""

    __slots__ = ()

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute one operation."""
        match operation:
            case Offer(item=item):
                return Execution(True, self.append((item,)))
            case Poll():
                return Execution(*self.take_first()) if len(self) else Execution(wait=True)
            case Peek():
                return Execution(self.first())
            case QueueSize():
                return Execution(len(self))
            case MergeItems():
                return self.merge(operation)
            case _:
                raise TypeError(f"a queue cannot execute {type(operation).__name__}; add a case for it to execute()")
