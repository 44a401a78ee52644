"""The structures that histories are held against, each as one object that is asked one thing after another.

A register: read, write, compare and set.

An entry of a map, and all that clients ask. A register whose value is text or nothing, with additions of one (an entry
processor takes an absent entry for 0), writes to what is absent, and questions whether it is there.

A text: set, append, get.

A set: values are inserted, discarded, and read all together.

A reentrant lock: one holder, several times. The locks of a member that ends are released (calls.33), each at any time
after it: in a history that is an operation that nobody saw return.

A queue: first in, first out.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class Read:
    """Gives the value."""


@dataclass(frozen=True, slots=True)
class Write:
    """Sets the value; its result says nothing."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class CompareAndSet:
    """Gives whether the value was the expected one, which it then replaced."""

    expected: Hashable
    value: Hashable


@dataclass(frozen=True, slots=True)
class Held:
    """A state: the value, which may itself be None."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class Register:
    """One value, None at first unless said otherwise."""

    initial: Held = Held(None)

    def step(self, state: Hashable, operation: Hashable, result: object) -> Held | None:
        """Return what is held after the operation."""
        assert isinstance(state, Held), "a register's states are what it holds"
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
                raise TypeError(f"a register has no {operation!r}")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """A read, and a compare-and-set that failed."""
        return isinstance(operation, Read) or (isinstance(operation, CompareAndSet) and result is False)


@dataclass(frozen=True, slots=True)
class ReadWriteRegister(Register):
    """A register that is only read and written: nobody can know that a write took effect but who reads its value."""

    def shown_by(self, operation: Hashable) -> tuple[Hashable, Hashable]:
        """Return the read that shows a write, and its result."""
        assert isinstance(operation, Write), "nothing but writes changes it"
        return Read(), operation.value


_REGISTER = Register()


@dataclass(frozen=True, slots=True)
class Add:
    """Adds, and gives the sum."""

    amount: int = 1


@dataclass(frozen=True, slots=True)
class PutIfAbsent:
    """Sets the value where there is none, and gives the value that was there, None where it was set."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class IsThere:
    """Gives whether there is a value."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a register does, and more; the result of an addition is the sum."""

    initial: Held = _REGISTER.initial

    def step(self, state: Hashable, operation: Hashable, result: object) -> Held | None:
        """Return what is held after the operation; who adds to what is no number changes nothing and has no answer."""
        assert isinstance(state, Held), "an entry's states are what it holds"
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
        """What a register takes for one, a question, and a write that found something."""
        if isinstance(operation, PutIfAbsent):
            return result is not None and result is not UNSEEN
        return isinstance(operation, IsThere) or _REGISTER.is_read_only(operation, result)


def as_number(value: object) -> int | None:
    """Return the number that an entry holds: 0 where it is absent, None where it holds anything else."""
    if value is None:
        return 0
    try:
        return int(str(value))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class SetText:
    """Sets the whole text; its result says nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class AppendText:
    """Appends; its result says nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class GetText:
    """Gives the text."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text, empty at first; with unique parts, a list of unique appends."""

    initial: str = ""

    def step(self, state: Hashable, operation: Hashable, result: object) -> str | None:
        """Return the text after the operation."""
        assert isinstance(state, str), "a text's states are texts"
        match operation:
            case SetText(text=text):
                return text
            case AppendText(text=text):
                return state + text
            case GetText():
                return state if result is UNSEEN or result == state else None
            case _:
                raise TypeError(f"a text has no {operation!r}")

    def may_lead_to(self, state: Hashable, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """A text that nobody sets again can only grow."""
        assert isinstance(state, str), "a text's states are texts"
        begins = str(result).startswith
        return begins(state) or any(isinstance(update, SetText) and begins(update.text) for update in updates)

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Getting the text."""
        return isinstance(operation, GetText)


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


@dataclass(frozen=True, slots=True)
class Owner:
    """A client, as the member it asks knows it."""

    client: int
    member: int | None


@dataclass(frozen=True, slots=True)
class Taken:
    """A state: who has the lock, and how often."""

    owner: Owner | None = None
    times: int = 0


@dataclass(frozen=True, slots=True)
class Take:
    """Takes the lock, once more if this owner has it, and gives whether it did."""

    owner: Owner


@dataclass(frozen=True, slots=True)
class GiveBack:
    """Gives the lock back once; gives how often this owner has it still, or None where that was not reported."""

    owner: Owner


@dataclass(frozen=True, slots=True)
class IsTaken:
    """Asks whether anybody holds the lock; the answer is yes or no."""


@dataclass(frozen=True, slots=True)
class EndMember:
    """Releases the lock, however often it was taken, if its owner is a client of this member."""

    member: int


FREE = Taken()


@dataclass(frozen=True, slots=True)
class Lock:
    """Free at first."""

    initial: Taken = FREE

    def step(self, state: Hashable, operation: Hashable, result: object) -> Taken | None:
        """Return who has the lock after the operation."""
        assert isinstance(state, Taken), "a lock's states are who has it"
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
                raise TypeError(f"a lock has no {operation!r}")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """An attempt that failed, and asking."""
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
