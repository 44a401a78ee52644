"""Published tables, recomputed and held against their page."""

from functools import cache

import pytest

from gridproof_properties.papers import PAPERS, recompute
from gridproof_properties.recomputing.paper import COMPARED, Comparison, Effort, Origin, Recomputed
from gridproof_properties.recomputing.papers_page import published_text
from tests.house.source_tree import ROOT
from tests.properties.papers_read_back import read_page

EFFORT = Effort(seed=0, share=0.08)
OF_RARE_EVENTS = {"detectors-2002": Effort(seed=0, share=0.15)}
"""By paper: fewer runs would see none of its events."""
CURE = "make the page anew: gridproof papers --all --page docs/papers.md"
WITHIN_AT_LEAST = {
    "demers-1987": 23,
    "data-loss-1988": 2,
    "balls-1994": 15,
    "detectors-2002": 1,
    "bursts-2010": 6,
    "pbs-2012": 44,
    "copysets-2013": 20,
    "jump-hash-2014": 10,
}
"""By paper: how many cells are to be within their tolerance, few as the runs are; the others are undecided."""
PRINTED_AT_LEAST = 84
"""How many of all these are to be numbers that a paper prints."""
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
OPPOSITES = {Comparison.WITHIN, Comparison.OUTSIDE}


@cache
def computed(name: str) -> Recomputed:
    return recompute(name, OF_RARE_EVENTS.get(name, EFFORT))


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
def test_numbers_that_papers_print_come_out() -> None:
    counts = [computed(paper.name).count(Comparison.WITHIN, Origin.PRINTED) for paper in PAPERS]

    assert sum(counts) >= PRINTED_AT_LEAST


@pytest.mark.xdist_group("papers")
def test_what_is_from_memory_counts_as_no_agreement() -> None:
    remembered = [computed(paper.name).count(one, Origin.RECALLED) for paper in PAPERS for one in COMPARED]

    assert sum(remembered) == 0


def test_names_of_papers_are_unique() -> None:
    assert len({paper.name for paper in PAPERS}) == len(PAPERS)


@pytest.mark.xdist_group("papers")
def test_equal_efforts_give_equal_cells() -> None:
    assert recompute("data-loss-1988", EFFORT) == recompute("data-loss-1988", EFFORT)


@pytest.mark.xdist_group("papers")
def test_another_seed_gives_other_samples() -> None:
    assert recompute("data-loss-1988", Effort(1, 0.15)).cells != computed("data-loss-1988").cells
