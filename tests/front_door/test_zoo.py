"""`python -m suite zoo`, as typed."""

from pathlib import Path

import pytest

from suite.commands import zoo
from suite.zoo.members import MEMBER_MUTANTS
from suite.zoo.mutant import MemberMutant
from suite.zoo.mutation_search import MutationSearch
from tests.front_door.command_line import CommandLine

PAGE = Path(__file__).parents[2] / "docs" / "zoo.md"


def survive(member_mutant: MemberMutant, *_ignored: object) -> MutationSearch:
    """Find nothing."""
    return MutationSearch(member_mutant, 3, 0.5, None)


def test_a_mutant_is_found_by_its_number(gridproof: CommandLine) -> None:
    found = gridproof("suite", "zoo", "M03")

    assert found.status == 0
    assert "key-affinity" in found.out
    assert "python -m suite zoo M03 --seed 0" in found.out
    assert "killed 1 of 1" in found.out


def test_a_mutant_is_found_by_its_name_and_reported_as_json(gridproof: CommandLine) -> None:
    (mutant,) = gridproof("suite", "zoo", "whole-name-routed", "--json").json["mutants"]

    assert mutant["killed_by"] == ["key-affinity"]
    assert mutant["size"] == 1


def test_the_line_that_repeats_a_find_finds_at_once(gridproof: CommandLine) -> None:
    first = gridproof("suite", "zoo", "M40", "--json").json["mutants"][0]

    again = gridproof(*first["repeat"].split()[2:], "--json").json["mutants"][0]

    assert again["runs"] == 1


def test_a_mutant_is_searched_for_from_several_first_seeds(gridproof: CommandLine) -> None:
    (mutant,) = gridproof("suite", "zoo", "M40", "--starts", "3", "--json").json["mutants"]

    assert [start["found"] for start in mutant["starts"]] == [True] * 3


def test_no_search_at_all_is_refused(gridproof: CommandLine) -> None:
    refused = gridproof("suite", "zoo", "M40", "--starts", "0")

    assert refused.status == 2
    assert "--starts at least 1" in refused.err


def test_a_survivor_fails(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo, "search_from", survive)

    survived = gridproof("suite", "zoo", "M03")

    assert survived.status == 1
    assert "survived" in survived.out


def test_a_mutant_whose_property_no_run_met_is_unknown(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        zoo, "search_from", lambda member_mutant, *_: MutationSearch(member_mutant, 3, 0.5, None, met=frozenset())
    )

    unknown = gridproof("suite", "zoo", "M03")

    assert unknown.status == 3
    assert "unknown, never met" in unknown.out
    assert "M03 unknown: in none of 3 runs key-affinity had anything to compare" in unknown.out
    assert gridproof("suite", "zoo", "M03", "--json").json["mutants"][0]["unmet"] == ["key-affinity"]


def test_a_survivor_is_worse_than_what_no_run_met(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    met = {"M03": frozenset[str](), "M01": frozenset({"key-to-partition"})}
    monkeypatch.setattr(zoo, "search_from", lambda one, *_: MutationSearch(one, 3, 0.5, None, met=met[one.number]))

    assert gridproof("suite", "zoo", "M03", "M01").status == 1


def test_what_has_no_witness_counts_in_no_score(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo, "search_from", survive)

    survived = gridproof("suite", "zoo", "M15")

    assert survived.status == 3
    assert "killed 0 of 0" in survived.out


def test_a_name_that_nobody_has_is_one_line(gridproof: CommandLine) -> None:
    wrong = gridproof("suite", "zoo", "M99")

    assert wrong.status == 2
    assert wrong.err.startswith("gridproof: no mutant is called 'M99'")
    assert wrong.err.count("\n") == 1


def test_no_budget_is_wrong_use(gridproof: CommandLine) -> None:
    assert gridproof("suite", "zoo", "M03", "--budget", 0).status == 2


def test_the_page_reports_every_mutant() -> None:
    page = PAGE.read_text()

    assert [one.name for one in MEMBER_MUTANTS if f"{one.number} `{one.name}`" not in page] == []
