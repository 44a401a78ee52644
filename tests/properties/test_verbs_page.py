"""The page of verbs and moments says what is found."""

from pathlib import Path

import pytest

from tests.properties.simulated_verbs import simulate_status
from tests.properties.test_verbs_and_moments import by_day
from tests.properties.verbs_and_moments import Lie, Moment, Verb
from tests.properties.verbs_page import DRIVERS, FOUND, table_in

PAGE = (Path(__file__).parents[2] / "docs/verbs-and-moments.md").read_text("utf-8")
EVERY = [Lie(verb, moment) for verb in Verb for moment in Moment]


@pytest.mark.parametrize("driver", [one for one in DRIVERS if f"<!-- {one}: begin" in PAGE])
def test_the_page_has_every_cell_and_no_lie_is_missed(driver: str) -> None:
    shown = table_in(PAGE, driver)

    assert list(shown) == EVERY
    assert [cell for cell, one in shown.items() if one == "missed"] == []


@pytest.mark.parametrize("cell", by_day(EVERY, len(Moment)))
def test_a_simulated_run_finds_what_the_page_says(cell: Lie) -> None:
    assert (DRIVERS["simulate"](cell) == FOUND) is (table_in(PAGE, "simulate")[cell] == FOUND)


@pytest.mark.parametrize("cell", by_day(EVERY, len(Moment)))
def test_the_same_run_of_members_that_do_not_lie_breaks_nothing(cell: Lie) -> None:
    status, made = simulate_status(cell, is_honest=True, seeds=1)

    assert (status == 1, made) == (False, 0)
