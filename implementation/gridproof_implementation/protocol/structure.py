"""What a data structure consists of: operations, updates of backups, replica data.

A structure lives in one partition (a queue, a lock) or has a part of itself in each (a map). A member holds, per
partition and namespace, a fragment of structures; replication moves fragments and never looks inside. Fragmented kinds
have a namespace for every name, all others share one per partition (backups.7). `structures/` holds the kinds, one per
file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from gridproof_implementation.protocol.entry import MergePolicy
from gridproof_model.events.words import Failure
from gridproof_model.membership import MemberId
from gridproof_model.value import Value

SHARED_NAMESPACE = "shared"
"""The one namespace of all structures that are not fragmented (backups.7)."""


@dataclass(frozen=True, slots=True)
class StructureId:
    """A named structure of some kind."""

    kind: str
    """The name of the kind in `STRUCTURES`: map, queue, …"""
    name: str

    def __hash__(self) -> int:
        # Only the name is hashed, for speed: each operation looks a structure up, and two kinds rarely share a name.
        return hash(self.name)

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True)
class Operation(Value):
    """What a caller asks of one partition; immutable, so that retries and several members share it."""

    READ_ONLY: ClassVar[bool] = False
    """Whether the operation only reads: it is then never indeterminate, and runs during migrations (strict.4)."""

    structure: StructureId

    @classmethod
    def combined(cls, values: Sequence[object]) -> object:
        """Return the result of a multi-partition call, from the results in ascending order of partitions (calls.27)."""
        return tuple(values)


@dataclass(frozen=True, slots=True)
class BlockingOperation(Operation):
    """An operation that may be parked until something changes (calls.12).

    A subclass states its result for a wait that was in vain.
    """

    GIVEN_UP: ClassVar[object] = None
    """The result when the waiting time is over and nothing changed."""

    wait_us: int | None = field(default=0, kw_only=True)
    """How long the operation is parked at most; 0 for not at all, None for ever."""


class UpdateError(Exception):
    """An update could not be applied on a backup: no acknowledgement, no new version (backups.12)."""


@dataclass(frozen=True, slots=True)
class Origin(Value):
    """Who asked for an operation: by it a lock recognises its owner and a repeated request (calls.32)."""

    caller: MemberId
    thread: int
    """The calling client: two clients of one member are two threads."""
    reference_id: int
    """The call id of the first attempt."""
    now_us: int


@dataclass(frozen=True, slots=True)
class Execution(Value):
    """The outcome of an operation on the primary."""

    value: object = None
    backup: object = None
    """What a backup has to apply; None when nothing changed and no backup is sent (calls.29)."""
    failure: Failure | None = None
    """The failure that the operation threw: nothing changed, and nothing is backed up (calls.11)."""
    wait: bool = False
    """The operation has to be parked until something changes (calls.12)."""


class Structure(Protocol):
    """One structure's content in one partition, on one member; mutable."""

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute an operation on the primary, or say that it has to wait."""
        ...

    def apply_backup(self, backup: object) -> None:
        """Apply an update, the `backup` of an execution, on a backup."""
        ...

    def replica_data(self) -> object:
        """Return the whole content as an immutable value."""
        ...

    def load(self, data: object) -> None:
        """Replace the whole content (sync.14)."""
        ...

    def entries(self) -> Mapping[str, str]:
        """Return the content as texts, for digests and reads from outside."""
        ...

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return the operations that bring this content into another cluster; none for a kind without merge
        (splits.8)."""
        ...
