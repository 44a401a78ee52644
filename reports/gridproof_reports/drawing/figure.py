"""What a figure is: drawings, and their numbers.

A figure is made of panels no wider than a narrow window, which a page sets side by side where there is room, and of the
table of the numbers it draws, for whoever cannot or will not read a drawing. `figures/` holds the figures, one a file;
each is a fold over the records of one run and its settled tables, in memory that does not grow with the trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_model.trace import Record
from gridproof_reports.drawing.style import Colour
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
