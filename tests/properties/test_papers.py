"""Published tables, recomputed and held against their page."""

from collections.abc import Iterator
from functools import cache
from types import ModuleType

import pytest

from gridproof_properties.papers import (
    PAPERS,
    balls_1994,
    copysets_2013,
    data_loss_1988,
    demers_1987,
    jump_hash_2014,
    pbs_2012,
    recompute,
)
from gridproof_properties.recomputing.balls import throw
from gridproof_properties.recomputing.paper import Cell, Comparison, Effort, Origin, Recomputed
from gridproof_properties.recomputing.papers_page import published_text, read_page
from gridproof_properties.recomputing.ring import bucket_sizes
from tests.house.source_tree import ROOT

EFFORT = Effort(seed=0, share=0.15)
CURE = "make the page anew: gridproof papers --all --page docs/papers.md"
WITHIN_AT_LEAST = {
    "demers-1987": 35,
    "data-loss-1988": 5,
    "balls-1994": 15,
    "pbs-2012": 14,
    "copysets-2013": 26,
    "jump-hash-2014": 12,
}
"""By paper: how many cells are to be within their tolerance, few as the runs are; the others are undecided."""
PRINTED_AT_LEAST = 60
"""How many of all these are to be numbers that a paper prints."""
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
TWO_CHOICES = "2 choices: bins with 2 balls or more"
ONE_POINT = "1 point a bucket: standard error"
OPPOSITES = {Comparison.WITHIN, Comparison.OUTSIDE}


@cache
def computed(name: str) -> Recomputed:
    return recompute(name, EFFORT)


def named(cells: Recomputed) -> dict[str, Comparison]:
    """Return how each cell compares, by its place as the page has it."""
    return {f"{one.place} [{one.unit}]" if one.unit else one.place: one.comparison for one in cells.cells}


@pytest.mark.parametrize("name", [paper.name for paper in PAPERS])
@pytest.mark.xdist_group("papers")
class TestEachPaper:
    def test_its_cells_have_names_of_their_own(self, name: str) -> None:
        assert len(named(computed(name))) == len(computed(name).cells)

    def test_the_page_has_its_cells_and_no_others(self, name: str) -> None:
        assert list(read_page(PAGE)[name]) == list(named(computed(name))), CURE

    def test_fewer_runs_say_nothing_else_than_the_page(self, name: str) -> None:
        now, page = named(computed(name)), read_page(PAGE)[name]

        assert [place for place in now if {now[place], page[place]} == OPPOSITES] == [], CURE

    def test_published_values_are_those_of_the_page(self, name: str) -> None:
        section = PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]

        missing = [one.place for one in computed(name).cells if f"| {published_text(one)} |" not in section]
        assert missing == [], CURE

    def test_few_runs_are_enough_for_most_cells(self, name: str) -> None:
        assert computed(name).count(Comparison.WITHIN) >= WITHIN_AT_LEAST[name]

    def test_every_compared_cell_says_its_inputs_and_why_so_near(self, name: str) -> None:
        cells = computed(name).cells

        assert [one.place for one in cells if not one.inputs] == []
        assert [one.place for one in cells if one.tolerance is not None and len(one.tolerance.why) < 8] == []

    def test_what_is_not_within_on_the_page_is_explained_or_undecided(self, name: str) -> None:
        page, notes = read_page(PAGE)[name], dict(zip(named(computed(name)), computed(name).cells, strict=True))
        unusual = {Comparison.OUTSIDE, Comparison.IMPOSSIBLE}

        assert [place for place, one in page.items() if one in unusual and not notes[place].note] == []


@pytest.mark.xdist_group("papers")
def test_sixty_numbers_that_papers_print_come_out() -> None:
    printed = [
        cell for paper in PAPERS for cell in computed(paper.name).cells
        if cell.published is not None and cell.published.origin is not Origin.FORMULA
    ]  # fmt: skip

    assert sum(cell.comparison is Comparison.WITHIN for cell in printed) >= PRINTED_AT_LEAST


def test_names_of_papers_are_unique() -> None:
    assert len({paper.name for paper in PAPERS}) == len(PAPERS)


@pytest.mark.xdist_group("papers")
def test_equal_efforts_give_equal_cells() -> None:
    assert recompute("data-loss-1988", EFFORT) == recompute("data-loss-1988", EFFORT)


@pytest.mark.xdist_group("papers")
def test_another_seed_gives_other_samples() -> None:
    assert recompute("data-loss-1988", Effort(1, 0.15)).cells != computed("data-loss-1988").cells


@pytest.mark.parametrize(
    ("paper", "name", "wrong", "place"),
    [
        (demers_1987, "SITES", 300, "table 2, k = 1, t_last"),
        (data_loss_1988, "DISK_HOURS", 29_000, "level 1, mirrored disks"),
        (balls_1994, "throw", lambda bins, balls, _, runs, rng: throw(bins, balls, 1, runs, rng), TWO_CHOICES),
        (pbs_2012, "REPLICAS", 4, "LNKD-DISK, R=1, W=1: reads fresh 0 ms after the commit"),
        (copysets_2013, "FAILURES", 51, "Facebook's HDFS, replicas in a window"),
        (
            jump_hash_2014,
            "bucket_sizes",
            lambda buckets, points, rng: bucket_sizes(buckets, points + 1, rng),
            ONE_POINT,
        ),
    ],
)
def test_another_world_than_the_paper_has_is_outside(
    paper: ModuleType, name: str, wrong: object, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paper, name, wrong)

    cells: Iterator[Cell] = paper.recompute(EFFORT)
    assert next(cell.comparison for cell in cells if cell.place == place) is Comparison.OUTSIDE
