"""The partitioning machine of one member."""

from collections.abc import Callable, Sequence
from random import Random
from typing import cast

from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_implementation.protocol.partitioning.messages import AssignPartitions, TableState
from gridproof_implementation.protocol.partitioning.notes import RowInstalled
from gridproof_implementation.protocol.service_state import ServiceState
from gridproof_model.groups import MemberGroup, compute_groups
from gridproof_model.identity import Member, MemberId
from gridproof_model.partition_table import MAX_BACKUP_COUNT, PartitionRow, PartitionTable


class PartitioningPart:
    """Thin: one first arrangement, published once; nothing migrates."""

    def __init__(self, node: Node, policy: PlacementPolicy) -> None:
        self._node = node
        self._policy = policy
        self.rows: list[PartitionRow] = list(PartitionTable.empty(node.settings.partition_count).rows)
        self.is_initialised = False
        self.may_migrate = True
        self.max_backup_count = 0

    def message_handlers(self) -> MessageHandlers:
        """The table and the nudge."""
        return {TableState: self.on_table_state, AssignPartitions: self.on_assign_partitions}

    def timer_handlers(self) -> TimerHandlers:
        """None yet."""
        return {}

    def start(self) -> None:
        """Nothing to begin."""

    def owner_of(self, partition: int) -> MemberId | None:
        """The primary, or a nudge."""
        owner = self.rows[partition].slots[0]
        master = self._node.membership.master
        if owner is None and master is not None:
            self._node.send(master, AssignPartitions())
        return owner

    def is_migrating(self, partition: int) -> bool:
        """Nothing migrates yet."""
        return False

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Count the groups."""
        groups = self._groups()
        self.max_backup_count = max(min(len(groups) - 1, MAX_BACKUP_COUNT), 0)

    def member_removed(self, gone: Member, *, was_master: bool) -> None:
        """Not yet."""

    def cluster_state_changed(self) -> None:
        """Not yet."""

    def pause(self) -> None:
        """Not yet."""

    def resume(self) -> None:
        """Not yet."""

    def table_for_joiners(self) -> object:
        """The table."""
        return tuple(self.rows) if self.is_initialised else None

    def table_received(self, sender: MemberId, table: object) -> None:
        """Take the table that came with a join."""
        if table is not None:
            self._install(cast("tuple[PartitionRow, ...]", table), "received")

    def request_shutdown(self) -> None:
        """Not yet."""

    @property
    def stamp(self) -> int:
        """The digest of all versions."""
        return PartitionTable(tuple(self.rows)).stamp if self.is_initialised else 0

    is_moving = False

    def member_returned(self, gone: MemberId, back: Member) -> None:
        """Not yet."""

    def check_safe(self, then: Callable[[ServiceState], None]) -> None:
        """Not yet."""
        then(ServiceState.SAFE)

    def on_assign_partitions(self, sender: MemberId, message: AssignPartitions) -> None:
        """Arrange for the first time (reference partitioning 2.4)."""
        if self.is_initialised or not self._node.membership.is_master:
            return
        table = PartitionTable(tuple(self.rows))
        request = PlacementRequest(self._groups(), table)
        target = self._policy.place(request, Random(self._node.me.uuid.int))
        if target is None:
            return
        rows = tuple(row.with_slots(slots) for row, slots in zip(self.rows, target, strict=True))
        self._install(rows, "arranged")
        for member in self._node.membership.members:
            if member.id != self._node.me:
                self._node.send(member.id, TableState(rows))

    def on_table_state(self, sender: MemberId, state: TableState) -> None:
        """Merge a received table, row by row (2.7)."""
        self._install(state.rows, "received")

    def _install(self, rows: Sequence[PartitionRow], why: str) -> None:
        self.is_initialised = True
        for partition, row in enumerate(rows):
            if row.version > self.rows[partition].version:
                self.rows[partition] = row
                self._node.note(RowInstalled(partition, row.version, row.slots, why))

    def _groups(self) -> Sequence[MemberGroup]:
        return compute_groups(self._node.config.partition_groups, self._node.membership.members.data_members, set())
