"""What a figure is: drawings, and their numbers.

A figure is made of panels no wider than a narrow window, which a page sets side by side where there is room, and of the
table of the numbers it draws, for whoever cannot or will not read a drawing. `figures/` holds the figures, one a file;
each is a fold over the records of one run and its settled tables, in memory that does not grow with the trace.

Bars with their labels above them. Labels of stages and members are as long as people make them, and panels are narrow:
the label stands over its bar, the value behind it, and nothing is cut.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from gridproof_model.trace import Record
from gridproof_model.user_error import printable
from gridproof_reports.drawing.style import FONT_SIZE, INK, MUTED, PANEL_WIDTH, PAPER, Colour, open_svg
from gridproof_reports.reading.stages import Stage


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing of a figure."""

    title: str
    svg: str
    """An SVG element: every text in it is escaped already."""
    note: str = ""
    """A line under the drawing."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A colour and what it stands for."""

    colour: Colour
    label: str
    mark: str = "fill"
    """How the swatch looks: "fill", "line" for a line across, "notch" for a change, "hole" for an empty slot."""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """The numbers of a figure; the first column names the row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels with one caption and one legend."""

    name: str
    """Unique on a page; its anchor."""
    title: str
    caption: str
    """What is drawn and how to read it, in one or two sentences."""
    panels: tuple[Panel, ...]
    numbers: NumberTable
    legend: tuple[LegendEntry, ...] = ()


class Sketch:
    """A figure in the making; it passes over what it takes nothing of."""

    def observe(self, record: Record) -> None:
        """Take in the next record; rows do not come here, but as stages."""

    def observe_stage(self, stage: Stage) -> None:
        """Take in the table a stage of the run ended with."""

    def draw(self) -> Figure | None:
        """Return the figure, or None where the run has nothing to draw; called once, at the end."""
        raise NotImplementedError


def listed(words: Sequence[str]) -> str:
    """Return words as an enumeration: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


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
