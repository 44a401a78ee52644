"""Events of invocation: the steps of a member's calls.

`invocation` is the caller's own number for a call; an attempt is identified by its call id.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import CallEnding, CallOfSeveralEnding, Failure


@dataclass(frozen=True, slots=True)
class CallBegun(TraceEvent):
    """A member began a call (calls.5)."""

    invocation: int
    """The caller's own number for the call, from 1; no other call of this member has it."""
    partition: int
    """The partition that the operation is for."""
    operation: str
    """The name of the operation's type, such as Put."""
    is_read_only: bool
    """Whether the operation changes nothing."""
    is_strict: bool
    """Whether the call fails if it is not known to be on its backups. A log in which callers choose this for each call
    leaves out how the run is configured (`strict-as-configured`)."""


@dataclass(frozen=True, slots=True)
class AttemptSent(TraceEvent):
    """A target was found, and the attempt was registered and sent (calls.5, calls.7)."""

    invocation: int
    """The caller's own number for the call."""
    attempt: int
    """Which attempt of the call it is, from 1; a call that begins anew counts from 1 again."""
    call_id: int
    """The call id that it is sent with, from 1; no other attempt of this member has the same."""
    target: MemberNumber
    """The member that is asked: the owner in the caller's own table."""
    list_version: int
    """The version of the caller's member list when the target was found."""


@dataclass(frozen=True, slots=True)
class AttemptFailed(TraceEvent):
    """An attempt ended with a failure; another attempt follows, or the end of the call (calls.14)."""

    invocation: int
    """The caller's own number for the call."""
    attempt: int
    """Which attempt of the call it is, from 1; a call that begins anew counts from 1 again."""
    call_id: int
    """The call id with which the attempt was sent; 0 if it was not sent."""
    why: Failure
    """How the attempt failed."""


@dataclass(frozen=True, slots=True)
class ResponseKept(TraceEvent):
    """A response waits for acknowledgements (backups.17)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt that has the response."""
    expected: int
    """How many acknowledgements the response asks for."""
    received: int
    """How many acknowledgements are counted for the call already, with leavers and those of earlier attempts."""


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
    """How many acknowledgements are counted for the call now, with leavers and those of earlier attempts."""


@dataclass(frozen=True, slots=True)
class LeaverCounted(TraceEvent):
    """A backup that left was counted as if it had acknowledged (backups.20)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt that waits."""
    gone: MemberNumber
    """The member that left."""
    received: int
    """How many acknowledgements are counted for the call now, with leavers and those of earlier attempts."""


@dataclass(frozen=True, slots=True)
class AnswerDropped(TraceEvent):
    """An answer was dropped, since no attempt waits for it (calls.7)."""

    call_id: int
    """The call id that the answer names."""
    sender: MemberNumber
    """Who answered."""
    kind: str
    """The name of the answer's type, such as Response or BackupAck."""


@dataclass(frozen=True, slots=True)
class CallBegunAnew(TraceEvent):
    """Acknowledgements are missing and the target is gone: the call drops its attempts and begins anew (backups.19)."""

    invocation: int
    """The caller's own number for the call."""


@dataclass(frozen=True, slots=True)
class CallEnded(TraceEvent):
    """A call has its answer (backups.17, strict.1)."""

    invocation: int
    """The caller's own number for the call."""
    how: CallEnding | Failure
    """Whether all acknowledgements came, or not all in time, or which failure the call ended with."""
    answered_by: int
    """The call id of the response that the caller was given; 0 for a failure."""
    confirmed: int
    """How many copies are confirmed by acknowledgements, the primary's included; 0 for a failure, and for a response
    to an earlier attempt."""


@dataclass(frozen=True, slots=True)
class BatchSent(TraceEvent):
    """One owner was sent the part of a call that concerns several of its partitions (calls.27)."""

    invocation: int
    """The caller's own number for the call of several partitions."""
    call_id: int
    """The call id that the batch is answered under; attempts have other ids."""
    target: MemberNumber
    """The member that is asked: the owner of these partitions in the caller's own table."""
    partitions: tuple[int, ...]
    """The partitions that the batch is for."""


@dataclass(frozen=True, slots=True)
class MultiPartitionCallEnded(TraceEvent):
    """A call of several partitions has its answer (calls.27)."""

    invocation: int
    """The caller's own number for the call of several partitions."""
    how: CallOfSeveralEnding | Failure
    """Whether the call was answered, or the first failure that a partition ended with."""


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
