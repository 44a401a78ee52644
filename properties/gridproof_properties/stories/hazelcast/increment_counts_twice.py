"""An increment is applied twice at a backup, because a sync overtakes its backup message."""

from gridproof_properties.stories.setting import QUICK_CHECKS, QUICK_GIVE_UP, Setting
from gridproof_properties.stories.situations import pair
from gridproof_properties.stories.stage import SYNC_REQUEST, Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if

CHECKS_S = 5.0


def play(stage: Stage) -> PlayedOnce:
    """Lose the backup of a first increment, hold that of a second, and let a check bring both."""
    chosen = pair(stage)
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    key = stage.key(partition)
    stage.drop("Backup", at=backup, sender=primary, partition=partition, count=1)
    requests = stage.hold(SYNC_REQUEST, at=primary, sender=backup)
    first = stage.begin_increment(key, stage.caller)
    requests.await_met()
    first.result()
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition)
    second = stage.begin_increment(key, stage.caller)
    held.await_met()
    stage.note("the first increment's backup is lost, the second's is under way, and a sync is asked for")
    requests.release()
    stage.await_that(lambda: stage.copy(backup, partition).entries.get(key) == "2", "the sync")
    held.release()
    second.result()
    stage.wait(CHECKS_S)
    stage.await_rest()
    here, there = (stage.copy(one, partition) for one in (primary, backup))
    stage.note(f"at rest the versions are {here.versions[0]} and {there.versions[0]}")
    is_so = here.versions[0] == there.versions[0] and here.entries[key] != there.entries[key]
    return happened_if(
        is_so, f"after two increments the primary counts {here.entries[key]}, its backup {there.entries[key]}"
    )


STORY = Story(
    name="increment-counts-twice",
    finding="Replication: an increment counts twice when a sync overtakes its backup message",
    claim="anti-entropy repairs what backups missed",
    seen=(
        "one lost message, and a sync that is answered while the next increment's backup is under way: the backup"
        " has counted one more, for good"
    ),
    held="one backup message is lost; the next one waits until an urgent message has passed it, as the lanes allow",
    setting=Setting(members=2, callers=1, properties={**QUICK_CHECKS, **QUICK_GIVE_UP}),
    play=play,
)
