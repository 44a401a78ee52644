"""What the coordinator does: begin, validate, record, clear, give up.

A write of a record may miss its backup. As delivered nobody notices; later versions fail or repeat it.
"""

from gridproof_model.language import (
    ArrayExpr,
    Bool,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    Step,
    Update,
    all_of,
    array_of,
    for_all,
    if_else,
    larger,
)
from gridproof_model.specifications.snapshot.state import (
    Chunk,
    Job,
    JobRecord,
    Ledger,
    Phase,
    Write,
    backup,
    backup_ledger,
    begun,
    chunk_write,
    chunk_writes,
    chunks,
    completed,
    execution,
    executions,
    fails_on_indeterminate,
    job,
    kept,
    map_being_written,
    maps,
    memory,
    misses_left,
    other,
    partitions,
    phase,
    primary,
    primary_ledger,
    snapshots,
    specification,
)


def without_map(copies: ArrayExpr[ArrayExpr[Chunk]], cleared: IndexExpr) -> ArrayExpr[ArrayExpr[Chunk]]:
    """Return replicas of all partitions with one map empty."""
    return array_of(
        partitions,
        lambda partition: array_of(maps, lambda one: if_else(one == cleared, chunks(), copies[partition][one])),
    )


def ledger_after(ledger: Ledger, record: JobRecord, cleared: IndexExpr) -> Ledger:
    """Return a replica of the records with the execution record written and a map's validation record gone."""
    return ledger.replace(record=record, validated=ledger.validated.store(cleared, 0))


def may_miss(is_missed: BoolExpr) -> BoolExpr:
    """Return the guard for a write of a record that misses its backup, or not."""
    return is_missed.implies(misses_left > 0)


def costs_a_miss(is_missed: BoolExpr) -> Update:
    """Return the update that counts a missed backup."""
    return misses_left.becomes(if_else(is_missed, misses_left - 1, misses_left))


@specification.action(Bool(), source="jobs.5, jobs.19")
def snapshot_begins(is_missed: BoolExpr) -> Step:
    """The coordinator takes a new id, writes the execution record, clears the other map, and notifies everybody.

    The clearing reaches every backup. Later versions repeat the write of the record until its backup has it.
    """
    record = memory.replace(ongoing=memory.ongoing + 1)
    cleared = map_being_written()
    return Step(
        when=[
            job == Job.RUNNING,
            phase == Phase.NONE,
            memory.ongoing < snapshots,
            may_miss(is_missed),
            is_missed.implies(~fails_on_indeterminate),
        ],
        then=[
            memory.becomes(record),
            primary_ledger.becomes(ledger_after(primary_ledger, record, cleared)),
            backup_ledger.becomes(
                ledger_after(backup_ledger, if_else(is_missed, backup_ledger.record, record), cleared)
            ),
            primary.becomes(without_map(primary, cleared)),
            backup.becomes(without_map(backup, cleared)),
            begun.becomes(larger(begun, memory.ongoing + 1)),
            phase.becomes(Phase.SAVING),
            costs_a_miss(is_missed),
        ],
    )


@specification.definition()
def is_all_written() -> BoolExpr:
    """Whether phase 1 is a success: everybody has saved, and every write was."""
    return for_all(
        partitions,
        lambda partition: all_of(
            chunk_write[partition].source == Write.WRITTEN, chunk_write[partition].counter == Write.WRITTEN
        ),
    )


def snapshot_is_over() -> list[Update]:
    """Return the updates after which none is in progress; phase 2 has nothing to commit or to leave here."""
    return [phase.becomes(Phase.NONE), chunk_write.becomes(array_of(partitions, lambda partition: chunk_writes()))]


def map_is_cleared(cleared: IndexExpr) -> list[Update]:
    """Return the updates that empty a map in every replica."""
    return [
        primary_ledger.validated[cleared].becomes(0),
        backup_ledger.validated[cleared].becomes(0),
        primary.becomes(without_map(primary, cleared)),
        backup.becomes(without_map(backup, cleared)),
    ]


@specification.action(Bool(), source="jobs.8, jobs.19", fair=True)
def snapshot_is_validated(is_missed: BoolExpr) -> Step:
    """All results of phase 1 are good: the validation record is put into the map."""
    target = map_being_written()
    copy = backup_ledger.validated[target]
    return Step(
        when=[
            phase == Phase.SAVING,
            is_all_written(),
            may_miss(is_missed),
            is_missed.implies(~fails_on_indeterminate),
        ],
        then=[
            phase.becomes(Phase.VALIDATED),
            primary_ledger.validated[target].becomes(memory.ongoing),
            copy.becomes(if_else(is_missed, copy, memory.ongoing)),
            completed.becomes(larger(completed, memory.ongoing)),
            costs_a_miss(is_missed),
        ],
    )


@specification.action(source="jobs.19: later")
def validation_is_indeterminate() -> Step:
    """Later versions: a validation record without its backup's word fails the snapshot."""
    return Step(
        when=[fails_on_indeterminate, phase == Phase.SAVING, is_all_written(), misses_left > 0],
        then=[*map_is_cleared(map_being_written()), *snapshot_is_over(), misses_left.becomes(misses_left - 1)],
    )


@specification.definition()
def has_a_failed_write() -> BoolExpr:
    """Whether phase 1 is no success: everybody has reported, and some write failed."""

    def is_reported(write: EnumExpr[Write]) -> BoolExpr:
        return write.is_in(Write.WRITTEN, Write.FAILED)

    return ~is_all_written() & for_all(
        partitions,
        lambda partition: is_reported(chunk_write[partition].source) & is_reported(chunk_write[partition].counter),
    )


@specification.action(source="jobs.8", fair=True)
def snapshot_fails() -> Step:
    """Some result of phase 1 is bad: the partial map is cleared, and the previous snapshot stays the job's."""
    return Step(
        when=[phase == Phase.SAVING, has_a_failed_write()],
        then=[*map_is_cleared(map_being_written()), *snapshot_is_over()],
    )


def recorded_now() -> JobRecord:
    """Return the execution record that names the present snapshot and its map."""
    return memory.replace(recorded=memory.ongoing, map=map_being_written())


@specification.action(Bool(), source="jobs.8: the commit point; 8.5", fair=True)
def snapshot_is_recorded(is_missed: BoolExpr) -> Step:
    """The record in memory names the new snapshot, and then the stored one: it is the job's from now on."""
    copy = backup_ledger.record
    return Step(
        when=[phase == Phase.VALIDATED, may_miss(is_missed), is_missed.implies(~fails_on_indeterminate)],
        then=[
            phase.becomes(Phase.RECORDED),
            memory.becomes(recorded_now()),
            kept.becomes(larger(kept, memory.ongoing)),
            primary_ledger.record.becomes(recorded_now()),
            copy.becomes(if_else(is_missed, copy, recorded_now())),
            costs_a_miss(is_missed),
        ],
    )


@specification.action(source="jobs.19: later")
def record_is_indeterminate() -> Step:
    """Later versions: an execution record without its backup's word makes the job restart, both maps as they are."""
    return Step(
        when=[fails_on_indeterminate, phase == Phase.VALIDATED, misses_left > 0],
        then=[
            job.becomes(Job.STOPPED),
            execution.becomes(executions()),
            memory.becomes(recorded_now()),
            kept.becomes(larger(kept, memory.ongoing)),
            primary_ledger.record.becomes(recorded_now()),
            misses_left.becomes(misses_left - 1),
        ],
    )


@specification.action(source="jobs.9, jobs.11", fair=True)
def older_map_is_cleared() -> Step:
    """Right after the record is written the map of the previous snapshot is cleared."""
    return Step(
        when=[phase == Phase.RECORDED],
        then=[*map_is_cleared(other(memory.map)), *snapshot_is_over()],
    )
