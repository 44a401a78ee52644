"""A small world as a graph, and its picture."""

import re
from itertools import combinations

import pytest

from gridproof_model.language.run import Runner
from gridproof_model.specifications import SPECIFICATIONS, two_phase_commit
from gridproof_properties.explorer import Exploration, explore
from gridproof_reports.contents.exploration_report import DRAWN_WORLDS, TOO_LARGE
from gridproof_reports.drawing.state_graph import STATES_MAX, StateGraph, read_state_graph
from gridproof_reports.drawing.state_graph_drawing import RADIUS, action_keys, draw_state_graph
from tests.reports.explored_worlds import commits, traffic_light


def graph_of(found: Exploration) -> StateGraph:
    """The graph of a world that has one."""
    graph = read_state_graph(found)
    assert graph is not None
    return graph


@pytest.mark.parametrize("found", [traffic_light(), commits(1), commits(2)], ids=lambda found: str(found.world.title))
def test_the_graph_has_the_states_levels_and_steps_the_exploration_counted(found: Exploration) -> None:
    graph = graph_of(found)

    assert tuple(map(len, graph.rows)) == found.level_sizes
    assert sum(len(arrow.events) for arrow in graph.arrows) + graph.idle_steps == found.transitions


def test_states_are_numbered_as_they_are_read() -> None:
    graph = graph_of(commits(2))

    assert [number for row in graph.rows for number in row] == list(range(56))


def test_no_step_leads_more_than_one_row_down() -> None:
    graph = graph_of(commits(2))
    row_of = {number: index for index, row in enumerate(graph.rows) for number in row}

    assert max(row_of[arrow.target] - row_of[arrow.source] for arrow in graph.arrows) == 1


def test_a_state_is_final_when_nothing_changes_any_more() -> None:
    graph = graph_of(commits(2))
    runner = Runner(graph.world)

    still = {n for n, s in enumerate(graph.states) if all(runner.step(s, e) == s for e in runner.events(s))}

    assert graph.final == still


def test_a_broken_claim_marks_the_states_that_break_it_and_the_way_there() -> None:
    mark = graph_of(traffic_light()).marks[0]

    assert mark.claim.name == "it_turns_once"
    assert mark.states == {3}
    assert mark.way == {(0, 1), (1, 2), (2, 3)}


def test_a_promise_marks_where_it_is_due() -> None:
    mark = next(one for one in graph_of(traffic_light()).marks if one.claim.name == "green_turns_red")

    assert mark.states == {0, 2, 4}
    assert mark.waiting == {1, 3}


def test_what_is_met_is_no_longer_due() -> None:
    mark = next(one for one in graph_of(commits(2)).marks if one.claim.name == "a_commit_reaches_every_manager")

    assert (len(mark.states), len(mark.waiting)) == (1, 3)
    assert not mark.states & mark.waiting


def test_a_claim_that_holds_everywhere_marks_nothing() -> None:
    marked = {mark.claim.name for mark in graph_of(commits(2)).marks}

    assert "managers_agree" not in marked
    assert "all_managers_commit" in marked


def test_a_large_world_has_no_graph() -> None:
    assert commits(3).states > STATES_MAX
    assert read_state_graph(commits(3)) is None


def test_a_few_classes_that_stand_for_many_states_have_no_graph() -> None:
    found = explore(two_phase_commit.specification.world(size=3), symmetry=True)

    assert found.states < STATES_MAX
    assert read_state_graph(found) is None


def test_every_specification_has_a_world_to_draw_unless_it_is_said_to_be_too_large() -> None:
    names = [specification.name for specification in SPECIFICATIONS]

    assert list(DRAWN_WORLDS) == [name for name in names if name not in TOO_LARGE]
    assert set(names) >= TOO_LARGE


@pytest.mark.parametrize("name", DRAWN_WORLDS)
def test_every_world_we_point_to_is_drawn_and_shows_something(name: str) -> None:
    specification = next(one for one in SPECIFICATIONS if one.name == name)

    graph = graph_of(explore(specification.world(**DRAWN_WORLDS[name])))

    assert len(graph.states) > 50
    assert sum(bool(mark.way or mark.waiting) for mark in graph.marks) >= 2


def test_every_state_and_every_line_is_drawn_once() -> None:
    graph = graph_of(commits(2))

    drawn = draw_state_graph(graph)

    assert len(re.findall(r'<g class="state\b', drawn)) == len(graph.states)
    assert len(re.findall(r'<g class="step\b', drawn)) == len(graph.arrows)
    assert len(re.findall(r'<text class="letter"', drawn)) == len(graph.arrows)


@pytest.mark.parametrize("name", DRAWN_WORLDS)
def test_no_two_states_touch(name: str) -> None:
    specification = next(one for one in SPECIFICATIONS if one.name == name)
    drawn = draw_state_graph(graph_of(explore(specification.world(**DRAWN_WORLDS[name]))))

    found = re.findall(rf'cx="(\S+)" cy="(\S+)" r="{RADIUS}"', drawn)
    places = [(float(x), float(y)) for x, y in found]
    assert min((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in combinations(places, 2)) > (2 * RADIUS + 8) ** 2


@pytest.mark.parametrize("found", [traffic_light(), commits(2)], ids=lambda found: str(found.world.title))
def test_nothing_is_cut_at_the_edges(found: Exploration) -> None:
    drawn = draw_state_graph(graph_of(found))

    left, top, width, height = (float(part) for part in re.findall(r'viewBox="(.*?)"', drawn)[0].split())
    numbers = [[float(one) for one in re.findall(r"-?\d+\.\d", path)] for path in re.findall(r' d="(.*?)"', drawn)]
    assert all(left <= x <= left + width for path in numbers for x in path[::2])
    assert all(top <= y <= top + height for path in numbers for y in path[1::2])


def test_a_step_back_has_a_head_and_one_downwards_none() -> None:
    drawn = draw_state_graph(graph_of(traffic_light()))

    assert len(re.findall("<polygon", drawn)) == 1
    assert len(re.findall('class="step aside', drawn)) == 1


def test_a_state_says_its_variables() -> None:
    drawn = draw_state_graph(graph_of(traffic_light()))

    assert "<title>state 0\nlamp = red\nturns = 0\n" in drawn


def test_every_action_has_a_letter_and_a_colour_of_its_own() -> None:
    keys = action_keys(graph_of(commits(2)))

    assert len({key.letter for key in keys}) == len({key.colour for key in keys}) == len(keys) == 7
