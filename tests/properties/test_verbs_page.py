"""The page of verbs and moments says what is found."""

from pathlib import Path

import pytest

from tests.properties.live_verbs import runs_status
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


night = [pytest.mark.nightly]


BY_DAY = Lie(Verb.SIZE, Moment.CRASH)
"""Each takes ten seconds of waiting."""


@pytest.mark.live
@pytest.mark.xdist_group("live workloads")
@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(one, id=f"{one.verb} {one.moment}", marks=[] if one == BY_DAY else night)
        for n, one in enumerate(EVERY)
        if n % len(Moment) == n // len(Moment) % len(Moment) or one == BY_DAY
    ],
)
def test_a_live_run_finds_a_lie_about_a_verb_at_a_moment(cell: Lie) -> None:
    assert runs_status(cell) == 1


@pytest.mark.live
@pytest.mark.xdist_group("live workloads")
def test_a_live_run_of_processes_that_do_not_lie_breaks_nothing() -> None:
    assert runs_status(BY_DAY, is_honest=True, seeds=1) != 1
