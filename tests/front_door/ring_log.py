"""What is validated: the ring of `docs/validating-a-log.md` with its logs, and a run of which one event is another."""

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path

import pytest

from tests.house.source_tree import ROOT

PAGE = (ROOT / "docs" / "validating-a-log.md").read_text("utf-8")
PROGRAM, TABLE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SPECIFICATION = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "proving-your-own.md").read_text("utf-8"), re.DOTALL
)[0]


def write_ring(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the page's three files into a folder, and return it; what another test imported is forgotten."""
    for name, text in (("ewd840.py", SPECIFICATION), ("ring.py", PROGRAM), ("table.py", TABLE)):
        (folder / name).write_text(text, "utf-8")
    for name in ("ewd840", "table"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


def log_of(folder: Path, name: str, *words: str) -> Path:
    """Run the page's program and return what it wrote."""
    printed, argv = io.StringIO(), sys.argv
    sys.argv = ["ring.py", *words]
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(folder / "ring.py"))
    finally:
        sys.argv = argv
    path = folder / name
    path.write_text(printed.getvalue(), "utf-8")
    return path


def with_a_gap(trace: Path) -> Path:
    """Have the first backup that applied the next update in a trace apply one after a gap instead."""
    lines = trace.read_text("utf-8").splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if '"backup-applied"' in line and '"next"' in line)
    lines[place] = lines[place].replace('"next"', '"gapped"')
    trace.write_text("".join(lines), "utf-8")
    return trace
