"""The master of the smaller side ends when its cluster is frozen for a merge, and nobody thaws it."""

from gridproof_properties.stories.setting import NotPlayedError, Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened, refuted

SPLIT_S = 30.0
MERGE_S = 120.0
ALONE_S = 15.0
"""How long the member that is left may take its master for alive."""
FROZEN_S = 30.0
"""How long it is looked at then; a search for other clusters comes every 5 s."""
SEARCHES = {"merge.first.run.delay.seconds": "5", "merge.next.run.delay.seconds": "5"}


def play(stage: Stage) -> PlayedOnce:
    """Split three members from two, heal, and end the master of the two once it has frozen its cluster."""
    larger, smaller = stage.members[:3], stage.members[3:]
    cut = [
        stage.hold(None, at=at, sender=sender)
        for here, there in ((larger, smaller), (smaller, larger))
        for at in here
        for sender in there
    ]
    stage.await_that(lambda: [stage.listed(one) for one in stage.members] == [3, 3, 3, 2, 2], "a split", SPLIT_S)
    master, left = smaller
    merging = stage.hold("MergeClustersOp", at=left)
    for one in cut:
        one.release()
    stage.note("healed")
    merging.await_met(timeout_s=MERGE_S)
    state = stage.state(left)
    stage.note(f"{stage.name_of(master)} merges; {stage.name_of(left)} is {state}, and has not heard of it")
    if state != "FROZEN":
        raise NotPlayedError(f"the cluster is {state} when its master merges")
    stage.crash(master)
    stage.await_that(lambda: stage.listed(left) == 1, "the master to be off the list", ALONE_S)
    if stage.comes_about(lambda: stage.listed(left) > 1 or stage.state(left) != "FROZEN", FROZEN_S):
        return refuted(f"{stage.name_of(left)} is {stage.state(left)}, in a cluster of {stage.listed(left)}")
    return happened(f"{FROZEN_S:.0f} s later {stage.name_of(left)} is alone and still FROZEN")


STORY = Story(
    name="frozen-for-a-merge",
    finding="A cluster frozen for a merge stays frozen",
    claim="two halves of a split become one again once the network is whole",
    seen="the master of the smaller side ends in the middle of a merge; the other member stays frozen and alone",
    held="all messages between the sides, as behind a cut link, and the notice of the merge to the other member",
    setting=Setting(members=5, properties=SEARCHES),
    play=play,
)
