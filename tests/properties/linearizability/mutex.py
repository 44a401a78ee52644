"""A mutex: at most one holder."""

from collections.abc import Hashable
from dataclasses import dataclass

from gridproof_properties.linearizability.sequential import UNSEEN

FREE = ""


@dataclass(frozen=True, slots=True)
class Acquire:
    """Takes the lock when it is free, and gives whether it did."""

    owner: str


@dataclass(frozen=True, slots=True)
class Release:
    """Gives the lock back when this owner holds it, and gives whether it did."""

    owner: str


@dataclass(frozen=True, slots=True)
class Mutex:
    """The holder's name, empty while the lock is free."""

    initial: str = FREE

    def step(self, state: Hashable, operation: Hashable, result: object) -> str | None:
        """Return the holder after the operation."""
        assert isinstance(state, str), "a mutex's states are its holders"
        match operation:
            case Acquire(owner=owner):
                fits, after = state == FREE, owner
            case Release(owner=owner):
                fits, after = state == owner, FREE
            case _:
                raise TypeError(f"a mutex has no {operation!r}")
        if result is not UNSEEN and result is not fits:
            return None
        return after if fits else state

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """An attempt that failed."""
        return result is False
