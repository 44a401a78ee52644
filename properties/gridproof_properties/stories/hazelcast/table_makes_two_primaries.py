"""A batch sent before a commit was known makes its destination forget it: one version, two primaries."""

from gridproof_properties.stories.situations import (
    FORGETS_A_COMMIT,
    HELD_TO_FORGET_A_COMMIT,
    Forgotten,
    forget_a_commit,
)
from gridproof_properties.stories.stage import Stage
from gridproof_properties.stories.story import PlayedOnce, Story, happened_if, refuted


def play(stage: Stage) -> PlayedOnce:
    """Move a primary to the next master, which forgets that, and put through both that may take themselves for it."""
    at = forget_a_commit(stage, slot=0)
    return _put_through_both(stage, at) if at.differs else refuted(at.seen)


def _put_through_both(stage: Stage, at: Forgotten) -> PlayedOnce:
    key, heir = stage.key(at.partition), stage.elders[1]
    ended = [stage.put(key, stage.name_of(through), through).outcome.value for through in (at.primary, heir)]
    reads = [stage.get(key, through).value for through in (at.primary, heir)]
    puts = f"a put through each of the two ends {' and '.join(ended)}, and they read {reads[0]!r} and {reads[1]!r}"
    return happened_if(reads[0] != reads[1], f"{at.seen}; {puts}")


STORY = Story(
    name="table-makes-two-primaries",
    finding="A table sent before a commit was known makes its destination forget the commit",
    claim="a write is accepted by at most one primary",
    seen="the next master commits a primary, forgets it, and takes it for failed once it is master: two execute writes",
    held=HELD_TO_FORGET_A_COMMIT,
    setting=FORGETS_A_COMMIT,
    play=play,
)
