"""What holds however little members know, and what does not."""

from collections.abc import Callable

from gridproof_model.language import BoolExpr, IndexExpr, all_of, any_of, exists, for_all, if_else
from gridproof_model.specifications.streams.coordinating import is_running
from gridproof_model.specifications.streams.state import (
    Guarantee,
    Phase,
    Write,
    confirmed,
    ended,
    executions,
    exposed,
    guarantee,
    is_restored,
    is_strict,
    knows_record,
    map_to_write,
    members,
    memory,
    partitions,
    phase,
    places,
    present,
    records,
    run_by,
    runs,
    saved,
    shards,
    snapshots,
    specification,
    underway,
)


def for_all_pairs(body: Callable[[IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether something holds for every shard and partition."""
    return for_all(shards, lambda shard: for_all(partitions, lambda partition: body(shard, partition)))


@specification.always(source="jobs.12: exactly once")
def exactly_once_counts_every_item_once() -> BoolExpr:
    """Exactly once: in every execution each item that a source has emitted was counted once, or is under way."""
    return (guarantee == Guarantee.EXACTLY_ONCE).implies(
        for_all(
            executions,
            lambda one: for_all_pairs(
                lambda shard, partition: (
                    underway[one].counted[partition][shard] + underway[one].queue[shard][partition].length
                    == underway[one].sent[shard][partition]
                )
            ),
        )
    )


@specification.always(source="jobs.12, jobs.13: at least once")
def at_least_once_misses_no_item() -> BoolExpr:
    """At least once: in every execution each item that a source has emitted was counted, or is under way."""
    return for_all(
        executions,
        lambda one: for_all_pairs(
            lambda shard, partition: (
                underway[one].counted[partition][shard] + underway[one].queue[shard][partition].length
                >= underway[one].sent[shard][partition]
            )
        ),
    )


@specification.always(source="jobs.12: restored state")
def a_whole_snapshot_has_what_came_before_its_barriers() -> BoolExpr:
    """Its counts are of exactly the items that its sources had emitted; at least once, of at least those."""

    def fits(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
        counted, sent = saved[one].counted[partition][shard], saved[one].sent[shard][partition]
        return if_else(guarantee == Guarantee.EXACTLY_ONCE, counted == sent, counted >= sent)

    return for_all(
        snapshots,
        lambda one: saved[one].is_validated.implies(
            for_all_pairs(lambda shard, partition: fits(one, shard, partition))
        ),
    )


@specification.always(source="jobs.10, jobs.8")
def only_a_whole_snapshot_is_recorded() -> BoolExpr:
    """No record, in memory or written, names a snapshot that was not validated."""
    return for_all(
        members,
        lambda member: memory[member].recorded.is_none | saved[memory[member].recorded.value].is_validated,
    ) & for_all(
        places,
        lambda place: (place < records.length).implies(
            records.at(place).recorded.is_none | saved[records.at(place).recorded.value].is_validated
        ),
    )


@specification.always(source="jobs.10")
def the_recorded_map_is_never_written() -> BoolExpr:
    """What is being saved goes into the map that the coordinator's record does not name."""
    return for_all(
        members,
        lambda member: (phase[member] == Phase.SAVING).implies(
            run_by(member).taking.is_some & (saved[run_by(member).taking.value].map == map_to_write(member))
        ),
    )


@specification.always(source="jobs.18, jobs.5: recorded ids increase")
def recorded_ids_increase() -> BoolExpr:
    """What is being saved has a higher id than what the coordinator's record names."""
    return for_all(
        members,
        lambda member: (phase[member] == Phase.SAVING).implies(
            memory[member].recorded.is_none
            | (saved[memory[member].recorded.value].id < saved[run_by(member).taking.value].id)
        ),
    )


@specification.always(source="jobs.18: restore uses only chunks tagged with it; 8.4")
def a_restore_is_of_one_snapshot() -> BoolExpr:
    """Until everybody has emitted what was saved, an execution has what one whole snapshot says, of every source."""

    def has_what_was_saved(one: IndexExpr, restored: IndexExpr) -> BoolExpr:
        return all_of(
            saved[restored].is_validated,
            for_all(shards, lambda shard: underway[one].offset[shard] == saved[restored].offset[shard]),
            for_all_pairs(
                lambda shard, partition: (
                    underway[one].counted[partition][shard] == saved[restored].counted[partition][shard]
                )
            ),
        )

    return for_all(
        executions,
        lambda one: any_of(
            underway[one].restored.is_none,
            underway[one].is_started & is_restored(one),
            has_what_was_saved(one, underway[one].restored.value),
        ),
    )


@specification.always(source="jobs.18, jobs.10")
def the_recorded_snapshot_stays_whole() -> BoolExpr:
    """Later versions, nothing without a second copy: nobody clears what the record names, nor what one may read."""
    return (is_strict & ~exposed).implies(
        for_all(
            members,
            lambda member: memory[member].recorded.is_none | ~saved[memory[member].recorded.value].is_cleared,
        )
        & for_all(
            places,
            lambda place: ((place < records.length) & (place + 1 >= confirmed)).implies(
                records.at(place).recorded.is_none | ~saved[records.at(place).recorded.value].is_cleared
            ),
        )
    )


@specification.always(source="jobs.18, jobs.19: later")
def no_job_is_corrupted_that_has_second_copies() -> BoolExpr:
    """Later versions, nothing without a second copy: what the record names can be restored."""
    return for_all(members, lambda member: (is_strict & ~exposed).implies(phase[member] != Phase.CORRUPTED))


@specification.sometimes(source="jobs.13, jobs.12")
def at_least_once_counts_an_item_twice() -> BoolExpr:
    """A counter has counted more items of a source than it has emitted."""
    return exists(
        executions,
        lambda one: exists(
            shards,
            lambda shard: exists(
                partitions,
                lambda partition: (
                    underway[one].counted[partition][shard] + underway[one].queue[shard][partition].length
                    > underway[one].sent[shard][partition]
                ),
            ),
        ),
    )


@specification.sometimes(source="jobs.8, jobs.11")
def an_execution_goes_on_that_was_given_up() -> BoolExpr:
    """A participant counts what nobody waits for any more: it does not know yet."""
    return exists(
        members,
        lambda member: exists(
            executions,
            lambda one: all_of(
                present[member] == one,
                underway[one].is_started,
                runs[underway[one].coordinator.value] != one,
                exists(shards, lambda shard: underway[one].offset[shard] > 0),
            ),
        ),
    )


@specification.sometimes(source="jobs.4, limits.7; invariant T1")
def two_coordinate_the_job() -> BoolExpr:
    """Two members run an execution of the job, each as the master of a cluster of its own."""
    return exists(
        members,
        lambda one: exists(members, lambda other: (one != other) & is_running(one) & is_running(other)),
    )


@specification.sometimes(source="seed: In-Memory Storage, Data Recovered from Backups when a Member Fails; 8.4")
def a_new_coordinator_goes_on_from_a_snapshot() -> BoolExpr:
    """A job is restored from what a coordinator has recorded that is gone."""
    return exists(
        members,
        lambda member: exists(
            members,
            lambda other: all_of(
                is_running(member),
                ended[other],
                knows_record[other],
                run_by(member).restored.is_some,
            ),
        ),
    )


@specification.sometimes(source="jobs.19, jobs.18")
def a_recorded_snapshot_is_forgotten() -> BoolExpr:
    """A job goes on from nothing, although a snapshot was recorded and confirmed."""
    return exists(
        members,
        lambda member: exists(
            places,
            lambda place: all_of(
                is_running(member),
                memory[member].recorded.is_none,
                place < records.length,
                place < confirmed,
                records.at(place).recorded.is_some,
            ),
        ),
    )


@specification.sometimes(source="jobs.5, jobs.19")
def an_id_is_used_twice() -> BoolExpr:
    """A new coordinator's record did not know of the last id begun."""
    return exists(
        snapshots,
        lambda one: exists(
            snapshots, lambda other: (one < other) & (saved[one].id > 0) & (saved[one].id == saved[other].id)
        ),
    )


@specification.sometimes(source="jobs.14: finished queues count as arrived")
def a_counter_saves_without_a_barrier() -> BoolExpr:
    """Its source has emitted everything."""
    return exists(
        executions,
        lambda one: exists(
            partitions,
            lambda partition: (
                (underway[one].counter_write[partition] != Write.NONE)
                & exists(shards, lambda shard: ~underway[one].arrived[partition][shard])
            ),
        ),
    )


@specification.sometimes(source="jobs.19: zombie operations")
def a_chunk_is_written_of_an_execution_that_is_over() -> BoolExpr:
    """A write is under way, and its member takes part in nothing any more."""
    return exists(
        executions,
        lambda one: exists(
            shards,
            lambda shard: all_of(
                underway[one].source_write[shard] == Write.WRITING,
                underway[one].source[shard].is_some,
                present[underway[one].source[shard].value].is_none,
            ),
        ),
    )


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What is under way may be for ever: nothing is promised to come."""
    return all_of()
