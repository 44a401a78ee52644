"""What the master wants the table to be.

The policy says where replicas should be; a plan says how to get there. Members that asked to leave get nothing, which
is how they are emptied (reference partitioning 3.6, 5.5).
"""

from collections.abc import Callable, Collection, Sequence
from random import Random

from gridproof_implementation.placement.plan import Plan, Target
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_model.groups import MemberGroup, compute_groups, max_allowed_backup_count
from gridproof_model.identity import MemberId
from gridproof_model.partition_table import PartitionRow, PartitionTable


class Planning:
    """The placement policy, asked with what is true now."""

    def __init__(
        self, node: Node, table: LocalTable, policy: PlacementPolicy, leavers: Callable[[], Collection[MemberId]]
    ) -> None:
        """Plan with a policy; `leavers` are the members that asked to leave."""
        self._node = node
        self._table = table
        self._policy = policy
        self._leavers = leavers
        self._asked = 0

    def arrange(self) -> bool:
        """Fill the empty table; False where there is nobody to fill it with (2.4)."""
        request = self._request()
        target = self._place(request)
        if target is None:
            return False
        self._install([row.with_slots(slots) for row, slots in zip(self._table.rows, target, strict=True)], "arranged")
        return True

    def plan(self) -> Plan | None:
        """Make a plan, and make its removals and owner assignments at once (3b.5); None where nobody owns anything."""
        request = self._request()
        target = self._place(request)
        if target is None:
            return None
        plan = self._policy.plan(request, target)
        self._install(plan.table.rows, "planned")
        return plan

    def assign_lost(self) -> bool:
        """Give all slots of completely lost partitions to members, with no data and no plan (5.7, F6).

        For a cluster that allows no migrations: elsewhere an owner is assigned, and copies follow (3b.5). Returns
        whether there were any.
        """
        lost = frozenset(partition for partition, row in enumerate(self._table.rows) if not row.replicas)
        target = self._place(self._request(lost)) if lost else None
        if target is None:
            return False
        rows = [row.with_slots(slots) for row, slots in zip(self._table.rows, target, strict=True)]
        self._install([new if p in lost else self._table.rows[p] for p, new in enumerate(rows)], "assigned")
        return True

    def groups(self, excluded: Collection[MemberId] = ()) -> Sequence[MemberGroup]:
        """Return the partition groups of the data members."""
        node = self._node
        return compute_groups(node.config.partition_groups, node.membership.members.data_members, excluded)

    def max_backup_count(self) -> int:
        """Return how many backups there can be, by this member's own list (5.6)."""
        return max_allowed_backup_count(len(self.groups()))

    def _request(self, scope: frozenset[int] | None = None) -> PlacementRequest:
        table = PartitionTable(self._table.snapshot)
        return PlacementRequest(self.groups(self._leavers()), table, scope=scope)

    def _place(self, request: PlacementRequest) -> Target | None:
        self._asked += 1
        # The policy's dice depend on who asks and how often it has asked: equal runs make equal plans.
        return self._policy.place(request, Random(self._node.me.uuid.int + self._asked))

    def _install(self, rows: Sequence[PartitionRow], why: str) -> None:
        for partition, row in enumerate(rows):
            if row.version != self._table.rows[partition].version:
                self._table.install(partition, row, why)
