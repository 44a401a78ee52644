"""The picture of the README: which promises of which systems hold.

gridproof check --system all --json > checked.json
python -m tools.readme_picture checked.json docs/images/systems.svg
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from gridproof_reports.drawing.style import BROKEN, HOLDS, INK, MUTED, PAPER, UNKNOWN

LEFT_PX = 250
COLUMN_PX = 92
ROW_PX = 21
TOP_PX = 150
COLOURS = {"holds": HOLDS.light, "broken": BROKEN.light, "unknown": UNKNOWN.light}
SIGNS = {"holds": "✓", "broken": "✕", "unknown": "?"}

LEGEND = (
    "filled: the system promises it; outlined: it does not, and the verdict never fails a check; "
    "nothing: not judged; ? not met, or undecided"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """What is known of one property of one system."""

    verdict: str
    is_promised: bool


def main() -> None:
    """Draw what a check said."""
    parser = argparse.ArgumentParser(prog="python -m tools.readme_picture", description="Draw what a check said.")
    parser.add_argument("checked", type=Path, help="what `gridproof check --json` printed")
    parser.add_argument("picture", type=Path)
    chosen = parser.parse_args()
    chosen.picture.write_text(picture(json.loads(chosen.checked.read_text(encoding="utf-8"))), encoding="utf-8")


def picture(checked: Mapping[str, Any]) -> str:
    """Return an SVG: a column a system, a row a property that one of them promises."""
    runs = [run for run in checked["runs"] if "verdicts" in run]
    columns = {f"{run['system']} {run['version']}": _cells(run["verdicts"]) for run in runs}
    everywhere = list(dict.fromkeys(name for cells in columns.values() for name in cells))
    rows = [name for name in everywhere if any(name in cells and cells[name].is_promised for cells in columns.values())]
    width, height = LEFT_PX + COLUMN_PX * len(columns) + 150, TOP_PX + ROW_PX * len(rows) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13" fill="{INK.light}">',
        f"<title>{len(rows)} properties, {len(columns)} systems</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER.light}"/>',
        *(_head(at, name) for at, name in enumerate(columns)),
        *(_row(at, name, list(columns.values())) for at, name in enumerate(rows)),
        f'<text x="16" y="{height - 14}" fill="{MUTED.light}" font-size="12">{LEGEND}</text>',
        "</svg>\n",
    ]
    return "\n".join(parts)


def _cells(verdicts: Sequence[Mapping[str, Any]]) -> Mapping[str, Cell]:
    met = [one for one in verdicts if one["verdict"] != "unknown" or one["promise"] == "promised"]
    return {one["property"]: Cell(one["verdict"], one["promise"] == "promised") for one in met}


def _head(at: int, name: str) -> str:
    x = LEFT_PX + COLUMN_PX * at + COLUMN_PX // 2
    system, _, version = name.partition(" ")
    turn = f'transform="rotate(-35 {x} {TOP_PX - 14})"'
    words = f'{escape(system)} <tspan fill="{MUTED.light}" font-size="11">{escape(version)}</tspan>'
    return f'<text x="{x}" y="{TOP_PX - 14}" {turn}>{words}</text>'


def _row(at: int, name: str, columns: Sequence[Mapping[str, Cell]]) -> str:
    y = TOP_PX + ROW_PX * at
    drawn = [_sign(column, y, cells[name]) for column, cells in enumerate(columns) if name in cells]
    return "\n".join([f'<text x="16" y="{y + 14}">{escape(name)}</text>', *drawn])


def _sign(column: int, y: int, cell: Cell) -> str:
    x, colour = LEFT_PX + COLUMN_PX * column + COLUMN_PX // 2, COLOURS[cell.verdict]
    fill, ink = (colour, PAPER.light) if cell.is_promised else ("none", colour)
    ring = f'<circle cx="{x}" cy="{y + 10}" r="8" fill="{fill}" stroke="{colour}"/>'
    place = f'x="{x}" y="{y + 14}" text-anchor="middle" font-size="11"'
    return f'{ring}<text {place} fill="{ink}">{SIGNS[cell.verdict]}</text>'


if __name__ == "__main__":
    main()
