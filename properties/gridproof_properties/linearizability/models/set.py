"""A set: values are inserted, discarded, and read all together."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class Insert:
    """Puts an item in, and gives whether it was not there."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class Discard:
    """Takes an item out, and gives whether it was there."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class ReadSet:
    """Gives all items."""


@dataclass(frozen=True, slots=True)
class SetOfItems:
    """The items that are there, none at first."""

    initial: frozenset[Hashable] = frozenset()

    def step(self, state: Hashable, operation: Hashable, result: object) -> frozenset[Hashable] | None:
        """Return the items after the operation."""
        assert isinstance(state, frozenset), "a set's states are its items"
        match operation:
            case Insert(item=item):
                fits, after = item not in state, state | {item}
            case Discard(item=item):
                fits, after = item in state, state - {item}
            case ReadSet():
                return state if result is UNSEEN or result == state else None
            case _:
                raise TypeError(f"a set has no {operation!r}")
        if result is not UNSEEN and result is not fits:
            return None
        return after if fits else state

    def may_lead_to(self, state: Hashable, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """What is to be there was put in by somebody, and what is not was taken out."""
        assert isinstance(state, frozenset), "a set's states are its items"
        if not isinstance(read, ReadSet) or not isinstance(result, frozenset):
            return True
        lacking, too_many = result - state, state - result
        return lacking <= {update.item for update in updates if isinstance(update, Insert)} and too_many <= {
            update.item for update in updates if isinstance(update, Discard)
        }

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Reading, and what changed nothing."""
        return isinstance(operation, ReadSet) or result is False
