"""Rows in an order that few lines cross."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gridproof_reports.drawing.layers import Line, Rows, crossings, ordered_rows, spread


@st.composite
def layered(draw: st.DrawFn) -> tuple[Rows, list[Line]]:
    """A few short rows, and lines between neighbouring ones."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    numbers = iter(range(sum(sizes)))
    rows = [[next(numbers) for _ in range(size)] for size in sizes]
    possible = [(a, b) for upper, lower in pairwise(rows) for a in upper for b in lower]
    return rows, draw(st.lists(st.sampled_from(possible), unique=True, max_size=12)) if possible else []


def test_two_crossing_lines_are_uncrossed() -> None:
    rows, lines = [[0, 1], [2, 3]], [(0, 3), (1, 2)]

    assert crossings(rows, lines) == 1
    assert crossings(ordered_rows(rows, lines), lines) == 0


def test_lines_from_one_state_do_not_cross() -> None:
    assert crossings([[0], [1, 2, 3]], [(0, 1), (0, 3), (0, 2)]) == 0


@given(layered())
def test_ordering_keeps_every_row_and_never_adds_a_crossing(graph: tuple[Rows, list[Line]]) -> None:
    rows, lines = graph

    ordered = ordered_rows(rows, lines)

    assert [sorted(row) for row in ordered] == rows
    assert crossings(ordered, lines) <= crossings(rows, lines)


@given(layered())
def test_neighbours_keep_their_order_and_their_distance(graph: tuple[Rows, list[Line]]) -> None:
    rows, lines = graph

    place = spread(rows, lines)

    pairs = [pair for row in rows for pair in pairwise(row)]
    assert all(place[right] - place[left] > 0.999 for left, right in pairs)


def test_a_state_stands_below_the_one_it_comes_from() -> None:
    place = spread([[0, 1, 2], [3]], [(2, 3)])

    assert place[3] == place[2]
