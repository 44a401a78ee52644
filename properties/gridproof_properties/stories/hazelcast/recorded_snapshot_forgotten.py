"""A snapshot is declared complete that its record's backup never heard of; one crash later it is forgotten."""

from gridproof_properties.stories.jobs import BEGIN, COMPLETE, HELD, NO_RECORD, SLOW_S, Job, start_job
from gridproof_properties.stories.setting import QUICK_GIVE_UP, Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if

COMPLETE_S = 10.0
"""How long the coordinator is waited for to declare it, or a later one, complete."""
GOES_ON_S = 30.0


def play(stage: Stage) -> PlayedOnce:
    """Lose the backup of the write that records a snapshot, end the coordinator, and look what the next one knows."""
    job = start_job(stage)
    begun = job.hold(BEGIN)
    begun.await_met()
    completed = job.hold(COMPLETE)
    asked = job.lose_next_write(begun)
    if not stage.comes_about(lambda: completed.met > 0, SLOW_S):
        asked.release()
    completed.await_met(timeout_s=COMPLETE_S)
    here, there = job.copies()
    first = stage.name_of(job.coordinator)
    stage.crash(job.coordinator)
    return happened_if(
        there.recorded < here.recorded,
        f"{first} declares snapshot {here.recorded} complete, its record's backup says {there.recorded}; {first}"
        f" crashes, and the job {_goes_on(stage, job, here.recorded)}",
    )


def _goes_on(stage: Stage, job: Job, recorded: int) -> str:
    """Wait until the job has recorded another snapshot or has no record any more, and say how it is."""

    def is_over() -> bool:
        now = job.record(job.backup)
        return now == NO_RECORD or now.recorded > recorded

    stage.await_that(is_over, "the job to go on or to end", GOES_ON_S)
    status, why = job.status(stage.members[1])
    stage.note(f"the job is {status}; {why}")
    return f"is {status}{'' if why is None else f': {why}'}"


STORY = Story(
    name="recorded-snapshot-forgotten",
    finding="A snapshot id is used twice, and a recorded snapshot is forgotten",
    claim="a snapshot that was declared complete can be restored after one crash; the recorded id increases",
    seen=(
        "one backup message of the job's record is lost, the coordinator crashes, and the record of the next one names"
        " the snapshot before, whose map is cleared: the job fails"
    ),
    held=HELD,
    setting=Setting(members=3, partitions=271, properties=QUICK_GIVE_UP, runs_jobs=True),
    play=play,
)
