"""A join moves primaries between old members that share a partition group."""

from gridproof_properties.stories.setting import Setting
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if


def play(stage: Stage) -> PlayedOnce:
    """Let a third member of a group join, and count the primaries that moved between the others."""
    before = [row[0] for row in stage.rows(stage.members[0])]
    newcomer = stage.join(group=stage.setting.groups[0])
    stage.await_rest()
    after = [row[0] for row in stage.rows(stage.members[0])]
    moved = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    between = sum(new != newcomer for _, new in moved)
    return happened_if(between > 0, f"{len(moved)} primaries moved, {between} of them between old members")


STORY = Story(
    name="join-moves-old-primaries",
    finding="A join moves primaries between old members that share a group",
    claim="a join moves the minimum of partitions, all to the newcomer",
    seen="with two members on each of two hosts a third joins on one of them: some primaries move between old members",
    held="",
    setting=Setting(members=4, groups=("a", "b", "a", "b"), partitions=271),
    play=play,
    by_chance=True,
)
