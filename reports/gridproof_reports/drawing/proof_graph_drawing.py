"""Draws a proof: claims in green and lemmas in blue, each above the lemmas that it needs.

A line leads from a claim or lemma to a lemma that it needs, and shows for which actions if one points at it; a line
that leads upwards or along a row is dashed. A claim or lemma that is not proved is red, and shows the action that
breaks it, with the states before and after the action.
"""

from html import escape
from textwrap import wrap

from gridproof_properties.claims.proof_graph import Node, ProofGraph
from gridproof_reports.drawing.layers import ordered_rows, spread

WIDTH_PX, GAP_PX = 210, 24
LINE_PX, ROW_PX, MARGIN = 15, 76, 20
CHARACTERS, LINES_MAX = 30, 24
"""The most characters in a line and the most lines in a box; the whole text is shown when one points at the box."""
STYLE = """
.proof-graph text{font:12px system-ui,sans-serif;fill:#1b2733;text-anchor:middle}
.proof-graph rect{fill:#eaf3ee;stroke:#2f7d5b}.proof-graph .lemma rect{fill:#eef2f8;stroke:#5b7aa8}
.proof-graph .open rect{fill:#fbe9e7;stroke:#b3261e;stroke-width:2}
.proof-graph path{fill:none;stroke:#77838f}.proof-graph .aside path{stroke-dasharray:4 3}
.proof-graph g.lean:hover path{stroke:#b3261e;stroke-width:2.5}
"""


def draw_proof_graph(graph: ProofGraph) -> str:
    """Return the picture as an SVG document of fixed size."""
    names = list(graph.nodes)
    number = {name: at for at, name in enumerate(names)}
    lines = [(number[one], number[other]) for one, below in graph.leans_on.items() for other in below]
    rows = ordered_rows([[number[name] for name in row] for row in graph.rows], lines)
    across = spread(rows, lines)
    tall = [max(_height(graph.nodes[names[node]]) for node in row) for row in rows]
    down = [sum(tall[:at]) + ROW_PX * at for at in range(len(rows))]
    place = {n: (across[n] * (WIDTH_PX + GAP_PX), down[at]) for at, row in enumerate(rows) for n in row}
    left = min(x for x, _ in place.values()) - WIDTH_PX / 2 - MARGIN
    width = max(x for x, _ in place.values()) + WIDTH_PX / 2 + MARGIN - left
    height = down[-1] + tall[-1] + MARGIN + ROW_PX / 2
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="{left:.0f} {-MARGIN} {width:.0f} {height:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="proof-graph" {size} role="img" aria-label="a proof">'
    leaning = (
        _lean(graph.nodes[one], graph.nodes[other], actions, place[number[one]], place[number[other]])
        for one, below in graph.leans_on.items()
        for other, actions in below.items()
    )
    boxes = (_box(graph.nodes[name], *place[number[name]]) for name in names)
    return "\n".join([opening, f"<style>{STYLE}</style>", *leaning, *boxes, "</svg>", ""])


def _lines(node: Node) -> list[str]:
    """Return the lines in a box: the name of the claim or lemma and, if it is not proved, the reason."""
    why = [part for line in node.failure for part in wrap(line.strip().replace("_", " "), CHARACTERS)]
    lines = [*wrap(node.name.replace("_", " "), CHARACTERS), *why]
    return lines if len(lines) <= LINES_MAX else [*lines[: LINES_MAX - 1], "…"]


def _height(node: Node) -> int:
    return LINE_PX * len(_lines(node)) + 14


def _box(node: Node, x: float, y: float) -> str:
    kind = f"{'lemma' if node.is_lemma else 'claim'}{'' if node.is_proved else ' open'}"
    said = escape("\n".join([node.sentence, *node.failure]))
    text = "".join(
        f'<text x="{x:.1f}" y="{y + 19 + LINE_PX * at:.1f}">{escape(line)}</text>'
        for at, line in enumerate(_lines(node))
    )
    size = f'x="{x - WIDTH_PX / 2:.1f}" y="{y:.1f}" width="{WIDTH_PX}" height="{_height(node)}" rx="6"'
    return f'<g class="{kind}"><title>{said}</title><rect {size}/>{text}</g>'


def _lean(
    one: Node, other: Node, actions: tuple[str, ...], above: tuple[float, float], below: tuple[float, float]
) -> str:
    (x1, y1), (x2, y2) = above, below
    start, is_down = y1 + _height(one), y2 > y1
    label = escape(f"{one.name} leans on {other.name}\nat {', '.join(actions)}".replace("_", " "))
    if is_down:
        bend = (y2 - start) / 2
        path = f"M{x1:.1f} {start:.1f}C{x1:.1f} {start + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}"
    else:
        end, dip = y2 + _height(other), max(start, y2) + ROW_PX / 2
        path = f"M{x1:.1f} {start:.1f}C{x1:.1f} {dip:.1f} {x2:.1f} {dip:.1f} {x2:.1f} {end:.1f}"
    kind = "lean" if is_down else "lean aside"
    return f'<g class="{kind}"><title>{label}</title><path d="{path}"/></g>'
