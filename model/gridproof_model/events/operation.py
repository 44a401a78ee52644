"""Events of operations at the primary."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Failure


@dataclass(frozen=True, slots=True)
class Executed(TraceEvent):
    """The primary executed an operation, and gave the updates for the backups their versions (calls.10, backups.4)."""

    partition: int
    """The partition of the operation."""
    namespace: str
    """The namespace of the structure on which the operation worked."""
    operation: str
    """The name of the operation's type, such as Put."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 in a batch, whose caller waits for no backups."""
    versions: tuple[int, ...]
    """The namespace's version vector after the operation: one version for each replica index, beginning with 1."""
    changed: bool
    """Whether there was a change for backups to apply."""
    sent_to: tuple[int, ...]
    """The replica indices, 1 or more, of the backups to which the update was sent."""
    acks: int
    """To how many sync backups the update was sent; the caller has to wait for this number of acknowledgements."""

    @property
    def backups(self) -> int:
        """How many backups the namespace has, even if some of them are missing (backups.9)."""
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
    """The failure with which the attempt ends."""


@dataclass(frozen=True, slots=True)
class Parked(TraceEvent):
    """An operation waits at the primary until its structure changes, or its waiting time is over (calls.12)."""

    partition: int
    """The partition in which something has to change."""
    operation: str
    """The name of the operation's type, such as Put."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt."""
    wait_ms: int = 0
    """The longest time that the operation waits, set by its caller; 0 if only the call's end limits it, or unknown."""


@dataclass(frozen=True, slots=True)
class WaitedInVain(TraceEvent):
    """A parked operation has waited for its whole time; it is answered that nothing has changed (calls.12)."""

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
    """Back-pressure made the caller of an operation wait for its async backups, too (backups.21)."""

    partition: int
    """The partition of the operation."""
    caller: MemberNumber
    """The member that made the call."""
    call_id: int
    """The call id of the attempt; 0 in a batch, whose caller waits for no backups in any case."""


OperationEvent = Executed | Refused | Parked | WaitedInVain | MadeSync
