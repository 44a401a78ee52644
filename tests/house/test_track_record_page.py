"""The page of the track record is what was played, and what is played anew takes the place of what was."""

import json

from tests.house.source_tree import ROOT
from tools.track_record import joined, page_of, record_of, written

PAGE = ROOT / "docs" / "track-record.md"
PLAYS = json.loads(record_of(PAGE).read_text("utf-8"))


def test_the_page_is_what_was_played() -> None:
    renew = "renew it: python -m tools.track_record docs/track-record.md"

    assert page_of(PLAYS) == PAGE.read_text("utf-8"), renew


def test_the_file_of_what_was_played_is_as_the_tool_writes_it() -> None:
    assert written(joined(PLAYS, [])) == record_of(PAGE).read_text("utf-8")


def test_what_is_played_anew_takes_the_place_of_what_was_played_on_that_version() -> None:
    first = PLAYS[0]
    once = {"ending": "refuted", "sentence": "they did otherwise", "steps": [], "took_ms": 1}

    found = joined(PLAYS, [{**first, "times": [once]}])

    assert len(found) == len(PLAYS)
    assert found[0]["times"] == [{"ending": "refuted", "sentence": "they did otherwise"}]
    assert f"- {first['version']}: refuted in 1 of 1 trials: they did otherwise." in page_of(found)
