"""The page of options is true."""

from tests.house.source_tree import ROOT
from tools.options_page import BEGIN, END, with_tables

PAGE = (ROOT / "docs" / "options.md").read_text("utf-8")


def test_the_page_shows_which_option_which_subject_follows() -> None:
    assert BEGIN in PAGE
    assert END in PAGE
    assert with_tables(PAGE) == PAGE, "renew it: python -m tools.options_page docs/options.md"
