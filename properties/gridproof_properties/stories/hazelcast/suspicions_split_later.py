"""Two members that could not reach each other for a while split the cluster when the master crashes, later."""

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened, refuted

CUT_S = 10.0
HEALED_S = 8.0
LOOK_S = 4.0


def play(stage: Stage) -> PlayedOnce:
    """Cut the link of the two younger members, heal it, wait, and end the oldest one."""
    master, older, younger = stage.members
    cut = [stage.drop(None, at=older, sender=younger), stage.drop(None, at=younger, sender=older)]
    stage.wait(CUT_S)
    stage.note(f"B and C have not heard of each other for {CUT_S:.0f} s; the lists name {_lists(stage)}")
    for one in cut:
        one.release()
    stage.wait(HEALED_S)
    before = _lists(stage)
    stage.note(f"healed {HEALED_S:.0f} s ago; the lists name {before}")
    if before != (3, 3, 3):
        return happened(f"the cluster was apart before anybody crashed: the lists name {before} members")
    stage.crash(master)
    if not stage.comes_about(lambda: _lists(stage) == (1, 1), LOOK_S):
        return refuted(f"after the crash the lists name {_lists(stage)} members")
    return happened("after the crash each of the two that remain lists itself alone, in a network that is whole")


def _lists(stage: Stage) -> tuple[int, ...]:
    return tuple(stage.listed(member) for member in stage.members if member in stage.grid.members())


STORY = Story(
    name="suspicions-split-later",
    finding="Two members that suspected each other split the cluster later",
    claim="a heartbeat clears a mark of suspicion",
    seen="the link of two members is cut and healed; when the master crashes later, each of the two goes on alone",
    held="all messages between two members for 10 s, as a cut link does",
    setting=Setting(members=3),
    play=play,
)
