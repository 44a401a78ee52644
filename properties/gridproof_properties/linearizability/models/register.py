"""A register: read, write, compare and set."""

from collections.abc import Hashable
from dataclasses import dataclass

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
