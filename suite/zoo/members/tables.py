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
from suite.zoo.mutant import Find, Interposer, MemberMutant, Witness, replacing, scripted, search_drawn, writes

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


def _look_at_the_first_backup_only(departures: Departures, leaver: MemberId) -> bool:
    return all(leaver not in row.slots[:2] for row in departures._table.rows)


def _keep_everything(table: LocalTable, partition: int) -> None:
    """The mutant does not reduce the copy, whatever slot the member has now."""


def _plan_for_newcomers_only(planning: Planning) -> Plan | None:
    known = {replica for row in planning._table.rows for replica in row.replicas}
    newcomers = [one for one in planning._node.membership.members.data_members if one.id not in known]
    if newcomers or not known:
        return _plan(planning)
    return planning._policy.plan(planning._request(), tuple(row.slots for row in planning._table.rows))


_plan = Planning.plan


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
    MemberMutant(
        number="M13",
        name="empty-migration-skipped",
        defect_class="C4",
        rule="Nothing is sent to the destination of a partition without data.",
        source="defect HZ-23",
        breaks=("comes-to-rest", "migrations-end-once"),
        plant=replacing(Participation, "go_on", _send_nothing_when_empty),
        witness=scripted(writes(4), JOIN),
        quick=True,
    ),
    MemberMutant(
        number="M26a",
        name="commit-ordered-once",
        defect_class="C4",
        rule="A commit that is not answered is not ordered again.",
        source="defect HZ-26",
        breaks=("one-outcome",),
        plant=replacing(MigrationMaster, "on_repeat", _order_commits_once),
        witness=scripted(writes(20, pause_ms=200), JOIN, interposers=LOST_ANSWER),
        search=search_moves,
    ),
    MemberMutant(
        number="M26b",
        name="commit-not-idempotent",
        defect_class="C4",
        rule="A destination that has committed refuses to commit again.",
        source="defect HZ-26",
        breaks=("one-outcome",),
        plant=replacing(Participation, "commit", _forget_that_it_is_done),
        witness=scripted(writes(20, pause_ms=200), JOIN, interposers=LOST_ANSWER),
        search=search_moves,
    ),
    MemberMutant(
        number="M38",
        name="late-fragment-opens-a-migration",
        defect_class="C4",
        rule="Fragments of a migration that is not active are installed all the same.",
        source="defect HZ-25",
        breaks=("no-orphan",),
        plant=replacing(Participation, "on_fragments", _let_any_fragment_in),
        guard="messages of one lane never overtake, so no fragment comes after the end of its migration",
    ),
    MemberMutant(
        number="M39",
        name="writes-while-migrating",
        defect_class="C5",
        rule="The primary takes writes until its own table says that it is none.",
        source="defect P-24, HZ-32",
        breaks=("refines-replication", "nothing-changes-while-it-moves"),
        plant=replacing(OperationPart, "why_not_executed", _write_while_migrating),
        witness=scripted(writes(400, pause_ms=4, keys=12, clients=4), JOIN, SLOW),
    ),
    MemberMutant(
        number="M15",
        name="colder-backups-not-looked-at",
        defect_class="C12",
        rule="A member may leave once it is neither primary nor first backup of anything.",
        source="defect HZ-76",
        breaks=("acknowledged-write-kept",),
        plant=replacing(Departures, "is_absent", _look_at_the_first_backup_only),
        guard="the master looks again only once its plan, which empties every slot of the leaver, is done",
    ),
    MemberMutant(
        number="X10",
        name="leaver-not-emptied",
        defect_class="C12",
        rule="The master lets whoever asks leave at once, whatever it holds.",
        source="leaving.4; defect HZ-77",
        breaks=("acknowledged-write-kept",),
        plant=replacing(Departures, "why_at_once", lambda _: "whoever asks may go"),
        witness=scripted(writes(12, pause_ms=100, keys=12), LEAVE, members=2, sync_backups=0),
        search=search_moves,
    ),
    MemberMutant(
        number="X01",
        name="old-copies-kept",
        defect_class="C5",
        rule="Who loses a slot keeps what it held for it.",
        source="invariant M5; migration.18",
        breaks=("no-orphan",),
        plant=replacing(LocalTable, "settle_replica", _keep_everything),
        witness=scripted(writes(20, keys=12), CRASH, members=4),
        quick=True,
    ),
    MemberMutant(
        number="X56",
        name="copies-when-somebody-comes",
        defect_class="C3",
        rule="The copies that a crash took are made again once another member joins, which a restart does.",
        source="repair.12, placement.16",
        breaks=("comes-to-rest",),
        plant=replacing(Planning, "plan", _plan_for_newcomers_only),
        witness=scripted(writes(12), FaultEvent("crash", 100, 300, (2,)), away=2),
        search=search_drawn("crash", is_varied=True, jobs=True),
    ),
    MemberMutant(
        number="X68",
        name="late-question-answered",
        defect_class="C4",
        rule="A master that takes part in a migration does not check whether its row is the one the order is about.",
        source="migration.8",
        breaks=("migrations-end-once", "refines-ownership"),
        plant=replacing(Participation, "why_not_now", _begin_on_any_row),
        witness=_late_question(0, 5_000_000),
        search=lambda seed: Find(tuple(_late_question(seed % 3, 1_000_000 * (1 + seed % 8))())),
    ),
)
