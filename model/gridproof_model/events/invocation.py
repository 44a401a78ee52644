"""Events of invocation: how a caller's calls go.

`invocation` is the caller's own number for a call; an attempt is known by its call id.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class CallBegun(TraceEvent):
    """A call was taken on (reference replication 1.1)."""

    invocation: int
    partition: int
    operation: str
    is_read_only: bool
    """Whether it changes nothing."""
    is_strict: bool
    """Whether it fails where nobody knows that it is on its backups."""


@dataclass(frozen=True, slots=True)
class AttemptSent(TraceEvent):
    """A target was found and the attempt registered and sent (1.1, 1.2)."""

    invocation: int
    attempt: int
    call_id: int
    target: MemberNumber
    list_version: int


@dataclass(frozen=True, slots=True)
class AttemptFailed(TraceEvent):
    """An attempt ended with a failure; what follows is another attempt or the end of the call (1.5)."""

    invocation: int
    attempt: int
    call_id: int
    """0 when it was not sent."""
    why: str


@dataclass(frozen=True, slots=True)
class ResponseKept(TraceEvent):
    """A response waits for acknowledgements (1.8)."""

    invocation: int
    call_id: int
    expected: int
    """How many acknowledgements the response asks for."""
    received: int
    """How many have come already."""


@dataclass(frozen=True, slots=True)
class AcknowledgementCounted(TraceEvent):
    """A backup's acknowledgement was counted (1.8)."""

    invocation: int
    call_id: int
    backup: MemberNumber
    """Who acknowledged."""
    received: int
    """How many were counted by then."""


@dataclass(frozen=True, slots=True)
class LeaverCounted(TraceEvent):
    """A member that left was counted as an acknowledgement (1.7)."""

    invocation: int
    call_id: int
    gone: MemberNumber
    """The member that left."""
    received: int
    """How many were counted by then."""


@dataclass(frozen=True, slots=True)
class AnswerDropped(TraceEvent):
    """An answer came for no attempt that waits (1.2)."""

    call_id: int
    sender: MemberNumber
    kind: str


@dataclass(frozen=True, slots=True)
class CallBegunAnew(TraceEvent):
    """Acknowledgements are missing and the target is gone: everything is forgotten and invoked again (1.8)."""

    invocation: int


@dataclass(frozen=True, slots=True)
class CallEnded(TraceEvent):
    """A call has its answer (1.8, 1.9)."""

    invocation: int
    how: str
    """acknowledged, unacknowledged, read from backup, or the failure."""
    answered_by: int
    """The call id whose response was given; 0 for a failure."""
    confirmed: int
    """Copies that acknowledgements vouch for, the primary included; 0 for a failure."""


@dataclass(frozen=True, slots=True)
class BatchSent(TraceEvent):
    """One owner was asked for several partitions of a call (2.8)."""

    invocation: int
    call_id: int
    target: MemberNumber
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MultiPartitionCallEnded(TraceEvent):
    """A call of several partitions has its answer (2.8)."""

    invocation: int
    how: str
    """answered, or the failure."""


InvocationEvent = (
    CallBegun
    | AttemptSent
    | AttemptFailed
    | ResponseKept
    | AcknowledgementCounted
    | LeaverCounted
    | AnswerDropped
    | CallBegunAnew
    | CallEnded
    | BatchSent
    | MultiPartitionCallEnded
)
