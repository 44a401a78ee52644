"""Draws a state graph; its rows are ordered from top to bottom.

No step leads down by more than one row, so a plain line is a step downwards and needs no arrow head; steps along a row
or back up are dashed and have an arrow head. The letter on a line stands for an action. Elements of the picture have
classes (`hit-2`, `due-2`, `way-2` for claim number 2) that mark the states and lines of a claim, so that a page can
show one claim at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from string import ascii_letters

from gridproof_properties.judging.words import count
from gridproof_reports.drawing.layers import spread
from gridproof_reports.drawing.state_graph import Arrow, StateGraph
from gridproof_reports.drawing.style import MEMBERS, MUTED, Colour

RADIUS = 12
MARGIN = 24
ROOM_PX = 1130
"""If a picture is wider than this, its states are drawn closer together."""
COLUMN_PX = (38, 108)
"""The least and the greatest distance between neighbours in a row."""
ROW_PX = (72, 132)
"""The least and the greatest distance between rows; it grows with the number of lines."""
LETTER_AT = (0.42, 0.5, 0.34, 0.58, 0.28, 0.66, 0.73)
"""The places on a line where its letter may stand, the best one first; the first free place is used."""
LETTER_PX = 11
"""If two letters are closer than this, they overlap."""
BACK_PX = 50
"""The width that is kept free on each side for lines that lead back up."""
BEND_PX = 11
"""The distance between two lines that join the same two states."""


@dataclass(frozen=True, slots=True)
class ActionKey:
    """The letter and the colour that an action has in the picture."""

    action: str
    letter: str
    colour: Colour
    lines: int


def action_keys(graph: StateGraph) -> tuple[ActionKey, ...]:
    """Return the letter and the colour of every action that is drawn; there are fewer colours than letters."""
    return tuple(
        ActionKey(
            action,
            ascii_letters[number] if number < len(ascii_letters) else str(number),
            MEMBERS[number] if number < len(MEMBERS) else MUTED,
            sum(arrow.action == action for arrow in graph.arrows),
        )
        for number, action in enumerate(graph.actions)
    )


def draw_state_graph(graph: StateGraph) -> str:
    """Return the picture as an SVG element of fixed size."""
    places = _places(graph)
    curves = list(_curves(graph, places))
    keys = {key.action: key for key in action_keys(graph)}
    lines: list[str] = []
    letters: list[str] = []
    taken: list[Point] = [*places]
    for arrow, curve in curves:
        lines.append(_line(graph, arrow, curve, keys[arrow.action]))
        taken.append(_free_place(curve, taken))
        letters.append(_letter(taken[-1], keys[arrow.action]))
    states = (_state(graph, number, *places[number]) for number in range(len(graph.states)))
    opening = _open(graph, [*places, *(point for _, curve in curves for point in curve)])
    return "\n".join([opening, *lines, *letters, *states, "</svg>"])


Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]


def _ends(arrow: Arrow) -> tuple[int, int]:
    return arrow.source, arrow.target


def _places(graph: StateGraph) -> list[Point]:
    """Return the point of every state's middle, in px."""
    rows = [list(row) for row in graph.rows]
    at = spread(rows, [_ends(arrow) for arrow in graph.arrows])
    least, most = COLUMN_PX
    row_of = {number: index for index, row in enumerate(rows) for number in row}
    leads_back = any(row_of[arrow.target] < row_of[arrow.source] for arrow in graph.arrows)
    room = ROOM_PX - 2 * MARGIN - (2 * BACK_PX if leads_back else 0)
    column = max(least, min(most, room / max(max(at.values()) - min(at.values()), 1)))
    busiest = max(sum(arrow.source in row for arrow in graph.arrows) for row in map(set, rows))
    row_px = min(max(ROW_PX[0], 3.2 * busiest + 60), ROW_PX[1])
    return [(column * at[number], row_px * row_of[number]) for number in range(len(graph.states))]


def _open(graph: StateGraph, points: list[Point]) -> str:
    """Return the opening tag, with a size that is just large enough for everything that is drawn."""
    left, top = (min(point[axis] for point in points) - MARGIN for axis in (0, 1))
    width = max(x for x, _ in points) + MARGIN - left
    height = max(y for _, y in points) + MARGIN - top
    label = escape(f"{count(len(graph.states), 'state')} of {graph.world.title} and the steps between them")
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}"'
    return f'<svg class="state-graph" {size} role="img" aria-label="{label}">'


def _curves(graph: StateGraph, places: list[Point]) -> Iterator[tuple[Arrow, Curve]]:
    """Yield every line; if several lines join the same two states, they are bent so that they do not overlap."""
    for _, group in groupby(sorted(graph.arrows, key=_ends), key=_ends):
        together = list(group)
        for number, arrow in enumerate(together):
            yield arrow, _curve(graph, arrow, places, BEND_PX * (2 * number - len(together) + 1))


def _curve(graph: StateGraph, arrow: Arrow, places: list[Point], bend: float) -> Curve:
    (x1, y1), (x2, y2) = places[arrow.source], places[arrow.target]
    if y2 > y1:
        pull = (y2 - y1) * 0.22
        slant = (x2 - x1) * 0.12
        return (x1, y1), (x1 + slant + bend, y1 + pull), (x2 - slant + bend, y2 - pull), (x2, y2)
    if y2 == y1:
        dip = min(24 + abs(x2 - x1) * 0.12, 46) + bend
        return (x1, y1), (x1, y1 + dip), (x2, y2 + dip), (x2, y2)
    away = 34 + abs(y1 - y2) * 0.1 + bend
    side = away if x1 >= places[graph.rows[0][0]][0] else -away
    return (x1, y1), (x1 + side, y1), (x2 + side, y2), (x2, y2)


def _line(graph: StateGraph, arrow: Arrow, curve: Curve, key: ActionKey) -> str:
    ways = [f"way-{number}" for number, mark in enumerate(graph.marks) if _ends(arrow) in mark.way]
    is_down = curve[3][1] > curve[0][1]
    classes = " ".join(["step", *([] if is_down else ["aside"]), *ways])
    label = escape(f"{arrow.source} to {arrow.target}: {' or '.join(arrow.events)}".replace("_", " "))
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = curve
    path = f'<path d="M{x1:.1f} {y1:.1f}C{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f} {x4:.1f} {y4:.1f}"/>'
    head = "" if is_down else _head(curve)
    return f'<g class="{classes}" style="--line:{key.colour.css}"><title>{label}</title>{path}{head}</g>'


def _head(curve: Curve) -> str:
    """Return the head of an arrow, at the point where its line meets the edge of the state at which it ends."""
    (x3, y3), (x4, y4) = curve[2], curve[3]
    length = ((x4 - x3) ** 2 + (y4 - y3) ** 2) ** 0.5 or 1
    dx, dy = (x4 - x3) / length, (y4 - y3) / length
    tip_x, tip_y = x4 - dx * (RADIUS + 1), y4 - dy * (RADIUS + 1)
    back_x, back_y = tip_x - dx * 7, tip_y - dy * 7
    points = ((tip_x, tip_y), (back_x - dy * 3.5, back_y + dx * 3.5), (back_x + dy * 3.5, back_y - dx * 3.5))
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def _free_place(curve: Curve, taken: list[Point]) -> Point:
    """Return a place on the line where a letter overlaps no other letter; if there is none, the best place."""
    candidates = [_point(curve, along) for along in LETTER_AT]
    for x, y in candidates:
        if all(abs(x - other_x) > LETTER_PX or abs(y - other_y) > LETTER_PX for other_x, other_y in taken):
            return x, y
    return candidates[0]


def _point(curve: Curve, along: float) -> Point:
    """Return a point of a Bezier curve."""
    rest = 1 - along
    weights = (rest**3, 3 * rest * rest * along, 3 * rest * along * along, along**3)
    x, y = (sum(weight * point[axis] for weight, point in zip(weights, curve, strict=True)) for axis in (0, 1))
    return x, y


def _letter(place: Point, key: ActionKey) -> str:
    x, y = place
    return f'<text class="letter" x="{x:.1f}" y="{y + 3.5:.1f}">{key.letter}</text>'


def _state(graph: StateGraph, number: int, x: float, y: float) -> str:
    classes = " ".join(["state", *_classes(graph, number)])
    ring = f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS + 3.5}"/>' if number in graph.final else ""
    return (
        f'<g class="{classes}"><title>{escape(_describe(graph, number))}</title>{ring}'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/><text x="{x:.1f}" y="{y + 4:.1f}">{number}</text></g>'
    )


def _classes(graph: StateGraph, number: int) -> Iterator[str]:
    if number in graph.rows[0]:
        yield "start"
    for which, mark in enumerate(graph.marks):
        if number in mark.states:
            yield f"hit-{which}"
        elif number in mark.waiting:
            yield f"due-{which}"


def _describe(graph: StateGraph, number: int) -> str:
    values = zip(graph.world.names, graph.describe(number), strict=True)
    said = [f"{mark.claim.name} ({mark.claim.kind})" for mark in graph.marks if number in mark.states]
    lines = [f"state {number}", *(f"{name} = {value}" for name, value in values)]
    return "\n".join([*lines, *([f"seen here: {', '.join(said)}"] if said else [])])
