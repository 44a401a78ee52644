"""What must always be true of a job."""

from gridproof_model.language import BoolExpr, IndexExpr, Int, IntExpr, all_of, count, for_all, if_else
from gridproof_model.specifications.snapshot.losing import is_restorable
from gridproof_model.specifications.snapshot.state import (
    Guarantee,
    Job,
    Phase,
    Token,
    begun,
    completed,
    counted,
    crashes,
    crashes_left,
    fails_on_indeterminate,
    guarantee,
    items,
    job,
    kept,
    memory,
    misses,
    misses_left,
    number_of_partitions,
    offset,
    partitions,
    phase,
    primary,
    primary_ledger,
    queue,
    specification,
    was_exposed,
)


def items_for(source: IndexExpr, counter: IndexExpr, up_to: IntExpr) -> IntExpr:
    """Return how many of a source's first items go to a counter."""
    return count(
        Int(0, items - 1),
        lambda item: (item < up_to) & ((source.ordinal + item) % number_of_partitions == counter.ordinal),
    )


def under_way(source: IndexExpr, counter: IndexExpr) -> IntExpr:
    """Return how many items are under way from a source to a counter."""
    lane = queue[source][counter]
    return count(Int(0, items), lambda place: (place < lane.length) & (lane.at(place) == Token.ITEM))


@specification.definition()
def is_exact() -> BoolExpr:
    """Whether every item that a source has emitted was counted once or is under way."""
    return for_all(
        partitions,
        lambda source: for_all(
            partitions,
            lambda counter: (
                counted[counter][source] + under_way(source, counter) == items_for(source, counter, offset[source])
            ),
        ),
    )


@specification.definition()
def no_item_is_missing() -> BoolExpr:
    """Whether every item that a source has emitted was counted or is under way."""
    return for_all(
        partitions,
        lambda source: for_all(
            partitions,
            lambda counter: (
                counted[counter][source] + under_way(source, counter) >= items_for(source, counter, offset[source])
            ),
        ),
    )


@specification.always(source="jobs.12: exactly once")
def exactly_once_counts_every_item_once() -> BoolExpr:
    """Exactly once: however often the job was restored, no item is missing and none counted twice."""
    return (guarantee == Guarantee.EXACTLY_ONCE).implies(is_exact())


@specification.always(source="jobs.12, jobs.13: at least once")
def at_least_once_misses_no_item() -> BoolExpr:
    """At least once: however often the job was restored, no item is missing."""
    return (guarantee == Guarantee.AT_LEAST_ONCE).implies(no_item_is_missing())


@specification.always(source="jobs.12: restored state")
def a_recorded_snapshot_has_what_came_before_its_barrier() -> BoolExpr:
    """Its counts are of exactly the items before the barrier on every input; at least once, of at least those."""

    def holds_for(source: IndexExpr, counter: IndexExpr) -> BoolExpr:
        before_barrier = items_for(source, counter, primary[source][memory.map].offset)
        counts = primary[counter][memory.map].counts[source]
        return if_else(guarantee == Guarantee.EXACTLY_ONCE, counts == before_barrier, counts >= before_barrier)

    return ((memory.recorded > 0) & is_restorable()).implies(
        for_all(partitions, lambda source: for_all(partitions, lambda counter: holds_for(source, counter)))
    )


@specification.always(source="jobs.10, jobs.5")
def the_recorded_map_is_never_written() -> BoolExpr:
    """While a snapshot is saved, no chunk of it is in the map that holds the recorded one."""
    return ((phase == Phase.SAVING) & (memory.recorded > 0)).implies(
        all_of(
            primary_ledger.record.map == memory.map,
            for_all(
                partitions,
                lambda partition: all_of(
                    primary[partition][memory.map].source_id != memory.ongoing,
                    primary[partition][memory.map].counter_id != memory.ongoing,
                ),
            ),
        )
    )


@specification.always(source="jobs.10, jobs.18")
def the_recorded_snapshot_stays_whole() -> BoolExpr:
    """Nobody lost, or every write acknowledged: whatever later snapshots come to, the recorded one is restorable."""
    is_quiet = (crashes_left == crashes) | (misses_left == misses)
    return all_of(is_quiet, ~was_exposed, memory.recorded > 0).implies(is_restorable())


@specification.always(source="jobs.10, jobs.8")
def only_a_completed_snapshot_is_recorded() -> BoolExpr:
    """No record names a snapshot whose phase 1 was not a success."""
    return (memory.recorded <= completed) & (primary_ledger.record.recorded <= completed)


@specification.always(source="jobs.19: later, stated invariants")
def the_record_in_memory_is_never_older_than_the_stored_one() -> BoolExpr:
    """The coordinator knows of every snapshot that the stored record names."""
    return all_of(
        primary_ledger.record.recorded <= memory.recorded,
        primary_ledger.record.ongoing <= memory.ongoing,
        memory.recorded <= memory.ongoing,
    )


@specification.always(source="jobs.18, jobs.19")
def what_its_backups_acknowledged_is_restorable() -> BoolExpr:
    """Every write acknowledged, no primary lost without a backup: the job is never corrupted."""
    return all_of(misses_left == misses, ~was_exposed).implies(job != Job.CORRUPTED)


@specification.always(source="jobs.18, jobs.5: recorded ids increase")
def ids_never_go_back_if_backups_acknowledge() -> BoolExpr:
    """Every write acknowledged, no primary lost without a backup: no id is used twice, no snapshot forgotten."""
    return all_of(misses_left == misses, ~was_exposed).implies((memory.ongoing == begun) & (memory.recorded == kept))


@specification.always(source="jobs.19: later")
def writes_that_fail_keep_the_job_restorable() -> BoolExpr:
    """Later versions: no primary lost without a backup, and the job is never corrupted, whatever was missed."""
    return (fails_on_indeterminate & ~was_exposed).implies(job != Job.CORRUPTED)


@specification.always(source="jobs.19: later, snapshotId strictly increasing")
def writes_that_fail_keep_ids_increasing() -> BoolExpr:
    """Later versions: no primary lost without a backup, and no id is used twice, whatever was missed."""
    return (fails_on_indeterminate & ~was_exposed).implies(memory.ongoing == begun)
