"""Why a snapshot has what came before its barriers."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, all_of, count, exists, for_all, if_else, sum_of
from gridproof_model.specifications.snapshot.state import (
    Guarantee,
    Write,
    ended,
    executions,
    guarantee,
    is_all_written,
    is_restored,
    items,
    members,
    misses,
    misses_left,
    partitions,
    saved,
    shards,
    snapshots,
    underway,
)
from gridproof_properties.proofs.arguments.snapshot.words import argument, for_all_lanes, queued


def fits(counted: IntExpr, sent: IntExpr) -> BoolExpr:
    """Return whether as many items were counted as were sent, or at least as many."""
    return if_else(guarantee == Guarantee.EXACTLY_ONCE, counted == sent, counted >= sent)


@argument.lemma(executions, shards, partitions)
def items_are_queued_in_order(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """What is under way to a counter has rising numbers, all emitted."""
    lane = underway[one].queue[shard][partition]
    return for_all(
        queued,
        lambda place: (place < lane.length).implies(
            all_of(
                lane.at(place) < underway[one].offset[shard],
                for_all(
                    queued,
                    lambda later: ((place < later) & (later < lane.length)).implies(lane.at(place) < lane.at(later)),
                ),
            )
        ),
    )


@argument.lemma(executions)
def nothing_is_under_way_that_was_not_planned(one: IndexExpr) -> BoolExpr:
    """An execution has nothing before it is planned, and nobody saves or reads before it starts."""
    run = underway[one]
    return all_of(
        run.coordinator.is_some | (run.restored.is_none & ~run.is_started),
        run.is_started | run.taking.is_none,
        run.taking.is_some
        | (
            for_all(shards, lambda shard: run.source_write[shard] == Write.NONE)
            & for_all(
                partitions,
                lambda partition: (run.counter_write[partition] == Write.NONE) & ~run.arrived[partition].is_any(),
            )
        ),
        for_all(
            shards,
            partitions,
            lambda shard, partition: (run.is_started & is_restored(one)) | run.queue[shard][partition].is_empty,
        ),
        run.coordinator.is_some
        | for_all(
            shards,
            lambda shard: (
                (run.offset[shard] == 0)
                & for_all(
                    partitions,
                    lambda partition: (run.sent[shard][partition] == 0) & (run.counted[partition][shard] == 0),
                )
            ),
        ),
    )


@argument.lemma
def each_execution_takes_its_own_snapshot() -> BoolExpr:
    """What an execution takes was begun, and no other execution takes it; it is whole only when all is written."""
    return for_all(
        executions,
        lambda one: (
            underway[one].taking.is_none
            | all_of(
                saved[underway[one].taking.value].id > 0,
                for_all(executions, lambda other: (one == other) | (underway[other].taking != underway[one].taking)),
                saved[underway[one].taking.value].is_validated.implies(is_all_written(one)),
            )
        ),
    ) & for_all(snapshots, lambda one: saved[one].is_validated.implies(saved[one].id > 0))


def ahead(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> IntExpr:
    """Return how many items are under way before the barrier of a source that has saved."""
    lane = underway[one].queue[shard][partition]
    offset = saved[underway[one].taking.value].offset[shard]
    return count(queued, lambda place: (place < lane.length) & (lane.at(place) < offset))


@argument.lemma(executions, shards, partitions)
def what_is_before_a_barrier_is_what_was_saved(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """What a counter has of a source that saved, with what is ahead of the barrier, is what the source had emitted."""
    run = underway[one]
    target = saved[run.taking.value]
    has_saved, is_saved = run.source_write[shard] != Write.NONE, run.counter_write[partition] != Write.NONE
    before = run.counted[partition][shard] + ahead(one, shard, partition)
    return run.taking.is_none | all_of(
        has_saved.implies(target.offset[shard] <= run.offset[shard]),
        (has_saved & ~is_saved).implies(fits(before, target.sent[shard][partition])),
        run.arrived[partition][shard].implies(has_saved),
        (run.arrived[partition][shard] & ~is_saved).implies(ahead(one, shard, partition) == 0),
        (has_saved & is_saved).implies(fits(target.counted[partition][shard], target.sent[shard][partition])),
        (~has_saved & is_saved).implies(
            all_of(
                run.offset[shard] == items,
                run.queue[shard][partition].is_empty,
                fits(target.counted[partition][shard], run.sent[shard][partition]),
            )
        ),
    )


@argument.lemma(executions)
def what_was_restored_is_whole(one: IndexExpr) -> BoolExpr:
    """An execution begins from a validated snapshot, and has emitted what that says until everybody has read it."""

    def has_emitted_what_was_saved(one: IndexExpr, restored: IndexExpr) -> BoolExpr:
        return for_all(
            shards,
            partitions,
            lambda shard, partition: underway[one].sent[shard][partition] == saved[restored].sent[shard][partition],
        )

    return underway[one].restored.is_none | all_of(
        saved[underway[one].restored.value].is_validated,
        (underway[one].is_started & is_restored(one)) | has_emitted_what_was_saved(one, underway[one].restored.value),
    )


@argument.lemma
def no_more_is_sent_than_emitted() -> BoolExpr:
    """A counter is sent no more items than its source has emitted, and no more are under way; nor was more saved."""
    return for_all_lanes(
        lambda one, shard, partition: (
            (underway[one].sent[shard][partition] <= underway[one].offset[shard])
            & (underway[one].queue[shard][partition].length <= underway[one].offset[shard])
        )
    ) & for_all(
        snapshots,
        shards,
        partitions,
        lambda one, shard, partition: saved[one].is_validated.implies(
            saved[one].sent[shard][partition] <= saved[one].offset[shard]
        ),
    )


@argument.lemma
def only_what_is_bare_is_endangered() -> BoolExpr:
    """What was lost had missed its backup."""
    return (misses_left <= misses) & for_all(
        snapshots,
        lambda one: all_of(
            saved[one].is_endangered.implies(saved[one].is_bare),
            saved[one].is_endangered.implies(exists(members, lambda member: ended[member])),
            saved[one].is_bare.implies(misses_left < misses),
        ),
    )


@argument.lemma
def every_item_was_saved_once() -> BoolExpr:
    """What a source saved was sent to one counter each."""

    def is_whole(one: IndexExpr, shard: IndexExpr) -> BoolExpr:
        return sum_of(partitions, lambda p: saved[one].sent[shard][p]) == saved[one].offset[shard]

    return for_all(
        snapshots, lambda one: saved[one].is_validated.implies(for_all(shards, lambda shard: is_whole(one, shard)))
    ) & for_all(
        executions,
        lambda one: (
            underway[one].taking.is_none
            | for_all(
                shards,
                lambda shard: (
                    (underway[one].source_write[shard] == Write.NONE) | is_whole(underway[one].taking.value, shard)
                ),
            )
        ),
    )


@argument.lemma
def an_item_is_counted_once_more_a_snapshot() -> BoolExpr:
    """At least once, an item is counted once more only where an execution goes on from one more snapshot."""

    def begun_before(one: IndexExpr) -> IntExpr:
        restored = underway[one].restored
        return if_else(restored.is_some, restored.value.ordinal + 1, 0)

    def is_bounded(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
        run = underway[one]
        counted = run.counted[partition][shard] + run.queue[shard][partition].length
        taken = saved[run.taking.value].counted[partition][shard]
        return (counted <= items * begun_before(one) + run.offset[shard]) & (
            run.taking.is_none
            | (run.counter_write[partition] == Write.NONE)
            | (taken <= items * (run.taking.value.ordinal + 1))
        )

    def is_in_order(one: IndexExpr) -> BoolExpr:
        return all_of(
            for_all(snapshots, lambda later: (one < later).implies((saved[later].id > 0).implies(saved[one].id > 0))),
            for_all(
                partitions,
                shards,
                lambda partition, shard: saved[one].is_validated.implies(
                    saved[one].counted[partition][shard] <= items * (one.ordinal + 1)
                ),
            ),
        )

    return all_of(
        for_all_lanes(is_bounded),
        for_all(
            executions,
            lambda one: underway[one].taking.is_none | (underway[one].taking.value.ordinal >= begun_before(one)),
        ),
        for_all(snapshots, is_in_order),
    )
