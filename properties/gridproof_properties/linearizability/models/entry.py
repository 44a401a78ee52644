"""An entry of a map, and all that clients ask.

A register whose value is text or nothing, with additions of one (an entry processor takes an absent entry for 0),
writes to what is absent, and questions whether it is there.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from gridproof_properties.linearizability.models.register import Held, Register
from gridproof_properties.linearizability.sequential import UNSEEN

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
