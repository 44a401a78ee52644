"""Protocols of others: ours have the states that TLC counted of the originals, and the page says what was measured."""

from contextlib import suppress

import pytest

from tests.house.source_tree import ROOT
from tools.protocols import by_hand
from tools.protocols.measured import ended_within, kept, our_states
from tools.protocols.originals import ORIGINALS, Original
from tools.protocols.page import page

MEASURED = kept()
BY_DAY = 1_500
"""Larger worlds are explored by night."""
COUNTED = [(one, states) for one in ORIGINALS if (states := MEASURED[one.name].tlc_states) is not None]


def test_the_page_says_what_was_measured() -> None:
    written = (ROOT / "docs" / "protocols.md").read_text("utf-8")

    assert page(MEASURED, by_hand.kept()) == written, "make it anew: python -m tools.protocols page docs/protocols.md"


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


def test_a_search_that_passes_over_the_end_of_its_limit_is_ended_all_the_same() -> None:
    def goes_on_once() -> None:
        with suppress(KeyboardInterrupt):  # as Python does with one in a destructor
            forever()
        forever()

    assert not ended_within(0.05, goes_on_once)


def forever() -> None:
    """Use processor time until somebody interrupts."""
    while True:
        pass
