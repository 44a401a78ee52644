"""Events of invocation: how a caller's calls go.

`invocation` is the caller's own number for a call; an attempt is known by its call id.
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import CallEnding, CallOfSeveralEnding, Failure


@dataclass(frozen=True, slots=True)
class CallBegun(TraceEvent):
    """A call was taken on (calls.5)."""

    invocation: int
    """The caller's own number for the call, from 1; no other call of this member has it."""
    partition: int
    """The partition that the operation is for."""
    operation: str
    """The name of the operation's type, such as Put."""
    is_read_only: bool
    """Whether it changes nothing."""
    is_strict: bool
    """Whether it fails where nobody knows that it is on its backups. Where callers choose this call by call, a log
    leaves out how the run is configured (`strict-as-configured`)."""


@dataclass(frozen=True, slots=True)
class AttemptSent(TraceEvent):
    """A target was found and the attempt registered and sent (calls.5, calls.7)."""

    invocation: int
    """The caller's own number for the call."""
    attempt: int
    """Which attempt of the call it is, from 1; a call that begins anew counts from 1 again."""
    call_id: int
    """The call id that it is sent with, from 1; no other attempt of this member has it."""
    target: MemberNumber
    """The member that is asked: the owner, as the caller's own table has it."""
    list_version: int
    """The version of the caller's member list when the target was found."""


@dataclass(frozen=True, slots=True)
class AttemptFailed(TraceEvent):
    """An attempt ended with a failure; what follows is another attempt or the end of the call (calls.14)."""

    invocation: int
    """The caller's own number for the call."""
    attempt: int
    """Which attempt of the call it is, from 1; a call that begins anew counts from 1 again."""
    call_id: int
    """The call id that it was sent with; 0 when it was not sent."""
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
    """How many are counted for the call already, leavers and those of earlier attempts included."""


@dataclass(frozen=True, slots=True)
class AcknowledgementCounted(TraceEvent):
    """A backup's acknowledgement was counted (backups.17)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt that was acknowledged."""
    backup: MemberNumber
    """Who acknowledged."""
    received: int
    """How many are counted for the call now, leavers and those of earlier attempts included."""


@dataclass(frozen=True, slots=True)
class LeaverCounted(TraceEvent):
    """A member that left was counted as an acknowledgement (backups.20)."""

    invocation: int
    """The caller's own number for the call."""
    call_id: int
    """The call id of the attempt that waits."""
    gone: MemberNumber
    """The member that left."""
    received: int
    """How many are counted for the call now, leavers and those of earlier attempts included."""


@dataclass(frozen=True, slots=True)
class AnswerDropped(TraceEvent):
    """An answer came for no attempt that waits (calls.7)."""

    call_id: int
    """The call id that the answer names."""
    sender: MemberNumber
    """Who answered."""
    kind: str
    """The name of the answer's type, such as Response or BackupAck."""


@dataclass(frozen=True, slots=True)
class CallBegunAnew(TraceEvent):
    """Acknowledgements are missing and the target is gone: everything is forgotten and invoked again (backups.19)."""

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
    """The call id whose response was given; 0 for a failure."""
    confirmed: int
    """Copies that acknowledgements vouch for, the primary included; 0 for a failure, and for a response that an earlier
    attempt gave."""


@dataclass(frozen=True, slots=True)
class BatchSent(TraceEvent):
    """One owner was asked for several partitions of a call (calls.27)."""

    invocation: int
    """The caller's own number for the call of several partitions."""
    call_id: int
    """The call id that the batch is answered under; attempts have others."""
    target: MemberNumber
    """The member that is asked: the owner of these partitions, as the caller's own table has it."""
    partitions: tuple[int, ...]
    """The partitions that it is asked for."""


@dataclass(frozen=True, slots=True)
class MultiPartitionCallEnded(TraceEvent):
    """A call of several partitions has its answer (calls.27)."""

    invocation: int
    """The caller's own number for the call of several partitions."""
    how: CallOfSeveralEnding | Failure
    """Whether it was answered, or the first failure that a partition ended with."""


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
