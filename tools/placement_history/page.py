"""Draws both policies over one history, and prints the totals.

`python -m tools.placement_history.page OUT.svg [--changes N] [--seed S] [--partitions P]`
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_reports.drawing.style import (
    ACCENT,
    FONT_SIZE,
    INK,
    MEMBERS,
    MUTED,
    RULE,
    Colour,
    new_drawing,
    to_file,
    to_svg,
)
from tools.placement_history.failures import zone_loss
from tools.placement_history.history import PolicyPoint, run_history

PANEL_HEIGHT = 170
TOP, FOOT, LEFT, RIGHT = 26, 22, 8, 46
FAILING = (0.01, 0.05, 0.2)
"""How likely each member outside a failing zone fails, too."""
LINES: tuple[Colour, ...] = (MEMBERS[3], ACCENT)
"""By policy, in the order of their tuple."""
PANELS: tuple[tuple[str, Callable[[PolicyPoint], int]], ...] = (
    ("copies moved so far", lambda point: point.copies_moved),
    ("primaries: fullest less emptiest group; at worst", lambda point: point.primary_spread),
    ("worst backup slot: the same; at worst", lambda point: point.backup_spread),
    ("steps so far with two copies in one group", lambda point: point.meetings),
)

Histories = dict[str, list[PolicyPoint]]


def main(arguments: Sequence[str]) -> int:
    """Draw and print; the file must not exist."""
    parser = argparse.ArgumentParser(prog="placement_history", description="Two policies over one history.")
    parser.add_argument("out", type=Path, help="the SVG to write")
    parser.add_argument("--changes", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--partitions", type=int, default=271)
    chosen = parser.parse_args(arguments)
    if chosen.changes < 1 or chosen.partitions < 1:
        parser.error("--changes and --partitions are at least 1")
    if chosen.out.exists():
        parser.error(f"{chosen.out} exists already and is not overwritten; name another file")
    histories = {
        policy.name: list(run_history(policy, chosen.seed, chosen.changes, chosen.partitions))
        for policy in PLACEMENT_POLICIES
    }
    for name, points in histories.items():
        print(f"{name:10} {say_totals(points)}")
    for failing in FAILING:
        chances = (f"{name} {zone_loss(points[-1], failing):.3g}" for name, points in histories.items())
        print(f"a zone fails, and each other member with {failing:g}: some partition is lost with {', '.join(chances)}")
    chosen.out.write_text(draw(histories), encoding="utf-8")
    return 0


def say_totals(points: Sequence[PolicyPoint]) -> str:
    """Return one policy's totals in a line."""
    end = points[-1]
    worst, worst_backup = max(p.primary_spread for p in points), max(p.backup_spread for p in points)
    return (
        f"{end.copies_moved:,} copies moved over {end.change} changes ({end.copies_lost:,} of its copies crashed); "
        f"worst spread of primaries {worst}, of a backup slot {worst_backup}; "
        f"{end.meetings:,} steps with two copies in one group; copies missing for {end.short:,} steps on the way; "
        f"{len(end.copysets)} copysets at the end"
    )


def draw(histories: Histories) -> str:
    """Return one SVG of all panels, one below the other, a line a policy."""
    drawing = new_drawing(PANEL_HEIGHT * len(PANELS))
    width = 360 - LEFT - RIGHT
    for row, (title, value) in enumerate(PANELS):
        top = row * PANEL_HEIGHT + TOP
        bottom = top + PANEL_HEIGHT - TOP - FOOT
        highest = max(value(point) for points in histories.values() for point in points) or 1
        drawing.text(LEFT, top - 10, title, size=FONT_SIZE, color=INK.light)
        drawing.plot([LEFT, LEFT + width], [bottom, bottom], color=RULE.light, linewidth=1)
        ends: list[float] = []
        for (name, points), colour in zip(histories.items(), LINES, strict=True):
            across = [LEFT + width * point.change / points[-1].change for point in points]
            up = [bottom - (bottom - top) * value(point) / highest for point in points]
            drawing.plot(across, up, color=colour.light, linewidth=1.6)
            at = up[-1] + 4 if all(abs(up[-1] - other) > 13 for other in ends) else ends[-1] - 11
            ends.append(at - 4)
            drawing.text(LEFT + width + 4, at, f"{max(map(value, points)):,}", size=FONT_SIZE, color=colour.light)
            if row == 0:
                drawing.text(
                    LEFT + 150 + 90 * list(histories).index(name), 16, name, size=FONT_SIZE, color=colour.light
                )
        drawing.text(LEFT, bottom + 15, "0", size=FONT_SIZE, color=MUTED.light)
        last = next(iter(histories.values()))[-1].change
        drawing.text(LEFT + width, bottom + 15, f"{last} changes", size=FONT_SIZE, color=MUTED.light, ha="right")
    return to_file(to_svg(drawing, "Two placement policies over one membership history"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
