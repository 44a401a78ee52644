"""One backup message of a job's record is lost, and no snapshot of the job is taken any more."""

from gridproof_properties.stories.jobs import COMPLETE, SNAPSHOTS_EVERY_MS, start_job
from gridproof_properties.stories.setting import NotPlayedError, Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened, refuted

WATCHED_S = 30.0
"""How long the job is watched; a write of its record waits 5 s for its backup."""


def play(stage: Stage) -> PlayedOnce:
    """Lose the backup of the write that takes the id of a snapshot, and watch whether another one is recorded."""
    job = start_job(stage)
    completed = job.hold(COMPLETE)
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
        return refuted(f"snapshot {here.recorded} is recorded, and the job is {status}")
    if status != "RUNNING":
        raise NotPlayedError(f"the job is {status}")
    every = f"one every {SNAPSHOTS_EVERY_MS / 1000:.0f} s was asked for"
    return happened(f"no snapshot in {WATCHED_S:.0f} s, where {every}, and the job is {status}")


STORY = Story(
    name="snapshots-end",
    finding="One lost backup message ends the snapshots of a job",
    claim="a job with a processing guarantee takes a snapshot in every interval",
    seen="one backup message of the job's record is lost as an id is taken, and the job runs on without snapshots",
    held="one backup message is lost, as a broken connection loses it",
    setting=Setting(members=3, partitions=271, runs_jobs=True),
    play=play,
)
