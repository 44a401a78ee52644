"""Protocols of others: ours have the states that TLC counted of the originals, and the page says what was measured."""

import pytest

from tests.house.source_tree import ROOT
from tools.protocols.measured import kept, our_states
from tools.protocols.originals import ORIGINALS, Original
from tools.protocols.page import page

MEASURED = kept()
BY_DAY = 1_500
"""Larger worlds are explored by night."""
COUNTED = [(one, states) for one in ORIGINALS if (states := MEASURED[one.name].tlc_states) is not None]


def test_the_page_says_what_was_measured() -> None:
    written = (ROOT / "docs" / "protocols.md").read_text("utf-8")

    assert page(MEASURED) == written, "make it anew: python -m tools.protocols page docs/protocols.md"


def test_every_original_in_tla_was_counted() -> None:
    assert {one.name for one, _ in COUNTED} == {one.name for one in ORIGINALS if one.module is not None}


@pytest.mark.parametrize(
    ("original", "states"),
    [
        pytest.param(one, states, id=one.name, marks=() if states <= BY_DAY else pytest.mark.nightly)
        for one, states in COUNTED
    ],
)
def test_ours_has_the_states_of_the_original(original: Original, states: int) -> None:
    assert our_states(original) == states
