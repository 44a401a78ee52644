"""The walk of one write is what runs."""

import re

from tests.house.source_tree import ROOT
from tools.walk_of_a_write import STORY, page, played

PAGE = (ROOT / "docs" / "walk-of-a-write.md").read_text("utf-8")


def test_the_page_shows_what_runs() -> None:
    assert page() == PAGE, "renew it: python -m tools.walk_of_a_write docs/walk-of-a-write.md"


def test_the_write_comes_to_every_step_of_its_story() -> None:
    assert list(played()) == list(STORY)


def test_every_file_that_it_leads_to_is_there() -> None:
    assert [path for path in re.findall(r"\]\(\.\./([^)]+)\)", PAGE) if not (ROOT / path).exists()] == []
