"""A member that reads from backups reads a newer value, and then an older one."""

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.situations import pair
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if


def play(stage: Stage) -> PlayedOnce:
    """Delay the backup of a first put, lose that of a second, and read at the backup before and after."""
    chosen = pair(stage)
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    key = stage.key(partition)
    late = stage.hold("Backup", at=backup, sender=primary, partition=partition, count=1)
    stage.put(key, "older", primary)
    late.await_met()
    lost = stage.drop("Backup", at=backup, sender=primary, partition=partition, count=1)
    stage.put(key, "newer", primary)
    lost.await_met()
    first = stage.get(key, backup).value
    late.release()
    stage.await_that(lambda: key in stage.copy(backup, partition).entries, "the first backup")
    second = stage.get(key, backup).value
    return happened_if((first, second) == ("newer", "older"), f"the reader was given {first!r}, then {second!r}")


STORY = Story(
    name="backup-read-goes-back",
    finding="A read from a backup goes back",
    claim="reads from backups are monotonic",
    seen="a backup without the entry asks the primary, then receives an older write: the next read is older",
    held="a backup message is late, and the one behind it is lost",
    setting=Setting(members=2, async_backups=1, reads_backups=True),
    play=play,
)
