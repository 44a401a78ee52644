"""Models of the structures with which histories are compared; each model takes operations one by one.

A register has read, write, and compare and set.

An entry of a map has everything that clients ask for: it is a register whose value is text or nothing, with additions
of 1 (an entry processor treats an absent entry as 0), put-if-absent, and the question whether there is a value.

A text can be set, appended to, and read.

A set: values are inserted and discarded, and all of them are read together.

A reentrant lock: it has one holder, which may hold it several times. The locks of a member that ends are released
(calls.33), each of them at any time after the end: in a history, such a release is an operation of which no return was
seen.

A queue: the first item offered is the first to come out.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class Read:
    """Returns the value."""


@dataclass(frozen=True, slots=True)
class Write:
    """Sets the value; the result means nothing."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class CompareAndSet:
    """Replaces the value if it is the expected one, and returns whether it was."""

    expected: Hashable
    value: Hashable


@dataclass(frozen=True, slots=True)
class Held:
    """A state of a register: its value, which may itself be None."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class Register:
    """A register with one value, which is None at first unless another one is given."""

    initial: Held = Held(None)

    def step(self, state: Held, operation: Hashable, result: object) -> Held | None:
        """Return the value after the operation."""
        match operation:
            case Read():
                return state if result is UNSEEN or result == state.value else None
            case Write(value=value):
                return Held(value)
            case CompareAndSet(expected=expected, value=value):
                fits = state.value == expected
                if result is not UNSEEN and result is not fits:
                    return None
                return Held(value) if fits else state
            case _:
                raise TypeError(f"the model of a register has no operation {operation!r}; add a case for it to step()")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether the operation is a read, or a compare-and-set that failed."""
        return isinstance(operation, Read) or (isinstance(operation, CompareAndSet) and result is False)


@dataclass(frozen=True, slots=True)
class ReadWriteRegister(Register):
    """A register that is only read and written: only a read of its value shows that a write took effect."""

    def shown_by(self, operation: Write) -> tuple[Hashable, Hashable]:
        """Return the read that shows that a write took effect, and the read's result."""
        return Read(), operation.value


_REGISTER = Register()


@dataclass(frozen=True, slots=True)
class Add:
    """Adds a number, and returns the sum."""

    amount: int = 1


@dataclass(frozen=True, slots=True)
class PutIfAbsent:
    """Sets the value if there is none; returns the value that was there, or None if the value was set."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class IsThere:
    """Returns whether there is a value."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a map: a register with further operations; the result of an addition is the sum."""

    initial: Held = _REGISTER.initial

    def step(self, state: Held, operation: Hashable, result: object) -> Held | None:
        """Return the value after the operation; an addition to a value that is no number changes nothing and has no
        result."""
        match operation:
            case Add(amount=amount):
                before = as_number(state.value)
                if before is None:
                    return state if result is UNSEEN else None
                return Held(str(before + amount)) if result is UNSEEN or result == before + amount else None
            case PutIfAbsent(value=value):
                if result is not UNSEEN and result != state.value:
                    return None
                return Held(value) if state.value is None else state
            case IsThere():
                return state if result is UNSEEN or result is (state.value is not None) else None
            case _:
                return _REGISTER.step(state, operation, result)

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether the operation is read-only for a register, a question, or a put-if-absent that found a value."""
        if isinstance(operation, PutIfAbsent):
            return result is not None and result is not UNSEEN
        return isinstance(operation, IsThere) or _REGISTER.is_read_only(operation, result)


def as_number(value: object) -> int | None:
    """Return the number in an entry: 0 if the entry is absent, None if it holds anything else."""
    if value is None:
        return 0
    try:
        return int(str(value))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class SetText:
    """Sets the whole text; the result means nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class AppendText:
    """Appends a text; the result means nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class GetText:
    """Returns the text."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text, empty at first; if all appended parts differ, the text can be read as the list of the appends."""

    initial: str = ""

    def step(self, state: str, operation: Hashable, result: object) -> str | None:
        """Return the text after the operation."""
        match operation:
            case SetText(text=text):
                return text
            case AppendText(text=text):
                return state + text
            case GetText():
                return state if result is UNSEEN or result == state else None
            case _:
                raise TypeError(f"the model of a text has no operation {operation!r}; add a case for it to step()")

    def may_lead_to(self, state: str, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """Whether the read is still possible: a text that is not set again can only grow."""
        begins = str(result).startswith
        return begins(state) or any(isinstance(update, SetText) and begins(update.text) for update in updates)

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether the operation reads the text."""
        return isinstance(operation, GetText)


@dataclass(frozen=True, slots=True)
class Insert:
    """Inserts an item, and returns whether the item was absent before."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class Discard:
    """Discards an item, and returns whether the item was there before."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class ReadSet:
    """Returns all items."""


@dataclass(frozen=True, slots=True)
class SetOfItems:
    """A set of items, empty at first."""

    initial: frozenset[Hashable] = frozenset()

    def step(self, state: frozenset[Hashable], operation: Hashable, result: object) -> frozenset[Hashable] | None:
        """Return the items after the operation."""
        match operation:
            case Insert(item=item):
                fits, after = item not in state, state | {item}
            case Discard(item=item):
                fits, after = item in state, state - {item}
            case ReadSet():
                return state if result is UNSEEN or result == state else None
            case _:
                raise TypeError(f"the model of a set has no operation {operation!r}; add a case for it to step()")
        if result is not UNSEEN and result is not fits:
            return None
        return after if fits else state

    def may_lead_to(
        self, state: frozenset[Hashable], read: Hashable, result: object, updates: Sequence[Hashable]
    ) -> bool:
        """Whether the read is still possible: missing items can still be inserted, and surplus items discarded."""
        if not isinstance(read, ReadSet) or not isinstance(result, frozenset):
            return True
        lacking, too_many = result - state, state - result
        return lacking <= {update.item for update in updates if isinstance(update, Insert)} and too_many <= {
            update.item for update in updates if isinstance(update, Discard)
        }

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether the operation is a read, or a change that had no effect."""
        return isinstance(operation, ReadSet) or result is False


@dataclass(frozen=True, slots=True)
class Owner:
    """A client as known to the member that it asks."""

    client: int
    member: int | None


@dataclass(frozen=True, slots=True)
class Taken:
    """A state of a lock: its owner, and how often the owner holds it."""

    owner: Owner | None = None
    times: int = 0


@dataclass(frozen=True, slots=True)
class Take:
    """Takes the lock, once more if the same owner has it already, and returns whether that succeeded."""

    owner: Owner


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Gives the lock back once; returns how often its owner still has it, or None if this was not reported."""

    owner: Owner


@dataclass(frozen=True, slots=True)
class IsTaken:
    """Asks whether the lock is held; the answer is true or false."""


@dataclass(frozen=True, slots=True)
class EndMember:
    """Releases the lock, however often it was taken, if the owner is a client of this member."""

    member: int


FREE = Taken()


@dataclass(frozen=True, slots=True)
class Lock:
    """A reentrant lock, free at first."""

    initial: Taken = FREE

    def step(self, state: Taken, operation: Hashable, result: object) -> Taken | None:
        """Return the holder of the lock after the operation."""
        match operation:
            case Take(owner=owner):
                fits = state.times == 0 or state.owner == owner
                if result is not UNSEEN and result is not fits:
                    return None
                return Taken(owner, state.times + 1) if fits else state
            case GiveBack(owner=owner):
                return _give_back(state, owner, result)
            case IsTaken():
                return state if result is UNSEEN or result is (state.times > 0) else None
            case EndMember(member=member):
                return FREE if state.owner is not None and state.owner.member == member else state
            case _:
                raise TypeError(f"the model of a lock has no operation {operation!r}; add a case for it to step()")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether the operation is a failed attempt to take the lock, or a question."""
        return isinstance(operation, IsTaken) or (isinstance(operation, Take) and result is False)


def _give_back(state: Taken, owner: Owner, result: object) -> Taken | None:
    if state.times == 0 or state.owner != owner:
        return state if result is UNSEEN else None
    left = state.times - 1
    if result is not UNSEEN and result is not None and result != left:
        return None
    return Taken(owner, left) if left else FREE


@dataclass(frozen=True, slots=True)
class Offer:
    """Appends an item."""

    item: Hashable


@dataclass(frozen=True, slots=True)
class Poll:
    """Takes the first item out and returns it, or returns None if there is no item."""


@dataclass(frozen=True, slots=True)
class Peek:
    """Returns the first item without taking it out, or returns None if there is no item."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of items, empty at first."""

    initial: tuple[Hashable, ...] = ()

    def step(self, state: tuple[Hashable, ...], operation: Hashable, result: object) -> tuple[Hashable, ...] | None:
        """Return the items after the operation."""
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
                raise TypeError(f"the model of a queue has no operation {operation!r}; add a case for it to step()")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether the operation is a poll that found nothing, or a look at the first item."""
        return isinstance(operation, Peek) or (isinstance(operation, Poll) and result is None)


@dataclass(frozen=True, slots=True)
class Known:
    """A state of a queue, if it is known in advance which items come out."""

    items: tuple[Hashable, ...] = ()
    unpolled: int = 0
    """How many items in the queue are not taken out by any poll that is known."""
    offered: int = 0
    """How many of the items that came to the front have been offered, counted up to the first item not offered yet."""
    ahead: frozenset[int] = frozenset()
    """The numbers of items that were offered although an item that came to the front before them was not offered
    yet."""

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Shown:
    """An item that came to the front of the queue."""

    place: int
    """The item's number among all items that came to the front, in the order in which a poll or look first returned
    them."""
    needs: int
    """How many items have to be offered before this item: those that were returned before the last operation that
    returned this item began."""


@dataclass(frozen=True, slots=True)
class KnownQueue:
    """A queue whose polls are known in advance: a wrong order of offers is rejected at once, not only when it shows.

    This model is only for histories in which no item is offered twice and none is taken out twice.
    """

    shown: Mapping[Hashable, Shown]
    polled: frozenset[Hashable]
    """The items that are taken out by a poll that is known."""
    unseen_polls: int
    """The number of polls whose return was not seen: as many unknown items may come out before an item."""
    initial: Known = field(default_factory=Known)

    def step(self, state: Known, operation: Hashable, result: object) -> Known | None:
        """Return the items after the operation; None also if the items could no longer come out as they did."""
        items = state.items
        first = items[0] if items else None
        match operation:
            case Offer(item=item):
                return self._offer(state, item)
            case Poll() if result is UNSEEN:
                # An item that a poll with a known result took out was taken out by no poll with an unknown result.
                is_free = bool(items) and first not in self.polled
                return replace(state, items=items[1:], unpolled=state.unpolled - 1) if is_free else state
            case Poll() if result == first:
                return replace(state, items=items[1:])
            case Peek() if result is UNSEEN or result == first:
                return state
            case Poll() | Peek():
                return None
            case _:
                raise TypeError(f"the model of a queue has no operation {operation!r}; add a case for it to step()")

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
        """Whether the operation changes nothing, by the rules of any queue."""
        return Queue().is_read_only(operation, result)
