"""Strict calls fail as indeterminate, and every copy has what they wrote."""

from gridproof_model.trace import Outcome
from gridproof_properties.stories.setting import STRICT, Setting
from gridproof_properties.stories.situations import pair, put_and_lose_its_backup
from gridproof_properties.stories.stage import SYNC_REQUEST, Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if

OVERTAKEN = 3


def play(stage: Stage) -> PlayedOnce:
    """Lose one backup, have the backup ask for a sync, and let the answer overtake three backups."""
    chosen = pair(stage)
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    first = put_and_lose_its_backup(stage, chosen)
    requests = stage.hold(SYNC_REQUEST, at=primary, sender=backup)
    stage.put(stage.key(partition, 1), "new", stage.caller)
    requests.await_met()
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition)
    keys = [stage.key(partition, 2 + number) for number in range(OVERTAKEN)]
    calls = [stage.begin_put(key, "new", stage.caller) for key in keys]
    held.await_met(OVERTAKEN)
    stage.note(f"{OVERTAKEN} backups are under way, and a sync is asked for")
    requests.release()
    stage.await_that(lambda: all(key in stage.copy(backup, partition).entries for key in keys), "the sync")
    held.release()
    stage.note("the sync brought all; then the backups arrive")
    failed = [call.result() for call in calls if call.result().outcome is not Outcome.OK]
    first.result()
    copies = [stage.copy(one, partition).entries for one in (primary, backup)]
    everywhere = all(key in copy for key in keys for copy in copies)
    sentence = f"{len(failed)} of {OVERTAKEN} strict puts failed ({failed[0].detail if failed else 'none'})"
    return happened_if(bool(failed) and everywhere, f"{sentence}; both copies have all {OVERTAKEN}")


STORY = Story(
    name="answered-indeterminate",
    finding="Indeterminate mode: reported as indeterminate, and on every copy",
    claim="IndeterminateOperationStateException means that a backup may lack the write",
    seen=(
        "a sync overtakes backup messages, which are then stale and not acknowledged: calls fail with their writes"
        " on every copy"
    ),
    held="one backup message is lost; others wait until an urgent message has passed them, as the lanes allow",
    setting=Setting(members=2, callers=1, properties=STRICT),
    play=play,
)
