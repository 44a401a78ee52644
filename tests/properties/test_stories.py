"""The catalogue of live stories."""

import re

import pytest

from gridproof_properties.stories.hazelcast import NOT_PLAYED, STORIES, StoryNameError, get_story
from gridproof_properties.stories.record import shortened
from gridproof_properties.stories.story import Ending, Played, PlayedOnce, happened_if
from tests.house.source_tree import ROOT


def test_every_finding_about_the_documents_is_played_or_says_what_it_needs() -> None:
    page = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    _, about_documents = page.split("# Findings about the documents\n")
    headings = re.findall(r"^## (.+)$", about_documents, re.MULTILINE)

    assert sorted(headings) == sorted({*NOT_PLAYED, *(story.finding for story in STORIES)})


def test_no_two_stories_have_one_name() -> None:
    names = [story.name for story in STORIES]

    assert len(set(names)) == len(names)


def test_a_story_is_found_by_its_name() -> None:
    assert all(get_story(story.name) is story for story in STORIES)


def test_a_misspelt_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(StoryNameError, match="did you mean hole-in-row"):
        get_story("hole-in-raw")


@pytest.mark.parametrize(("is_so", "ending"), [(True, Ending.HAPPENED), (False, Ending.REFUTED)])
def test_what_is_not_seen_is_refuted(is_so: bool, ending: Ending) -> None:
    assert happened_if(is_so, "seen") == PlayedOnce(ending, "seen")


def test_times_are_counted_by_how_they_ended() -> None:
    played = Played("one", "5.7.0", (happened_if(True, ""), happened_if(False, ""), happened_if(True, "")))

    assert [played.count(ending) for ending in Ending] == [2, 1, 0]


def test_an_exception_is_reported_without_the_state_of_its_call() -> None:
    text = "LostException: Invocation{op=Put{a=1}, tries=2} failed because backup acks missed"

    assert shortened(text) == "LostException: failed because backup acks missed"
