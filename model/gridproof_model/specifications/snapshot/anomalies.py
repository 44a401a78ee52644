"""What nobody promises, and what must be seen to happen."""

from gridproof_model.language import BoolExpr, all_of, exists
from gridproof_model.specifications.snapshot.safety import items_for
from gridproof_model.specifications.snapshot.state import (
    Guarantee,
    Job,
    Phase,
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
    partitions,
    phase,
    restored,
    specification,
    was_exposed,
    was_promoted,
)


@specification.sometimes(source="jobs.13, jobs.12")
def at_least_once_counts_an_item_twice() -> BoolExpr:
    """A counter has counted more items of a source than there are."""
    return (guarantee == Guarantee.AT_LEAST_ONCE) & exists(
        partitions,
        lambda source: exists(partitions, lambda counter: counted[counter][source] > items_for(source, counter, items)),
    )


@specification.sometimes(source="jobs.19, limits.14")
def a_completed_snapshot_is_corrupted() -> BoolExpr:
    """A single member lost, every write reported as a success: and the snapshot cannot be restored."""
    return fails_on_indeterminate | all_of(
        job == Job.CORRUPTED, crashes - crashes_left == 1, misses - misses_left == 1, ~was_exposed
    )


@specification.sometimes(source="jobs.19, jobs.18")
def a_recorded_snapshot_is_forgotten() -> BoolExpr:
    """The job goes on, from a record that is older than one the coordinator had written."""
    return fails_on_indeterminate | all_of(job == Job.RUNNING, memory.recorded < kept, ~was_exposed)


@specification.sometimes(source="jobs.19, jobs.11, jobs.10")
def the_stored_record_names_a_cleared_map() -> BoolExpr:
    """The record's backup missed the last write, was promoted, and names a snapshot that was cleared since."""
    return fails_on_indeterminate | all_of(job == Job.CORRUPTED, memory.recorded < kept, ~was_exposed)


@specification.sometimes(source="jobs.5, jobs.19")
def a_snapshot_id_is_about_to_be_used_twice() -> BoolExpr:
    """The new coordinator's record does not know of the last id begun."""
    return fails_on_indeterminate | all_of(job == Job.RUNNING, memory.ongoing < begun, ~was_exposed)


@specification.sometimes(source="seed: In-Memory Storage, Data Recovered from Backups when a Member Fails")
def the_job_goes_on_from_promoted_backups() -> BoolExpr:
    """A snapshot is restored after a backup replica became the primary."""
    return all_of(job == Job.RUNNING, restored > 0, was_promoted)


@specification.sometimes(source="jobs.8, jobs.17")
def an_older_snapshot_is_restored_after_a_failed_one() -> BoolExpr:
    """The last snapshot begun came to nothing, and the job goes on from the one before."""
    return all_of(
        job == Job.RUNNING, restored > 0, restored == memory.recorded, begun > completed, crashes_left < crashes
    )


@specification.sometimes(source="jobs.8, jobs.19")
def a_snapshot_fails_without_a_loss_of_members() -> BoolExpr:
    """Later versions: a missed backup alone fails a snapshot, and the job runs on."""
    return ~fails_on_indeterminate | all_of(
        job == Job.RUNNING, crashes_left == crashes, begun > completed, phase == Phase.NONE
    )
