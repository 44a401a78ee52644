"""A write goes to no backup while a live one stands behind a hole in the row."""

from gridproof_model.trace import Outcome
from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.situations import crash_and_leave_a_hole
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted


def play(stage: Stage) -> PlayedOnce:
    """End the first backup, hold what would replace it, put, and end the primary."""
    hole = crash_and_leave_a_hole(stage, slot=1)
    second = hole.row[2]
    assert second is not None
    key = stage.key(hole.partition)
    answer = stage.put(key, "new", stage.caller)
    if answer.outcome is not Outcome.OK:
        return refuted(f"the call failed: {answer.detail}")
    holders = stage.holders(hole.partition, key, "new")
    stage.note(f"the put succeeds; the value is with {holders}, and {stage.name_of(second)} lives")
    stage.crash(hole.primary)
    stage.await_rest()
    after = stage.get(key, stage.caller)
    is_so = holders == stage.name_of(hole.primary) and after.value is None
    return happened_if(
        is_so, f"the put succeeded with its value at {holders} alone; after the next crash it reads {after.value!r}"
    )


STORY = Story(
    name="no-backup-while-one-lives",
    finding="Replication: a call may succeed on no backup while a live one stands by",
    claim="a successful call was executed on the primary and on the specified number of backups",
    seen=(
        "with one sync and one async backup, the first of them dead, a put is sent to nobody and succeeds; the"
        " primary crashes, and it is lost"
    ),
    held="the requests to migrate, at the primary: a slow network does that",
    setting=Setting(members=3, callers=1, backups=2, async_backups=1),
    play=play,
)
