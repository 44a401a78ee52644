"""Repair: holes where members are gone, and what follows.

Reference partitioning 5.2. Nothing shifts: whoever is gone leaves a hole, which a promotion or a later migration fills.
"""

from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.events.partitioning import PartitionLost
from gridproof_model.identity import MemberId
from gridproof_model.partition_table import MAX_BACKUP_COUNT, PartitionRow


class Repair:
    """What the master does to rows before it plans."""

    def __init__(self, node: Node, table: LocalTable) -> None:
        self._node = node
        self._table = table

    def make_holes(self) -> bool:
        """Take members that are gone out of every row, and tell which partitions are lost (5.2, points 2 and 3).

        Returns whether a row has changed.
        """
        has_changed = False
        for partition, row in enumerate(list(self._table.rows)):
            gone = self._table.unknown_replicas(partition)
            if gone:
                has_changed = True
                repaired = row.without(gone)
                self._table.install(partition, repaired, "repaired")
                if not repaired.replicas:
                    self._node.emit(PartitionLost(partition, MAX_BACKUP_COUNT))
        return has_changed

    def wanted_promotions(self) -> dict[MemberId, list[tuple[int, int]]]:
        """Return whom to ask for what: partitions, each with the slot to be promoted from (5.2, points 3 and 4)."""
        wanted: dict[MemberId, list[tuple[int, int]]] = {}
        for partition, row in enumerate(self._table.rows):
            index = self.lowest_survivor(row)
            if row.slots[0] is None and index is not None:
                member = row.slots[index]
                assert member is not None, "a survivor is somebody"
                wanted.setdefault(member, []).append((partition, index))
        return wanted

    def lowest_survivor(self, row: PartitionRow) -> int | None:
        """Return the first slot that is held, in sync or not (5.2, point 3; P1); None for a lost partition."""
        return next((index for index, slot in enumerate(row.slots) if slot is not None), None)
