"""Chunks on their way to backup replicas."""

from gridproof_model.language import BoolExpr, IndexExpr, Step, Update, if_else
from gridproof_model.specifications.snapshot.state import (
    Job,
    Write,
    backup,
    backup_ledger,
    chunk_write,
    fails_on_indeterminate,
    holds_records,
    is_replicated,
    is_up,
    job,
    keeper,
    map_being_written,
    members,
    misses_left,
    owner,
    partitions,
    primary,
    primary_ledger,
    specification,
)


@specification.action(partitions, source="seed: In-Memory Storage, backup copies; jobs.8", fair=True)
def source_chunk_is_backed_up(source: IndexExpr) -> Step:
    """The backup replica has a source's chunk and acknowledges it."""
    kept, copy = primary[source][map_being_written()], backup[source][map_being_written()]
    return Step(
        when=[chunk_write[source].source == Write.WRITING],
        then=[
            copy.source_id.becomes(kept.source_id),
            copy.offset.becomes(kept.offset),
            chunk_write[source].source.becomes(Write.WRITTEN),
        ],
    )


@specification.action(partitions, source="seed: In-Memory Storage, backup copies; jobs.8", fair=True)
def counter_chunk_is_backed_up(counter: IndexExpr) -> Step:
    """The backup replica has a counter's chunk and acknowledges it."""
    kept, copy = primary[counter][map_being_written()], backup[counter][map_being_written()]
    return Step(
        when=[chunk_write[counter].counter == Write.WRITING],
        then=[
            copy.counter_id.becomes(kept.counter_id),
            copy.counts.becomes(kept.counts),
            chunk_write[counter].counter.becomes(Write.WRITTEN),
        ],
    )


def backup_is_missed() -> list[Update]:
    """Return the update that counts a missed backup."""
    return [misses_left.becomes(misses_left - 1)]


@specification.action(partitions, source="jobs.19, backups.17")
def source_chunk_misses_its_backup(source: IndexExpr) -> Step:
    """No acknowledgement comes in 5 seconds: the write is a success all the same, or in later versions a failure."""
    return Step(
        when=[misses_left > 0, chunk_write[source].source == Write.WRITING],
        then=[
            *backup_is_missed(),
            chunk_write[source].source.becomes(if_else(fails_on_indeterminate, Write.FAILED, Write.WRITTEN)),
        ],
    )


@specification.action(partitions, source="jobs.19, backups.17")
def counter_chunk_misses_its_backup(counter: IndexExpr) -> Step:
    """No acknowledgement comes in 5 seconds: the write is a success all the same, or in later versions a failure."""
    return Step(
        when=[misses_left > 0, chunk_write[counter].counter == Write.WRITING],
        then=[
            *backup_is_missed(),
            chunk_write[counter].counter.becomes(if_else(fails_on_indeterminate, Write.FAILED, Write.WRITTEN)),
        ],
    )


def holds_what_the_primary_holds(partition: IndexExpr) -> list[Update]:
    """Return the updates after which a backup replica equals its primary."""
    return [
        backup[partition].becomes(primary[partition]),
        backup_ledger.becomes(if_else(holds_records(partition), primary_ledger, backup_ledger)),
    ]


@specification.definition(partitions)
def is_written_to(partition: IndexExpr) -> BoolExpr:
    """Whether a chunk is under way to a partition's backup."""
    return (chunk_write[partition].source == Write.WRITING) | (chunk_write[partition].counter == Write.WRITING)


@specification.action(partitions, source="seed: Best-Effort Consistency; sync.1", fair=True)
def anti_entropy_repairs_backup(partition: IndexExpr) -> Step:
    """A backup replica that differs from its primary gets what it lacks; what is under way to it is no difference."""
    return Step(
        when=[keeper[partition].is_some, ~is_replicated(partition), ~is_written_to(partition)],
        then=holds_what_the_primary_holds(partition),
    )


@specification.action(partitions, members, source="seed: In-Memory Storage, new backup replicas", fair=True)
def new_backup_is_created(partition: IndexExpr, member: IndexExpr) -> Step:
    """A partition that lacks a backup replica gets one at a member that does not have the primary."""
    return Step(
        when=[job != Job.SUBMITTED, keeper[partition].is_none, is_up[member], owner[partition] != member],
        then=[keeper[partition].becomes(member), *holds_what_the_primary_holds(partition)],
    )
