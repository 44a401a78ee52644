"""What nobody promises, and what must be seen to happen."""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, count, exists
from gridproof_model.specifications.snapshot.coordinating import is_running
from gridproof_model.specifications.snapshot.safety import names_nothing_after
from gridproof_model.specifications.snapshot.state import (
    Phase,
    Write,
    confirmed,
    ended,
    executions,
    exposed,
    is_backed,
    is_strict,
    knows_record,
    members,
    memory,
    misses,
    misses_left,
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


@specification.definition()
def is_any_corrupted() -> BoolExpr:
    """Whether a coordinator has found that what its record names cannot be restored."""
    return exists(members, lambda member: phase[member] == Phase.CORRUPTED)


@specification.sometimes(source="jobs.13, jobs.12")
def at_least_once_counts_an_item_twice() -> BoolExpr:
    """A counter has counted more items of a source than it has emitted."""
    return exists(
        executions,
        shards,
        partitions,
        lambda one, shard, partition: (
            underway[one].counted[partition][shard] + underway[one].queue[shard][partition].length
            > underway[one].sent[shard][partition]
        ),
    )


@specification.sometimes(source="jobs.8, jobs.11")
def an_execution_goes_on_that_was_given_up() -> BoolExpr:
    """A participant counts what nobody waits for any more: it does not know yet."""
    return exists(
        members,
        executions,
        lambda member, one: all_of(
            present[member] == one,
            underway[one].is_started,
            runs[underway[one].coordinator.value] != one,
            exists(shards, lambda shard: underway[one].offset[shard] > 0),
        ),
    )


@specification.sometimes(source="jobs.4, limits.7; invariant T1")
def two_coordinate_the_job() -> BoolExpr:
    """Two members run an execution of the job, each as the master of a cluster of its own."""
    return exists(members, members, lambda one, other: (one != other) & is_running(one) & is_running(other))


@specification.sometimes(source="seed: In-Memory Storage, Data Recovered from Backups when a Member Fails; 8.4")
def a_new_coordinator_goes_on_from_a_snapshot() -> BoolExpr:
    """A job is restored from what a coordinator has recorded that is gone, and nothing was without a second copy."""
    return ~exposed & exists(
        members,
        members,
        lambda member, other: all_of(
            is_running(member), run_by(member).restored.is_some, ended[other], knows_record[other]
        ),
    )


@specification.sometimes(source="jobs.19, limits.14")
def a_completed_snapshot_is_corrupted() -> BoolExpr:
    """As delivered: one member lost, every write a success, one without its backup: the snapshot cannot be restored."""
    return all_of(
        ~is_strict,
        ~exposed,
        count(members, lambda member: ended[member]) == 1,
        misses - misses_left == 1,
        is_any_corrupted(),
    )


@specification.sometimes(source="jobs.19, jobs.18")
def a_recorded_snapshot_is_forgotten() -> BoolExpr:
    """As delivered: the job goes on from a record that is older than one of which its coordinator had learned."""

    def is_forgotten(member: IndexExpr, one: IndexExpr) -> BoolExpr:
        named = memory[member].recorded
        return saved[one].is_recorded & (named.is_none | (saved[named.value].id < saved[one].id))

    found = exists(
        members,
        lambda member: is_running(member) & exists(snapshots, lambda one: is_forgotten(member, one)),
    )
    return all_of(~is_strict, ~exposed, found)


@specification.sometimes(source="jobs.5, jobs.19")
def an_id_is_used_twice() -> BoolExpr:
    """As delivered: two snapshots have one id."""

    def are_alike(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        return all_of(one < other, saved[one].id > 0, saved[one].id == saved[other].id)

    found = exists(snapshots, snapshots, lambda one, other: are_alike(one, other))
    return all_of(~is_strict, ~exposed, found)


@specification.sometimes(source="jobs.19, jobs.11, jobs.10")
def the_stored_record_names_a_cleared_map() -> BoolExpr:
    """As delivered: the record that is read is older than what was recorded, and what it names was cleared since."""

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
    """As delivered: every write was acknowledged, the cluster was safe before each end, and the job is corrupted."""
    return all_of(~is_strict, is_backed(), is_any_corrupted())


@specification.sometimes(source="jobs.4, limits.7")
def a_coordinator_knows_less_than_was_confirmed() -> BoolExpr:
    """Who takes the coordinator for gone runs the job, too, and does not know what that one has had confirmed."""

    def knows_less(member: IndexExpr) -> BoolExpr:
        return exists(
            places,
            lambda place: (place + 1 == confirmed) & ~names_nothing_after(records.at(place), memory[member]),
        )

    return exists(
        members, members, lambda one, other: all_of(one != other, is_running(one), is_running(other), knows_less(one))
    )


@specification.sometimes(source="jobs.8, jobs.17")
def an_older_snapshot_is_restored_after_a_failed_one() -> BoolExpr:
    """The last snapshot begun came to nothing, and the job goes on from the one before."""

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
    """Later versions: a missed backup alone fails a snapshot, and the job runs on."""

    def has_failed(member: IndexExpr) -> BoolExpr:
        run = run_by(member)
        return all_of(
            is_running(member),
            phase[member] == Phase.NONE,
            run.taking.is_some,
            ~saved[run.taking.value].is_validated,
        )

    has_ended = exists(members, lambda member: ended[member])
    return all_of(is_strict, ~exposed, ~has_ended, exists(members, has_failed))


@specification.sometimes(source="jobs.14: finished queues count as arrived")
def a_counter_saves_without_a_barrier() -> BoolExpr:
    """Its source has emitted everything."""
    return exists(
        executions,
        partitions,
        lambda one, partition: (
            (underway[one].counter_write[partition] != Write.NONE)
            & exists(shards, lambda shard: ~underway[one].arrived[partition][shard])
        ),
    )


@specification.sometimes(source="jobs.19: zombie operations")
def a_chunk_is_written_of_an_execution_that_is_over() -> BoolExpr:
    """A write is under way, and its member takes part in nothing any more."""
    return exists(
        executions,
        shards,
        lambda one, shard: all_of(
            underway[one].source_write[shard] == Write.WRITING,
            underway[one].source[shard].is_some,
            present[underway[one].source[shard].value].is_none,
        ),
    )
