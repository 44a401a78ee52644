"""Why an operation failed, and who may try again.

Reference replication 1.5 lists what is retried; 1.9 what is reported as indeterminate.
"""

from enum import StrEnum


class Failure(StrEnum):
    """The reasons a call or one attempt of it can fail."""

    WRONG_TARGET = "wrong target"
    """The member asked does not own the partition, by its own table."""
    PARTITION_MIGRATING = "partition migrating"
    TARGET_NOT_MEMBER = "target not member"
    CALLER_NOT_MEMBER = "caller not member"
    MEMBER_LEFT = "member left"
    RETRYABLE_IO = "not sent"
    """The message could not be written: no connection."""
    NOT_ACTIVE = "not active"
    """The member is shutting down or gone."""
    ILLEGAL_STATE = "illegal state"
    """The cluster state forbids it."""
    NO_DATA_MEMBER = "no data member"
    """Only lite members are left."""
    OPERATION_TIMEOUT = "operation timeout"
    """Nothing was heard in time: executed not at all, once or twice (seed: Execution Guarantees)."""
    INDETERMINATE = "indeterminate operation state"
    """seed: Throwing an IndeterminateOperationStateException."""
    OVERLOAD = "overload"
    """Back-pressure found no room in time (reference replication 2.2)."""
    SPLIT_BRAIN_PROTECTION = "split-brain protection"
    """Fewer members than the structure asks for (reference replication 1.3)."""
    THROWN = "thrown by the operation"
    """The operation itself failed; it changed nothing (reference replication 1.4)."""

    @property
    def is_retryable(self) -> bool:
        """Whether the default policy tries again (reference replication 1.5)."""
        return self in _RETRYABLE


_RETRYABLE = frozenset(
    {
        Failure.WRONG_TARGET,
        Failure.PARTITION_MIGRATING,
        Failure.TARGET_NOT_MEMBER,
        Failure.CALLER_NOT_MEMBER,
        Failure.MEMBER_LEFT,
        Failure.RETRYABLE_IO,
    }
)
