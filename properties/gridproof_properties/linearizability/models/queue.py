"""A queue: first in, first out."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class Offer:
    """Appends an item."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class Poll:
    """Takes the first item, and gives it; gives None when there is none."""


@dataclass(frozen=True, slots=True)
class Peek:
    """Gives the first item and leaves it; gives None when there is none."""


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
            case Peek():
                first = state[0] if state else None
                return state if result is UNSEEN or result == first else None
            case _:
                raise TypeError(f"a queue has no {operation!r}")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """A poll that found nothing, and a look at the first item."""
        return isinstance(operation, Peek) or (isinstance(operation, Poll) and result is None)


@dataclass(frozen=True, slots=True)
class Known:
    """A state of a queue of which it is known what came out."""

    items: tuple[Hashable, ...] = ()
    unpolled: int = 0
    """How many of them no poll is known to have taken out."""
    offered: int = 0
    """Of the items that came to the front, in that order, all up to this one were offered."""
    ahead: frozenset[int] = frozenset()
    """The places, behind those, of further ones that were offered."""

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that came to the front."""

    place: int
    """Among all of them, by when a poll or look first returned it."""
    needs: int
    """So many of them were at the front before it: they were returned before the last that returned this one began."""


@dataclass(frozen=True, slots=True)
class KnownQueue:
    """A queue of which it is known who takes what out: a wrong order of offers is dropped at once, not when it shows.

    Only for histories that offer no item twice and take none out twice.
    """

    shown: Mapping[Hashable, Shown]
    polled: frozenset[Hashable]
    """The items that some poll is known to have taken out."""
    unseen_polls: int
    """Polls that nobody saw return: so many other items can have stood before one that came out."""
    initial: Known = field(default_factory=Known)

    def step(self, state: Hashable, operation: Hashable, result: object) -> Known | None:
        """Return the items after the operation; None, too, where they cannot come out as they did."""
        assert isinstance(state, Known), "a known queue's states are its items, and what is known of them"
        items = state.items
        first = items[0] if items else None
        match operation:
            case Offer(item=item):
                return self._offer(state, item)
            case Poll() if result is UNSEEN:
                # What a known poll takes out, this one did not.
                is_free = bool(items) and first not in self.polled
                return replace(state, items=items[1:], unpolled=state.unpolled - 1) if is_free else state
            case Poll() if result == first:
                return replace(state, items=items[1:])
            case Peek() if result is UNSEEN or result == first:
                return state
            case Poll() | Peek():
                return None
            case _:
                raise TypeError(f"a queue has no {operation!r}")

    def _offer(self, state: Known, item: Hashable) -> Known | None:
        offered, ahead = state.offered, state.ahead
        shown = self.shown.get(item)
        if shown is not None:
            ahead = ahead | {shown.place}
            while offered in ahead:
                ahead, offered = ahead - {offered}, offered + 1
            if offered < shown.needs or state.unpolled > self.unseen_polls:
                return None
        unpolled = state.unpolled + (item not in self.polled)
        if unpolled > self.unseen_polls and offered < len(self.shown):
            return None
        return Known((*state.items, item), unpolled, offered, ahead)

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """As of any queue."""
        return Queue().is_read_only(operation, result)
