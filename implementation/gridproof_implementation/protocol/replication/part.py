"""The replication machine of one member."""

from collections.abc import Sequence

from gridproof_implementation.protocol.calls import Backup, BackupAck
from gridproof_implementation.protocol.fragment import Fragment, FragmentData, Versions
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_implementation.protocol.replication.notes import BackupApplied
from gridproof_implementation.protocol.structure import SHARED_NAMESPACE, Structure, StructureId
from gridproof_implementation.protocol.structures import FRAGMENTED, STRUCTURES
from gridproof_model.grid_config import BackupCounts, StructureKind


class ReplicationPart:
    """Thin: fragments, and backups applied in order."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.fragments: list[dict[str, Fragment]] = [{} for _ in range(node.settings.partition_count)]
        self._backups: dict[StructureId, BackupCounts] = {}

    def message_handlers(self) -> MessageHandlers:
        """Backups."""
        return {Backup: self.on_backup}

    def timer_handlers(self) -> TimerHandlers:
        """None."""
        return {}

    def start(self) -> None:
        """Nothing to begin."""

    def namespace_of(self, structure: StructureId) -> str:
        """A namespace of its own for each fragmented structure (2.3)."""
        return str(structure) if structure.kind in FRAGMENTED else SHARED_NAMESPACE

    def fragment(self, partition: int, namespace: str) -> Fragment:
        """The fragment, made when first asked for."""
        fragments = self.fragments[partition]
        if namespace not in fragments:
            fragments[namespace] = Fragment()
        return fragments[namespace]

    def structure_in(self, fragment: Fragment, structure: StructureId) -> Structure:
        """The structure, made when first asked for."""
        if structure not in fragment.structures:
            fragment.structures[structure] = STRUCTURES[structure.kind]()
        return fragment.structures[structure]

    def backups_of(self, structure: StructureId) -> BackupCounts:
        """The configured counts."""
        if structure not in self._backups:
            self._backups[structure] = self._node.config.backups_of(StructureKind(structure.kind), structure.name)
        return self._backups[structure]

    def on_backup(self, sender: object, backup: Backup) -> None:
        """Judge and apply one update (2.4, 2.5)."""
        row = self._node.partitions.rows[backup.partition]
        if row.slots[backup.index] != self._node.me:
            return
        fragment = self.fragment(backup.partition, backup.namespace)
        current, new = fragment.versions[backup.index - 1], backup.versions[backup.index - 1]
        if new < current:
            return
        self.structure_in(fragment, backup.operation.structure).apply_backup(backup.update)
        fragment.versions = self._from(backup.versions, backup.index)
        gap = new > current + 1
        fragment.dirty = fragment.dirty or gap
        verdict = "gapped" if gap else "equal" if new == current else "next"
        self._node.note(BackupApplied(backup.partition, backup.namespace, backup.index, new, verdict, fragment.dirty))
        if backup.is_sync and backup.call_id:
            self._node.send(backup.caller, BackupAck(backup.call_id, partition=backup.partition))

    def _from(self, versions: Versions, index: int) -> Versions:
        return (0,) * (index - 1) + versions[index - 1 :]

    def namespaces(self, partition: int) -> Sequence[str]:
        """Sorted."""
        return sorted(self.fragments[partition])

    def copy_fragment(self, partition: int, namespace: str, index: int) -> FragmentData:
        """Data and versions."""
        fragment = self.fragments[partition].get(namespace, Fragment())
        data = {name: part.replica_data() for name, part in fragment.structures.items()}
        return FragmentData(namespace, fragment.versions, data)

    def install_fragment(self, partition: int, fragment: FragmentData, index: int) -> None:
        """Not yet."""

    def keep_as(self, partition: int, index: int | None) -> None:
        """Not yet."""

    def promote(self, partition: int, from_index: int) -> None:
        """Not yet."""

    def clear_all(self) -> None:
        """Not yet."""
