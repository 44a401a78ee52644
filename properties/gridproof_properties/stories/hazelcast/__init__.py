"""Findings about the documents, played on running members: one file a story."""

from collections.abc import Mapping
from difflib import get_close_matches

from gridproof_properties.stories.hazelcast import (
    answer_takes_back,
    answered_indeterminate,
    backup_read_goes_back,
    caller_before,
    earlier_attempt_answers,
    equal_versions_hide,
    equal_versions_under_load,
    frozen_for_a_merge,
    hole_in_row,
    increment_counts_twice,
    join_moves_old_primaries,
    no_backup_while_one_lives,
    planner_drops_a_copy,
    recorded_snapshot_forgotten,
    snapshot_id_used_twice,
    stranger_counts,
    suspicions_split_later,
)
from gridproof_properties.stories.story import Story

STORIES: tuple[Story, ...] = tuple(
    module.STORY
    for module in (
        stranger_counts,
        hole_in_row,
        no_backup_while_one_lives,
        answered_indeterminate,
        earlier_attempt_answers,
        caller_before,
        equal_versions_hide,
        equal_versions_under_load,
        increment_counts_twice,
        answer_takes_back,
        backup_read_goes_back,
        snapshot_id_used_twice,
        recorded_snapshot_forgotten,
        suspicions_split_later,
        frozen_for_a_merge,
        planner_drops_a_copy,
        join_moves_old_primaries,
    )
)
"""In the order of the findings page."""

NOT_PLAYED: Mapping[str, str] = {
    "Indeterminate mode: a backup message that outlives its owner's term": (
        "a slot has to migrate to a chosen member and back, which no command of an operator does"
    ),
    "A table sent before a commit was known makes its destination forget the commit": (
        "a table has to be sent while the answer to a commit is under way, and the master then to end"
    ),
    "An old failed migration lets a new master overlook a committed row": (
        "a migration of a chosen slot has to fail, and to be committed again while its master leaves"
    ),
    "A member that two halves knew stays without a master": (
        "a member has to join one half while the other one, which knows it, claims to be the cluster"
    ),
}
"""Findings about the documents that no story plays yet, and what one would need."""


def get_story(name: str) -> Story:
    """Return a story by name; StoryNameError with the nearest names where there is none."""
    found = next((story for story in STORIES if story.name == name), None)
    if found is None:
        near = get_close_matches(name, [story.name for story in STORIES], n=1)
        raise StoryNameError(f"no story is called {name!r}{f': did you mean {near[0]}?' if near else ''}")
    return found


class StoryNameError(ValueError):
    """There is no story of this name."""
