"""What a data structure consists of: its operations, updates for backups, and replica data.

A structure either lies in one partition (a queue, for instance), or has a part in every partition (a map or a lock
store). For each partition and namespace a member has a fragment with structures; replication moves fragments without
reading their content. Structures of fragmented kinds have a namespace each; all others share one namespace (backups.7).
Each kind is in a file of its own in `structures/`."""

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
    """The name of the kind in `STRUCTURES`, such as map or queue."""
    name: str

    def __hash__(self) -> int:
        # Only the name is hashed, for speed: each operation looks a structure up, and two kinds rarely share a name.
        return hash(self.name)

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True)
class Operation(Value):
    """What a caller requests from one partition; immutable, so that retries and several members can share it."""

    READ_ONLY: ClassVar[bool] = False
    """Whether the operation only reads, so that it is never indeterminate, and runs during migrations (strict.4)."""

    structure: StructureId

    @classmethod
    def combined(cls, values: Sequence[object]) -> object:
        """Return the result of a multi-partition call, given the results in the order of partitions (calls.27)."""
        return tuple(values)


@dataclass(frozen=True, slots=True)
class BlockingOperation(Operation):
    """An operation that may be parked until something changes (calls.12).

    A subclass states the result that its operation has if the wait was in vain.
    """

    GIVEN_UP: ClassVar[object] = None
    """The result if the waiting time has ended before the operation could run."""

    wait_us: int | None = field(default=0, kw_only=True)
    """The longest time for which the operation is parked; 0 means not at all, None means for ever."""


class UpdateError(Exception):
    """An update could not be applied on a backup, so it is neither acknowledged nor is its version recorded
    (backups.12)."""


@dataclass(frozen=True, slots=True)
class Origin(Value):
    """Who requested an operation; by this a lock recognises its owner and a repeated request (calls.32)."""

    caller: MemberId
    thread: int
    """The calling client; two clients of one member are two threads."""
    reference_id: int
    """The call id of the call's first attempt."""
    now_us: int


@dataclass(frozen=True, slots=True)
class Execution(Value):
    """The outcome of an operation on the primary."""

    value: object = None
    backup: object = None
    """The update that backups have to apply; None if nothing changed, so that no backup is sent (calls.29)."""
    failure: Failure | None = None
    """The failure that the operation threw, so that nothing changed and no backup is sent (calls.11)."""
    wait: bool = False
    """Whether the operation has to be parked until something changes (calls.12)."""


class Structure(Protocol):
    """The content of one structure in one partition on one member; mutable."""

    def execute(self, operation: Operation, origin: Origin) -> Execution:
        """Execute an operation on the primary, or say that it has to wait."""
        ...

    def apply_backup(self, backup: object) -> None:
        """Apply an update on a backup; the update is the `backup` of an execution."""
        ...

    def replica_data(self) -> object:
        """Return the whole content of the structure as an immutable value."""
        ...

    def load(self, data: object) -> None:
        """Replace the whole content of the structure (sync.14)."""
        ...

    def entries(self) -> Mapping[str, str]:
        """Return the content as texts by key, for digests and for observations of the harness."""
        ...

    def merge_operations(self, structure: StructureId, policy: MergePolicy) -> Sequence[Operation]:
        """Return the operations that bring this content into another cluster; none if the kind cannot be merged
        (splits.8)."""
        ...
