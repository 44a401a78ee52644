"""Mutants of tables: who changes them, what is newer."""

from gridproof_implementation.placement.plan import apply_migration
from gridproof_implementation.protocol.partitioning.messages import CompletedMigration
from gridproof_implementation.protocol.partitioning.participation import TableReceiver
from gridproof_implementation.protocol.partitioning.recovery import Succession
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.words import MigrationOutcome, WhyRowChanged
from gridproof_model.migration import MigrationError
from gridproof_model.partition_table import PartitionRow
from suite.zoo.member_mutant import MemberMutant
from suite.zoo.mutant import replacing
from suite.zoo.scenario_search import scripted, writes

_complete = LocalTable.complete


def _start_anywhere_below(receiver: TableReceiver, done: CompletedMigration, row: PartitionRow) -> bool:
    if row.version > done.order.initial_version or done.outcome is MigrationOutcome.FAILED:
        return row.version <= done.order.initial_version
    try:
        apply_migration(row, done.order.migration)
    except MigrationError:
        return False
    return True


def _keep_the_stamp(table: LocalTable, completed: CompletedMigration, why: WhyRowChanged) -> None:
    stamp = table.stamp
    _complete(table, completed, why)
    if completed.outcome is MigrationOutcome.FAILED:
        table._stamp = stamp


MASTER_DIES = (
    FaultEvent("join", 300, 60_000, (3,)),
    FaultEvent("crash-at-step", 200, 100_000, (0,), 2, "MigrationOrdered"),
)

MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="M24",
        name="table-from-anybody",
        defect_class="C3",
        rule="A table or a batch counts whoever sends it.",
        source="defect HZ-13",
        breaks=("rows-never-diverge",),
        plant=replacing(TableReceiver, "is_refused", lambda *_: False),
        guard="who is not the master sends no table, and an older one is refused row by row",
    ),
    MemberMutant(
        number="M25",
        name="batch-on-an-older-row",
        defect_class="C3",
        rule="A completed migration is applied to any row that is not newer than the one it started from.",
        source="defect HZ-15",
        breaks=("comes-to-rest",),
        plant=replacing(TableReceiver, "is_start_of", _start_anywhere_below),
    ),
    MemberMutant(
        number="M27",
        name="stamp-not-recomputed",
        defect_class="C3",
        rule="A failed migration leaves the stamp as it was.",
        source="defect HZ-16",
        breaks=("comes-to-rest",),
        plant=replacing(LocalTable, "complete", _keep_the_stamp),
        guard="a new plan follows every failure, and its first row computes the stamp again",
    ),
    MemberMutant(
        number="M36",
        name="version-not-lifted",
        defect_class="C7",
        rule="A new master does not raise rows above what failed migrations may have left.",
        source="defect HZ-45, P-27",
        breaks=("failure-raises-the-version",),
        plant=replacing(Succession, "lifted", lambda _, row, failed_version: row),
        witness=scripted(writes(12, pause_ms=600), *MASTER_DIES, partition_count=5),
    ),
)
