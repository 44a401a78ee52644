"""Drawings of estimates with their intervals.

The axis with the most values is horizontal; each combination of values of the other axes is a line with its own colour.
An estimate that is 0 in all cells is not drawn. If cells have equal numbers, they are mostly one grid under two names
(without a backup, no caller waits for one, whatever is set); they are drawn once, under the first cell's name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from gridproof_reports.campaigns.estimate_names import EstimateName
from gridproof_reports.campaigns.estimates import Estimate
from gridproof_reports.campaigns.study import StudiedCell, Study
from gridproof_reports.drawing import style
from gridproof_reports.drawing.figure import Figure, LegendEntry, NumberTable, Panel
from gridproof_reports.drawing.sweep_drawing import Scale

HEIGHT, TOP, FOOT, LEFT, RIGHT = 220, 14, 40, 62, 12
LOG_FROM = 30.0
"""If values differ by a larger factor than this, they are drawn on a logarithmic scale."""
TICKS_MAX = 10
LINES_MAX = len(style.MEMBERS)
LABEL_CHARACTERS = 16
HEAD, ROW = 48, 18
"""In a drawing for a file: the height of the title, and the height of each line of the legend."""
SPREAD_PX = 7
"""The distance between the points of different lines that belong to the same value."""


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    colour: style.Colour
    points: dict[int, Estimate]
    """The points of the line, by the index of their value on the horizontal axis."""


def draw_figures(study: Study) -> Iterator[Figure]:
    """Yield a figure for each estimate that is above 0 in some cell."""
    return (chart.figure() for chart in _charts(study))


def draw_files(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the name and the drawing of each figure, as a file with title, legend and horizontal axis."""
    return ((chart.name.name, style.to_file(chart.alone())) for chart in _charts(study))


def short(value: float) -> str:
    """Return a number as people write it, rounded to three digits."""
    if not isfinite(value):
        return "–" if value != value else "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.2e}"


@dataclass(frozen=True, slots=True)
class _Chart:
    """A drawing of one estimate for all cells."""

    study: Study
    name: EstimateName
    across: str
    """The name of the horizontal axis; empty if there is none."""
    values: Sequence[str]
    """The values on the horizontal axis."""
    lines: Sequence[_Line]
    scale: Scale
    repeats: bool
    """Whether cells with the same numbers are drawn only once."""

    @property
    def unit(self) -> str:
        """The unit, in the form in which it follows a name."""
        return f" ({self.name.unit})" if self.name.unit else ""

    @property
    def runs(self) -> str:
        """The number of runs of a cell."""
        many = sorted({cell.found.runs for cell in self.study.cells})
        return f"{many[0]:,}" if len(many) == 1 else f"{many[0]:,} to {many[-1]:,}"

    @property
    def estimates(self) -> Sequence[Estimate]:
        """The estimate for each cell."""
        return [cell.found.of(self.name.name) for cell in self.study.cells]

    @property
    def spoken(self) -> str:
        """All points of the chart, in words."""
        said = []
        for line in self.lines:
            points = (f"{self.values[place]}: {short(one.value)}" for place, one in sorted(line.points.items()))
            said.append(f"{line.label}: {', '.join(points)}" if line.label else ", ".join(points))
        return "; ".join(said)

    def figure(self) -> Figure:
        """Return the figure for a page."""
        axes = (axis for axis, _ in self.study.axes)
        columns = (*axes, "runs", self.name.name + self.unit, "99 % from", "to", "for 10 %", "")
        world = ", ".join(f"{axis} {text}" for axis, text in self.study.common)
        caption = f"{self.name.sentence} Simulated{f' ({world})' if world else ''}; {self.runs} runs a cell; "
        caption += "bars are 99 % intervals"
        caption += f"; {self.across} across, evenly spaced whatever its values are." if self.across else "."
        if any(one.value == one.value and one.low != one.low for one in self.estimates):
            caption += " A point without a bar has too few runs for an interval."
        caption += " Cells with the same numbers are drawn once." if self.repeats else ""
        several = self.lines if len(self.lines) > 1 else ()
        legend = tuple(LegendEntry(line.colour, line.label, "line") for line in several)
        cut = f"The first {LINES_MAX} combinations; the numbers have all of them." * (len(self.lines) == LINES_MAX)
        drawing, title = style.new_drawing(HEIGHT), self.name.name.replace("_", " ")
        self._draw(drawing)
        panel = Panel(title + self.unit, style.to_svg(drawing, self.spoken), cut)
        return Figure(self.name.name, title, caption, (panel,), NumberTable(columns, tuple(self._rows())), legend)

    def alone(self) -> str:
        """Return the drawing for a file, with its own title and legend."""
        foot = self.lines if len(self.lines) > 1 else ()
        below = ROW * (len(foot) + bool(self.across)) + style.FONT_SIZE
        drawing = style.new_drawing(HEAD + HEIGHT + below)
        drawing.set_ylim(HEIGHT + below, -HEAD)
        style.write(drawing, 4, -HEAD * 2 / 3, self.name.sentence.rstrip(".") + self.unit)
        how = f"simulated, {self.runs} runs a cell, bars 99 %{'; log scale' if self.scale.is_logarithmic else ''}"
        how += "; equal cells once" if self.repeats else ""
        style.write(drawing, 4, -HEAD / 3, how, style.MUTED, 1)
        if self.across:
            middle = (LEFT + style.PANEL_WIDTH - RIGHT) / 2
            style.write(
                drawing, middle, HEIGHT, f"{self.across}, evenly spaced", style.MUTED, ha="center", va="baseline"
            )
        for row, line in enumerate(foot):
            height = HEIGHT + ROW * (row + 1)
            drawing.plot([LEFT + 18], [height], marker="o", markersize=4, color=line.colour.light)
            style.write(drawing, LEFT + 26, height, line.label, va="center_baseline")
        self._draw(drawing)
        return style.to_svg(drawing, self.spoken)

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for cell, one in zip(self.study.cells, self.estimates, strict=True):
            needed = "–" if one.runs_for_a_tenth is None else f"{one.runs_for_a_tenth:,} runs"
            numbers = (f"{cell.found.runs:,}", short(one.value), short(one.low), short(one.high), needed, one.note)
            yield (*(text for _, text in cell.values), *numbers)

    def _draw(self, drawing: style.Drawing) -> None:
        for tick in self.scale.ticks(TICKS_MAX):
            height = self.scale.at(tick)
            drawing.plot([LEFT, style.PANEL_WIDTH - RIGHT], [height, height], color=style.RULE.light, linewidth=1)
            style.write(drawing, LEFT - 6, height, short(tick), style.MUTED, ha="right", va="center_baseline")
        pitch = (style.PANEL_WIDTH - LEFT - RIGHT) / max(len(self.values), 1)
        _label_values(drawing, self.values, pitch)
        for number, line in enumerate(self.lines):
            shift = (number - (len(self.lines) - 1) / 2) * min(SPREAD_PX, 0.6 * pitch / max(len(self.lines), 1))
            for place, one in sorted(line.points.items()):
                middle, colour = LEFT + (place + 0.5) * pitch + shift, line.colour.light
                if isfinite(one.low):
                    # A bound beyond the scale, such as that of an open interval, is drawn at the end of the scale.
                    bounds = [max(self.scale.at(one.low), TOP), max(self.scale.at(one.high), TOP)]
                    drawing.plot([middle, middle], bounds, color=colour, linewidth=2.2, solid_capstyle="butt")
                drawing.plot([middle], [self.scale.at(one.value)], marker="o", markersize=5, color=colour)


def _charts(study: Study) -> Iterator[_Chart]:
    """Yield a chart for each estimate that is above 0 in some cell."""
    place = max(range(len(study.axes)), key=lambda place: len(study.axes[place][1]), default=-1)
    across, values = study.axes[place] if place >= 0 else ("", ("",))
    drawn = _drawn_once(study, place)
    for name in study.estimates:
        if study.happened(name.name):
            lines = _lines(drawn, name, values, place)
            yield _Chart(study, name, across, values, lines, _scale_of(lines, name), len(drawn) < len(study.cells))


def _drawn_once(study: Study, place: int) -> Sequence[StudiedCell]:
    """Return the cells, each only once if several at the same place have equal numbers; NaN equals NaN here."""
    first: dict[tuple[object, ...], StudiedCell] = {}
    for cell in study.cells:
        numbers = repr(cell.found.estimates), cell.found.runs, cell.broken, cell.lossy, cell.lost, cell.acknowledged
        first.setdefault((cell.values[place][1] if place >= 0 else "", *numbers), cell)
    return list(first.values())


def _lines(cells: Sequence[StudiedCell], name: EstimateName, values: Sequence[str], across: int) -> list[_Line]:
    points: dict[str, dict[int, Estimate]] = {}
    for cell in cells:
        one = cell.found.of(name.name)
        others = [f"{axis} {text}" for place, (axis, text) in enumerate(cell.values) if place != across]
        if isfinite(one.value):
            place = values.index(cell.values[across][1]) if across >= 0 else 0
            points.setdefault(", ".join(others), {})[place] = one
    kept = list(points.items())[:LINES_MAX]
    colours = style.MEMBERS if len(kept) > 1 else (style.ACCENT,)
    return [_Line(label, colours[place], found) for place, (label, found) in enumerate(kept)]


def _scale_of(lines: Sequence[_Line], name: EstimateName) -> Scale:
    ends = [v for line in lines for one in line.points.values() for v in (one.value, one.low, one.high) if isfinite(v)]
    least, most = min(ends, default=0.0), max(ends, default=1.0)
    highest = 1.0 if name.is_share else float("inf")
    if least > 0 and most / least > LOG_FROM:
        high = min(ceil(log10(most) + 1e-9), log10(highest))
        return Scale(floor(log10(least)), high, HEIGHT - FOOT, TOP, is_logarithmic=True)
    return Scale(min(least, 0.0), min((most or 1.0) * 1.08, highest), HEIGHT - FOOT, TOP, is_logarithmic=False)


def _label_values(drawing: style.Drawing, values: Sequence[str], pitch: float) -> None:
    every = max(1, ceil(42 / pitch))
    for place, value in enumerate(values):
        if place % every == 0:
            room = max(3, min(LABEL_CHARACTERS, int(every * pitch / 7)))
            text = value if len(value) <= room else value[: room - 1] + "…"
            style.write(drawing, LEFT + (place + 0.5) * pitch, HEIGHT - FOOT + 18, text, ha="center", va="baseline")
