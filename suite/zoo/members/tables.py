"""Mutants of the rules on tables: which member changes them, and which of two tables is newer.

There are also mutants of rules on migrations and departures: copying, committing, refusing writes, letting members go.
"""

from gridproof_implementation.placement.plan import Plan, apply_migration
from gridproof_implementation.protocol.calls import Request
from gridproof_implementation.protocol.operation.part import OperationPart
from gridproof_implementation.protocol.partitioning.control import Departures, Planning
from gridproof_implementation.protocol.partitioning.messages import (
    ActiveMigration,
    CompletedMigration,
    MigrationFragments,
    MigrationOrder,
)
from gridproof_implementation.protocol.partitioning.migrating import MigrationMaster, RepeatMigrations
from gridproof_implementation.protocol.partitioning.participation import Participation, TableReceiver
from gridproof_implementation.protocol.partitioning.recovery import Succession
from gridproof_implementation.protocol.partitioning.table import LocalTable
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.words import Failure, MigrationOutcome, WhyRowChanged
from gridproof_model.grid_properties import MIGRATION_TIMEOUT
from gridproof_model.membership import MemberId
from gridproof_model.migration import MigrationError
from gridproof_model.partition_table import PartitionRow
from suite.zoo.mutant import (
    Bug,
    Find,
    Interposer,
    MemberMutant,
    Witness,
    leaving_out,
    replacing,
    scripted,
    search_drawn,
    writes,
)

_complete = LocalTable.complete


def _start_anywhere_below(receiver: TableReceiver, done: CompletedMigration, row: PartitionRow) -> bool:
    if row.version > done.order.initial_version or done.outcome is MigrationOutcome.FAILED:
        return row.version <= done.order.initial_version
    try:
        apply_migration(row, done.order.migration)
    except MigrationError:
        return False
    return True


def _begin_on_any_row(
    participation: Participation, order: MigrationOrder, completed: tuple[CompletedMigration, ...], other: MemberId
) -> str | None:
    """The mutant does not check the row if it is the master."""
    why = _why_not_now(participation, order, completed, other)
    is_skipped = order.master == participation._node.me and why is not None and why.startswith(ROW_VERSION)
    return None if is_skipped else why


def _late_question(first: int, late_us: int) -> Witness:
    """Return a story in which the master is asked too late whether it is ready for a replica."""
    late = Interposer("MigrationOpen", first=first, receiver=0, late_us=late_us)
    crash = FaultEvent("crash", 300, 600_000, (2,))
    return scripted(writes(12), crash, interposers=(late,), partition_count=3, properties=IMPATIENT)


def _keep_the_stamp(table: LocalTable, completed: CompletedMigration, why: WhyRowChanged) -> None:
    stamp = table.stamp
    _complete(table, completed, why)
    if completed.outcome is MigrationOutcome.FAILED:
        table._stamp = stamp


MASTER_DIES = (
    FaultEvent("join", 300, 60_000, (3,)),
    FaultEvent("crash-at-step", 200, 100_000, (0,), 2, "MigrationOrdered"),
)


_go_on = Participation.go_on
_why_not_now = Participation.why_not_now
ROW_VERSION = "row version "
IMPATIENT = tuple((name, "1" if name == MIGRATION_TIMEOUT.name else value) for name, value in QUICK)
_on_repeat = MigrationMaster.on_repeat
_commit = Participation.commit
_on_fragments = Participation.on_fragments
_why_not_executed = OperationPart.why_not_executed
NEVER_US = 1 << 62
JOIN = FaultEvent("join", 100, 60_000, (3,))
LOST_ANSWER = (Interposer("CommitAnswer", count=3),)
CRASH = FaultEvent("crash", 100, 2_000, (1,))
LEAVE = FaultEvent("leave", 1_000, 100_000, (1,))
SLOW = FaultEvent("delay", 90, 3_000, (0, 1, 2, 3), 50_000)
search_moves = search_drawn("join", "leave", "lost-once")


def _send_nothing_when_empty(participation: Participation, active: ActiveMigration) -> None:
    if active.namespaces:
        _go_on(participation, active)


def _order_commits_once(master: MigrationMaster, timer: RepeatMigrations) -> None:
    for underway in master.underway.values():
        if underway.is_committing:
            underway.asked_us = NEVER_US
    _on_repeat(master, timer)


def _forget_that_it_is_done(participation: Participation, order: MigrationOrder) -> bool:
    if participation._table.rows[order.partition].version == order.committed_version:
        return False
    return _commit(participation, order)


def _let_any_fragment_in(participation: Participation, sender: MemberId, message: MigrationFragments) -> None:
    if message.partition not in participation._table.active:
        for fragment in message.fragments:
            participation._node.replicas.install_fragment(message.partition, fragment, 1)
    _on_fragments(participation, sender, message)


def _write_while_migrating(part: OperationPart, caller: MemberId, request: Request) -> Failure | None:
    failure = _why_not_executed(part, caller, request)
    is_primary = part._node.partitions.rows[request.partition].slots[0] == part._node.me
    return None if failure is Failure.PARTITION_MIGRATING and is_primary else failure


def _plan_for_newcomers_only(planning: Planning) -> Plan | None:
    known = {replica for row in planning._table.rows for replica in row.replicas}
    newcomers = [one for one in planning._node.membership.members.data_members if one.id not in known]
    if newcomers or not known:
        return _plan(planning)
    return planning._policy.plan(planning._request(), tuple(row.slots for row in planning._table.rows))


_plan = Planning.plan


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M24", "table-from-anybody", "C3", "defect HZ-13", breaks=("rows-never-diverge",)).by(
        "A table or a batch counts whoever sends it.",
        replacing(TableReceiver, "is_refused", lambda *_: False),
        guard="who is not the master sends no table, and an older one is refused row by row",
    ),
    Bug("M25", "batch-on-an-older-row", "C3", "defect HZ-15", breaks=("comes-to-rest",)).by(
        "A completed migration is applied to any row that is not newer than the one it started from.",
        replacing(TableReceiver, "is_start_of", _start_anywhere_below),
    ),
    Bug("M27", "stamp-not-recomputed", "C3", "defect HZ-16", breaks=("comes-to-rest",)).by(
        "A failed migration leaves the stamp as it was.",
        replacing(LocalTable, "complete", _keep_the_stamp),
        guard="a new plan follows every failure, and its first row computes the stamp again",
    ),
    Bug("M36", "version-not-lifted", "C7", "defect HZ-45, P-27", breaks=("failure-raises-the-version",)).by(
        "A new master does not raise rows above what failed migrations may have left.",
        replacing(Succession, "lifted", lambda _, row, failed_version: row),
        scripted(writes(12, pause_ms=600), *MASTER_DIES, partition_count=5),
    ),
    Bug("M13", "empty-migration-skipped", "C4", "defect HZ-23", breaks=("comes-to-rest", "migrations-end-once")).by(
        "Nothing is sent to the destination of a partition without data.",
        replacing(Participation, "go_on", _send_nothing_when_empty),
        scripted(writes(4), JOIN),
        quick=True,
    ),
    Bug("M26a", "commit-ordered-once", "C4", "defect HZ-26", breaks=("one-outcome",)).by(
        "A commit that is not answered is not ordered again.",
        replacing(MigrationMaster, "on_repeat", _order_commits_once),
        scripted(writes(20, pause_ms=200), JOIN, interposers=LOST_ANSWER),
        search_moves,
    ),
    Bug("M26b", "commit-not-idempotent", "C4", "defect HZ-26", breaks=("one-outcome",)).by(
        "A destination that has committed refuses to commit again.",
        replacing(Participation, "commit", _forget_that_it_is_done),
        scripted(writes(20, pause_ms=200), JOIN, interposers=LOST_ANSWER),
        search_moves,
    ),
    Bug("M38", "late-fragment-opens-a-migration", "C4", "defect HZ-25", breaks=("no-orphan",)).by(
        "Fragments of a migration that is not active are installed all the same.",
        replacing(Participation, "on_fragments", _let_any_fragment_in),
        guard="messages of one lane never overtake, so no fragment comes after the end of its migration",
    ),
    Bug(
        "M39",
        "writes-while-migrating",
        "C5",
        "defect P-24, HZ-32",
        breaks=("refines-replication", "nothing-changes-while-it-moves"),
    ).by(
        "The primary takes writes until its own table says that it is none.",
        replacing(OperationPart, "why_not_executed", _write_while_migrating),
        scripted(writes(400, pause_ms=4, keys=12, clients=4), JOIN, SLOW),
    ),
    Bug("M15", "colder-backups-not-looked-at", "C12", "defect HZ-76", breaks=("acknowledged-write-kept",)).by(
        "A member may leave once it is neither primary nor first backup of anything.",
        replacing(
            Departures,
            "is_absent",
            lambda departures, leaver: all(leaver not in row.slots[:2] for row in departures._table.rows),
        ),
        guard="the master looks again only once its plan, which empties every slot of the leaver, is done",
    ),
    Bug("X10", "leaver-not-emptied", "C12", "leaving.4; defect HZ-77", breaks=("acknowledged-write-kept",)).by(
        "The master lets whoever asks leave at once, whatever it holds.",
        replacing(Departures, "why_at_once", lambda _: "whoever asks may go"),
        scripted(writes(12, pause_ms=100, keys=12), LEAVE, members=2, sync_backups=0),
        search_moves,
    ),
    Bug("X01", "old-copies-kept", "C5", "invariant M5; migration.18", breaks=("no-orphan",)).by(
        "Who loses a slot keeps what it held for it.",
        leaving_out(LocalTable, "settle_replica"),
        scripted(writes(20, keys=12), CRASH, members=4),
        quick=True,
    ),
    Bug("X56", "copies-when-somebody-comes", "C3", "repair.12, placement.16", breaks=("comes-to-rest",)).by(
        "The copies that a crash took are made again once another member joins, which a restart does.",
        replacing(Planning, "plan", _plan_for_newcomers_only),
        scripted(writes(12), FaultEvent("crash", 100, 300, (2,)), away=2),
        search_drawn("crash", is_varied=True, jobs=True),
    ),
    Bug("X68", "late-question-answered", "C4", "migration.8", breaks=("migrations-end-once", "refines-ownership")).by(
        "A master that takes part in a migration does not check whether its row is the one the order is about.",
        replacing(Participation, "why_not_now", _begin_on_any_row),
        _late_question(0, 5_000_000),
        lambda seed: Find(tuple(_late_question(seed % 3, 1_000_000 * (1 + seed % 8))())),
    ),
)
