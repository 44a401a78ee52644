"""How soon a mutant is found, from several first seeds."""

from dataclasses import replace

from gridproof_properties.judging.verdict import Result, Verdict
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.mutant import Find, search_campaign
from suite.zoo.mutation_search import Kill, MutationSearch, search_for

NOTICED_BY_ONE = next(one for one in MEMBER_MUTANTS if one.breaks == ("no-orphan",))
BROKEN = (Verdict("any", Result.BROKEN, "it is broken"),)


def search(runs: int, *, found: bool = True) -> MutationSearch:
    return MutationSearch(
        MEMBER_MUTANTS[0], runs, runs / 10, Kill(BROKEN, runs, runs / 10, runs - 1, None) if found else None
    )


def searched(*searches: MutationSearch) -> MutationSearch:
    first, *others = searches
    assert first.kill is not None
    return MutationSearch(first.member_mutant, first.runs, first.seconds, first.kill, tuple(others))


def runs(search_for: MutationSearch) -> float:
    return search_for.median(lambda one: one.runs)


def test_runs_are_the_median_over_first_seeds() -> None:
    assert runs(searched(search(9), search(1), search(3))) == 3


def test_a_search_that_found_nothing_took_longer_than_any() -> None:
    assert runs(searched(search(9), search(1, found=False), search(30))) == 30


def test_there_is_no_median_where_most_searches_found_nothing() -> None:
    assert runs(searched(search(1), search(1, found=False), search(1, found=False))) == float("inf")


def test_it_is_reported_from_how_many_first_seeds_a_mutant_was_found() -> None:
    assert searched(search(1), search(1, found=False), search(1)).found == (2, 3)


def test_what_was_searched_in_vain_is_what_the_shortest_search_without_a_find_took() -> None:
    assert searched(search(1), search(7, found=False), search(8, found=False)).in_vain(lambda one: one.runs) == 7


def in_vain(met: frozenset[str] | None) -> MutationSearch:
    return MutationSearch(NOTICED_BY_ONE, 1, 0.1, None, met=met)


def test_a_search_whose_runs_never_met_what_should_notice_says_so() -> None:
    assert replace(in_vain(frozenset()), others=(in_vain(frozenset({"full-rows"})),)).unmet == ("no-orphan",)


def test_a_search_that_met_it_once_is_a_survivor() -> None:
    assert replace(in_vain(frozenset()), others=(in_vain(frozenset({"no-orphan"})),)).unmet == ()


def test_a_search_of_one_property_meets_it_in_each_try() -> None:
    assert in_vain(None).unmet == ()


def test_a_search_remembers_what_its_runs_met() -> None:
    calm = replace(NOTICED_BY_ONE, search=lambda seed: Find((), met=frozenset({"full-rows"})))

    searched = search_for(calm, budget_s=0.01)

    assert searched.met == frozenset({"full-rows"})
    assert searched.unmet == ("no-orphan",)


def test_a_try_says_which_properties_its_run_met() -> None:
    met = search_campaign(1).met

    assert met is not None
    assert "full-rows" in met
    assert "no-lite-owner" not in met
