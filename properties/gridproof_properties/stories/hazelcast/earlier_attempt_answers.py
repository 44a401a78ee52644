"""A call succeeds with the response of an attempt that it had given up, and no member has what it did."""

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.situations import pair
from gridproof_properties.stories.stage import Stage, ended_ok
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted


def play(stage: Stage) -> PlayedOnce:
    """Drop the backup message, end the primary once it has answered, and drop the retried request."""
    chosen = pair(stage, primary_is_not=stage.members[0])
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    key = stage.key(partition)
    lost = stage.drop("Backup", at=backup, sender=primary, partition=partition, count=1)
    call = stage.begin_put(key, "new", stage.caller)
    lost.await_met()
    stage.wait(0.3)
    stage.note(f"{stage.name_of(primary)} has executed and answered; the backup message is lost")
    again = stage.drop("SetOperation", at=backup, sender=stage.caller, partition=partition)
    stage.crash(primary)
    again.await_met()
    stage.note(f"the request is retried at {stage.name_of(backup)}, and lost")
    if not ended_ok(call):
        return refuted(f"the call failed: {call.result().detail}")
    holders = stage.holders(partition, key, "new")
    stage.note(f"the call succeeds; the value is with {holders}")
    again.release()
    stage.await_rest()
    after = stage.get(key, stage.caller)
    is_so = holders == "nobody" and after.value is None
    return happened_if(is_so, f"the put succeeded with its value at {holders}; at rest it reads {after.value!r}")


STORY = Story(
    name="earlier-attempt-answers",
    finding="A finished call can be finished by an attempt it had given up",
    claim="only the reply of its own last attempt ends a call",
    seen="the primary answers and crashes, the retried request is lost, and the call succeeds with the first answer",
    held="one backup message and one request are lost: each as a broken connection loses it",
    setting=Setting(members=3, callers=1),
    play=play,
)
