"""What the others ask of the replicas held."""

from collections.abc import Sequence
from typing import Protocol

from gridproof_implementation.protocol.fragment import Fragment, FragmentData
from gridproof_implementation.protocol.parts.part import Part
from gridproof_implementation.protocol.structure import Execution, Operation, Structure, StructureId
from gridproof_model.grid_config import BackupCounts


class Replicas(Part, Protocol):
    """What is held: fragments, their versions, and every rule that touches them."""

    def namespace_of(self, structure: StructureId) -> str:
        """Return the namespace of a structure: its own where its kind is fragmented (reference replication 2.3)."""
        ...

    def fragment(self, partition: int, namespace: str) -> Fragment:
        """Return the fragment, made when first asked for."""
        ...

    def structure_in(self, fragment: Fragment, structure: StructureId) -> Structure:
        """Return the structure, made when first asked for."""
        ...

    def namespaces(self, partition: int) -> Sequence[str]:
        """Return the namespaces with a fragment here, sorted."""
        ...

    def find_fragment(self, partition: int, namespace: str) -> Fragment | None:
        """Return the fragment, None where there is none."""
        ...

    def copy_fragment(self, partition: int, namespace: str, index: int) -> FragmentData:
        """Return data and versions read together, as replica `index` needs them (reference replication 3.5, S5)."""
        ...

    def install_fragment(self, partition: int, fragment: FragmentData, index: int) -> None:
        """Replace a fragment by one that migrated to replica `index` (reference replication 3.7)."""
        ...

    def replace_fragment(self, partition: int, data: FragmentData, index: int) -> None:
        """Replace content and versions by what a sync brought; UpdateError when it cannot, nothing replaced (3.6)."""
        ...

    def retain_namespaces(self, partition: int, known: Sequence[str]) -> None:
        """Forget every other namespace: its structures were destroyed, or the primary never had them (3.1, 3.2)."""
        ...

    def keep_as(self, partition: int, index: int | None) -> None:
        """Be replica `index` from now on: drop structures with fewer backups and versions below; all for None (3.7)."""
        ...

    def promote(self, partition: int, from_index: int) -> None:
        """Turn backup versions into a primary's: entries 0..k-2 become entry k-1 (reference replication 3.7)."""
        ...

    def clear_all(self) -> None:
        """Forget everything (a merge, reference partitioning 7)."""
        ...

    def backups_of(self, structure: StructureId) -> BackupCounts:
        """Return the configured backup counts of a structure."""
        ...

    def read_backup(self, partition: int, operation: Operation, thread: int) -> Execution | None:
        """Return what a backup held here answers to a read; None where the primary has to be asked (4)."""
        ...

    def destroy_everywhere(self, structure: StructureId) -> None:
        """Have every member forget a structure; its versions go with the next round of anti-entropy (11 L6)."""
        ...
