"""The share of continuations that fail, drawn over the run.

Prefixes stand evenly apart, each with its virtual time: where the share rises most they lie close together in the run.
A dashed line is where a fault begins; the stretch in which the share rises most is shaded.
"""

from bisect import bisect_left
from collections.abc import Sequence

from gridproof_properties.explaining.curve import Point
from gridproof_reports.contents.explanation import Explanation
from gridproof_reports.drawing.style import (
    ACCENT,
    BROKEN,
    FONT_SIZE,
    INK,
    MUTED,
    PANEL_WIDTH,
    RULE,
    Drawing,
    new_drawing,
    to_file,
    to_png,
    to_svg,
)

LEFT, RIGHT, TOP, HEIGHT = 52.0, 26.0, 34.0, 170.0
FOOT = 78.0
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
TICKS = 4
NAME = "explanation"


def draw_explanation(explanation: Explanation) -> dict[str, bytes]:
    """Return the files of the figure by name."""
    drawing = _drawn(explanation)
    points = ", ".join(f"{point.at_us / 1_000:g} ms: {point.share:.0%}" for point in explanation.curve.points)
    label = f"share of continuations that break {explanation.failing.property}, by prefix: {points}"
    return {f"{NAME}.svg": to_file(to_svg(drawing, label)).encode(), f"{NAME}.png": to_png(drawing)}


def _drawn(explanation: Explanation) -> Drawing:
    drawing = new_drawing(TOP + HEIGHT + FOOT)
    points = explanation.curve.points
    last = len(points) - 1
    heading = f"continuations that break {explanation.failing.property}"
    drawing.text(LEFT - 40, TOP - 18, heading, fontsize=FONT_SIZE, color=INK.light, va="center")
    _shade(drawing, explanation)
    for share in SHARES:
        height = _y(share)
        drawing.plot([LEFT, PANEL_WIDTH - RIGHT], [height, height], color=RULE.light, lw=0.8, zorder=0)
        drawing.text(
            LEFT - 6, height, f"{share:.0%}", fontsize=FONT_SIZE - 2, color=MUTED.light, ha="right", va="center"
        )
    for fault in explanation.faults:
        across = _x(_between(fault.at_us, points), last)
        drawing.plot([across, across], [TOP, TOP + HEIGHT], color=MUTED.light, lw=0.9, ls=(0, (2, 2)))
    _times(drawing, points)
    acrosses = [_x(number, last) for number in range(len(points))]
    for across, point, interval in zip(acrosses, points, explanation.intervals, strict=True):
        if point is not points[-1]:  # the whole run: nothing is drawn anew, nothing is estimated
            drawing.plot([across] * 2, [_y(interval.low), _y(interval.high)], color=ACCENT.light, lw=1.6)
        drawing.plot([across], [_y(point.share)], marker="o", markersize=4, color=ACCENT.light)
    note = "shaded: the greatest rise; dashed: a fault begins" if explanation.faults else "shaded: the greatest rise"
    foot = TOP + HEIGHT + FOOT - 12
    many = f"{points[0].continuations:,} continuations a prefix, bars 99 %"
    for height, text in ((foot - 14, many), (foot, note)):
        drawing.text(LEFT - 40, height, text, fontsize=FONT_SIZE - 2, color=MUTED.light, va="center")
    return drawing


def _shade(drawing: Drawing, explanation: Explanation) -> None:
    points = explanation.curve.points
    before, after = explanation.curve.rise
    if after.failed > before.failed:
        start, end = (_x(points.index(point), len(points) - 1) for point in (before, after))
        corners = [start, end, end, start], [TOP, TOP, TOP + HEIGHT, TOP + HEIGHT]
        drawing.fill(*corners, color=BROKEN.light, alpha=0.25, lw=0, zorder=-1)


def _times(drawing: Drawing, points: Sequence[Point]) -> None:
    """Write the virtual times of some prefixes below."""
    bottom, last = TOP + HEIGHT, len(points) - 1
    for number in sorted({round(last * part / TICKS) for part in range(TICKS + 1)}):
        across = _x(number, last)
        drawing.plot([across] * 2, [bottom, bottom + 5], color=MUTED.light, lw=0.8)
        text = f"{points[number].at_us / 1_000:,.1f}"
        drawing.text(across, bottom + 15, text, fontsize=FONT_SIZE - 2, color=MUTED.light, ha="center", va="center")
    middle = (LEFT + PANEL_WIDTH - RIGHT) / 2
    words = "prefix, virtual ms (evenly spaced whatever its length)"
    drawing.text(middle, bottom + 31, words, fontsize=FONT_SIZE - 1, color=MUTED.light, ha="center", va="center")
    drawing.plot([LEFT, LEFT, PANEL_WIDTH - RIGHT], [TOP, bottom, bottom], color=MUTED.light, lw=0.8)


def _between(at_us: int, points: Sequence[Point]) -> float:
    """Return where a moment lies between the prefixes around it, as a number of prefixes."""
    after = min(max(bisect_left([point.at_us for point in points], at_us), 1), len(points) - 1)
    one, other = points[after - 1], points[after]
    return after - 1 + min((at_us - one.at_us) / ((other.at_us - one.at_us) or 1), 1.0)


def _x(number: float, last: int) -> float:
    return LEFT + number / last * (PANEL_WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - share)
