"""From an exploration to a page."""

from pathlib import Path

from gridproof_model.whole_file import write_whole
from gridproof_properties.explorer import Exploration
from gridproof_reports.exploration_report import exploration_report
from gridproof_reports.pages.exploration import render_exploration


def build_exploration_report(found: Exploration, out: Path, *, repeat_line: str = "") -> Path:
    """Write the page of one exploration to the file `out` and return it."""
    return write_whole(out, render_exploration(exploration_report(found, repeat_line)))
