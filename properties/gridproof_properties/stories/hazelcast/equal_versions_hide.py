"""After a promotion two copies have equal versions and different content, and no check finds it."""

from collections.abc import Sequence

from gridproof_properties.stories.setting import QUICK_CHECKS, NotPlayedError, Setting
from gridproof_properties.stories.situations import partitions_of
from gridproof_properties.stories.stage import Row, Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if

CHECKS_S = 5.0


def play(stage: Stage) -> PlayedOnce:
    """Lose a write on its way to the first backup, end the primary, and write again."""
    primary = stage.members[-1]
    found = partitions_of(stage, primary)
    for partition, row in found:
        assert row[1] is not None
        stage.drop("Backup", at=row[1], sender=primary, partition=partition, count=1)
    firsts = [stage.begin_put(stage.key(partition, 0), "first", primary) for partition, _ in found]
    stage.await_that(lambda: all(_holds(stage, row, partition) for partition, row in found), "the second backups")
    stage.note(f"the first write is with the second backup of {len(found)} partitions, and lost to the first backup")
    stage.crash(primary)
    for call in firsts:
        call.result()
    stage.await_rest()
    for partition, _ in found:
        stage.put(stage.key(partition, 1), "second", stage.members[0])
    stage.wait(CHECKS_S)
    stage.await_rest()
    return compared(stage, found)


def _holds(stage: Stage, row: Row, partition: int) -> bool:
    return row[2] is not None and stage.key(partition, 0) in stage.copy(row[2], partition).entries


def compared(stage: Stage, found: Sequence[tuple[int, Row]]) -> PlayedOnce:
    """Find in how many of these partitions, by their rows before, a backup differs with equal versions."""
    kept = [one for partition, row in found if (one := _differs(stage, row, partition)) is not None]
    if not kept:
        raise NotPlayedError("no second backup kept its copy")
    partitions = f"{sum(kept)} of {len(kept)} partitions"
    return happened_if(any(kept), f"in {partitions} a backup differs from its primary with equal versions, at rest")


def _differs(stage: Stage, before: Row, partition: int) -> bool | None:
    """Whether the old second backup has its primary's version and other content; None where it is no backup now."""
    row = stage.rows(stage.members[0])[partition]
    second = before[2]
    if second is None or row[0] is None or second not in row[1:]:
        return None
    index = row.index(second) - 1
    primary, backup = stage.copy(row[0], partition), stage.copy(second, partition)
    return primary.versions[index] == backup.versions[index] and primary.entries != backup.entries


STORY = Story(
    name="equal-versions-hide",
    finding="Replication: after a promotion, equal versions can hide a difference for ever",
    claim="a copy that is not dirty and has its primary's versions has its primary's content",
    seen=(
        "a write is lost on its way to the first backup, the primary crashes, the backup is promoted and writes"
        " again: versions are equal, contents are not"
    ),
    held="one backup message of each partition is lost with its sender, as in a crash",
    setting=Setting(members=4, backups=2, async_backups=1, properties=QUICK_CHECKS),
    play=play,
)
