"""What must always be true of a job, however little members know."""

from collections.abc import Callable

from gridproof_model.language import BoolExpr, IndexExpr, all_of, any_of, exists, for_all, if_else, sum_of
from gridproof_model.specifications.snapshot.coordinating import is_running
from gridproof_model.specifications.snapshot.state import (
    Guarantee,
    JobRecord,
    Phase,
    confirmed,
    ended,
    executions,
    guarantee,
    is_kept,
    is_restored,
    knows_record,
    map_to_write,
    members,
    memory,
    partitions,
    phase,
    places,
    records,
    run_by,
    saved,
    shards,
    snapshots,
    specification,
    underway,
)


def for_all_pairs(body: Callable[[IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether something holds for every shard and partition."""
    return for_all(shards, partitions, lambda shard, partition: body(shard, partition))


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


@specification.always(source="jobs.12: every item, once")
def every_item_goes_to_one_counter() -> BoolExpr:
    """In every execution each item that a source has emitted was sent to one counter."""
    return for_all(
        executions,
        shards,
        lambda one, shard: (
            sum_of(partitions, lambda partition: underway[one].sent[shard][partition]) == underway[one].offset[shard]
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
    """No write late, nothing exposed: what a record names, in memory or to be read, is whole and nobody clears it.

    Something of it may be lost only if it had no second copy when somebody ended.
    """
    has_ended = exists(members, lambda member: ended[member])

    def stays_whole(record: JobRecord) -> BoolExpr:
        one = saved[record.recorded.value]
        is_whole = all_of(one.is_validated, ~one.is_cleared, one.is_endangered.implies(one.is_bare & has_ended))
        return record.recorded.is_none | is_whole

    return is_kept().implies(
        for_all(members, lambda member: stays_whole(memory[member]))
        & for_all(
            places,
            lambda place: ((place < records.length) & (place + 1 >= confirmed)).implies(stays_whole(records.at(place))),
        )
    )


@specification.always(source="jobs.18, jobs.19")
def what_its_backups_acknowledged_is_restorable() -> BoolExpr:
    """No write late, nothing exposed: a job is corrupted only if its snapshot had no second copy when somebody ended.

    So where every write was acknowledged it is never corrupted.
    """
    return is_kept().implies(
        for_all(
            members,
            lambda member: (phase[member] == Phase.CORRUPTED).implies(
                memory[member].recorded.is_some & saved[memory[member].recorded.value].is_endangered
            ),
        )
    )


def names_nothing_after(one: JobRecord, other: JobRecord) -> BoolExpr:
    """Return whether a record names no later id, and no later snapshot, than another."""
    is_earlier = other.recorded.is_some & (saved[one.recorded.value].id <= saved[other.recorded.value].id)
    return (one.ongoing <= other.ongoing) & (one.recorded.is_none | is_earlier)


@specification.always(source="jobs.19: later, stated invariants")
def the_record_in_memory_is_never_older_than_the_confirmed_one() -> BoolExpr:
    """No write late, nothing exposed: a coordinator knows of what the record names that was confirmed last."""
    return is_kept().implies(
        for_all(
            members,
            lambda member: (knows_record[member] & ~ended[member]).implies(
                for_all(
                    places,
                    lambda place: (place + 1 == confirmed).implies(
                        names_nothing_after(records.at(place), memory[member])
                    ),
                )
            ),
        )
    )


def knows_of(record: JobRecord, one: IndexExpr) -> BoolExpr:
    """Return whether a record names a snapshot or a later one, if it was ever recorded, and its id or a later one."""
    is_named = record.recorded.is_some & (saved[one].id <= saved[record.recorded.value].id)
    return (saved[one].id <= record.ongoing) & (~saved[one].is_recorded | is_named)


@specification.always(source="jobs.18, jobs.5: recorded ids increase; jobs.19: later")
def ids_never_go_back_if_backups_acknowledge() -> BoolExpr:
    """No write late, nothing exposed: who runs a job knows of every id begun, and of every snapshot recorded."""
    return is_kept().implies(
        for_all(
            members,
            lambda member: is_running(member).implies(for_all(snapshots, lambda one: knows_of(memory[member], one))),
        )
    )
