"""The behaviour of a structure that one client uses alone.

A sequential model is all that a checker knows about a structure. States, operations and results are hashable values;
a model says of which type its own are.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

UNSEEN = object()
"""The result of an operation without a seen answer: it may have taken effect at any later time, or never."""


class SequentialModel(Protocol):
    """One structure, used by one client at a time."""

    @property
    def initial(self) -> Hashable:
        """The state before the first operation."""
        ...

    def step(self, state: Any, operation: Hashable, result: object) -> Hashable | None:
        """Return the state after the operation gave this result, None if it cannot have given it.

        With `UNSEEN` every result is possible; if the operation may leave the state unchanged, it returns that state.
        """
        ...

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether an operation with this result never changes a state that allows it, so that it can be ordered
        early."""
        ...


@runtime_checkable
class FarSighted(Protocol):
    """A model that can see early that a read will not fit."""

    def may_lead_to(self, state: Any, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """Whether the read can still give this result after any of these updates in any order; True when in doubt.

        A search that sees ahead drops a wrong order at once, and not only after searching all that follows from it.
        """
        ...


@runtime_checkable
class Traceless(Protocol):
    """A model in which only one thing shows an update without a seen return: a read right after it.

    Such an update is tried only while such a read is open: at other times it could as well be left out.
    """

    def shown_by(self, operation: Any) -> tuple[Hashable, Hashable]:
        """Return the read that shows an update, and the result that it must have."""
        ...
