"""The report of an exploration, value and page."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_model.language import ClaimKind
from gridproof_model.specifications import replication, two_phase_commit
from gridproof_properties.explorer import explore
from gridproof_properties.judging.verdict import Result
from gridproof_reports.contents.exploration_report import NoStateGraph, exploration_report, explore_line
from gridproof_reports.pages.exploration import build_exploration_report, render_exploration
from tests.reports.explored_worlds import commits, specification, traffic_light
from tests.reports.html_page import Page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """The page of the traffic light."""
    out = tmp_path_factory.mktemp("exploration") / "report.html"
    return Page(build_exploration_report(traffic_light(), out, repeat_line="gridproof explore traffic_light"))


def test_broken_claims_make_the_headline() -> None:
    report = exploration_report(traffic_light())

    assert report.headline == "2 of 4 claims are broken, judged over all 5 states."
    assert report.outcome is Result.BROKEN


def test_a_good_world_says_over_how_many_states() -> None:
    assert exploration_report(commits(1)).headline == "All 7 claims hold, judged over all 12 states."


def test_a_search_that_stopped_is_unknown_and_says_why_nothing_is_drawn() -> None:
    report = exploration_report(explore(two_phase_commit.specification.world(size=6), memory_bytes=1 << 16))

    assert report.outcome is Result.UNKNOWN
    assert "could not be decided over the" in report.headline
    assert isinstance(report.graph, NoStateGraph)
    assert "ended before it had seen every state" in report.graph.reason


def test_a_claim_that_nothing_tests_is_vacuous_and_no_verdict_on_the_world() -> None:
    broken_at_once = specification.world(turns_max=0)
    promises = tuple(claim for claim in broken_at_once.claims if claim.kind is ClaimKind.EVENTUALLY)
    report = exploration_report(explore(replace(broken_at_once, claims=promises)))

    assert report.headline == "Nothing tests any claim in all 1 states."
    assert report.outcome is Result.UNKNOWN
    assert '<span class="word">vacuous</span>' in render_exploration(report)


def test_an_action_that_never_fires_is_named() -> None:
    assert exploration_report(traffic_light()).never_fired == ("counts_below_nothing",)


def test_a_refusal_names_its_guard() -> None:
    row = exploration_report(traffic_light()).actions[0]

    assert [(one.guard, one.count) for one in row.refusals] == [("lamp = red", 2), ("turns < 2", 1)]


def test_what_is_broken_is_reported_before_what_happens() -> None:
    names = [story.name for story in exploration_report(traffic_light()).stories]

    assert names == ["it_turns_once", "green_turns_red", "it_is_green", "it_is_red"]


def test_a_larger_world_names_the_command_for_a_smaller_one() -> None:
    graph = exploration_report(commits(3)).graph

    assert graph == NoStateGraph(
        "A picture is drawn of at most 120 states; this world has 288 states.",
        "gridproof explore two_phase_commit --set size=2 --out smaller",
    )


def test_a_specification_without_a_smaller_world_names_no_command() -> None:
    graph = exploration_report(explore(specification.world(turns_max=100))).graph

    assert isinstance(graph, NoStateGraph)
    assert graph.command is None


def test_a_choice_is_written_as_it_is_typed() -> None:
    line = explore_line("replication", {"transfer": replication.Transfer.STATE, "urgent": True})

    assert line == "gridproof explore replication --set transfer=state --set urgent=true"


def test_every_tag_closes_and_nothing_comes_from_elsewhere(page: Page) -> None:
    assert page.open == []
    assert [target for target in page.targets if not target.startswith("#")] == []
    assert "<script" not in page.text


def test_every_link_leads_somewhere_and_no_identifier_stands_twice(page: Page) -> None:
    assert {target[1:] for target in page.targets} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)


def test_headings_never_skip_a_level(page: Page) -> None:
    steps = zip(page.headings, page.headings[1:], strict=False)

    assert all(lower - higher <= 1 for higher, lower in steps)


def test_claims_come_first_with_sentence_source_and_verdict(page: Page) -> None:
    places = [page.ids.index(name) for name in ("verdicts", "stories", "graph", "coverage", "figures")]
    words = re.findall(r'<span class="badge \w+(?: promised)?">.*?<span class="word">([^<]+)<', page.text, re.DOTALL)

    assert places == sorted(places)
    assert words == ["broken", "reached", "reached", "broken"]
    assert all(claim.source in page.text for claim in specification.claims)


def test_markup_in_a_sentence_is_shown_not_obeyed(page: Page) -> None:
    assert "<b>never</b>" not in page.text
    assert "&lt;b&gt;never&lt;/b&gt;" in page.text


def test_a_story_is_folded_unless_it_breaks_a_claim(page: Page) -> None:
    folds = dict(re.findall(r'<details class="exploration" id="story-(\w+)"( open)?>', page.text))

    assert folds == {"it_turns_once": " open", "green_turns_red": " open", "it_is_green": "", "it_is_red": ""}


def test_a_sometimes_that_holds_at_the_start_is_said_to_show_nothing(page: Page) -> None:
    found = re.findall(r">(\w+ \d steps?) from the start</p>(.*?)</td>", page.text)

    assert [words for words, rest in found if "this world does not show how it comes about" in rest] == ["seen 0 steps"]


def test_every_mark_can_be_picked_and_has_its_rules(page: Page) -> None:
    assert re.findall(r'id="pick-(\d)"', page.text) == ["0", "1", "2", "3"]
    assert page.text.count(" checked>") == 1
    assert "#pick-0:checked ~ .scroll .hit-0 circle:last-of-type { fill: var(--broken)" in page.text


def test_an_action_that_never_fired_is_marked(page: Page) -> None:
    assert '<td class="amount never">never</td>' in page.text


def test_a_larger_world_shows_the_reason_in_the_place_of_the_graph(tmp_path: Path) -> None:
    text = build_exploration_report(commits(3), tmp_path / "report.html").read_text()

    assert "state-graph" not in text.split("</style>")[1]
    assert "this world has 288 states" in text
