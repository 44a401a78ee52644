"""How soon a mutant is found, from several first seeds."""

from gridproof_properties.hunt import Catch, Hunt
from gridproof_properties.verdict import Result, Verdict
from gridproof_properties.zoo.members import SPECIMENS

BROKEN = (Verdict("any", Result.BROKEN, "it is broken"),)


def search(runs: int, *, found: bool = True) -> Hunt:
    return Hunt(SPECIMENS[0], runs, runs / 10, Catch(BROKEN, runs, runs / 10, runs - 1, None) if found else None)


def hunted(*searches: Hunt) -> Hunt:
    first, *others = searches
    assert first.catch is not None
    return Hunt(first.specimen, first.runs, first.seconds, first.catch, tuple(others))


def runs(hunt: Hunt) -> float:
    return hunt.median(lambda one: one.runs)


def test_runs_are_the_median_over_first_seeds() -> None:
    assert runs(hunted(search(9), search(1), search(3))) == 3


def test_a_search_that_found_nothing_took_longer_than_any() -> None:
    assert runs(hunted(search(9), search(1, found=False), search(30))) == 30


def test_there_is_no_median_where_most_searches_found_nothing() -> None:
    assert runs(hunted(search(1), search(1, found=False), search(1, found=False))) == float("inf")


def test_it_is_told_from_how_many_first_seeds_a_mutant_was_found() -> None:
    assert hunted(search(1), search(1, found=False), search(1)).found == (2, 3)


def test_what_was_searched_in_vain_is_what_the_shortest_search_without_a_find_took() -> None:
    assert hunted(search(1), search(7, found=False), search(8, found=False)).in_vain(lambda one: one.runs) == 7
