"""What the others ask of the caller's side."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.parts.part import Part
from gridproof_implementation.protocol.structure import Operation
from gridproof_model.identity import Address, MemberId
from gridproof_model.value import Value


@dataclass(frozen=True, slots=True)
class Call(Value):
    """What a client asks its member to have done."""

    number: int
    """The client's own number for it; its `Answer` carries it."""
    operation: Operation
    partition: int
    thread: int = 0
    """The client."""
    fail_on_indeterminate_state: bool | None = None
    """Per call; None for the member's setting (reference replication 1.9)."""
    read_from_backup: bool = False
    """Whether a local backup may answer (reference replication 4)."""


@dataclass(frozen=True, slots=True)
class CallMany:
    """What a client asks for in several partitions: nothing is acknowledged (reference replication 2.8)."""

    number: int
    """As in `Call`."""
    operations: tuple[tuple[int, Operation], ...]
    """Of one type, by partition, ascending; its `combined` makes one result of theirs."""
    thread: int = 0


class Invocations(Part, Protocol):
    """The caller's side: attempts, acknowledgements, retries, timeouts."""

    def invoke(self, call: Call | CallMany, then: Callable[[Answer], None] | None = None) -> None:
        """Begin a call; ends in exactly one `Answer`: an effect, or for a call of a part given to `then` instead."""
        ...

    def member_removed(self, gone: MemberId, *, list_version: int) -> None:
        """Fail or acknowledge on behalf of a member that left (reference replication 1.7)."""
        ...

    def reset(self) -> None:
        """End every pending call with member-left: this member is merging (reference replication 7.4)."""
        ...

    def shut_down(self) -> None:
        """End every pending call and refuse later ones: this member is gone (reference replication 1.5)."""
        ...

    def disconnected(self, address: Address) -> None:
        """Take note that no connection to an address stands or can be made: nothing is sent there for a while (1.5)."""
        ...
