"""What this member's primary replicas hold of a map.

Snapshots are restored from local primaries only (seed: In-Memory Storage; reference replication 8.4).
"""

from collections.abc import Iterable, Iterator

from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.structure import StructureId


def own_primaries(node: Node) -> list[int]:
    """Return the partitions whose primary is here by this member's table; one that migrates can still be read."""
    return [partition for partition, row in enumerate(node.partitions.rows) if row.slots[0] == node.me]


def entries_in(node: Node, structure: StructureId, partitions: Iterable[int]) -> Iterator[tuple[int, str, str]]:
    """Yield partition, key and text of every entry of a map, in that order."""
    namespace = node.replicas.namespace_of(structure)
    for partition in partitions:
        if namespace not in node.replicas.namespaces(partition):
            continue
        part = node.replicas.fragment(partition, namespace).structures.get(structure)
        for key, text in sorted(part.entries().items()) if part is not None else ():
            yield partition, key, text
