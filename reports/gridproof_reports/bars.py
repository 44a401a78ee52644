"""Bars with their labels above them.

Labels of stages and members are as long as people make them, and panels are narrow: the label stands over its bar, the
value behind it, and nothing is cut.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_reports.style import FONT_SIZE, INK, MUTED, PANEL_WIDTH, PAPER, Colour, Drawing, new_drawing, to_svg

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
    drawing = new_drawing(height)
    room = 10 + CHARACTER_WIDTH * max(len(bar.value) for bar in bars)
    scale = (PANEL_WIDTH - room) / (longest or longest_of(bars) or 1)
    top = 0.0
    for bar, head in zip(bars, heads, strict=True):
        for words in head:
            top += LINE_HEIGHT
            drawing.text(0, top - 4, words, size=FONT_SIZE, color=INK.light, parse_math=False)
        _draw_bar(drawing, bar, top, scale)
        top += BAR_HEIGHT + ROW_GAP
    return to_svg(drawing, label)


def _draw_bar(drawing: Drawing, bar: Bar, top: float, scale: float) -> None:
    middle, left = top + BAR_HEIGHT / 2, 0.0
    for size, colour in bar.parts:
        width = max(size * scale, PART_WIDTH_MIN) if size else 0
        drawing.barh(middle, width, left=left, height=BAR_HEIGHT, color=colour.light)
        left += width
    end = left
    if bar.mark is not None:
        at = bar.mark * scale
        for colour, width in ((PAPER, 4.5), (INK, 1.5)):  # the paper around it keeps the line apart from the bar
            ends = [top - 1, top + BAR_HEIGHT + 4]
            drawing.plot([at, at], ends, color=colour.light, linewidth=width, solid_capstyle="butt")
        end = max(left, at)
    drawing.text(end + 6, middle, bar.value, size=FONT_SIZE, color=MUTED.light, va="center_baseline")
