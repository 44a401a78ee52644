"""The page that lists several systems, or several runs of some."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from gridproof_properties.judging.words import count
from gridproof_reports.pages.environment import make_environment
from gridproof_reports.summary import SummaryEntry, properties_of


def render_summary(entries: Sequence[SummaryEntry], folder: Path, *, repeat_line: str = "", when: str = "") -> str:
    """Return the page as one self-contained HTML document; its links are relative to `folder`."""
    template = make_environment().get_template("summary.html.j2")
    links = {
        entry.report: quote(Path(os.path.relpath(entry.report, folder)).as_posix())
        for entry in entries
        if entry.report is not None
    }
    noun = "system" if len({entry.system for entry in entries}) == len(entries) else "run"
    return template.render(
        entries=entries,
        noun=noun,
        is_timed=any(entry.seconds is not None for entry in entries),
        counted=count(len(entries), noun),
        links=links,
        properties=properties_of(entries),
        repeat_line=repeat_line,
        when=when,
    )
