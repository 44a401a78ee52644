"""Events of operations at the primary."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Failure


@dataclass(frozen=True, slots=True)
class Executed(TraceEvent):
    """The primary executed an operation and gave the updates for its backups their versions (calls.10, backups.4)."""

    partition: int
    """The partition of the operation."""
    namespace: str
    """The namespace of the structure that it worked on."""
    operation: str
    """The name of the operation's type, such as Put."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 in a batch, whose caller does not wait for backups."""
    versions: tuple[int, ...]
    """The namespace's version vector afterwards: a version for each replica index, from 1."""
    changed: bool
    """Whether there was a change for backups to apply."""
    sent_to: tuple[int, ...]
    """The replica indices of the backups that the update was sent to, from 1."""
    acks: int
    """How many sync backups the update was sent to; the caller is asked to wait for as many acknowledgements."""

    @property
    def backups(self) -> int:
        """How many backups the namespace has, even if some of them are not there (backups.9)."""
        return sum(version > 0 for version in self.versions)


@dataclass(frozen=True, slots=True)
class Refused(TraceEvent):
    """An operation was not executed (calls.9)."""

    partition: int
    """The partition of the operation."""
    operation: str
    """The name of the operation's type, such as Put."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 in a batch."""
    why: Failure
    """The failure that the attempt ends with."""


@dataclass(frozen=True, slots=True)
class Parked(TraceEvent):
    """An operation waits at the primary until something changes (calls.12)."""

    partition: int
    """The partition in which something has to change."""
    operation: str
    """The name of the operation's type, such as Put."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt."""
    wait_ms: int = 0
    """How long the operation waits at most, as its caller asked; 0 for as long as the call lasts, or if unknown."""


@dataclass(frozen=True, slots=True)
class WaitedInVain(TraceEvent):
    """A parked operation waited for its whole time; the answer is that nothing has changed (calls.12)."""

    partition: int
    """The partition in which nothing has changed."""
    operation: str
    """The name of the operation's type, such as Put."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt."""


@dataclass(frozen=True, slots=True)
class MadeSync(TraceEvent):
    """Back-pressure made an operation wait for its async backups, too (backups.21)."""

    partition: int
    """The partition of the operation."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 in a batch, whose caller does not wait in any case."""


OperationEvent = Executed | Refused | Parked | WaitedInVain | MadeSync
