"""A queue: first in, first out."""

from collections.abc import Hashable
from dataclasses import dataclass

from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class Offer:
    """Appends an item."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class Poll:
    """Takes the first item, and gives it; gives None when there is none."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Items in order, none at first."""

    initial: tuple[Hashable, ...] = ()

    def step(self, state: Hashable, operation: Hashable, result: object) -> tuple[Hashable, ...] | None:
        """Return the items after the operation."""
        assert isinstance(state, tuple), "a queue's states are its items"
        match operation:
            case Offer(item=item):
                return (*state, item)
            case Poll():
                first = state[0] if state else None
                return state[1:] if result is UNSEEN or result == first else None
            case _:
                raise TypeError(f"a queue has no {operation!r}")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """A poll that found nothing."""
        return isinstance(operation, Poll) and result is None
