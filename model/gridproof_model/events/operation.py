"""Events of operations, at the primary."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class Executed(TraceEvent):
    """The primary executed an operation and numbered its backups (reference replication 1.4, 2.1)."""

    partition: int
    namespace: str
    operation: str
    caller: MemberNumber
    call_id: int
    """0 where nobody waits for backups."""
    versions: tuple[int, ...]
    """Afterwards."""
    changed: bool
    """Whether there was something for backups to apply."""
    sent_to: tuple[int, ...]
    """The indices of the backups it was sent to."""
    acks: int
    """Sync backups handed to the network: what the caller is asked to wait for."""


@dataclass(frozen=True, slots=True)
class Refused(TraceEvent):
    """An operation was not executed (reference replication 1.3)."""

    partition: int
    operation: str
    caller: MemberNumber
    call_id: int
    why: str
    """A `Failure`."""


@dataclass(frozen=True, slots=True)
class Parked(TraceEvent):
    """An operation waits at the primary until something changes (reference replication 1.3)."""

    partition: int
    operation: str
    caller: MemberNumber
    call_id: int


@dataclass(frozen=True, slots=True)
class WaitedInVain(TraceEvent):
    """An operation that had to wait is answered that nothing has changed (reference replication 1.3, 1.6)."""

    partition: int
    operation: str
    caller: MemberNumber
    call_id: int


@dataclass(frozen=True, slots=True)
class MadeSync(TraceEvent):
    """Back-pressure had an operation wait for its async backups, too (reference replication 2.2)."""

    partition: int
    caller: MemberNumber
    call_id: int


OperationEvent = Executed | Refused | Parked | WaitedInVain | MadeSync
