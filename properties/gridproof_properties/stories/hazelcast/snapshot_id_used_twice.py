"""A coordinator begins a snapshot whose id its record's backup never had; the next one takes the same id."""

from gridproof_properties.stories.jobs import BEGIN, COMPLETE, HELD, SLOW_S, start_job
from gridproof_properties.stories.setting import QUICK_GIVE_UP, Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted

BEGIN_S = 10.0
"""How long the coordinator is waited for, which takes a snapshot every second."""
AGAIN_S = 30.0


def play(stage: Stage) -> PlayedOnce:
    """Lose the backup of the write that takes an id, end the coordinator, and look which id the next one takes."""
    job = start_job(stage)
    completed = job.hold(COMPLETE)
    completed.await_met()
    begun = job.hold(BEGIN)
    asked = job.lose_next_write(completed)
    taken = job.record(job.coordinator).ongoing
    first = stage.name_of(job.coordinator)
    if not stage.comes_about(lambda: begun.met > 0, SLOW_S):
        asked.release()
    if not stage.comes_about(lambda: begun.met > 0, BEGIN_S):
        here, _ = job.copies()
        return refuted(
            f"{first} begins no snapshot {taken}, and none at all in {SLOW_S + BEGIN_S:.0f} s: its record says {here}"
        )
    _, there = job.copies()
    following, other = stage.members[1:]
    again = stage.hold(BEGIN, at=other, sender=following, count=1)
    stage.crash(job.coordinator)
    again.await_met(timeout_s=AGAIN_S)
    second, then = job.record(job.backup).ongoing, stage.name_of(following)
    return happened_if(
        second <= taken,
        f"{first} begins snapshot {taken}, its record's backup says {there}; {first} crashes, {then} begins"
        f" snapshot {second}",
    )


STORY = Story(
    name="snapshot-id-used-twice",
    finding="A snapshot id is used twice, and a recorded snapshot is forgotten",
    claim="the id of a snapshot is never used again, not even that of a failed one",
    seen="one backup message of the job's record is lost, the coordinator crashes, and the next one takes the id again",
    held=HELD,
    setting=Setting(members=3, partitions=271, properties=QUICK_GIVE_UP, runs_jobs=True),
    play=play,
)
