"""Which moves of copies the master plans.

- The plan after a crash drops a copy on a living member, and makes that copy anew later.
- A join moves primaries between old members that share a partition group with the new member.
"""

from collections.abc import Sequence

from gridproof_model.membership import Member
from gridproof_properties.stories.setting import NotPlayedError, Setting
from gridproof_properties.stories.stage import Row, Rule, Stage
from gridproof_properties.stories.story import PlayedOnce, happened_if, story

REMOVED_S = 10.0
"""How long the crashed member may stay in the member list."""
PLAN_S = 60.0
LOOKS_MIN = 10
"""The fewest looks at the rows: with fewer, a copy may have been there all the time though no look shows it."""
MIGRATE = "MigrationRequestOperation"


@story(
    finding="The documented planner drops a copy that nobody asked it to drop",
    claim="no migration lowers the number of copies unless fewer are wanted",
    seen="after a crash a row loses the copy of a living member, and gets it again later in the same plan",
    held="the requests to migrate are held, and released a few at a time and in order, as on a slow network",
    setting=Setting(members=6, backups=5, partitions=271),
)
def planner_drops_a_copy(stage: Stage) -> PlayedOnce:
    """End a member, let the migrations of the plan continue a few at a time, and look at the rows in between."""
    master, gone = stage.members[0], stage.members[-1]
    asked = stage.members[1:-1]
    before = [_living(row, gone) for row in stage.rows(master)]
    rules = {member: stage.hold(MIGRATE, at=member) for member in asked}
    stage.crash(gone)
    stage.await_that(lambda: stage.listed(master) < len(stage.members), "the member to be off the list", REMOVED_S)
    looks = [stage.rows(master)]

    def is_full() -> bool:
        _let_some_go(stage, rules)
        looks.append(stage.rows(master))
        return all({None, gone}.isdisjoint(row[: len(stage.members) - 1]) for row in looks[-1])

    stage.await_that(is_full, "rows that are full again", PLAN_S)
    dropped = [number for number, held in enumerate(before) if _was_dropped(number, held, looks)]
    stage.note(f"looked {len(looks)} times; fewer copies for a while: partitions {dropped}")
    if not dropped and len(looks) < LOOKS_MIN:
        few = f"{len(looks)} looks at the table, but at least {LOOKS_MIN} looks are needed"
        raise NotPlayedError(f"all rows were full after {few}; play the story again")
    rows = f"{len(dropped)} of {len(before)} rows"
    return happened_if(bool(dropped), f"{rows} temporarily lacked a copy that a living member had before")


def _let_some_go(stage: Stage, rules: dict[Member, Rule]) -> None:
    """Deliver the migration requests that are held at each primary, and hold the next ones."""
    for member, rule in tuple(rules.items()):
        rules[member] = stage.hold(MIGRATE, at=member)
        rule.release()


def _living(row: Row, gone: object) -> set[object]:
    return {one for one in row if one not in (None, gone)}


def _was_dropped(partition: int, held: set[object], looks: Sequence[Sequence[Row]]) -> bool:
    """Whether some look does not show a copy that existed before the crash, while its member was in the cluster."""
    return any(held - set(look[partition]) for look in looks)


@story(
    finding="A join moves primaries between old members that share a group",
    claim="a join moves the minimum of partitions, all to the newcomer",
    seen="each of two hosts has two members, and a fifth joins on one host: some primaries move between old members",
    setting=Setting(members=4, groups=("a", "b", "a", "b"), partitions=271),
    by_chance=True,
)
def join_moves_old_primaries(stage: Stage) -> PlayedOnce:
    """Let a third member of a group join, and count the primaries that moved between the two other members."""
    before = [row[0] for row in stage.rows(stage.members[0])]
    newcomer = stage.join(group=stage.setting.groups[0])
    stage.await_rest()
    after = [row[0] for row in stage.rows(stage.members[0])]
    moved = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    between = sum(new != newcomer for _, new in moved)
    return happened_if(between > 0, f"{len(moved)} primaries moved, {between} of them between old members")
