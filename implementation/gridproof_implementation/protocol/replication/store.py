"""The data of a member, and how it is copied to other members.

`FragmentStore` copies, installs, reduces, promotes and drops fragments; no other class changes versions and data
together."""

from collections.abc import Sequence

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.fragment import Fragment, FragmentData
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.structure import SHARED_NAMESPACE, Structure, StructureId
from gridproof_implementation.protocol.structures import FRAGMENTED, STRUCTURES
from gridproof_model.events.replication import FragmentInstalled, ReplicaKept, ReplicaPromoted, StructureDestroyed
from gridproof_model.grid_config import BackupCounts, StructureKind

_CONFIGURED = frozenset(kind.value for kind in StructureKind)


class FragmentStore:
    """The fragments of one member by partition and namespace, whatever slot the member has."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.fragments: list[dict[str, Fragment]] = [{} for _ in range(node.settings.partition_count)]
        self._namespaces: dict[StructureId, str] = {}
        self._backups: dict[StructureId, BackupCounts] = {}

    def namespace_of(self, structure: StructureId) -> str:
        """Return a structure's namespace: its own if its kind is fragmented, else the shared one (backups.7)."""
        namespace = self._namespaces.get(structure)
        if namespace is None:
            namespace = str(structure) if structure.kind in FRAGMENTED else SHARED_NAMESPACE
            self._namespaces[structure] = namespace
        return namespace

    def backups_of(self, structure: StructureId) -> BackupCounts:
        """Return the configured backup counts; a kind that cannot be configured has the default of one sync backup."""
        counts = self._backups.get(structure)
        if counts is None:
            counts = BackupCounts()
            if structure.kind in _CONFIGURED:
                counts = self._node.config.backups_of(StructureKind(structure.kind), structure.name)
            self._backups[structure] = counts
        return counts

    def fragment(self, partition: int, namespace: str) -> Fragment:
        """Return the fragment of a namespace, which is created when it is first asked for."""
        fragments = self.fragments[partition]
        fragment = fragments.get(namespace)
        if fragment is None:
            fragment = fragments[namespace] = Fragment()
        return fragment

    def structure_in(self, fragment: Fragment, structure: StructureId) -> Structure:
        """Return a structure of a fragment, which is created when it is first asked for."""
        part = fragment.structures.get(structure)
        if part is None:
            part = fragment.structures[structure] = STRUCTURES[structure.kind]()
        return part

    def namespaces(self, partition: int) -> Sequence[str]:
        """Return the namespaces whose fragments this member has in a partition, sorted."""
        return sorted(self.fragments[partition])

    def find_fragment(self, partition: int, namespace: str) -> Fragment | None:
        """Return the fragment of a namespace, or None if there is none."""
        return self.fragments[partition].get(namespace)

    def belongs_to(self, structure: StructureId, index: int) -> bool:
        """Whether the replica with this index holds a structure: it does if the structure has at least `index` backups
        (sync.12, migration.18)."""
        return self.backups_of(structure).total >= index

    def copy_fragment(self, partition: int, namespace: str, index: int) -> FragmentData:
        """Return data and versions, read in one step, of the structures that a replica of this index holds
        (sync.12)."""
        fragment = self.fragments[partition].get(namespace)
        if fragment is None:
            return FragmentData(namespace, version_vector.NO_VERSIONS, {})
        held = [item for item in fragment.structures.items() if self.belongs_to(item[0], index)]
        return FragmentData(namespace, fragment.versions, {name: part.replica_data() for name, part in held})

    def replace_fragment(self, partition: int, data: FragmentData, index: int) -> None:
        """Replace a fragment's content and versions, whatever they were; it is then not dirty (sync.14, defect HZ-62).

        Raise UpdateError, and replace nothing, if a structure cannot take its content. Choice (sync.16): if a structure
        cannot take its content, nothing is replaced; by the documents the versions are set nevertheless (sync.16), and
        equal versions hide for ever that the content is missing.
        """
        fragment = Fragment(version_vector.known_to(data.versions, index))
        for structure, content in data.structures.items():
            self.structure_in(fragment, structure).load(content)
        self.fragments[partition][data.namespace] = fragment

    def install_fragment(self, partition: int, fragment: FragmentData, index: int) -> None:
        """Replace a fragment by one that migrated to this member, for the replica with this index (migration.10)."""
        self.replace_fragment(partition, fragment, index)
        versions = version_vector.known_to(fragment.versions, index)
        self._node.emit(FragmentInstalled(partition, fragment.namespace, index, versions))

    def keep_as(self, partition: int, index: int | None) -> None:
        """Keep only the structures and versions of the replica with this index (migration.18, defect HZ-53, HZ-64).

        A namespace whose structures were destroyed keeps its versions until the next summary comes, just as on a
        replica that took no part in the migration (calls.34, sync.6).
        """
        fragments = self.fragments[partition]
        if index is None:
            fragments.clear()
        else:
            self._cut_down(fragments, index)
        self._node.emit(ReplicaKept(partition, -1 if index is None else index))

    def _cut_down(self, fragments: dict[str, Fragment], index: int) -> None:
        # The copy is reduced, not dropped and requested again: the primary may end before it answers (defect HZ-29).
        for namespace, fragment in list(fragments.items()):
            fragment.versions = version_vector.known_to(fragment.versions, index)
            kept = {name: part for name, part in fragment.structures.items() if self.belongs_to(name, index)}
            if fragment.structures and not kept:
                del fragments[namespace]
            fragment.structures = kept

    def promote(self, partition: int, from_index: int) -> None:
        """As the new primary, continue to count from the versions of the replica with this index; updates that it
        missed stay missing (repair.9).

        As documented, no new series of numbers begins, so a backup with an update that this replica missed may reach
        the same number with other content (docs/findings.md, limits.10).
        """
        for fragment in self.fragments[partition].values():
            fragment.versions = version_vector.promoted(fragment.versions, from_index)
            fragment.dirty = False
        self._node.emit(ReplicaPromoted(partition, from_index))

    def destroy(self, structure: StructureId) -> None:
        """Forget the content of a structure in all partitions; its versions are kept until the next summary (calls.34,
        sync.6)."""
        namespace = self.namespace_of(structure)
        for fragments in self.fragments:
            if namespace in fragments:
                fragments[namespace].structures.pop(structure, None)
        self._node.emit(StructureDestroyed(str(structure)))

    def retain_namespaces(self, partition: int, known: Sequence[str]) -> None:
        """Forget all but these namespaces: the other structures were destroyed, or the primary never had them
        (calls.34, sync.6).

        Choice (sync.6): versions and content are dropped; by the documents the versions are dropped, but the content
        stays if the message that destroys it was lost. Content that stayed would differ from the primary's although the
        versions are equal, and would come back with a promotion.
        """
        fragments = self.fragments[partition]
        for namespace in [namespace for namespace in fragments if namespace not in known]:
            del fragments[namespace]
