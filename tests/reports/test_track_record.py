"""The page of the track record."""

from dataclasses import replace

import pytest

from gridproof_properties.stories.hazelcast import STORIES
from gridproof_properties.stories.story import Ending, Played, PlayedOnce
from gridproof_reports.contents.track_record import make_page, mended, said
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
    assert said(STORY, played(OLD, *endings)) == words


def test_a_story_of_chance_has_its_count_and_is_never_refuted_or_mended() -> None:
    story, found = replace(STORY, by_chance=True), record(played(OLD, Ending.HAPPENED), played(NEW, Ending.REFUTED))

    assert said(story, found[STORY.name, NEW]) == "happened 0 of 1"
    assert mended(story, (OLD, NEW), found) == ""


def test_what_no_connection_brings_in_that_order_says_so() -> None:
    row = f"| [{STORY.name}](#{STORY.name}) | happened 1 of 1 | out of order |"

    assert row in make_page([replace(STORY, out_of_order=True)], [played(OLD, Ending.HAPPENED)])


def test_a_story_is_mended_between_the_last_version_that_shows_it_and_the_first_behind_it_that_does_not() -> None:
    found = record(
        played(NEWEST, Ending.REFUTED),
        played(NEW, Ending.REFUTED),
        played(OLD, Ending.HAPPENED),
    )

    assert mended(STORY, (NEWEST, NEW, OLD), found) == f"mended after {OLD}, by {NEW}"


@pytest.mark.parametrize("endings", [(Ending.HAPPENED, Ending.HAPPENED), (Ending.REFUTED, Ending.REFUTED)])
def test_a_story_that_ends_alike_everywhere_is_mended_nowhere(endings: tuple[Ending, Ending]) -> None:
    found = record(played(OLD, endings[0]), played(NEW, endings[1]))

    assert mended(STORY, (OLD, NEW), found) == ""


def test_a_story_that_was_not_played_on_the_next_version_is_not_called_mended() -> None:
    found = record(played(OLD, Ending.HAPPENED), played(NEW, Ending.NOT_PLAYED))

    assert mended(STORY, (OLD, NEW), found) == ""


def test_the_page_says_what_was_seen_each_sentence_once() -> None:
    page = make_page([STORY], [played(OLD, Ending.HAPPENED, Ending.HAPPENED)])

    assert page.count("happened there") == 1
    assert f"--versions {OLD} --times 2" in page


def test_the_page_of_the_project_reports_every_story() -> None:
    page = (ROOT / "docs" / "track-record.md").read_text(encoding="utf-8")

    assert [story.name for story in STORIES if f"\n## {story.name}\n\nFinding: {story.finding}." not in page] == []
