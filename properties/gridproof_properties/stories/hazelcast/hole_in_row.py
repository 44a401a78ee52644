"""A strict call succeeds with one copy, because its row has a hole."""

from gridproof_model.trace import Outcome
from gridproof_properties.stories.setting import STRICT, Setting
from gridproof_properties.stories.situations import crash_and_leave_a_hole
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted


def play(stage: Stage) -> PlayedOnce:
    """End a backup, hold what would replace it, and put."""
    hole = crash_and_leave_a_hole(stage, slot=1)
    key = stage.key(hole.partition)
    answer = stage.put(key, "new", stage.caller)
    if answer.outcome is not Outcome.OK:
        return refuted(f"the call failed: {answer.detail}")
    holders = stage.holders(hole.partition, key, "new")
    return happened_if(
        holders == stage.name_of(hole.primary), f"the strict call succeeded with its value at {holders} alone"
    )


STORY = Story(
    name="hole-in-row",
    finding="Indeterminate mode: a stranger's departure counts as a backup",
    claim="a strict call that succeeds is on the primary and on the specified number of backups",
    seen="a strict put succeeds with one copy, while its backup was removed and not yet replaced",
    held="the requests to migrate, at the primary: a slow network does that",
    setting=Setting(members=3, callers=1, properties=STRICT),
    play=play,
)
