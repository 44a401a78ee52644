"""How many copies each member holds, and in which part of the table.

The figure is for tables that are too large to read tile by tile; members go down and partitions across, and each cell
stands for a few members and a range of partitions. A cell is darker the more copies its members hold there: an even
table is evenly grey, and a hole or a hot spot stands out. `ownership` draws the tables that a person can read tile by
tile.
"""

from collections import Counter

from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import Figure, NumberTable, Panel, Sketch
from gridproof_reports.drawing.style import ACCENT, PANEL_WIDTH, SURFACE, open_svg
from gridproof_reports.reading.stages import Kept, Stage

STAGES_MAX = 6
COLUMNS_MAX = 60
ROWS_MAX = 40
LEVELS = 8
HEIGHT = 200


class OwnershipShares(Sketch):
    """The figure on the shares of large tables; it keeps one small picture for each stage, and no table."""

    def __init__(self) -> None:
        self._drawn = Kept[tuple[Panel, tuple[str, ...]]](STAGES_MAX)
        self._is_needed = False

    def observe_stage(self, stage: Stage) -> None:
        """Draw the table at once, so that it need not be kept."""
        self._is_needed = self._is_needed or not stage.is_readable
        if not stage.slot_count:
            return
        self._drawn.keep((_draw_panel(stage), _numbers(stage)))

    def draw(self) -> Figure | None:
        """Return one panel for each stage; None if every table can be read tile by tile."""
        if not self._is_needed or not self._drawn:
            return None
        caption = (
            "Members from top to bottom, partitions from left to right. The stronger a cell, the more copies its "
            "members hold in that range, up to twice their even share; an even table is evenly tinted."
        ) + self._drawn.not_drawn("stage")
        columns = ("Stage", "Members", "Partitions", "Fewest copies of a member", "Even share", "Most")
        panels, rows = zip(*self._drawn, strict=True)
        return Figure("ownership-shares", "Who holds how much, and where", caption, panels, NumberTable(columns, rows))


def _draw_panel(stage: Stage) -> Panel:
    holders = list(stage.copies)
    row_count, column_count = min(len(holders), ROWS_MAX), min(len(stage.rows), COLUMNS_MAX)
    row_of = {member: index * row_count // len(holders) for index, member in enumerate(holders)}
    copies: Counter[tuple[int, int]] = Counter()
    for partition, slots in enumerate(stage.rows):
        column = partition * column_count // len(stage.rows)
        copies.update((row_of[held], column) for held in slots if held is not None)
    total = sum(copies.values())
    members_in = Counter(row_of.values())
    ranges = Counter(partition * column_count // len(stage.rows) for partition in range(len(stage.rows)))
    width, height = PANEL_WIDTH / column_count, HEIGHT / row_count
    levels: dict[int, list[str]] = {}
    for row in range(row_count):
        for column in range(column_count):
            even = total * members_in[row] / len(holders) * ranges[column] / len(stage.rows)
            level = min(LEVELS, round(copies[row, column] / even * LEVELS / 2)) if even else 0
            box = f"M{column * width:.4g} {row * height:.4g}h{width:.4g}v{height:.4g}h-{width:.4g}z"
            levels.setdefault(level, []).append(box)
    numbers = f"{count(len(holders), 'member')}, {count(len(stage.rows), 'partition')}"
    label = f"Shares of the table, stage {stage.name}: {numbers}"
    svg = [open_svg(PANEL_WIDTH, HEIGHT, label)]
    svg.append(f'<rect width="{PANEL_WIDTH}" height="{HEIGHT}" fill="{SURFACE.css}"/>')
    for level, boxes in sorted(levels.items()):
        svg.append(f'<path fill="{ACCENT.css}" fill-opacity="{level / LEVELS:.3g}" d="{"".join(boxes)}"/>')
    svg.append("</svg>")
    return Panel(stage.name, "".join(svg), f"{count(len(holders), 'member')}, {count(len(stage.rows), 'partition')}")


def _numbers(stage: Stage) -> tuple[str, ...]:
    held = [sum(counts) for counts in stage.copies.values()]
    even = sum(held) / len(held)
    return (stage.name, f"{len(held):,}", f"{len(stage.rows):,}", f"{min(held):,}", f"{even:,.1f}", f"{max(held):,}")
