"""The page of the track record."""

import pytest

from gridproof_properties.stories.hazelcast import STORIES
from gridproof_properties.stories.story import Ending, Played, PlayedOnce
from gridproof_reports.track_record import make_page, said, since
from tests.house.source_tree import ROOT

STORY = STORIES[0]
OLD, NEW, NEWEST = "5.0.5", "5.6.0", "5.10.0"


def played(version: str, *endings: Ending) -> Played:
    """Return a story that was played and ended so."""
    return Played(STORY.name, version, tuple(PlayedOnce(ending, f"{ending.value} there") for ending in endings))


def record(*all_played: Played) -> dict[tuple[str, str], Played]:
    """Return what was played, by story and version."""
    return {(one.story, one.version): one for one in all_played}


@pytest.mark.parametrize(
    ("endings", "words"),
    [
        ((Ending.HAPPENED, Ending.REFUTED), "happened 1 of 2"),
        ((Ending.HAPPENED, Ending.NOT_PLAYED), "happened 1 of 1"),
        ((Ending.REFUTED, Ending.REFUTED), "refuted, 2 of 2"),
        ((Ending.NOT_PLAYED,), "not played"),
    ],
)
def test_a_cell_counts_only_what_was_played(endings: tuple[Ending, ...], words: str) -> None:
    assert said(played(OLD, *endings)) == words


def test_a_story_is_mended_since_the_first_version_behind_the_last_that_shows_it() -> None:
    found = record(
        played(NEWEST, Ending.REFUTED),
        played(NEW, Ending.REFUTED),
        played(OLD, Ending.HAPPENED),
    )

    assert since(STORY, (NEWEST, NEW, OLD), found) == f"mended since {NEW}"


@pytest.mark.parametrize("endings", [(Ending.HAPPENED, Ending.HAPPENED), (Ending.REFUTED, Ending.REFUTED)])
def test_a_story_that_ends_alike_everywhere_is_mended_nowhere(endings: tuple[Ending, Ending]) -> None:
    found = record(played(OLD, endings[0]), played(NEW, endings[1]))

    assert since(STORY, (OLD, NEW), found) == ""


def test_a_story_that_was_not_played_on_the_next_version_is_not_called_mended() -> None:
    found = record(played(OLD, Ending.HAPPENED), played(NEW, Ending.NOT_PLAYED))

    assert since(STORY, (OLD, NEW), found) == ""


def test_the_page_says_what_was_seen_each_sentence_once() -> None:
    page = make_page([STORY], [played(OLD, Ending.HAPPENED, Ending.HAPPENED)])

    assert page.count("happened there") == 1
    assert f"--versions {OLD} --times 2" in page


def test_the_page_of_the_project_reports_every_story() -> None:
    page = (ROOT / "docs" / "track-record.md").read_text(encoding="utf-8")

    assert [story.name for story in STORIES if f"\n## {story.name}\n\nFinding: {story.finding}." not in page] == []
