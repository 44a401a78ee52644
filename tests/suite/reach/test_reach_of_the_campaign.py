"""What drawn runs reach, held against its page."""

from suite.reach.page import NO_REASON, check_page, read_page
from suite.reach.reasons import fits, reasons
from tests.house.source_tree import ROOT

PAGE = read_page((ROOT / "docs" / "reach.md").read_text(encoding="utf-8"))


def test_nothing_has_fallen_out_of_reach() -> None:
    assert list(check_page(PAGE).sentences()) == []


def test_whatever_no_run_reaches_has_a_reason() -> None:
    assert [name for name, reason in PAGE.unreached.items() if reason == NO_REASON] == [], "give it in reach/reasons/"


def test_every_reason_is_about_something_on_the_page() -> None:
    idle = [pattern for pattern, _ in reasons() if not any(fits(pattern, name) for name in PAGE.listed)]

    assert idle == [], "take these out of reach/reasons/: many runs reach what they are about"
