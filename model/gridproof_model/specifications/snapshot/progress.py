"""What must come about in the end.

Losses of members and missed backups are counted, so they stop. Fair: items, barriers, chunks, the coordinator's steps,
anti-entropy, new backups, restarts. Not fair: beginning a snapshot, faults.
"""

from gridproof_model.language import BoolExpr, LeadsTo, any_of, count, for_all, leads_to
from gridproof_model.specifications.snapshot.state import (
    Job,
    Phase,
    is_up,
    items,
    job,
    members,
    memory,
    offset,
    partitions,
    phase,
    queue,
    snapshots,
    specification,
)


@specification.definition()
def is_finished() -> BoolExpr:
    """Every source has emitted all its items, and nothing is under way to a counter."""
    return for_all(
        partitions,
        lambda source: (offset[source] == items) & for_all(partitions, lambda counter: queue[source][counter].is_empty),
    )


@specification.definition()
def is_alone() -> BoolExpr:
    """One member is left, with nobody to keep backups."""
    return count(members, lambda member: is_up[member]) == 1


@specification.may_stop
def the_job_has_come_to_its_end() -> BoolExpr:
    """No snapshot is under way, and the job failed for good, has no second member to go on with, or is done."""
    is_done = (job == Job.RUNNING) & is_finished() & (memory.ongoing == snapshots)
    return (phase == Phase.NONE) & any_of(job == Job.CORRUPTED, (job == Job.STOPPED) & is_alone(), is_done)


@specification.eventually(source="jobs.8")
def every_snapshot_ends() -> LeadsTo:
    """Every snapshot begun is recorded, fails, or is given up with its execution."""
    return leads_to(phase != Phase.NONE, phase == Phase.NONE)


@specification.eventually(source="seed: In-Memory Storage; jobs.15")
def after_a_loss_the_job_goes_on() -> LeadsTo:
    """A stopped job runs again, unless its snapshot is corrupted, or a member is alone and has nobody for backups."""
    return leads_to(job == Job.STOPPED, any_of(job == Job.RUNNING, job == Job.CORRUPTED, is_alone()))


@specification.eventually(source="seed: In-Memory Storage; jobs.12")
def every_item_is_counted() -> LeadsTo:
    """A job that runs comes to have emitted and counted everything, unless it is stopped."""
    return leads_to(job == Job.RUNNING, any_of(job != Job.RUNNING, is_finished()))
