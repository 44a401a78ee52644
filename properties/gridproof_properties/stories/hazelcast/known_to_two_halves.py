"""A member joins while another one hears nothing of the others, and belongs to neither half for ever."""

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened, refuted

HEARTBEAT = "HeartbeatOp"
LIST = "MembersUpdateOp"
UNKNOWN = "ExplicitSuspicionOp"
"""Says to a member that the sender does not list it."""
WHOLE = [4, 4, 4, 4]
KNOWN_TO_NEITHER = [2, 1, 2, 4]
APART_S = 60.0
"""How long the lists may stay whole; heartbeats come every second, and 5 s are waited for one."""
WHOLE_S = 90.0
"""How long the four are looked at once all messages arrive; a search for other clusters comes every 5 s."""
QUICK = {
    "mastership.claim.timeout.seconds": "5",
    "merge.first.run.delay.seconds": "5",
    "merge.next.run.delay.seconds": "5",
}


def play(stage: Stage) -> PlayedOnce:
    """Let B and the others take each other for dead, and A forget D, which lists all of them and hears of neither."""
    master, second, third = stage.members
    silent = [
        stage.drop(HEARTBEAT, at=second, sender=master),
        stage.drop(HEARTBEAT, at=second, sender=third),
        stage.drop(HEARTBEAT, at=master, sender=second),
    ]
    newcomer = stage.join()
    silent += [stage.drop(what, at=newcomer) for what in (LIST, UNKNOWN)]
    silent += [stage.drop(HEARTBEAT, at=master, sender=newcomer)]
    stage.await_that(lambda: _lists(stage) == KNOWN_TO_NEITHER, "A and B to go on without D", APART_S)
    stage.note("A and C list each other, B itself, D all four")
    for one in silent:
        one.release()
    if stage.comes_about(lambda: _lists(stage) == WHOLE, WHOLE_S):
        return refuted("the four are one cluster again")
    return happened(f"{WHOLE_S:.0f} s later the lists of A, B, C and D name {_lists(stage)} members")


def _lists(stage: Stage) -> list[int]:
    return [stage.listed(one) for one in stage.members]


STORY = Story(
    name="known-to-two-halves",
    finding="A member that two halves knew stays without a master",
    claim="whoever loses its master follows the next oldest that is alive, and halves merge",
    seen="D lists all four, A and C list each other, B itself; all messages arrive again, and D belongs to nobody",
    held="heartbeats between B and the others and from D to A, and what D is sent of lists, are lost for some 6 s",
    setting=Setting(members=3, properties=QUICK),
    play=play,
)
