"""Findings about the documents of Hazelcast, played on running members; there is one file per theme."""

from collections.abc import Mapping

from gridproof_model.user_error import nearest
from gridproof_properties.stories.hazelcast import calls, copies, lists, planning, snapshots, tables
from gridproof_properties.stories.story import Story

STORIES: tuple[Story, ...] = tuple(
    story
    for module in (calls, copies, snapshots, tables, lists, planning)
    for story in vars(module).values()
    if isinstance(story, Story)
)
"""All stories, in the order of the page of findings."""

NOT_PLAYED: Mapping[str, str] = {
    "What is promised of rows as long as nobody is taken for gone": (
        "members would have to suspect a running member while a commit or a row is under way, each at its own moment, "
        "and connections would have to hold messages as in the specification's behaviour"
    ),
    "A commit that comes late corrupts an exactly-once job": (
        "a write of an ended member would have to be stored after the next coordinator has read the record; no story "
        "can delay a single write"
    ),
    "Calls: what each member knows only by itself": (
        "requests and updates would have to arrive twice; of the six claims, only that about the hole in a row is "
        "played, by hole-in-row"
    ),
    "Replication: a false suspicion makes a backup ask for a sync that it does not need": (
        "a living member would have to be removed, and rows or a log would have to show the syncs that are asked for"
    ),
    "Replication: one crash and one false suspicion lose a write that its sync backup acknowledged": (
        "the only other member would have to suspect the primary between a crash of its backup and the next migration"
    ),
    "What a coordinator knows may be older than what is stored": (
        "both halves of a split would have to run a job and show its record; no story of jobs makes a split"
    ),
}
"""Findings about the documents that no story plays yet, each with what a story of it would need."""


def get_story(name: str) -> Story:
    """Return a story by its name; if there is none, raise StoryNameError with the most similar names."""
    found = next((story for story in STORIES if story.name == name), None)
    if found is None:
        raise StoryNameError(f"no story is called {name!r}: {nearest(name, [story.name for story in STORIES])}")
    return found


class StoryNameError(ValueError):
    """Raised if no story has the given name."""
