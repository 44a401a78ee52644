"""Member lists, and clusters that split or do not merge.

- Two members could not reach each other for a while; because of this the cluster splits when the master crashes later.
- The master of the smaller side ends while its cluster is frozen for a merge, and no member unfreezes the cluster.
- A member joins while another member gets no messages from the others, and the new member belongs to neither half for
  ever.
"""

from gridproof_properties.stories.setting import NotPlayedError, Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, happened, refuted, story

CUT_S = 10.0
HEALED_S = 8.0
LOOK_S = 4.0


@story(
    finding="Two members that suspected each other split the cluster later",
    claim="a heartbeat clears a suspicion",
    seen="the link between two members is cut and healed; when the master crashes later, each of the two goes on alone",
    held="all messages between two members are lost for 10 s, as by a cut link",
    setting=Setting(members=3),
)
def suspicions_split_later(stage: Stage) -> PlayedOnce:
    """Cut the link between the two younger members, heal it, wait, and end the oldest member."""
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
    return happened(
        "after the crash, each of the two remaining members listed only itself, though the network was whole"
    )


def _lists(stage: Stage) -> tuple[int, ...]:
    return tuple(stage.listed(member) for member in stage.members if member in stage.grid.members())


SPLIT_S = 30.0
MERGE_S = 120.0
ALONE_S = 15.0
"""How long the remaining member may still believe that its master is alive."""
FROZEN_S = 30.0
"""How long the remaining member is watched after that; it looks for other clusters every 5 s."""
SEARCHES = {"merge.first.run.delay.seconds": "5", "merge.next.run.delay.seconds": "5"}


@story(
    finding="A cluster frozen for a merge stays frozen",
    claim="two halves of a split become one again once the network is whole",
    seen="the master of the smaller side ends in the middle of a merge; the other member stays frozen and alone",
    held="messages between the sides are held, as on a cut link, and so is the announcement of the merge to member E",
    setting=Setting(members=5, properties=SEARCHES),
)
def frozen_for_a_merge(stage: Stage) -> PlayedOnce:
    """Split three members from two, heal the split, and end the master of the two once it has frozen its cluster."""
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
        raise NotPlayedError(f"the cluster is {state}, not FROZEN, while its master merges; play the story again")
    stage.crash(master)
    stage.await_that(lambda: stage.listed(left) == 1, "the master to be off the list", ALONE_S)
    if stage.comes_about(lambda: stage.listed(left) > 1 or stage.state(left) != "FROZEN", FROZEN_S):
        return refuted(f"{stage.name_of(left)} is {stage.state(left)}, in a cluster of {stage.listed(left)}")
    return happened(
        f"member {stage.name_of(left)}, {FROZEN_S:.0f} s after the loss of its master, was alone and FROZEN"
    )


HEARTBEAT = "HeartbeatOp"
LIST = "MembersUpdateOp"
UNKNOWN = "ExplicitSuspicionOp"
"""The operation by which a sender informs a member that the sender does not list it."""
WHOLE = [4, 4, 4, 4]
KNOWN_TO_NEITHER = [2, 1, 2, 4]
APART_S = 60.0
"""How long the lists may stay complete; heartbeats come every second, and members wait 5 s for a heartbeat."""
WHOLE_S = 90.0
"""How long the four members are watched once all messages arrive; they look for other clusters every 5 s."""
QUICK = {
    "mastership.claim.timeout.seconds": "5",
    "merge.first.run.delay.seconds": "5",
    "merge.next.run.delay.seconds": "5",
}


@story(
    finding="A member that two halves knew stays without a master",
    claim="a member that loses its master follows the next oldest living member, and the halves of a split merge",
    seen="D lists all four, A and C list each other, B lists itself; once all messages arrive again, D has no master",
    held="heartbeats between B and the others and from D to A, and member lists sent to D, are lost for some 6 s",
    setting=Setting(members=3, properties=QUICK),
)
def known_to_two_halves(stage: Stage) -> PlayedOnce:
    """Let B and the other members take each other for dead, and let A forget D, which lists all of them and gets
    messages from neither half."""
    master, second, third = stage.members
    silent = [
        stage.drop(HEARTBEAT, at=second, sender=master),
        stage.drop(HEARTBEAT, at=second, sender=third),
        stage.drop(HEARTBEAT, at=master, sender=second),
    ]
    newcomer = stage.join()
    silent += [stage.drop(what, at=newcomer) for what in (LIST, UNKNOWN)]
    silent += [stage.drop(HEARTBEAT, at=master, sender=newcomer)]
    stage.await_that(lambda: _lists_of_all(stage) == KNOWN_TO_NEITHER, "A and B to go on without D", APART_S)
    stage.note("A and C list each other, B itself, D all four")
    for one in silent:
        one.release()
    if stage.comes_about(lambda: _lists_of_all(stage) == WHOLE, WHOLE_S):
        return refuted("the four members were one cluster again")
    return happened(f"{WHOLE_S:.0f} s later the lists of A, B, C and D name {_lists_of_all(stage)} members")


def _lists_of_all(stage: Stage) -> list[int]:
    return [stage.listed(one) for one in stage.members]
