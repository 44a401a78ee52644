"""An entry of a map: written, read and added to.

A register whose value is text or nothing, with additions of one: an entry processor takes an absent entry for 0.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from gridproof_properties.linearizability.models.counter import Add
from gridproof_properties.linearizability.models.register import Held, Register
from gridproof_properties.linearizability.sequential import UNSEEN

_REGISTER = Register()


@dataclass(frozen=True, slots=True)
class Entry:
    """What a register does, and additions; the result of an addition is the sum."""

    initial: Held = _REGISTER.initial

    def step(self, state: Hashable, operation: Hashable, result: object) -> Held | None:
        """Return what is held after the operation; who adds to what is no number changes nothing and has no answer."""
        assert isinstance(state, Held), "an entry's states are what it holds"
        if not isinstance(operation, Add):
            return _REGISTER.step(state, operation, result)
        before = as_number(state.value)
        if before is None:
            return state if result is UNSEEN else None
        after = before + operation.amount
        return Held(str(after)) if result is UNSEEN or result == after else None

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """What a register takes for one."""
        return _REGISTER.is_read_only(operation, result)


def as_number(value: object) -> int | None:
    """Return the number that an entry holds: 0 where it is absent, None where it holds anything else."""
    if value is None:
        return 0
    try:
        return int(str(value))
    except ValueError:
        return None
