"""One structure by itself: a primary and its backup."""

from dataclasses import dataclass, field

from gridproof_implementation.protocol.entry import Entry
from gridproof_implementation.protocol.structure import Execution, Operation, Origin, Structure, StructureId
from gridproof_implementation.protocol.structures import STRUCTURES
from tests.implementation.protocol.grids import member_at

ANNA, BERT = member_at(0).id, member_at(1).id
"""Two callers."""


@dataclass
class Pair:
    """A primary and its backup."""

    id: StructureId
    primary: Structure
    backup: Structure
    now_us: int = 0
    last_reference: int = 0
    updates: list[object] = field(default_factory=list)
    """What backups were sent, oldest first."""

    def execute(
        self, operation: Operation, *, caller: int = 0, thread: int = 0, reference: int | None = None
    ) -> Execution:
        """Execute on the primary and apply on the backup; a reference that was used before stands for a retry."""
        self.last_reference = self.last_reference + 1 if reference is None else reference
        origin = Origin(member_at(caller).id, thread, self.last_reference, self.now_us)
        execution = self.primary.execute(operation, origin)
        if execution.backup is not None:
            self.updates.append(execution.backup)
            self.backup.apply_backup(execution.backup)
        return execution

    def value_of(
        self, operation: Operation, *, caller: int = 0, thread: int = 0, reference: int | None = None
    ) -> object:
        """Execute; return the result alone."""
        return self.execute(operation, caller=caller, thread=thread, reference=reference).value

    def fail_over(self) -> None:
        """Make the backup the primary, with another backup that was synchronised."""
        self.primary, self.backup = self.backup, STRUCTURES[self.id.kind]()
        self.backup.load(self.primary.replica_data())

    @property
    def are_equal(self) -> bool:
        """Whether both have the same content."""
        return self.primary.replica_data() == self.backup.replica_data()


def pair_of(kind: str) -> Pair:
    """Return an empty structure of a kind, twice."""
    return Pair(StructureId(kind, "one"), STRUCTURES[kind](), STRUCTURES[kind]())


@dataclass(frozen=True)
class Newer:
    """A policy that takes the entry that was updated last."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return the newer one."""
        return merging if existing is None or merging.updated_us > existing.updated_us else existing


@dataclass(frozen=True)
class Neither:
    """A policy that removes what meets."""

    def merge(self, merging: Entry, existing: Entry | None) -> Entry | None:
        """Return nothing."""
        return None
