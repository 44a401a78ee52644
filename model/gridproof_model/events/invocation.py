"""Events of invocation: the steps of the calls that a member makes.

`invocation` is the number that the caller gives a call; an attempt is identified by its call id.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import CallEnding, CallOfSeveralEnding, Failure


@dataclass(frozen=True, slots=True)
class CallBegun(TraceEvent):
    """A member began a call (calls.5)."""

    invocation: int
    """The caller's own number for the call, 1 or more; no other call of this member has the same number."""
    partition: int
    """The partition that the operation is for."""
    operation: str
    """The name of the operation's type, such as Put."""
    is_read_only: bool
    """Whether the operation changes nothing."""
    is_strict: bool
    """Whether the call fails if it is unknown whether its backups have the change. If callers choose this for each
    call, a log should leave out the event `configured`, with which `strict-as-configured` compares it."""


@dataclass(frozen=True, slots=True)
class AttemptSent(TraceEvent):
    """A target was found, and the attempt was registered and sent (calls.5, calls.7)."""

    invocation: int
    """The caller's own number for the call."""
    attempt: int
    """The number of the attempt, counted from 1; if a call begins anew, it counts from 1 again."""
    call_id: int
    """The call id with which the attempt is sent, 1 or more; no other attempt of this member has the same id."""
    target: MemberNumber
    """The member that is asked: the owner in the caller's own table."""
    list_version: int
    """The version of the caller's member list when the target was found."""


@dataclass(frozen=True, slots=True)
class AttemptFailed(TraceEvent):
    """An attempt ended with a failure; next, the call makes another attempt or ends (calls.14)."""

    invocation: int
    """The caller's own number for the call."""
    attempt: int
    """The number of the attempt, counted from 1; if a call begins anew, it counts from 1 again."""
    call_id: int
    """The call id with which the attempt was sent; 0 if it was not sent."""
    why: Failure
    """How the attempt failed."""


@dataclass(frozen=True, slots=True)
class ResponseKept(TraceEvent):
    """A call has a response, and waits for acknowledgements of backups (backups.17)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt to which this is the response."""
    expected: int
    """How many acknowledgements the response asks for."""
    received: int
    """How many acknowledgements the call has already, including those of earlier attempts and of backups that left."""


@dataclass(frozen=True, slots=True)
class AcknowledgementCounted(TraceEvent):
    """A backup's acknowledgement was counted (backups.17)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt that was acknowledged."""
    backup: MemberNumber
    """The backup that acknowledged."""
    received: int
    """How many acknowledgements the call has now, including those of earlier attempts and of backups that left."""


@dataclass(frozen=True, slots=True)
class LeaverCounted(TraceEvent):
    """A backup that left was counted as if it had sent an acknowledgement (backups.20)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt that waits for acknowledgements."""
    gone: MemberNumber
    """The member that left."""
    received: int
    """How many acknowledgements the call has now, including those of earlier attempts and of backups that left."""


@dataclass(frozen=True, slots=True)
class AnswerDropped(TraceEvent):
    """An answer was dropped, since no attempt was waiting for it (calls.7)."""

    call_id: int
    """The call id that the answer names."""
    sender: MemberNumber
    """The member that answered."""
    kind: str
    """The name of the answer's type, such as Response or BackupAck."""


@dataclass(frozen=True, slots=True)
class CallBegunAnew(TraceEvent):
    """Acknowledgements are missing, and the target is gone: the call drops its attempts, to begin anew (backups.19)."""

    invocation: int
    """The caller's own number for the call."""


@dataclass(frozen=True, slots=True)
class CallEnded(TraceEvent):
    """A call ended, with an answer or a failure (backups.17, strict.1)."""

    invocation: int
    """The caller's own number for the call."""
    how: CallEnding | Failure
    """How the call ended: with all acknowledgements, with some of them not in time, or with which failure."""
    answered_by: int
    """The call id of the response that the caller got; 0 for a failure."""
    confirmed: int
    """How many copies are confirmed by acknowledgements, including the primary's; 0 for a failure, and for a response
    to an earlier attempt."""


@dataclass(frozen=True, slots=True)
class BatchSent(TraceEvent):
    """The caller sent one owner the part of a multi-partition call that is about the owner's partitions (calls.27)."""

    invocation: int
    """The caller's own number for the multi-partition call."""
    call_id: int
    """The call id by which the batch is answered; attempts have other call ids."""
    target: MemberNumber
    """The member that is asked: the owner of these partitions in the caller's own table."""
    partitions: tuple[int, ...]
    """The partitions that the batch is about."""


@dataclass(frozen=True, slots=True)
class MultiPartitionCallEnded(TraceEvent):
    """A multi-partition call ended, with an answer or a failure (calls.27)."""

    invocation: int
    """The caller's own number for the multi-partition call."""
    how: CallOfSeveralEnding | Failure
    """Whether the call was answered, or the first failure with which one of its partitions ended."""


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
