"""Estimates with their intervals, drawn.

The axis with the most values lies across; each combination of the others is a line of a colour of its own. What
happened in no cell is not drawn. Cells that say the same in every number are most often one grid by two names (without
a backup nobody waits for one, whatever is asked), and are drawn once, by the first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Any

from gridproof_reports.campaigns.estimate_names import EstimateName
from gridproof_reports.campaigns.estimates import Estimate
from gridproof_reports.campaigns.study import StudiedCell, Study
from gridproof_reports.figure import Figure, LegendEntry, NumberTable, Panel
from gridproof_reports.style import (
    ACCENT,
    FONT_SIZE,
    INK,
    MEMBERS,
    MUTED,
    PANEL_WIDTH,
    RULE,
    Colour,
    Drawing,
    new_drawing,
    to_file,
    to_svg,
)

HEIGHT, TOP, FOOT, LEFT, RIGHT = 220, 14, 40, 62, 12
LOG_FROM = 30.0
"""Values that differ by a larger factor stand on a logarithmic scale."""
LINES_MAX = len(MEMBERS)
LABEL_CHARACTERS = 16
HEAD, ROW = 48, 18
"""Of a drawing in a file of its own: the room for its title, and for each line of its legend."""
SPREAD_PX = 7
"""Between points of different lines over the same value."""


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    colour: Colour
    points: dict[int, Estimate]
    """By the place of the value across."""


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float
    is_log: bool

    @classmethod
    def of(cls, values: Sequence[float], highest: float) -> "_Scale":
        least, most = min(values), max(values)
        positive = [value for value in values if value > 0]
        if positive and least > 0 and most / least > LOG_FROM:
            return cls(10 ** floor(log10(least)), 10 ** min(ceil(log10(most) + 1e-9), log10(highest)), is_log=True)
        return cls(min(least, 0.0), min((most or 1.0) * 1.08, highest), is_log=False)

    def at(self, value: float) -> float:
        """Return the height in px from the top."""
        if self.is_log:
            share = (log10(max(value, self.low)) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            share = (value - self.low) / ((self.high - self.low) or 1.0)
        return HEIGHT - FOOT - min(max(share, 0.0), 1.0) * (HEIGHT - FOOT - TOP)

    def ticks(self) -> list[float]:
        """Return where numbers stand."""
        if self.is_log:
            return [10.0**power for power in range(round(log10(self.low)), round(log10(self.high)) + 1)]
        step = 10.0 ** floor(log10((self.high - self.low) or 1.0))
        steps = (self.high - self.low) / step
        step /= 5 if steps < 2 else 2 if steps < 5 else 1
        first = ceil(self.low / step)
        return [number * step for number in range(first, floor(self.high / step) + 1)]


def draw_figures(study: Study) -> Iterator[Figure]:
    """Yield a figure for each estimate that is above 0 in some cell."""
    for name in study.estimates:
        if study.happened(name.name):
            yield _figure(study, name)


def draw_files(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the name and drawing of each of these figures as a file: with its title, legend, and what lies across."""
    for name in study.estimates:
        if study.happened(name.name):
            yield name.name, to_file(_draw_alone(study, name))


def short(value: float) -> str:
    """Return a number as people write it, three digits of it."""
    if not isfinite(value):
        return "–" if value != value else "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-4 else f"{value:.2e}"


def _figure(study: Study, name: EstimateName) -> Figure:
    across = _across(study)
    lines = _lines(study, name, across)
    columns = (*(axis for axis, _ in study.axes), "runs", name.name + _unit(name), "99 % from", "to", "for 10 %", "")
    world = ", ".join(f"{axis} {text}" for axis, text in study.common)
    caption = f"{name.sentence} Simulated{f' ({world})' if world else ''}; {_runs(study)} runs a cell; "
    caption += "bars are 99 % intervals"
    caption += f"; {study.axes[across][0]} across, evenly spaced whatever its values are." if across >= 0 else "."
    caption += " A point without a bar has too few runs for an interval." if _lacks_bars(study, name) else ""
    caption += " Cells with the same numbers are drawn once." if _repeated(study, across) else ""
    legend = tuple(LegendEntry(line.colour, line.label, "line") for line in lines) if len(lines) > 1 else ()
    values = study.axes[across][1] if across >= 0 else ("",)
    label = "; ".join(_spoken(line, values) for line in lines)
    drawing = new_drawing(HEIGHT)
    _draw(drawing, lines, values, _scale_of(lines, name))
    panel = Panel(
        name.name.replace("_", " ") + _unit(name), to_svg(drawing, label),
        "" if len(lines) < LINES_MAX else f"The first {LINES_MAX} combinations; the numbers have all of them.",
    )  # fmt: skip
    return Figure(
        name.name, name.name.replace("_", " "), caption, (panel,), NumberTable(columns, _rows(study, name)), legend
    )


def _runs(study: Study) -> str:
    many = sorted({cell.found.runs for cell in study.cells})
    return f"{many[0]:,}" if len(many) == 1 else f"{many[0]:,} to {many[-1]:,}"


def _lacks_bars(study: Study, name: EstimateName) -> bool:
    found = [one for cell in study.cells for one in cell.found.estimates if one.name == name.name]
    return any(one.value == one.value and one.low != one.low for one in found)


def _across(study: Study) -> int:
    """Return which axis lies across, -1 where there is none."""
    return max(range(len(study.axes)), key=lambda place: len(study.axes[place][1]), default=-1)


def _unit(name: EstimateName) -> str:
    return f" ({name.unit})" if name.unit else ""


def _rows(study: Study, name: EstimateName) -> tuple[tuple[str, ...], ...]:
    rows = []
    for cell in study.cells:
        one = next(found for found in cell.found.estimates if found.name == name.name)
        needed = "–" if one.runs_for_a_tenth is None else f"{one.runs_for_a_tenth:,} runs"
        numbers = (f"{cell.found.runs:,}", short(one.value), short(one.low), short(one.high), needed, one.note)
        rows.append((*(text for _, text in cell.values), *numbers))
    return tuple(rows)


def _place(study: Study, cell: StudiedCell, across: int) -> int:
    return study.axes[across][1].index(cell.values[across][1]) if across >= 0 else 0


def _repeated(study: Study, across: int) -> set[int]:
    """Return the cells that say in every number what another one at their place says; NaN is equal here."""
    first: dict[tuple[object, ...], int] = {}
    for cell in study.cells:
        numbers = repr(cell.found.estimates), cell.found.runs, cell.broken, cell.lossy, cell.lost, cell.acknowledged
        first.setdefault((_place(study, cell, across), *numbers), cell.found.cell)
    return {cell.found.cell for cell in study.cells} - set(first.values())


def _lines(study: Study, name: EstimateName, across: int) -> list[_Line]:
    points: dict[str, dict[int, Estimate]] = {}
    repeated = _repeated(study, across)
    for cell in study.cells:
        one = next(found for found in cell.found.estimates if found.name == name.name)
        others = [f"{axis} {text}" for place, (axis, text) in enumerate(cell.values) if place != across]
        if isfinite(one.value) and cell.found.cell not in repeated:
            points.setdefault(", ".join(others), {})[_place(study, cell, across)] = one
    kept = list(points.items())[:LINES_MAX]
    colours = MEMBERS if len(kept) > 1 else (ACCENT,)
    return [_Line(label, colours[place], found) for place, (label, found) in enumerate(kept)]


def _spoken(line: _Line, values: Sequence[str]) -> str:
    points_in_words = ", ".join(f"{values[place]}: {short(one.value)}" for place, one in sorted(line.points.items()))
    return f"{line.label}: {points_in_words}" if line.label else points_in_words


def _draw(drawing: Drawing, lines: Sequence[_Line], values: Sequence[str], scale: _Scale) -> None:
    for tick in scale.ticks():
        height = scale.at(tick)
        drawing.plot([LEFT, PANEL_WIDTH - RIGHT], [height, height], color=RULE.light, linewidth=1)
        _write(drawing, LEFT - 6, height, short(tick), MUTED, ha="right", va="center_baseline")
    pitch = (PANEL_WIDTH - LEFT - RIGHT) / max(len(values), 1)
    _label_values(drawing, values, pitch)
    for number, line in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * min(SPREAD_PX, 0.6 * pitch / max(len(lines), 1))
        places = sorted(line.points)
        middles = [LEFT + (place + 0.5) * pitch + shift for place in places]
        heights = [scale.at(line.points[place].value) for place in places]
        for middle, height, place in zip(middles, heights, places, strict=True):
            one = line.points[place]
            if isfinite(one.low):
                bounds = [scale.at(one.low), scale.at(min(one.high, scale.high))]
                drawing.plot([middle, middle], bounds, color=line.colour.light, linewidth=2.2, solid_capstyle="butt")
            drawing.plot([middle], [height], marker="o", markersize=5, color=line.colour.light)


def _scale_of(lines: Sequence[_Line], name: EstimateName) -> _Scale:
    ends = [v for line in lines for one in line.points.values() for v in (one.value, one.low, one.high) if isfinite(v)]
    return _Scale.of(ends or [0.0, 1.0], 1.0 if name.is_share else float("inf"))


def _draw_alone(study: Study, name: EstimateName) -> str:
    across = _across(study)
    lines = _lines(study, name, across)
    values = study.axes[across][1] if across >= 0 else ("",)
    foot = [line for line in lines if len(lines) > 1]
    below = ROW * (len(foot) + (across >= 0)) + FONT_SIZE
    drawing, scale = new_drawing(HEAD + HEIGHT + below), _scale_of(lines, name)
    drawing.set_ylim(HEIGHT + below, -HEAD)
    _write(drawing, 4, -HEAD * 2 / 3, name.sentence.rstrip(".") + _unit(name), va="center")
    how = f"simulated, {_runs(study)} runs a cell, bars 99 %{'; log scale' if scale.is_log else ''}"
    how += "; equal cells once" if _repeated(study, across) else ""
    _write(drawing, 4, -HEAD / 3, how, MUTED, size=FONT_SIZE - 1, va="center")
    if across >= 0:
        middle = (LEFT + PANEL_WIDTH - RIGHT) / 2
        _write(drawing, middle, HEIGHT, f"{study.axes[across][0]}, evenly spaced", MUTED, ha="center")
    for row, line in enumerate(foot):
        height = HEIGHT + ROW * (row + 1)
        drawing.plot([LEFT + 18], [height], marker="o", markersize=4, color=line.colour.light)
        _write(drawing, LEFT + 26, height, line.label, va="center_baseline")
    _draw(drawing, lines, values, scale)
    return to_svg(drawing, "; ".join(_spoken(line, values) for line in lines))


def _label_values(drawing: Drawing, values: Sequence[str], pitch: float) -> None:
    every = max(1, ceil(42 / pitch))
    for place, value in enumerate(values):
        if place % every == 0:
            room = max(3, min(LABEL_CHARACTERS, int(every * pitch / 7)))
            text = value if len(value) <= room else value[: room - 1] + "…"
            _write(drawing, LEFT + (place + 0.5) * pitch, HEIGHT - FOOT + 18, text, ha="center")


def _write(
    drawing: Drawing, across: float, down: float, text: str, colour: Colour = INK, size: float = FONT_SIZE, **how: Any
) -> None:
    drawing.text(across, down, text, size=size, color=colour.light, parse_math=False, **how)
