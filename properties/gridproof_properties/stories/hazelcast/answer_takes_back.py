"""A sync answer that is handled late takes a backup back behind a write that it had acknowledged."""

from gridproof_properties.stories.setting import STRICT, Setting
from gridproof_properties.stories.situations import pair, put_and_lose_its_backup
from gridproof_properties.stories.stage import Stage, ended_ok
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted


def play(stage: Stage) -> PlayedOnce:
    """Lose one backup, hold the answer of the sync, have a strict put acknowledged, and let the answer go."""
    chosen = pair(stage)
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    first = put_and_lose_its_backup(stage, chosen)
    answer = stage.hold("PartitionReplicaSyncResponse", at=backup, sender=primary, partition=partition)
    stage.put(stage.key(partition, 1), "new", stage.caller)
    answer.await_met()
    key = stage.key(partition, 2)
    if not ended_ok(stage.begin_put(key, "new", stage.caller)):
        return refuted("the put behind the sync was not acknowledged")
    had = key in stage.copy(backup, partition).entries
    answer.release()
    stage.wait(0.5)
    has = key in stage.copy(backup, partition).entries
    stage.note(
        f"the backup {'had' if had else 'had not'} the acknowledged write, and {'has' if has else 'has not'} now"
    )
    stage.crash(primary)
    first.result()
    stage.await_rest()
    after = stage.get(key, stage.caller)
    return happened_if(
        had and after.value is None, f"the acknowledged strict put reads {after.value!r} after one crash"
    )


STORY = Story(
    name="answer-takes-back",
    finding="Replication: an acknowledged write depends on draining the urgent lane first",
    claim="what all backups acknowledged survives as many crashes as there are backups",
    seen=(
        "an older sync answer is accepted behind a newer backup: the acknowledged write is gone from the backup,"
        " and with the next crash from the grid"
    ),
    held=(
        "one backup message is lost; the answer of the sync waits until a later normal message has passed it, which"
        " happens only in a member that takes a normal message before an urgent one"
    ),
    setting=Setting(members=2, callers=1, properties=STRICT),
    play=play,
    out_of_order=True,
)
