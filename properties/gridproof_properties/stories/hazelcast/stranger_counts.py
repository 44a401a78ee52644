"""A member without a slot departs, and counts as the backup that a strict call waits for."""

from gridproof_properties.stories.setting import STRICT, Setting
from gridproof_properties.stories.situations import pair
from gridproof_properties.stories.stage import Stage, ended_ok
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted

STAYING = 3
"""The primary, the backup and the caller."""
OFF_S = 4.0
"""Before the backup message is waited for no longer."""


def play(stage: Stage) -> PlayedOnce:
    """Hold the backup message of a strict put, and end a member that has no part in it."""
    chosen = pair(stage, with_master=True)
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    stranger = next(one for one in stage.members if one not in (primary, backup))
    key, names = stage.key(partition), (stage.name_of(primary), stage.name_of(backup))
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition)
    call = stage.begin_put(key, "new", stage.caller)
    held.await_met()
    stage.note(f"{names[0]} has executed the put, its message to {names[1]} is under way")
    stage.crash(stranger)
    stage.await_that(lambda: stage.listed(stage.caller) == STAYING, "the stranger to be off the caller's list", OFF_S)
    stage.note(f"{stage.name_of(stage.caller)} has it off its list")
    if not ended_ok(call):
        return refuted(f"the call failed: {call.result().detail}")
    holders = stage.holders(partition, key, "new")
    stage.note(f"the call succeeds; the value is with {holders}")
    stage.crash(primary)
    stage.await_rest()
    after = stage.get(key, stage.caller)
    stage.note(f"at rest the value reads {after.value!r}")
    is_so = holders == names[0] and after.value is None
    return happened_if(
        is_so, f"the strict call succeeded with its value at {holders}; after one crash it reads {after.value!r}"
    )


STORY = Story(
    name="stranger-counts",
    finding="Indeterminate mode: a stranger's departure counts as a backup",
    claim="a strict call that succeeds is on the primary and on the specified number of backups",
    seen=(
        "a strict put succeeds when a member without a slot crashes; its backup has nothing, and one more crash"
        " loses it"
    ),
    held="the backup message of the put, at its backup: a slow network does that",
    setting=Setting(members=3, callers=1, properties=STRICT),
    play=play,
)
