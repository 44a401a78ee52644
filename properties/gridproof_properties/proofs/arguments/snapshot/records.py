"""What the records say, in memory and in both replicas."""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, exists, for_all, if_else
from gridproof_model.specifications.snapshot.losing import is_restorable
from gridproof_model.specifications.snapshot.state import (
    Chunk,
    Job,
    JobRecord,
    Phase,
    Write,
    backup,
    backup_ledger,
    begun,
    chunk_write,
    completed,
    crashes,
    crashes_left,
    fails_on_indeterminate,
    holds_records,
    is_up,
    job,
    keeper,
    kept,
    map_being_written,
    members,
    memory,
    misses,
    misses_left,
    owner,
    partitions,
    phase,
    primary,
    primary_ledger,
    records,
    was_exposed,
)
from gridproof_properties.proofs.arguments.snapshot.words import argument


@argument.lemma
def records_are_never_ahead() -> BoolExpr:
    """No backup of the record is ahead of its primary, which is not ahead of memory; what they name was completed."""
    return all_of(
        backup_ledger.record.recorded <= primary_ledger.record.recorded,
        backup_ledger.record.ongoing <= primary_ledger.record.ongoing,
        backup_ledger.record.recorded <= backup_ledger.record.ongoing,
        primary_ledger.record.recorded <= primary_ledger.record.ongoing,
        (phase == Phase.VALIDATED).implies(
            (memory.ongoing <= completed) & (primary_ledger.validated[map_being_written()] == memory.ongoing)
        ),
        ((phase == Phase.SAVING) | (phase == Phase.VALIDATED)).implies(
            (memory.recorded < memory.ongoing) & (primary_ledger.record == memory)
        ),
    )


@argument.lemma
def before_the_job_nothing_is_recorded() -> BoolExpr:
    """Until the job is submitted no snapshot was begun; losses and misses only become fewer."""
    return all_of(
        (job == Job.SUBMITTED).implies(
            all_of(
                memory == records(),
                primary_ledger.record == records(),
                backup_ledger.record == records(),
                begun == 0,
                kept == 0,
            )
        ),
        misses_left <= misses,
        crashes_left <= crashes,
    )


@argument.lemma
def a_running_job_has_its_snapshot() -> BoolExpr:
    """A job that runs has every backup replica, and the snapshot that its record names is restorable."""
    return (job == Job.RUNNING).implies(
        for_all(partitions, lambda p: keeper[p].is_some) & (memory.recorded > 0).implies(is_restorable())
    )


@argument.lemma
def replicas_are_at_different_members() -> BoolExpr:
    """Primary and backup replica are at different members that are up; before the job all members are."""
    return if_else(
        job == Job.SUBMITTED,
        for_all(members, lambda one: is_up[one]) & for_all(partitions, lambda p: keeper[p].is_none),
        for_all(
            partitions,
            lambda p: is_up[owner[p]] & keeper[p].is_some.implies((keeper[p] != owner[p]) & is_up[keeper[p].value]),
        ),
    )


def has_record_backup() -> BoolExpr:
    """Return whether the records have a backup replica."""
    return exists(partitions, lambda p: holds_records(p) & keeper[p].is_some)


def is_whole(record: JobRecord) -> BoolExpr:
    """Return whether every replica has what a record names."""

    def has_chunks(chunk: Chunk) -> BoolExpr:
        return (chunk.source_id == record.recorded) & (chunk.counter_id == record.recorded)

    return (record.recorded > 0).implies(
        all_of(
            primary_ledger.validated[record.map] == record.recorded,
            has_record_backup().implies(backup_ledger.validated[record.map] == record.recorded),
            for_all(
                partitions,
                lambda p: (
                    has_chunks(primary[p][record.map]) & keeper[p].is_some.implies(has_chunks(backup[p][record.map]))
                ),
            ),
        )
    )


def is_acknowledged() -> BoolExpr:
    """Return whether every write that counted as a success reached its backup, and no partition began anew."""
    return ((misses_left == misses) | fails_on_indeterminate) & ~was_exposed


@argument.lemma
def acknowledged_writes_are_in_the_backup() -> BoolExpr:
    """Every write acknowledged: in phase 1 a backup has what is written, and once validated the validation record."""

    def is_copied(p: IndexExpr) -> BoolExpr:
        kept, copy = primary[p][map_being_written()], backup[p][map_being_written()]
        return all_of(
            (chunk_write[p].source == Write.WRITTEN).implies(copy.source_id == kept.source_id),
            (chunk_write[p].counter == Write.WRITTEN).implies(copy.counter_id == kept.counter_id),
        )

    is_validated = backup_ledger.validated[map_being_written()] == memory.ongoing
    return is_acknowledged().implies(
        ((phase == Phase.SAVING) | (phase == Phase.VALIDATED)).implies(for_all(partitions, is_copied))
        & (phase == Phase.VALIDATED).implies(is_validated)
    )


@argument.lemma
def acknowledged_records_agree() -> BoolExpr:
    """Every write acknowledged: all records of a running job are equal, and every record knows of all ids begun."""
    return is_acknowledged().implies(
        all_of(
            (memory.ongoing == begun) & (primary_ledger.record.ongoing == begun),
            has_record_backup().implies(backup_ledger.record.ongoing == begun),
            (job == Job.RUNNING).implies((primary_ledger.record == memory) & (backup_ledger.record == memory)),
            (misses_left == misses).implies(
                all_of(
                    memory.recorded == kept,
                    primary_ledger.record == memory,
                    has_record_backup().implies(backup_ledger.record == memory),
                )
            ),
        )
    )


@argument.lemma
def acknowledged_snapshots_are_whole() -> BoolExpr:
    """Every write acknowledged: what any record names is whole in every replica."""
    return is_acknowledged().implies(
        all_of(
            is_whole(memory),
            is_whole(primary_ledger.record),
            has_record_backup().implies(is_whole(backup_ledger.record)),
        )
    )
