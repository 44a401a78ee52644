"""Figures: drawings, together with the numbers that they show; and drawings of bars.

A figure consists of panels, none wider than a narrow window, which a page puts side by side if there is room, and of a
table with the numbers that are drawn, for readers who cannot or do not want to read a drawing. Each file of `figures/`
has one figure; a figure reads the records of one run and its settled tables one by one, in memory that does not grow
with the trace.

The label of a bar is above the bar. The labels of stages and members can be long, and panels are narrow: therefore the
label is above its bar and the value behind it, so that neither is cut off.
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
    """The drawing as an SVG element; every text in it is escaped already."""
    note: str = ""
    """A line under the drawing."""


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A colour and its meaning."""

    colour: Colour
    label: str
    mark: str = "fill"
    """The form of the sample: "fill", "line" for a line across, "notch" for a change, "hole" for an empty slot."""


@dataclass(frozen=True, slots=True)
class NumberTable:
    """The numbers of a figure; the first column has the name of each row."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """Panels that share one caption and one legend."""

    name: str
    """The name of the figure, which is unique on a page and is also its anchor."""
    title: str
    caption: str
    """One or two sentences that say what is drawn and how to read it."""
    panels: tuple[Panel, ...]
    numbers: NumberTable
    legend: tuple[LegendEntry, ...] = ()


class Sketch:
    """A figure in the making, while the records of its run are read; it ignores records that it does not need."""

    def observe(self, record: Record) -> None:
        """Read the next record; table rows are not given to this method, but to `observe_stage`."""

    def observe_stage(self, stage: Stage) -> None:
        """Read the settled table with which a stage of the run ended."""

    def draw(self) -> Figure | None:
        """Return the figure, or None if the run has nothing to draw; called once, after the last record."""
        raise NotImplementedError


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


LABEL_CHARACTERS = 44
LINE_HEIGHT = 15
BAR_HEIGHT = 13
ROW_GAP = 10
CHARACTER_WIDTH = 7
"""The greatest width of a digit in px; by it, room is kept for the values behind the bars."""
PART_WIDTH_MIN = 3
"""The least width of a part in px: even one lost write among thousands must be visible."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, made of parts that lie side by side, beginning from the left."""

    label: str
    parts: tuple[tuple[float, Colour], ...]
    value: str
    mark: float | None = None
    """The position of a line across the bar, which is a bound to compare the bar with; None if there is no line."""


def longest_of(bars: Sequence[Bar]) -> float:
    """Return the length of the longest bar, or the position of the farthest mark if that is greater."""
    return max(max(sum(size for size, _ in bar.parts), bar.mark or 0) for bar in bars)


def draw_bars(bars: Sequence[Bar], label: str, *, longest: float | None = None) -> str:
    """Return an SVG of the bars, with the first bar on top.

    `label` is the drawing's text alternative. If panels are to be compared, they get the same `longest` bar, and so the
    same scale.
    """
    heads = [textwrap.wrap(bar.label, LABEL_CHARACTERS) for bar in bars]
    height = sum(len(head) * LINE_HEIGHT + BAR_HEIGHT + ROW_GAP for head in heads)
    room = 10 + CHARACTER_WIDTH * max(len(bar.value) for bar in bars)
    scale = (PANEL_WIDTH - room) / (longest or longest_of(bars) or 1)
    parts, top = [open_svg(PANEL_WIDTH, height, label)], 0.0
    for bar, head in zip(bars, heads, strict=True):
        for words in head:
            top += LINE_HEIGHT
            parts.append(text_at(0, top - 4, words, INK))
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
        for colour, thick in ((PAPER, 4.5), (INK, 1.5)):  # paper around the line separates it from the bar
            way = f"M{at:.1f} {top - 1:g}v{BAR_HEIGHT + 5}"
            yield f'<path d="{way}" stroke="{colour.css}" stroke-width="{thick}"/>'
        end = max(left, at)
    yield text_at(end + 6, top + BAR_HEIGHT - 2, bar.value, MUTED)


def text_at(x: float, y: float, words: str, colour: Colour, *, ends: bool = False) -> str:
    """Return the SVG of a text that begins or ends at the given place."""
    inert, side = escape(printable(words, "\n")), ' text-anchor="end"' if ends else ""
    return f'<text x="{x:.1f}" y="{y:g}" font-size="{FONT_SIZE}" fill="{colour.css}"{side}>{inert}</text>'
