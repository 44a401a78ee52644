"""Mutants meet the runs that come to their place."""

from dataclasses import replace

import pytest

from suite.blind import search as searches
from suite.blind.attack import Attack, Fate
from suite.blind.mutations import BlindMutant, blind_mutants
from suite.blind.search import BlindSearch, draw
from suite.reach.measure import Reach, ReachOfRun
from suite.reach.probes import probe_module
from suite.reach.survey import Survey

TEXT = """
LIMIT = 3


def pick(value):
    if value:
        return value + LIMIT
    return value - 1
"""


@pytest.fixture
def search() -> BlindSearch:
    """One where run 1 comes to the first return, run 2 to the second, and both to the condition."""
    probed = probe_module("m", TEXT)
    names = [point.name for point in probed.points]
    first, second = names.index("m.pick: when `value`"), names.index("m.pick: behind a part that may leave")
    reach = Reach()
    reach.add(ReachOfRun(1, 1 | 1 << first, 0.1))
    reach.add(ReachOfRun(2, 1 | 1 << second, 0.1))
    return BlindSearch(Survey(probed.points, {"m": probed.tree}, {"m": probed.numbers}), reach, 1.0)


def mutant(change: str) -> BlindMutant:
    return next(one for one in blind_mutants("m", TEXT) if one.change == change)


@pytest.mark.parametrize(
    ("change", "seeds"),
    [
        ("value + LIMIT -> value - LIMIT", [1]),
        ("1 -> 2", [2]),
        ("if value: -> if not value:", [1, 2]),
        ("3 -> 4", [1, 2]),
    ],
)
def test_runs_that_come_to_the_changed_place_are_known(search: BlindSearch, change: str, seeds: list[int]) -> None:
    assert search.seeds_reaching(mutant(change)) == seeds


def test_a_place_that_no_run_comes_to_is_not_searched(search: BlindSearch) -> None:
    search.reach.runs.pop()

    assert search.attack(mutant("1 -> 2")).fate is Fate.NOT_REACHED


def test_a_place_that_only_later_runs_come_to_counts_as_not_reached(search: BlindSearch) -> None:
    assert replace(search, counted=1).attack(mutant("1 -> 2")).fate is Fate.NOT_REACHED


def test_a_mutant_that_is_shown_to_be_equivalent_is_not_searched(
    search: BlindSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    equivalent = mutant("1 -> 2")
    monkeypatch.setattr(searches, "EQUIVALENT", {equivalent.key: "a program shows it"})

    assert search.attack(equivalent).fate is Fate.EQUIVALENT


def test_searches_end_in_the_order_of_the_mutants(search: BlindSearch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "attack", lambda mutant, *_, **__: Attack(mutant, Fate.SURVIVED))
    mutants = list(blind_mutants("m", TEXT))

    assert [one.mutant for one in search.attacks(mutants, workers=3)] == mutants


def test_equal_seeds_draw_equal_mutants() -> None:
    mutants = list(blind_mutants("m", TEXT))

    assert draw(mutants, 3, seed=1) == draw(mutants, 3, seed=1) != draw(mutants, 3, seed=2)
    assert len(draw(mutants, 1_000, seed=1)) == len(mutants)
