"""Acknowledgements for the caller that was at an address before confirm the calls of the one that is there now."""

from concurrent.futures import wait

from gridproof_model.trace import Outcome
from gridproof_properties.stories.setting import STRICT, Setting
from gridproof_properties.stories.situations import pair
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if

CALLS = 300


def play(stage: Stage) -> PlayedOnce:
    """Hold the backups of a caller's puts, start it anew, lose the backups of its next puts, and let the first go."""
    chosen = pair(stage, with_master=True)
    partition, primary, backup = chosen.partition, chosen.primary, chosen.backup
    held = stage.hold("Backup", at=backup, sender=primary, partition=partition, count=CALLS)
    for number in range(CALLS):
        stage.begin_put(stage.key(partition, number), "first", stage.caller)
    held.await_met(CALLS)
    stage.note(f"the backups of {CALLS} puts are under way to {stage.name_of(backup)}")
    old = stage.caller
    stage.crash(old)
    stage.await_that(lambda: stage.listed(stage.members[0]) == len(stage.members), "the caller to be off the list")
    new = stage.grid.start_again(old)
    stage.await_rest()
    stage.note("the caller has started anew at its address")
    lost = stage.drop("Backup", at=backup, sender=primary, partition=partition)
    keys = [stage.key(partition, CALLS + number) for number in range(CALLS)]
    calls = {key: stage.begin_put(key, "second", new) for key in keys}
    lost.await_met(CALLS)
    held.release()
    stage.note(f"{CALLS} strict puts of the new caller wait, their backups are lost; the old backups arrive")
    wait(calls.values())
    ended = {key: call.result() for key, call in calls.items()}
    copy = stage.copy(backup, partition).entries
    confirmed = [key for key, answer in ended.items() if answer.outcome is Outcome.OK]
    empty = [key for key in confirmed if copy.get(key) != "second"]
    return happened_if(bool(empty), f"{len(empty)} of {CALLS} strict puts succeeded that their only backup never had")


STORY = Story(
    name="caller-before",
    finding="A strict call is confirmed for the caller that was there before",
    claim="a strict call that succeeds is on the primary and on the specified number of backups",
    seen="a caller starts anew at its address, and late acknowledgements for its predecessor confirm its own puts",
    held="the backups of the first caller's puts: a slow backup does that; those of the second's are lost",
    setting=Setting(members=3, callers=1, properties=STRICT),
    play=play,
)
