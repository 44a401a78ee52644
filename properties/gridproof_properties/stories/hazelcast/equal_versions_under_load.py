"""The same by nature: a member is killed while its clients write, and nothing is held."""

from gridproof_properties.stories.hazelcast.equal_versions_hide import CHECKS_S, compared
from gridproof_properties.stories.setting import QUICK_CHECKS, Setting
from gridproof_properties.stories.situations import partitions_of
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story

WRITES = 40
"""In each partition, each of another key, all of them asked for at once."""
PART_DONE = 0.3
"""The member is killed when so many of them are done."""


def play(stage: Stage) -> PlayedOnce:
    """Kill a member in the middle of its own clients' writes, write once more, and compare at rest."""
    primary = stage.members[-1]
    found = partitions_of(stage, primary)
    keys = [stage.key(partition, 1 + number) for number in range(WRITES) for partition, _ in found]
    calls = [stage.begin_put(key, "first", primary) for key in keys]
    stage.await_that(lambda: sum(call.done() for call in calls) >= PART_DONE * len(calls), "the first writes")
    stage.crash(primary)
    done = sum(call.result().outcome.value == "ok" for call in calls)
    stage.note(f"{done} of {len(calls)} writes were acknowledged")
    stage.await_rest()
    for partition, _ in found:
        for number in range(WRITES):
            stage.put(stage.key(partition, 1 + WRITES + number), "second", stage.members[0])
    stage.wait(CHECKS_S)
    stage.await_rest()
    return compared(stage, found)


STORY = Story(
    name="equal-versions-under-load",
    finding="Replication: after a promotion, equal versions can hide a difference for ever",
    claim="a copy that is not dirty and has its primary's versions has its primary's content",
    seen=(
        "a member is killed while its own clients write: some partition keeps a backup that differs from its"
        " primary, with equal versions"
    ),
    held="",
    setting=Setting(members=4, backups=2, async_backups=1, properties=QUICK_CHECKS),
    play=play,
)
