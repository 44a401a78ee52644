"""What a structure does when one client uses it alone.

A sequential model is all a checker knows of a structure. States, operations and results are hashable values.
"""

from collections.abc import Hashable, Sequence
from typing import Protocol, runtime_checkable

UNSEEN = object()
"""The result of an operation whose answer nobody saw: it may have taken effect, at any later time, or never."""


class SequentialModel(Protocol):
    """One structure, used by one client at a time."""

    @property
    def initial(self) -> Hashable:
        """The state before the first operation."""
        ...

    def step(self, state: Hashable, operation: Hashable, result: object) -> Hashable | None:
        """Return the state after the operation gave this result, None when it cannot have given it.

        With `UNSEEN` every result is possible; where an operation may leave the state as it was, it returns that state.
        """
        ...

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether an operation with this result never changes a state that allows it: then it is ordered early."""
        ...


@runtime_checkable
class FarSighted(Protocol):
    """A model that can see early that a read will not fit."""

    def may_lead_to(self, state: Hashable, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """Whether the read can still give this result after any of these updates in any order; True when in doubt.

        A search that sees ahead drops a wrong order at once, not after all that follows from it.
        """
        ...


@runtime_checkable
class Traceless(Protocol):
    """A model of which an update that nobody saw return leaves no trace but one: a read right after it.

    It is then tried only where such a read is open: anywhere else it could as well never have been.
    """

    def shown_by(self, operation: Hashable) -> tuple[Hashable, Hashable]:
        """Return the read that shows an update, and the result it must have."""
        ...
