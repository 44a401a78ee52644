"""The messages between a caller, a primary and its backups.

The response and the acknowledgements come from different members: the primary answers the caller, and every backup
sends its acknowledgement straight to the caller (calls.10, backups.16)."""

from dataclasses import dataclass

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.replies import Reply
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.version_vector import Versions
from gridproof_model.events.words import Failure
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class Request(Message):
    """One attempt of a call (calls.5)."""

    call_id: int
    """The attempt's call id, new for every attempt (calls.7); 0 for an operation that returns no response."""
    operation: Operation
    thread: int
    reference_id: int
    """The call id of the first attempt."""
    deadline_us: int
    """The cluster time after which the request must not be executed any more (calls.23)."""


@dataclass(frozen=True, slots=True)
class Response(Reply):
    """The operation was executed, and updates for `backup_count` sync backups were handed to the network
    (backups.5)."""

    call_id: int
    value: object
    backup_count: int


@dataclass(frozen=True, slots=True)
class ErrorResponse(Reply):
    """The operation was not executed, or it threw an error."""

    call_id: int
    failure: Failure


@dataclass(frozen=True, slots=True)
class CallTimeoutResponse(Reply):
    """The request came too late and was not executed (calls.23)."""

    call_id: int


@dataclass(frozen=True, slots=True)
class Backup(Message):
    """An update for one backup, sent in the normal lane (calls.2, backups.4)."""

    call_id: int
    caller: MemberId
    index: int
    is_sync: bool
    namespace: str
    operation: Operation
    """The backup uses the operation only to find the structure that the update is for."""
    update: object
    versions: Versions


@dataclass(frozen=True, slots=True)
class BackupAck(Reply):
    """A backup applied an update whose acknowledgement the caller waits for (backups.16)."""

    call_id: int


@dataclass(frozen=True, slots=True)
class OperationControl(Reply):
    """The receiver's calls that are running or parked at the sender (calls.21)."""

    call_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IteratingRequest(Message):
    """Operations on several partitions of one owner, which runs them one after the other (calls.27).

    The updates that these operations send to backups carry no call id, so that no backup acknowledges them.
    """

    call_id: int
    operations: tuple[tuple[int, Operation], ...]
    """Pairs of partition and operation, in ascending order of partitions."""
    thread: int
    reference_id: int
    deadline_us: int


@dataclass(frozen=True, slots=True)
class IteratingResponse(Reply):
    """The result of each partition: a value, or the reason why the operation did not run there (calls.27)."""

    call_id: int
    values: tuple[tuple[int, object], ...]
    failures: tuple[tuple[int, Failure], ...]
