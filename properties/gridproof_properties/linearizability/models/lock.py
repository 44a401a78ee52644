"""A reentrant lock: one holder, several times.

The locks of a member that ends are released (calls.33), each at any time after it: in a history that is
an operation that nobody saw return.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from gridproof_properties.linearizability.sequential import UNSEEN


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
