"""Bars with their labels above them.

Labels of stages and members are as long as people make them, and panels are narrow: the label stands over its bar, the
value behind it, and nothing is cut.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from gridproof_model.user_error import printable
from gridproof_reports.drawing.style import FONT_SIZE, INK, MUTED, PANEL_WIDTH, PAPER, Colour, open_svg

LABEL_CHARACTERS = 44
LINE_HEIGHT = 15
BAR_HEIGHT = 13
ROW_GAP = 10
CHARACTER_WIDTH = 7
"""What a digit takes at most, in px: the room kept for values behind the bars."""
PART_WIDTH_MIN = 3
"""One lost write among thousands must still be seen."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: parts side by side, from the left."""

    label: str
    parts: tuple[tuple[float, Colour], ...]
    value: str
    mark: float | None = None
    """Where a line crosses the bar: a bound to compare with."""


def longest_of(bars: Sequence[Bar]) -> float:
    """Return how far the longest bar, or the farthest mark, reaches."""
    return max(max(sum(size for size, _ in bar.parts), bar.mark or 0) for bar in bars)


def draw_bars(bars: Sequence[Bar], label: str, *, longest: float | None = None) -> str:
    """Return an SVG of the bars, the first on top.

    `label` is its text alternative. Panels to be compared are given the `longest` bar of them all, and so one scale.
    """
    heads = [textwrap.wrap(bar.label, LABEL_CHARACTERS) for bar in bars]
    height = sum(len(head) * LINE_HEIGHT + BAR_HEIGHT + ROW_GAP for head in heads)
    room = 10 + CHARACTER_WIDTH * max(len(bar.value) for bar in bars)
    scale = (PANEL_WIDTH - room) / (longest or longest_of(bars) or 1)
    parts, top = [open_svg(PANEL_WIDTH, height, label)], 0.0
    for bar, head in zip(bars, heads, strict=True):
        for words in head:
            top += LINE_HEIGHT
            parts.append(_text(0, top - 4, words, INK))
        parts += _bar(bar, top, scale)
        top += BAR_HEIGHT + ROW_GAP
    return "".join([*parts, "</svg>"])


def _bar(bar: Bar, top: float, scale: float) -> Iterator[str]:
    left = 0.0
    for size, colour in bar.parts:
        width = max(size * scale, PART_WIDTH_MIN) if size else 0
        if width:
            yield f'<rect x="{left:.1f}" y="{top:g}" width="{width:.1f}" height="{BAR_HEIGHT}" fill="{colour.css}"/>'
        left += width
    end = left
    if bar.mark is not None:
        at = bar.mark * scale
        for colour, thick in ((PAPER, 4.5), (INK, 1.5)):  # the paper around it keeps the line apart from the bar
            way = f"M{at:.1f} {top - 1:g}v{BAR_HEIGHT + 5}"
            yield f'<path d="{way}" stroke="{colour.css}" stroke-width="{thick}"/>'
        end = max(left, at)
    yield _text(end + 6, top + BAR_HEIGHT - 2, bar.value, MUTED)


def _text(x: float, y: float, words: str, colour: Colour) -> str:
    inert = escape(printable(words, "\n"))
    return f'<text x="{x:.1f}" y="{y:g}" font-size="{FONT_SIZE}" fill="{colour.css}">{inert}</text>'
