"""What a caller notes of its calls.

`invocation` is the caller's own number for a call; an attempt is known by its call id.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class CallBegun(Note):
    """A call was taken on (reference replication 1.1)."""

    invocation: int
    partition: int
    operation: str
    is_read_only: bool
    is_strict: bool


@dataclass(frozen=True, slots=True)
class AttemptSent(Note):
    """A target was found and the attempt registered and sent (1.1, 1.2)."""

    invocation: int
    attempt: int
    call_id: int
    target: MemberId
    list_version: int


@dataclass(frozen=True, slots=True)
class AttemptFailed(Note):
    """An attempt ended with a failure; what follows is another attempt or the end of the call (1.5)."""

    invocation: int
    attempt: int
    call_id: int
    """0 when it was not sent."""
    why: str


@dataclass(frozen=True, slots=True)
class ResponseKept(Note):
    """A response waits for acknowledgements (1.8)."""

    invocation: int
    call_id: int
    expected: int
    received: int


@dataclass(frozen=True, slots=True)
class AcknowledgementCounted(Note):
    """A backup's word was counted (1.8)."""

    invocation: int
    call_id: int
    backup: MemberId
    received: int


@dataclass(frozen=True, slots=True)
class LeaverCounted(Note):
    """A member that left was counted as an acknowledgement (1.7)."""

    invocation: int
    call_id: int
    gone: MemberId
    received: int


@dataclass(frozen=True, slots=True)
class AnswerDropped(Note):
    """An answer came for no attempt that waits (1.2)."""

    call_id: int
    sender: MemberId
    kind: str


@dataclass(frozen=True, slots=True)
class CallBegunAnew(Note):
    """Acknowledgements are missing and the target is gone: everything is forgotten and invoked again (1.8)."""

    invocation: int


@dataclass(frozen=True, slots=True)
class CallEnded(Note):
    """A call has its answer (1.8, 1.9)."""

    invocation: int
    how: str
    """acknowledged, unacknowledged, read from backup, or the failure."""
    answered_by: int
    """The call id whose response was given; 0 for a failure."""
    confirmed: int


@dataclass(frozen=True, slots=True)
class BatchSent(Note):
    """One owner was asked for several partitions of a call (2.8)."""

    invocation: int
    call_id: int
    target: MemberId
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SweepEnded(Note):
    """A call of several partitions has its answer (2.8)."""

    invocation: int
    how: str
    """answered, or the failure."""
