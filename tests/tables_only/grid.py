"""A grid that plans without messages, tables only.

For machines and planted bugs that drive placement step by step: the members behind the adapter `reference` are the
protocol's own (`port.py`). Members join, leave, crash and are promoted from lite; the oldest is master and does all
planning (table.8). One millisecond of virtual time does one thing: a control round (repair, then
repartition) or one migration. Equal seeds and equal calls give equal grids.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

from gridproof_implementation.placement import plan
from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.policy import PlacementPolicy, PlacementRequest
from gridproof_model.groups import MemberGroup, PartitionGroupConfig, compute_groups
from gridproof_model.membership import Address, Member, MemberId, MemberList
from gridproof_model.migration import Migration
from gridproof_model.partition_table import (
    DEFAULT_PARTITION_COUNT,
    MAX_BACKUP_COUNT,
    MAX_REPLICA_COUNT,
    PartitionRow,
    PartitionTable,
)
from tests.tables_only.tables import Tables

PORT = 5701
PUBLISH_BATCH = 10
"""Completed migrations that wait before they are published together (table.19)."""
GRACEFUL_SHUTDOWN_MAX_WAIT_MS = 600_000
"""`hazelcast.graceful.shutdown.max.wait` (settings.1)."""


@dataclass(frozen=True, slots=True)
class PartitionLost:
    """Replicas 0 to `lost_backup_count` of a partition were lost (repair.10)."""

    at_ms: int
    partition: int
    lost_backup_count: int


class ReferenceGrid:
    """The grid; every method answers at once, and `wait` lets its consequences happen."""

    def __init__(
        self,
        seed: int = 0,
        partition_count: int = DEFAULT_PARTITION_COUNT,
        groups: PartitionGroupConfig | None = None,
        policy: PlacementPolicy | None = None,
        hosts: Sequence[str] = (),
        replica_count: int = MAX_REPLICA_COUNT,
    ) -> None:
        self.groups = groups or PartitionGroupConfig()
        self.members = MemberList()
        self.now_ms = 0
        self.lost: list[PartitionLost] = []
        """Every loss so far, oldest first."""
        self._rng = Random(seed)
        self._policy = policy or HazelcastPlacement()
        self._replica_count = replica_count
        self._hosts = hosts
        self._tables = Tables(partition_count)
        self._started = 0
        self._leaving: set[MemberId] = set()
        self._control_due = False
        self._queue: deque[Migration] = deque()
        self._unpublished: list[tuple[Migration, int]] = []
        """Migrations the others do not know of, each with the row version it began at."""

    def start(self, *, lite: bool = False, attributes: tuple[tuple[str, str], ...] = ()) -> Member:
        """Start a member on an address of its own; it joins as the youngest."""
        address = self._next_address()
        uuid = UUID(int=self._rng.getrandbits(128), version=4)
        member = Member(MemberId(address, uuid), lite, attributes)
        self._tables.admit(member.id, self._master)
        self.members = self.members.joined(member)
        self._changed(owners=not lite)
        return member

    def _next_address(self) -> Address:
        """Return an address no member had: one of the hosts in turn, with a port of its own, or a host of its own."""
        number = self._started
        self._started += 1
        if self._hosts:
            return Address(self._hosts[number % len(self._hosts)], PORT + number // len(self._hosts))
        return Address(f"127.0.{(number + 1) // 250}.{(number + 1) % 250 + 1}", PORT)

    def promote(self, member_id: MemberId) -> None:
        """Turn a lite member into a data member (members.10)."""
        self.members = self.members.promoted(member_id)
        self._changed(owners=True)

    def crash(self, member_id: MemberId) -> None:
        """End a member without warning; the others notice at the next control round."""
        gone, was_master = self.members.get(member_id), member_id == self._master
        self._leaving.discard(member_id)
        self.members = self.members.left([member_id])
        self._tables.forget(member_id)
        if was_master and self._master is not None:
            self._take_over(self._master)
        self._changed(owners=not gone.lite or (was_master and bool(self._queue)))

    def leave(self, member_id: MemberId) -> None:
        """Shut a member down gracefully and return when it is gone (leaving.2)."""
        self._leaving.add(member_id)
        self._changed(owners=not self.members.get(member_id).lite)
        deadline_ms = self.now_ms + GRACEFUL_SHUTDOWN_MAX_WAIT_MS
        while not self._may_go(member_id) and self.why_unsettled() is not None:
            self.wait(1)
        if not self._may_go(member_id):
            self.now_ms = deadline_ms
        self.crash(member_id)

    def table_of(self, member_id: MemberId) -> PartitionTable:
        """Return the table as this member sees it; the first look makes the first arrangement (table.10)."""
        self.members.get(member_id)
        self._arrange_first()
        return self._tables[member_id]

    def groups_now(self) -> Sequence[MemberGroup]:
        """Return the partition groups of the data members that are not shutting down (placement.17)."""
        return compute_groups(self.groups, self.members.data_members, self._leaving)

    def why_unsettled(self) -> str | None:
        """Return None at rest, else what is awaited; before the first arrangement a grid is at rest (table.10)."""
        if self._control_due:
            return "the master is to plan again"
        if self._queue:
            return f"{len(self._queue)} migrations are to run"
        behind = None if self._master is None else self._tables.behind(self._master, (m.id for m in self.members))
        return None if behind is None else f"{behind} has not got the newest table"

    def wait(self, duration_ms: int) -> None:
        """Let virtual time pass, one step of work a millisecond."""
        for _ in range(duration_ms):
            self.now_ms += 1
            if self._control_due:
                self._control_due = False
                self._repair()
                self._repartition()
            elif self._queue:
                self._migrate(self._queue.popleft())

    @property
    def _master(self) -> MemberId | None:
        return None if self.members.master is None else self.members.master.id

    def _changed(self, *, owners: bool) -> None:
        """Drop the plan and make another; lite members do not trigger repartitioning (seed: Repartitioning)."""
        if owners and self._master is not None and self._tables[self._master].is_initialised:
            self._queue.clear()
            self._control_due = True

    def _arrange_first(self) -> None:
        assert self._master is not None, "there is a member who looks"
        table = self._tables[self._master]
        request = self._request(table)
        target = None if table.is_initialised else self._policy.place(request, self._rng)
        if target is not None:
            rows = [row.with_slots(slots) for row, slots in zip(table.rows, target, strict=True)]
            self._publish(self._master, table.with_rows(rows))

    def _request(self, table: PartitionTable) -> PlacementRequest:
        return PlacementRequest(self.groups_now(), table, self._replica_count)

    def _repair(self) -> None:
        """Make holes where members are gone, promote where the primary is, say what is lost (repair.1)."""
        assert self._master is not None, "there is a master who plans"
        table = self._tables[self._master]
        gone = {replica for row in table.rows for replica in row.replicas if replica not in self.members}
        rows = [row.without(gone) for row in table.rows]
        for partition, (before, row) in enumerate(zip(table.rows, rows, strict=True)):
            if before.primary is not None and row.primary is None:
                self.lost.append(PartitionLost(self.now_ms, partition, _lost_backup_count(row)))
        self._publish(self._master, table.with_rows([row.promoted() for row in rows]))

    def _repartition(self) -> None:
        """Plan the way to the policy's target; removals, and owners of lost partitions, at once (placement.19)."""
        assert self._master is not None, "there is a master who plans"
        request = self._request(self._tables[self._master])
        target = self._policy.place(request, self._rng)
        if target is not None:
            todo = self._policy.plan(request, target)
            self._queue = deque(migration for queue in todo.queues.values() for migration in queue)
            self._publish(self._master, todo.table)

    def _migrate(self, migration: Migration) -> None:
        """Commit one migration: destination, then master; the others in batches (table.19)."""
        assert self._master is not None, "there is a master who migrates"
        assert migration.destination is not None, "removals take effect while planning"
        before = self._tables[self._master].rows[migration.partition]
        row = plan.apply_migration(before, migration)
        for member in (migration.destination, self._master):
            self._tables.set_row(member, migration.partition, row)
        self._unpublished.append((migration, before.version))
        if len(self._unpublished) >= PUBLISH_BATCH or not self._queue:
            self._publish(self._master, self._tables[self._master])

    def _publish(self, master: MemberId, table: PartitionTable) -> None:
        self._tables.replace(master, table)
        self._tables.publish(master)
        self._unpublished.clear()

    def _take_over(self, master: MemberId) -> None:
        """Collect the newest rows, and fail the migrations whose outcome only the dead know (table.21 to table.24)."""
        self._tables.fetch(master)
        rows = list(self._tables[master].rows)
        for migration, initial_version in self._unpublished:
            # The partition's primary reports it as active. Where the destination survived, its own row says success.
            failed_version = initial_version + migration.increment_when_failed
            if migration.destination not in self.members and rows[migration.partition].version < failed_version:
                rows[migration.partition] = PartitionRow(rows[migration.partition].slots, failed_version)
        self._publish(master, self._tables[master].with_rows(rows))

    def _may_go(self, member_id: MemberId) -> bool:
        """Whether the master answers a shutdown request: nothing left there, or nobody to take it (leaving.1, chapter
        table, chapter migration)."""
        assert self._master is not None, "the member that asks is still in"
        staying = [member for member in self.members.data_members if member.id not in self._leaving]
        return not staying or all(member_id not in row.slots for row in self._tables[self._master].rows)


def _lost_backup_count(row: PartitionRow) -> int:
    """Return how many backups were lost with the primary; six when nobody survived (repair.10)."""
    return next((i - 1 for i, slot in enumerate(row.slots) if slot is not None), MAX_BACKUP_COUNT)
