"""The behaviour of a structure when only one client uses it at a time.

A checker knows nothing about a structure but its sequential model. States, operations and results are hashable values;
a model says which type its states have.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

UNSEEN = object()
"""The result of an operation whose answer was not seen: it may have taken effect at any later time, or never."""


class SequentialModel(Protocol):
    """One structure, used by one client at a time."""

    @property
    def initial(self) -> Hashable:
        """The state before the first operation."""
        ...

    def step(self, state: Any, operation: Hashable, result: object) -> Hashable | None:
        """Return the state after the operation gave this result; None if it cannot have given this result.

        With `UNSEEN` every result is possible; if the operation may have no effect, the state is returned unchanged.
        """
        ...

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Whether an operation with this result never changes a state that allows the result, so that it can be ordered
        early."""
        ...


@runtime_checkable
class FarSighted(Protocol):
    """A model that can see early that a later read cannot have its result."""

    def may_lead_to(self, state: Any, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """Whether the read can still have this result after any of these updates in any order; True when in doubt.

        A search that looks ahead drops a wrong order at once, and not only after searching everything that follows from
        it.
        """
        ...


@runtime_checkable
class Traceless(Protocol):
    """A model in which an update without a seen return shows only in a read right after it.

    Such an update is tried only while a read that may show it is open: at other times it can just as well be left out.
    """

    def shown_by(self, operation: Any) -> tuple[Hashable, Hashable]:
        """Return the read that shows that an update took effect, and the result that this read must have."""
        ...
