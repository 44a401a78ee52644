"""`gridproof papers`, as typed."""

from pathlib import Path

import pytest

from gridproof.commands import papers as command
from gridproof_properties.intervals import exactly
from gridproof_properties.papers import PAPERS
from gridproof_properties.recomputing.paper import Cell, Effort, Published, Recomputed, Tolerance
from tests.front_door.command_line import CommandLine
from tests.properties.papers_read_back import read_page

FAST = "data-loss-1988"


def test_every_paper_is_listed_and_nothing_is_computed(gridproof: CommandLine) -> None:
    listed = gridproof("papers")

    assert listed.status == 0
    assert [paper.name for paper in PAPERS if paper.name not in listed.out] == []


def test_a_list_for_machines_has_the_citations(gridproof: CommandLine) -> None:
    listed = gridproof("papers", "--json").json["papers"]

    assert [one["name"] for one in listed] == [paper.name for paper in PAPERS]
    assert all(one["citation"] for one in listed)


def test_a_paper_is_reported_cell_by_cell_with_what_is_not_within(gridproof: CommandLine) -> None:
    shown = gridproof("papers", FAST)

    assert shown.status == 0
    assert "level 2, groups of 25" in shown.out
    assert "+150.4%" in shown.out
    assert "the paper's own formula gives 258,621 h for the paper's own inputs" in shown.out
    assert "not read in the paper: not counted" in shown.out
    assert "9 cells: of formulas 4 within; 5 not counted; seed 0" in shown.out


def test_json_reports_inputs_interval_difference_and_tolerance(gridproof: CommandLine) -> None:
    (paper,) = gridproof("papers", FAST, "--json").json["papers"]

    cell = next(one for one in paper["cells"] if one["cell"] == "level 3, groups of 10")
    assert cell["published"] == {"value": 820_000.0, "origin": "recalled"}
    assert cell["ours"]["low"] == cell["ours"]["value"] == cell["published"]["value"] + cell["difference"]
    assert cell["tolerance"]["from"] < cell["ours"]["value"] < cell["tolerance"]["to"]
    assert cell["comparison"] == "not counted"
    assert paper["counts"]["within"] == 4


def test_equal_seeds_say_the_same_and_others_do_not(gridproof: CommandLine) -> None:
    first, second, other = (gridproof("papers", FAST, "--quick", "--seed", seed).out for seed in (3, 3, 4))

    assert first == second != other


@pytest.mark.nightly
def test_several_papers_side_by_side_are_as_one_after_the_other(gridproof: CommandLine) -> None:
    words = ("papers", "balls-1994", FAST, "--quick", "--json")

    assert gridproof(*words, "--workers", 2).json == gridproof(*words, "--workers", 1).json


def test_a_page_is_written_and_can_be_read_back(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("papers", FAST, "--page", tmp_path / "papers.md")

    page = read_page((tmp_path / "papers.md").read_text(encoding="utf-8"))
    assert len(page[FAST]) == 9


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ((("1", 1.0), ("2", 2.0)), 0),
        ((("1", 1.0), ("2", None)), 3),
        ((("1", 9.0), ("2", None)), 1),
    ],
)
def test_the_status_says_the_worst_cell(cells: tuple[tuple[str, float | None], ...], status: int) -> None:
    made = [
        Cell("", "", Published(text), Tolerance("rounding"), None if ours is None else exactly(ours))
        for text, ours in cells
    ]

    assert command.exit_status([Recomputed("some", Effort(), made)]) == status


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("demers",), "no paper is called 'demers': did you mean demers-1987?"),
        (("nothing",), "no paper is called 'nothing': `gridproof papers` lists them"),
        ((FAST, "--all"), "--all stands for every paper"),
        ((FAST, "--seed", "-1"), "--seed -1: a seed is a whole number"),
        ((FAST, "--seed", "9" * 30), "write a whole number of at most"),
        ((FAST, "--workers", "0"), "--workers 0: write a number of processes from 1 to 256"),
        (("--page", "page.md"), "--page does not apply to a list of papers"),
        ((FAST, "--page", "/dev/page.md"), "--page /dev/page.md is no ordinary file"),
        ((FAST, "--page", "."), "--page . is no ordinary file"),
        ((FAST, "--seed", "many"), "invalid int value"),
    ],
)
def test_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    wrong = gridproof("papers", *words)

    assert wrong.status == 2
    assert said in wrong.err
    assert wrong.err.count("\n") == 1
    assert wrong.out == ""
