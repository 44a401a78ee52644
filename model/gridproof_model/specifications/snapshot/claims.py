"""What is true of a job in every state, what is not promised and must be reachable, and what happens eventually.

The fair actions are: all actions of participants; all of coordinators, except taking an id, a failed write, a plan that
leaves out a member and a stop without need; and the removal of ended members. Not fair are the ends of members,
removals of live members and missing second copies: their number is limited, so they stop. Weak fairness says nothing
about time, so it does not imply how soon a job goes on; in runs, `snapshots-go-on` judges this.
"""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.snapshot.planning import is_finished, next_execution
from gridproof_model.specifications.snapshot.running import is_running
from gridproof_model.specifications.snapshot.state import *


def for_all_pairs(body: Callable[[IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for every pair of a shard and a partition."""
    return for_all(shards, partitions, lambda shard, partition: body(shard, partition))


def accounted_for(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> IntExpr:
    """Return how many items of a source either were counted by a counter or are on their way to it."""
    return underway[one].counted[partition][shard] + underway[one].queue[shard][partition].length


@specification.always(source="jobs.12: exactly once")
def exactly_once_counts_every_item_once() -> BoolExpr:
    """With exactly-once, in every execution each item that a source has emitted was counted once, or is on its way."""
    return (guarantee == Guarantee.EXACTLY_ONCE).implies(
        for_all(
            executions,
            lambda one: for_all_pairs(
                lambda shard, partition: accounted_for(one, shard, partition) == underway[one].sent[shard][partition]
            ),
        )
    )


@specification.always(executions, source="jobs.12, jobs.13: at least once")
def at_least_once_misses_no_item(one: IndexExpr) -> BoolExpr:
    """In every execution, each item that a source has emitted was counted at least once, or is on its way."""
    return for_all_pairs(
        lambda shard, partition: accounted_for(one, shard, partition) >= underway[one].sent[shard][partition]
    )


@specification.always(executions, shards, source="jobs.12: every item, once")
def every_item_goes_to_one_counter(one: IndexExpr, shard: IndexExpr) -> BoolExpr:
    """In every execution, each item that a source has emitted was sent to exactly one counter."""
    return sum_of(partitions, lambda partition: underway[one].sent[shard][partition]) == underway[one].offset[shard]


@specification.always(source="jobs.12: restored state")
def a_whole_snapshot_has_what_came_before_its_barriers() -> BoolExpr:
    """The counters in a validated snapshot have counted exactly the items that the sources had emitted before their
    barriers; with at-least-once, they have counted at least those items."""

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
    """No execution record, neither in a coordinator's memory nor written, names a snapshot that was not validated."""

    def names_a_whole_one(record: JobRecord) -> BoolExpr:
        return record.recorded.is_none | saved[record.recorded.value].is_validated

    return for_all(members, lambda member: names_a_whole_one(memory[member])) & for_all(
        places, lambda place: (place < records.length).implies(names_a_whole_one(records.at(place)))
    )


@specification.always(members, source="jobs.10")
def the_recorded_map_is_never_written(member: IndexExpr) -> BoolExpr:
    """Of the two maps, a snapshot is always saved into the one that its coordinator's record does not name."""
    return (phase[member] == Phase.SAVING).implies(
        run_by(member).taking.is_some & (saved[run_by(member).taking.value].map == map_to_write(member))
    )


@specification.always(members, source="jobs.18, jobs.5: recorded ids increase")
def recorded_ids_increase(member: IndexExpr) -> BoolExpr:
    """A snapshot that is being saved has a higher id than the snapshot that its coordinator's record names."""
    return (phase[member] == Phase.SAVING).implies(
        memory[member].recorded.is_none
        | (saved[memory[member].recorded.value].id < saved[run_by(member).taking.value].id)
    )


@specification.always(source="jobs.18: restore uses only chunks tagged with it; 8.4")
def a_restore_is_of_one_snapshot() -> BoolExpr:
    """Until all participants have read the snapshot that an execution restarts from, the execution has exactly the
    state of this one validated snapshot."""

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
    """If no write came late and no data lacked its second copy, the snapshot that a record names is validated and not
    cleared, and a part of it may be lost only if that part had no second copy when a member ended.
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
    """If no write came late and no other data lacked its second copy, a job is corrupted only if a part of its snapshot
    had no second copy when a member ended.

    So a job is never corrupted if every write was acknowledged by a backup.
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
    """Return whether neither the id nor the snapshot that one record names is later than that of the other record."""
    is_earlier = other.recorded.is_some & (saved[one.recorded.value].id <= saved[other.recorded.value].id)
    return (one.ongoing <= other.ongoing) & (one.recorded.is_none | is_earlier)


@specification.always(source="jobs.19: later, stated invariants")
def the_record_in_memory_is_never_older_than_the_confirmed_one() -> BoolExpr:
    """If no write came late and no data lacked its second copy, the record in a coordinator's memory is never older
    than the last confirmed record."""
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
    """Return whether a record knows a snapshot: it has the snapshot's id or a later id and, if the snapshot was
    recorded, names this snapshot or a later one."""
    is_named = record.recorded.is_some & (saved[one].id <= saved[record.recorded.value].id)
    return (saved[one].id <= record.ongoing) & (~saved[one].is_recorded | is_named)


@specification.always(source="jobs.18, jobs.5: recorded ids increase; jobs.19: later")
def ids_never_go_back_if_backups_acknowledge() -> BoolExpr:
    """If no write came late and no data lacked its second copy, the record of a coordinator that runs a job has an id
    at least as high as that of each snapshot begun, and names a snapshot at least as new as each one recorded."""
    return is_kept().implies(
        for_all(
            members,
            lambda member: is_running(member).implies(for_all(snapshots, lambda one: knows_of(memory[member], one))),
        )
    )


@specification.definition()
def is_any_corrupted() -> BoolExpr:
    """Whether a coordinator has found that the snapshot named by its record cannot be restored."""
    return exists(members, lambda member: phase[member] == Phase.CORRUPTED)


@specification.sometimes(executions, shards, partitions, source="jobs.13, jobs.12")
def at_least_once_counts_an_item_twice(one: IndexExpr, shard: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """A counter has counted more items of a source than the source has emitted to it."""
    return accounted_for(one, shard, partition) > underway[one].sent[shard][partition]


@specification.sometimes(members, executions, source="jobs.8, jobs.11")
def an_execution_goes_on_that_was_given_up(member: IndexExpr, one: IndexExpr) -> BoolExpr:
    """A participant goes on with an execution that its coordinator has given up, since it does not know this yet."""
    has_begun = exists(shards, lambda shard: underway[one].offset[shard] > 0)
    is_given_up = runs[underway[one].coordinator.value] != one
    return all_of(present[member] == one, underway[one].is_started, is_given_up, has_begun)


@specification.sometimes(members, members, source="jobs.4, limits.7; invariant T1")
def two_coordinate_the_job(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two members run an execution of the job, each as the master of a cluster of its own."""
    return (one != other) & is_running(one) & is_running(other)


@specification.sometimes(source="seed: In-Memory Storage, Data Recovered from Backups when a Member Fails; 8.4")
def a_new_coordinator_goes_on_from_a_snapshot() -> BoolExpr:
    """A new coordinator has restored the job from a snapshot after the earlier coordinator ended, and no data lacked a
    second copy."""
    return ~exposed & exists(
        members,
        members,
        lambda member, other: all_of(
            is_running(member), run_by(member).restored.is_some, ended[other], knows_record[other]
        ),
    )


@specification.sometimes(source="jobs.19, limits.14")
def a_completed_snapshot_is_corrupted() -> BoolExpr:
    """In Hazelcast 5.0, a completed snapshot cannot be restored: one member ended, and one write missed its backup."""
    one_has_ended = count(members, lambda member: ended[member]) == 1
    return all_of(~is_strict, ~exposed, one_has_ended, misses - misses_left == 1, is_any_corrupted())


@specification.sometimes(source="jobs.19, jobs.18")
def a_recorded_snapshot_is_forgotten() -> BoolExpr:
    """In Hazelcast 5.0, the job goes on from a record that is older than a snapshot known to be recorded."""

    def is_forgotten(member: IndexExpr, one: IndexExpr) -> BoolExpr:
        named = memory[member].recorded
        return saved[one].is_recorded & (named.is_none | (saved[named.value].id < saved[one].id))

    found = exists(
        members, lambda member: is_running(member) & exists(snapshots, lambda one: is_forgotten(member, one))
    )
    return all_of(~is_strict, ~exposed, found)


@specification.sometimes(source="jobs.5, jobs.19")
def an_id_is_used_twice() -> BoolExpr:
    """In Hazelcast 5.0, two snapshots have the same id."""

    def are_alike(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        return all_of(one < other, saved[one].id > 0, saved[one].id == saved[other].id)

    found = exists(snapshots, snapshots, lambda one, other: are_alike(one, other))
    return all_of(~is_strict, ~exposed, found)


@specification.sometimes(source="jobs.19, jobs.11, jobs.10")
def the_stored_record_names_a_cleared_map() -> BoolExpr:
    """In Hazelcast 5.0, a coordinator reads a record that is older than the last recorded snapshot, and that names a
    snapshot whose map was cleared since."""

    def is_read(member: IndexExpr, one: IndexExpr) -> BoolExpr:
        named = saved[memory[member].recorded.value]
        return all_of(
            phase[member] == Phase.CORRUPTED,
            saved[one].is_recorded,
            memory[member].recorded.is_some,
            named.is_cleared,
            named.id < saved[one].id,
        )

    found = exists(members, snapshots, lambda member, one: is_read(member, one))
    return all_of(~is_strict, ~exposed, found)


@specification.sometimes(source="jobs.19: zombie operations")
def a_late_commit_corrupts_the_job() -> BoolExpr:
    """In Hazelcast 5.0, a job is corrupted though all writes were acknowledged and the cluster was safe whenever a
    member ended."""
    return all_of(~is_strict, is_backed(), is_any_corrupted())


@specification.sometimes(members, members, source="jobs.4, limits.7")
def a_coordinator_knows_less_than_was_confirmed(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two members coordinate the job, and one of them does not know the last confirmed record."""

    def knows_less(member: IndexExpr) -> BoolExpr:
        return exists(
            places, lambda place: (place + 1 == confirmed) & ~names_nothing_after(records.at(place), memory[member])
        )

    return all_of(one != other, is_running(one), is_running(other), knows_less(one))


@specification.sometimes(source="jobs.8, jobs.17")
def an_older_snapshot_is_restored_after_a_failed_one() -> BoolExpr:
    """The last snapshot begun has failed, and the job goes on from the snapshot before it."""

    def came_to_nothing(one: IndexExpr, member: IndexExpr) -> BoolExpr:
        restored = saved[run_by(member).restored.value]
        return all_of(~saved[one].is_validated, saved[one].id > restored.id, run_by(member).taking != one)

    return exists(
        members,
        lambda member: all_of(
            is_running(member),
            run_by(member).restored.is_some,
            memory[member].recorded == run_by(member).restored,
            exists(members, lambda other: ended[other]),
            exists(snapshots, lambda one: came_to_nothing(one, member)),
        ),
    )


@specification.sometimes(source="jobs.8, jobs.19")
def a_snapshot_fails_without_a_loss_of_members() -> BoolExpr:
    """In later versions, a snapshot fails only because a write missed its backup, and the job runs on."""

    def has_failed(member: IndexExpr) -> BoolExpr:
        run = run_by(member)
        return all_of(
            is_running(member), phase[member] == Phase.NONE, run.taking.is_some, ~saved[run.taking.value].is_validated
        )

    has_ended = exists(members, lambda member: ended[member])
    return all_of(is_strict, ~exposed, ~has_ended, exists(members, has_failed))


@specification.sometimes(executions, partitions, source="jobs.14: finished queues count as arrived")
def a_counter_saves_without_a_barrier(one: IndexExpr, partition: IndexExpr) -> BoolExpr:
    """A counter saves its state without a source's barrier, since that source has emitted all its items."""
    return (underway[one].counter_write[partition] != Write.NONE) & exists(
        shards, lambda shard: ~underway[one].arrived[partition][shard]
    )


@specification.sometimes(executions, shards, source="jobs.19: zombie operations")
def a_chunk_is_written_of_an_execution_that_is_over(one: IndexExpr, shard: IndexExpr) -> BoolExpr:
    """A chunk is being written although the member that writes it takes part in no execution any more."""
    return all_of(
        underway[one].source_write[shard] == Write.WRITING,
        underway[one].source[shard].is_some,
        present[underway[one].source[shard].value].is_none,
    )


@specification.definition()
def is_out_of_room() -> BoolExpr:
    """Whether the world's limit of executions or of records is reached, which says nothing about the job itself."""
    return next_execution().is_none | records.is_full


@specification.may_stop
def the_job_has_come_to_its_end() -> BoolExpr:
    """The job is over, or no member is left, or a limit of the world is reached."""
    return any_of(is_over, for_all(members, lambda member: ended[member]), is_out_of_room())


@specification.eventually(source="jobs.8")
def every_snapshot_ends() -> LeadsTo:
    """Every snapshot begun is recorded, fails, or is given up with its execution."""
    is_done = for_all(members, lambda member: phase[member].is_in(Phase.NONE, Phase.CORRUPTED))
    return leads_to(~is_done, is_done | records.is_full)


@specification.eventually(source="seed: In-Memory Storage; jobs.15")
def after_a_loss_the_job_goes_on() -> LeadsTo:
    """Whenever no member runs the job, one does later, or the job is over, or no member is left."""
    is_run = exists(members, is_running)
    is_left = ~for_all(members, lambda member: ended[member])
    return leads_to(~is_run, any_of(is_run, is_over, is_out_of_room(), ~is_left))


@specification.eventually(source="seed: In-Memory Storage; jobs.12")
def every_item_is_counted() -> LeadsTo:
    """Whenever the job runs, all its items are emitted and counted later, unless it is stopped."""
    is_done = for_all(members, lambda member: ~is_running(member) | is_finished(runs[member].value))
    return leads_to(exists(members, is_running), is_done | records.is_full)
