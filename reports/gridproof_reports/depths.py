"""New states at each distance from the start, as columns."""

from collections.abc import Sequence

from gridproof_reports.figure import Figure, NumberTable, Panel
from gridproof_reports.style import ACCENT, FONT_SIZE, MUTED, PANEL_WIDTH, RULE, new_drawing, to_svg

HEIGHT = 170
TOP = 20
"""Kept free for the label of the highest column."""
FOOT = 20
"""For the labels below."""
LABEL_WIDTH = 26
"""The room a number below its column takes."""
BARE_COLUMNS_MAX = 9
"""With more columns than this, only the highest has its number above."""


def depth_figure(level_sizes: Sequence[int], what: str) -> Figure:
    """Return the figure; `what` names the things counted."""
    total = sum(level_sizes)
    highest = max(level_sizes, default=0)
    at = level_sizes.index(highest) if level_sizes else 0
    return Figure(
        name="depths",
        title=f"{what.capitalize()} by distance from the start",
        caption=f"How many {what} are first reached after so many steps: most, {highest:,}, after {at}.",
        panels=(Panel("New at each distance", _draw(level_sizes, f"{total:,} {what} over {len(level_sizes)} depths")),),
        numbers=NumberTable(
            ("distance", f"new {what}"), tuple((str(depth), f"{size:,}") for depth, size in enumerate(level_sizes))
        ),
    )


def _draw(level_sizes: Sequence[int], label: str) -> str:
    drawing = new_drawing(HEIGHT)
    bottom, pitch = HEIGHT - FOOT, PANEL_WIDTH / max(len(level_sizes), 1)
    highest = max(level_sizes, default=0) or 1
    every = -(-LABEL_WIDTH * len(level_sizes) // PANEL_WIDTH) or 1
    for depth, size in enumerate(level_sizes):
        middle, height = (depth + 0.5) * pitch, max(1, size / highest * (bottom - TOP))
        drawing.bar(middle, -height, width=pitch * 0.78, bottom=bottom, color=ACCENT.light)
        if len(level_sizes) <= BARE_COLUMNS_MAX or size == highest:
            drawing.text(middle, bottom - height - 4, f"{size:,}", size=FONT_SIZE, color=MUTED.light, ha="center")
        if depth % every == 0:
            drawing.text(middle, HEIGHT - 5, str(depth), size=FONT_SIZE, color=MUTED.light, ha="center")
    drawing.plot([0, PANEL_WIDTH], [bottom, bottom], color=RULE.light, linewidth=1)
    return to_svg(drawing, label)
