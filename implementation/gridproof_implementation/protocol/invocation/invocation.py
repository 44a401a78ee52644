"""One call under way, and its present attempt."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gridproof_implementation.protocol.calls import Response
from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.node import Call
from gridproof_model.identity import MemberId

NOT_REGISTERED = 0
"""The call id between two attempts; requests without a response carry it, too."""


@dataclass(slots=True, eq=False)
class Invocation:
    """A call from its beginning to its answer; mutable.

    A retry has a new call id and a new clock; the kept response and the counts stay (reference replication 1.5).
    """

    number: int
    """This member's own number for it: calls of clients and of parts do not share numbers."""
    call: Call
    then: Callable[[Answer], None] | None
    """Who is given the answer; None for the client."""
    begun_us: int
    is_strict: bool
    """Whether an open outcome is told as indeterminate (reference replication 1.9)."""

    attempts: int = 0
    call_id: int = NOT_REGISTERED
    """The registered attempt's."""
    reference_id: int = NOT_REGISTERED
    """The call id of the first attempt that was sent (reference replication 5)."""
    target: MemberId | None = None
    """The last one found."""
    list_version: int = 0
    """Of the member list by which the target was found."""
    attempt_begun_us: int = 0
    heartbeat_us: int | None = None
    """When the target last said that this attempt runs there (1.6)."""
    acks_received: int = 0
    """All that were counted, those for members that left included (1.7)."""
    confirmed_by: tuple[MemberId, ...] = ()
    """Backups that really acknowledged the present attempt."""
    acks_expected: int = 0
    """As the kept response says."""
    response: Response | None = None
    """Kept until the acknowledgements have come."""
    response_us: int = 0
    may_have_run: bool = False
    """Whether an attempt that was sent has ended without word of its target."""

    @property
    def is_read_only(self) -> bool:
        """Whether nothing is changed, whatever happens."""
        return self.call.operation.READ_ONLY


class Attempt(Protocol):
    """What was sent to a target and waits for its word: of one call, or for several partitions."""

    target: MemberId | None
    list_version: int
    attempt_begun_us: int
    heartbeat_us: int | None

    @property
    def is_read_only(self) -> bool:
        """Whether nothing is changed, whatever happens."""
        ...
