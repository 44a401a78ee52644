"""Draws over the time of a run how long clients waited, how many operations were refused, and which faults there were.

The time in which clients were at work is divided into equal parts; an operation belongs to the part in which it ended.
The shaded bands are the faults, each from its beginning to its end.
"""

from collections.abc import Sequence
from dataclasses import astuple
from math import isfinite, nan

from gridproof_properties.campaign.over_time import Met, OverTime, Waits
from gridproof_properties.judging.incidents import FaultSpan
from gridproof_properties.judging.words import count
from gridproof_reports.drawing import style
from gridproof_reports.drawing.figure import Figure, LegendEntry, NumberTable, Panel
from gridproof_reports.drawing.sweep_drawing import HEIGHT, LEFT, LINE, RIGHT, TOP, Scale, draw_axes

PARTS = 60
BANDS_MAX = 200
NARROWEST_PX, LEAST_MS = 2.0, 0.5
FOOT = 2 * LINE + 6
LEGEND = (
    LegendEntry(style.ACCENT, "median wait; answered"),
    LegendEntry(style.MUTED, "longest wait; refused"),
    LegendEntry(style.UNKNOWN, "of unknown outcome"),
    LegendEntry(style.BROKEN, "a fault is on"),
)


Lines = Sequence[tuple[str, style.Colour, Sequence[float]]]


def draw_over_time(found: OverTime) -> Figure | None:
    """Return the figure; None if clients asked for nothing, or asked for everything within one millisecond."""
    if not found.met:
        return None
    first_ms, last_ms = min(one.start_ms for one in found.met), max(one.end_ms for one in found.met)
    if last_ms == first_ms:
        return None
    spans = [span for span in found.faults() if span.begin_ms <= last_ms][:BANDS_MAX]
    length_ms = (last_ms - first_ms) / PARTS
    parts = _parts(found.met, first_ms, length_ms)
    a_second = 1_000 / length_ms
    waits: Lines = (
        ("longest wait", style.MUTED, [_wait_ms(part, part.longest_ms) for part in parts]),
        ("median wait", style.ACCENT, [_wait_ms(part, part.median_ms) for part in parts]),
    )
    answered = [part.operations - part.refused - part.unknown for part in parts]
    failed: Lines = (
        ("refused", style.MUTED, [part.refused * a_second for part in parts]),
        ("unknown", style.UNKNOWN, [part.unknown * a_second for part in parts]),
    )
    begins_ms = [first_ms + number * length_ms for number in range(PARTS)]
    middles_s = [(begin_ms + length_ms / 2) / 1_000 for begin_ms in begins_ms]
    panels = (
        _panel("How long clients waited, ms", middles_s, waits, spans, is_logarithmic=True),
        _panel("Refused and of unknown outcome, a second", middles_s, failed, spans),
        _panel("Answered, a second", middles_s, [("answered", style.ACCENT, [n * a_second for n in answered])], spans),
    )
    rows = tuple(
        (f"{begin_ms / 1_000:.1f} s", *(f"{n:,.0f}" for n in astuple(part)))
        for begin_ms, part in zip(begins_ms, parts, strict=True)
    )
    columns = ("From", "Operations", "Median wait ms", "Longest wait ms", "Refused", "Unknown")
    return Figure(
        "over-time",
        "What clients met over time",
        f"The time while clients were at work in {PARTS} parts; each operation counts in the part in which it ended. "
        "Shaded: a fault is on. Where no operation ended nobody was answered, however long that lasted.",
        panels,
        NumberTable(columns, rows),
        LEGEND,
    )


def _parts(met: Sequence[Met], first_ms: int, length_ms: float) -> list[Waits]:
    ended: list[list[Met]] = [[] for _ in range(PARTS)]
    for one in met:
        ended[min(int((one.end_ms - first_ms) / length_ms), PARTS - 1)].append(one)
    return [Waits.of(of_one) for of_one in ended]


def _wait_ms(waits: Waits, wait_ms: float) -> float:
    """Return a wait in the form for a logarithmic scale; NaN if no operation ended."""
    return max(wait_ms, LEAST_MS) if waits.operations else nan


def _panel(
    title: str, middles_s: Sequence[float], lines: Lines, spans: Sequence[FaultSpan], *, is_logarithmic: bool = False
) -> Panel:
    drawing = style.new_drawing(TOP + HEIGHT + FOOT)
    # Each time slice is placed at its middle, so the axis reaches half a slice beyond the first and the last middle.
    half = (middles_s[1] - middles_s[0]) / 2
    right = style.PANEL_WIDTH - RIGHT
    x = Scale.over([middles_s[0] - half, middles_s[-1] + half], LEFT, right, is_logarithmic=False)
    values = [value for _, _, line in lines for value in line if isfinite(value)]
    least = min(values) if is_logarithmic else 0.0
    y = Scale.over([least, max(*values, 1.0)], TOP + HEIGHT, TOP, is_logarithmic=is_logarithmic)
    for span in spans:
        start, end = (min(max(x.at(ms / 1_000), LEFT), right) for ms in (span.begin_ms, span.heal_ms))
        end = max(end, start + NARROWEST_PX)
        corners = [start, end, end, start], [TOP, TOP, TOP + HEIGHT, TOP + HEIGHT]
        drawing.fill(*corners, color=style.BROKEN.light, alpha=0.16, lw=0, zorder=-1)
    draw_axes(drawing, x, y)
    for _, colour, line in lines:
        drawing.plot([x.at(at) for at in middles_s], [y.at(value) for value in line], color=colour.light, lw=1.6)
    words = "s since the run began"
    foot = TOP + HEIGHT + 1.9 * LINE
    style.write(drawing, (LEFT + right) / 2, foot, words, style.MUTED, 1, ha="center")
    ends = {name: [value for value in line if isfinite(value)] for name, _, line in lines}
    said = "; ".join(f"{name} from {min(line):,.0f} to {max(line):,.0f}" for name, line in ends.items())
    return Panel(title, style.to_svg(drawing, f"{title}, over time: {said}; {count(len(spans), 'fault')} shaded"))
