"""A batch sent before a commit was known makes its destination forget it: one version, two rows."""

from gridproof_properties.stories.situations import (
    FORGETS_A_COMMIT,
    HELD_TO_FORGET_A_COMMIT,
    Forgotten,
    forget_a_commit,
)
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened, refuted


def play(stage: Stage) -> PlayedOnce:
    """Move a backup to the next master, which forgets that, and see what the primary's next put is worth."""
    for number in range(stage.setting.partitions):
        stage.put(stage.key(number), "old", stage.members[0])
    at = forget_a_commit(stage, slot=1)
    return happened(f"{at.seen}; {_put_and_crash(stage, at)}") if at.differs else refuted(at.seen)


def _put_and_crash(stage: Stage, at: Forgotten) -> str:
    """Put, end the primary, and return what became of the put."""
    key = stage.key(at.partition)
    answer = stage.put(key, "new", at.primary)
    held = stage.holders(at.partition, key, "new")
    stage.crash(at.primary)
    stage.await_rest()
    read = stage.get(key, stage.elders[1]).value
    return f"a put ends {answer.outcome.value} with its value at {held}; after the primary's crash it reads {read!r}"


STORY = Story(
    name="table-forgets-a-commit",
    finding="A table sent before a commit was known makes its destination forget the commit",
    claim="equal row versions mean equal rows, and a migration is committed or rolled back by everybody",
    seen=(
        "the next master commits, forgets it, and takes it for failed once it is master: the primary and it have"
        " different backups in rows of one version, and an acknowledged put is lost with one crash"
    ),
    held=HELD_TO_FORGET_A_COMMIT,
    setting=FORGETS_A_COMMIT,
    play=play,
)
