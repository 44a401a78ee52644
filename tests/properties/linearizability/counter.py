"""A counter: increments that give the new value."""

from collections.abc import Hashable
from dataclasses import dataclass

from gridproof_properties.linearizability.models import Add
from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class Total:
    """Gives the sum."""


@dataclass(frozen=True, slots=True)
class Counter:
    """One sum, 0 at first."""

    initial: int = 0

    def step(self, state: Hashable, operation: Hashable, result: object) -> int | None:
        """Return the sum after the operation."""
        assert isinstance(state, int), "a counter's states are sums"
        match operation:
            case Add(amount=amount):
                return state + amount if result is UNSEEN or result == state + amount else None
            case Total():
                return state if result is UNSEEN or result == state else None
            case _:
                raise TypeError(f"a counter has no {operation!r}")

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Asking for the sum."""
        return isinstance(operation, Total)
