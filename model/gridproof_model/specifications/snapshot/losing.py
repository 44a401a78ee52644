"""A member is lost: promotion, restore, and a job corrupted."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    OptionExpr,
    Step,
    all_of,
    array_of,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.specifications.snapshot.state import (
    Chunk,
    Job,
    Ledger,
    backup,
    backup_ledger,
    chunks,
    crashes_left,
    execution,
    executions,
    fails_on_indeterminate,
    holds_records,
    is_safe,
    is_up,
    job,
    keeper,
    ledgers,
    maps,
    master,
    members,
    memory,
    owner,
    partitions,
    primary,
    primary_ledger,
    restored,
    specification,
    was_exposed,
    was_promoted,
)


@specification.definition(members, partitions)
def loses_primary(member: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether a partition's primary replica is at a member."""
    return owner[partition] == member


@specification.definition(members, partitions)
def loses_backup(member: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """Whether a partition has no backup replica once a member is gone: it was there, or is promoted."""
    return (owner[partition] == member) | (keeper[partition] == member)


@specification.definition(members)
def ledger_without(member: IndexExpr) -> Ledger:
    """The records in their primary replica once a member is gone."""
    is_promoted = exists(partitions, lambda p: holds_records(p) & loses_primary(member, p))
    return if_else(is_promoted, backup_ledger, primary_ledger)


@specification.definition(members)
def heir(member: IndexExpr) -> OptionExpr[IndexExpr]:
    """The oldest member but one that is up."""
    return first(members, lambda one: is_up[one] & (one != member))


@specification.definition(members, partitions)
def owner_without(member: IndexExpr, partition: IndexExpr) -> IndexExpr:
    """Who has a partition once a member is gone: its backup is promoted, or the heir begins with nothing."""
    successor = if_else(keeper[partition].is_some, keeper[partition], heir(member)).value
    return if_else(loses_primary(member, partition), successor, owner[partition])


@specification.action(members, source="seed: In-Memory Storage, Data Recovered from Backups; jobs.15")
def member_is_lost(member: IndexExpr) -> Step:
    """A member is lost with its replicas: backups of its partitions are promoted, and the job stops.

    A partition without a backup replica begins anew, empty. A new master reads the stored record.
    """
    empty = array_of(maps, lambda one: chunks())
    has_no_record_backup = exists(partitions, lambda p: holds_records(p) & loses_backup(member, p))
    is_promoting = exists(partitions, lambda p: loses_primary(member, p) & keeper[p].is_some)
    is_exposing = exists(partitions, lambda p: loses_primary(member, p) & keeper[p].is_none)
    return Step(
        when=[crashes_left > 0, job.is_in(Job.RUNNING, Job.STOPPED), is_up[member], heir(member).is_some],
        then=[
            crashes_left.becomes(crashes_left - 1),
            is_up[member].becomes(False),
            owner.becomes(array_of(partitions, lambda p: owner_without(member, p))),
            keeper.becomes(array_of(partitions, lambda p: if_else(loses_backup(member, p), None, keeper[p]))),
            primary.becomes(array_of(partitions, lambda p: if_else(loses_primary(member, p), backup[p], primary[p]))),
            backup.becomes(array_of(partitions, lambda p: if_else(loses_backup(member, p), empty, backup[p]))),
            primary_ledger.becomes(ledger_without(member)),
            backup_ledger.becomes(if_else(has_no_record_backup, ledgers(), backup_ledger)),
            memory.becomes(if_else(master() == member, ledger_without(member).record, memory)),
            job.becomes(Job.STOPPED),
            execution.becomes(executions()),
            was_promoted.becomes(was_promoted | is_promoting),
            was_exposed.becomes(was_exposed | is_exposing),
        ],
    )


@specification.definition()
def is_restorable() -> BoolExpr:
    """Whether the map that the record names has a validation record and every chunk, all with the recorded id."""
    return all_of(
        primary_ledger.validated[memory.map] == memory.recorded,
        for_all(
            partitions,
            lambda partition: all_of(
                primary[partition][memory.map].source_id == memory.recorded,
                primary[partition][memory.map].counter_id == memory.recorded,
            ),
        ),
    )


@specification.action(source="seed: In-Memory Storage; jobs.15", fair=True)
def job_goes_on() -> Step:
    """Once the cluster is safe, sources and counters begin with what the recorded snapshot says, read from primaries.

    With no snapshot recorded they begin from nothing. Later versions write the record once more before they use it.
    """

    def saved(partition: IndexExpr) -> Chunk:
        return if_else(memory.recorded > 0, primary[partition][memory.map], chunks())

    return Step(
        when=[job == Job.STOPPED, is_safe(), (memory.recorded > 0).implies(is_restorable())],
        then=[
            job.becomes(Job.RUNNING),
            restored.becomes(memory.recorded),
            execution.becomes(
                executions(
                    offset=array_of(partitions, lambda partition: saved(partition).offset),
                    counted=array_of(partitions, lambda partition: saved(partition).counts),
                )
            ),
            primary_ledger.record.becomes(if_else(fails_on_indeterminate, memory, primary_ledger.record)),
            backup_ledger.record.becomes(if_else(fails_on_indeterminate, memory, backup_ledger.record)),
        ],
    )


@specification.action(source="jobs.17, jobs.19: issue 18675", fair=True)
def job_is_found_corrupted() -> Step:
    """A validation record or a chunk of the recorded snapshot is missing: the job fails for good."""
    return Step(
        when=[job == Job.STOPPED, is_safe(), ~is_restorable(), memory.recorded > 0],
        then=[job.becomes(Job.CORRUPTED)],
    )
