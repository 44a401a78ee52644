"""What a plan consists of: immediate changes, then queued migrations.

A plan leads one table to one target. A row planner decides by which steps a single row reaches its target. This file
has what all row planners share: which steps take effect during planning, and what a migration does to a row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gridproof_model.membership import MemberId
from gridproof_model.migration import Migration, MigrationError, MigrationKind
from gridproof_model.partition_table import PartitionRow, PartitionTable, Slots

Target = tuple[Slots, ...]
"""The wanted slots of each partition, by partition id: always seven slots, with None for a slot that stays empty."""

RowPlanner = Callable[[int, Slots, Slots], Sequence[Migration]]
"""Finds the steps of one partition from its present slots to the wanted ones, in order."""

_IMMEDIATE = (MigrationKind.REMOVAL, MigrationKind.OWNER_ASSIGNMENT)


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that are made at once, and the migrations that follow step by step (placement.19)."""

    table: PartitionTable
    """The table after removals and assignments of owners, which need no migration protocol."""
    queues: Mapping[int, tuple[Migration, ...]]
    """For each partition with migrations, its migrations in order; only one of them runs at a time (migration.2)."""

    @property
    def migration_count(self) -> int:
        """How many migrations are queued in all partitions together."""
        return sum(len(queue) for queue in self.queues.values())


def make_plan(table: PartitionTable, target: Target, plan_row: RowPlanner) -> Plan:
    """Return the plan of a whole table: immediate steps are done in each row, others queued in the planner's order.

    Raises MigrationError if a row has backups but no primary, or would have no primary in the end: promotion comes
    first (repair.3), and slot 0 is never cleared (placement.19).
    """
    rows: list[PartitionRow] = []
    queues: dict[int, tuple[Migration, ...]] = {}
    for partition, (row, wanted) in enumerate(zip(table.rows, target, strict=True)):
        if row.slots != wanted:
            _check_primary(partition, row.slots, wanted)
            steps = plan_row(partition, row.slots, wanted)
            for step in steps:
                if step.kind in _IMMEDIATE:
                    row = apply_migration(row, step)
            if queue := tuple(step for step in steps if step.kind not in _IMMEDIATE):
                queues[partition] = queue
        rows.append(row)
    return Plan(table.with_rows(rows), queues)


def apply_migration(row: PartitionRow, migration: Migration) -> PartitionRow:
    """Return the row after a successful migration; MigrationError if it does not fit the present row."""
    slots = list(row.slots)
    if migration.source is not None:
        _take_out(slots, migration, migration.source, migration.source_index)
    if migration.destination is not None and migration.destination_index is not None:
        _take_out(slots, migration, migration.destination, migration.destination_index)
    for arriving, index in (
        (migration.destination, migration.destination_new_index),
        (migration.source, migration.source_new_index),
    ):
        if index is not None:
            if slots[index] is not None:
                raise MigrationError(f"{migration}: slot {index} is taken by {slots[index]}; choose an empty slot")
            slots[index] = arriving
    return row.with_slots(slots)


def _take_out(slots: list[MemberId | None], migration: Migration, member: MemberId, index: int | None) -> None:
    if index is None or slots[index] != member:
        raise MigrationError(f"{migration}: {member} is not in slot {index} of the row; plan from the current row")
    slots[index] = None


def _check_primary(partition: int, old: Slots, new: Slots) -> None:
    if old[0] is None and any(old):
        raise MigrationError(f"partition {partition} has backups but no primary; promote a backup before planning")
    if new[0] is None and any(old):
        raise MigrationError(f"the target row of partition {partition} has no primary; put a member into slot 0")
