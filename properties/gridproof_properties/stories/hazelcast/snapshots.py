"""Snapshots of a stream job; a backup message of the job's record is lost.

- A coordinator begins a snapshot whose id never reached the record's backup; the next coordinator uses the id again.
- A snapshot is declared complete, but the record's backup never learns it; one crash later it is forgotten.
- One backup message of a job's record is lost, and from then on no snapshot of the job is taken.
"""

from gridproof_properties.stories import jobs
from gridproof_properties.stories.setting import QUICK_GIVE_UP, NotPlayedError, Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, happened, happened_if, refuted, story

BEGIN_S = 10.0
"""How long to wait until the coordinator begins a snapshot; it takes one every second."""
AGAIN_S = 30.0


@story(
    finding="A snapshot id is used twice, and a recorded snapshot is forgotten",
    claim="the id of a snapshot is never used again, not even if the snapshot failed",
    seen="a backup message of the job's record is lost, the coordinator crashes, and its successor takes the id again",
    held=jobs.HELD,
    setting=Setting(members=3, partitions=271, properties=QUICK_GIVE_UP, runs_jobs=True),
)
def snapshot_id_used_twice(stage: Stage) -> PlayedOnce:
    """Lose the backup message of the write that takes an id, end the coordinator, and see which id comes next."""
    job = jobs.start_job(stage)
    completed = job.hold(jobs.COMPLETE)
    completed.await_met()
    begun = job.hold(jobs.BEGIN)
    asked = job.lose_next_write(completed)
    taken = job.record(job.coordinator).ongoing
    first = stage.name_of(job.coordinator)
    if not stage.comes_about(lambda: begun.met > 0, jobs.SLOW_S):
        asked.release()
    if not stage.comes_about(lambda: begun.met > 0, BEGIN_S):
        here, _ = job.copies()
        waited_s = jobs.SLOW_S + BEGIN_S
        return refuted(
            f"coordinator {first} took id {taken} but no snapshot in {waited_s:.0f} s; the job's record names {here}"
        )
    _, there = job.copies()
    following, other = stage.members[1:]
    again = stage.hold(jobs.BEGIN, at=other, sender=following, count=1)
    stage.crash(job.coordinator)
    again.await_met(timeout_s=AGAIN_S)
    second, then = job.record(job.backup).ongoing, stage.name_of(following)
    return happened_if(
        second <= taken,
        f"coordinator {first} began snapshot {taken}, and the backup of the job's record named {there}; {first}"
        f" crashed, and its successor {then} began snapshot {second}",
    )


COMPLETE_S = 10.0
"""How long to wait until the coordinator declares the snapshot that it began, or a later one, complete."""
GOES_ON_S = 30.0


@story(
    finding="A snapshot id is used twice, and a recorded snapshot is forgotten",
    claim="a snapshot that was declared complete can be restored after one crash; the recorded id increases",
    seen=(
        "one backup message of the job's record is lost, the coordinator crashes, and the next coordinator's record"
        " names an earlier snapshot, whose map is cleared: the job fails"
    ),
    held=jobs.HELD,
    setting=Setting(members=3, partitions=271, properties=QUICK_GIVE_UP, runs_jobs=True),
)
def recorded_snapshot_forgotten(stage: Stage) -> PlayedOnce:
    """Lose the backup message for a recorded snapshot, end the coordinator, and see what the next coordinator knows."""
    job = jobs.start_job(stage)
    begun = job.hold(jobs.BEGIN)
    begun.await_met()
    completed = job.hold(jobs.COMPLETE)
    asked = job.lose_next_write(begun)
    if not stage.comes_about(lambda: completed.met > 0, jobs.SLOW_S):
        asked.release()
    completed.await_met(timeout_s=COMPLETE_S)
    here, there = job.copies()
    first = stage.name_of(job.coordinator)
    stage.crash(job.coordinator)
    return happened_if(
        there.recorded < here.recorded,
        f"coordinator {first} declared snapshot {here.recorded} complete, and the backup of the job's record named"
        f" {there.recorded} as the last complete one; {first} crashed, and afterwards"
        f" the job {_goes_on(stage, job, here.recorded)}",
    )


def _goes_on(stage: Stage, job: jobs.Job, recorded: int) -> str:
    """Wait until the job has recorded another snapshot or has no record any more; return the job's state in words."""

    def is_over() -> bool:
        now = job.record(job.backup)
        return now == jobs.NO_RECORD or now.recorded > recorded

    stage.await_that(is_over, "the job to go on or to end", GOES_ON_S)
    status, why = job.status(stage.members[1])
    stage.note(f"the job is {status}; {why}")
    return f"was {status}{'' if why is None else f': {why}'}"


WATCHED_S = 30.0
"""How long the job is watched; each write of the job's record waits 5 s for the backup."""


@story(
    finding="One lost backup message ends the snapshots of a job",
    claim="a job with a processing guarantee takes a snapshot in every interval",
    seen="one backup message of the job's record is lost when an id is taken, and the job runs on without snapshots",
    held="one backup message is lost, as a broken connection loses it",
    setting=Setting(members=3, partitions=271, runs_jobs=True),
)
def snapshots_end(stage: Stage) -> PlayedOnce:
    """Lose the backup message of the write that takes an id, and watch whether another snapshot is recorded."""
    job = jobs.start_job(stage)
    completed = job.hold(jobs.COMPLETE)
    completed.await_met()
    lost = stage.drop("Backup", at=job.backup, sender=job.coordinator, partition=job.partition, count=1)
    before = job.record(job.coordinator).recorded
    completed.release()
    lost.await_met()
    stage.note(f"one backup message of the record is lost; the last snapshot is {before}")
    goes_on = stage.comes_about(lambda: job.record(job.coordinator).recorded > before, WATCHED_S)
    here, _ = job.copies()
    status, _ = job.status(job.coordinator)
    if goes_on:
        return refuted(f"snapshot {here.recorded} was recorded afterwards, and the job was {status}")
    if status != "RUNNING":
        raise NotPlayedError(f"the job is {status}, not RUNNING as it has to be; play the story again")
    every = f"the job had to take one every {jobs.SNAPSHOTS_EVERY_MS / 1000:.0f} s"
    return happened(f"no snapshot was recorded in {WATCHED_S:.0f} s, though {every}; the job was {status}")
