"""`gridproof validate`: logs and traces held against specifications."""

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path

import pytest

from gridproof_implementation.trace import write_trace
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT

PAGE = (ROOT / "docs" / "validating-a-log.md").read_text("utf-8")
PROGRAM, TABLE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SPECIFICATION = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "proving-your-own.md").read_text("utf-8"), re.DOTALL
)[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page's three files, in an otherwise empty folder where the commands run."""
    for name, text in (("ewd840.py", SPECIFICATION), ("ring.py", PROGRAM), ("table.py", TABLE)):
        (tmp_path / name).write_text(text, "utf-8")
    for name in ("ewd840", "table"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


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


def test_the_log_of_the_page_is_explained(gridproof: CommandLine, folder: Path) -> None:
    log_of(folder, "ring.jsonl", "1")

    printed = gridproof("validate", "ring.jsonl", "--table", "table.py:TABLE")

    assert printed.status == 0
    assert printed.out.strip() in PAGE


def test_the_log_with_the_bug_is_refused_in_the_words_of_the_page(gridproof: CommandLine, folder: Path) -> None:
    log_of(folder, "forgetful.jsonl", "1", "forgetful")

    printed = gridproof("validate", "forgetful.jsonl", "--table", "table.py")
    found = gridproof("validate", "forgetful.jsonl", "--table", "table.py", "--json").json["validated"][0]

    assert printed.status == 1
    assert printed.out.strip() in PAGE
    assert (found["result"], found["line"], found["explained"]) == ("refused", 7, 6)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nothing.jsonl", "--table", "table.py"), "nothing.jsonl: cannot be read (No such file or directory)"),
        ((".", "--table", "table.py"), "cannot be read (Is a directory)"),
        (("ring.jsonl", "--table", "tables.py"), "there is no file tables.py"),
        (("ring.jsonl", "--table", "ewd840.py"), "ewd840.py names no observation table"),
        (("ring.jsonl", "--table", "table.py:NOTHING"), "table.py:NOTHING names no observation table"),
        (("ring.jsonl", "--table", "table"), "'table' names no observation table: write my_module.py:NAME"),
        (("ring.jsonl", "--specification", "replica"), "did you mean replicas?"),
        (("ring.jsonl", "--specification", "ewd840.py"), "one of your own needs an observation table"),
        (("ring.jsonl", "--specification", "replicas"), '"record" must stand first in the line'),
    ],
)
def test_wrong_use_is_reported_in_one_line(
    gridproof: CommandLine, folder: Path, words: tuple[str, ...], problem: str
) -> None:
    log_of(folder, "ring.jsonl", "1")

    printed = gridproof("validate", *words)

    assert (printed.status, printed.err.count("\n")) == (2, 1)
    assert problem in printed.err


@pytest.mark.parametrize("specification", ["replicas", "tables", "calls"])
def test_a_recorded_run_is_validated(gridproof: CommandLine, folder: Path, specification: str) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--members", 3, "--steps", "--out", "run")

    printed = gridproof("validate", "run/trace.jsonl", "--specification", specification, "--json")

    assert printed.status in (0, 3)
    assert printed.json["validated"][0]["name"] == "simulation-2"
    assert specification != "replicas" or printed.status == 0


def test_a_trace_without_the_steps_of_members_says_how_to_record_them(gridproof: CommandLine, folder: Path) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--out", "run")

    printed = gridproof("validate", "run/trace.jsonl", "--specification", "replicas")

    assert printed.status == 3
    assert "`gridproof simulate --steps --out DIR` records the steps of members" in printed.out


def test_a_trace_whose_tables_never_change_is_unknown(gridproof: CommandLine, folder: Path) -> None:
    with write_trace(folder / "still.jsonl") as out:
        for record in TraceBuilder().join(0, 1).view("joined", [(0, 1)] * 3).view("later", [(0, 1)] * 3).records:
            out.write(record)

    printed = gridproof("validate", "still.jsonl", "--specification", "ownership")

    assert printed.status == 3
    assert "no member showed a row that had changed" in printed.out
    assert "simulate" not in printed.out


def test_a_trace_with_a_changed_event_is_refused(gridproof: CommandLine, folder: Path) -> None:
    gridproof("simulate", "--runs", 1, "--seed", 2, "--members", 3, "--steps", "--out", "run")
    trace = folder / "run" / "trace.jsonl"
    lines = trace.read_text("utf-8").splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if '"backup-applied"' in line and '"next"' in line)
    lines[place] = lines[place].replace('"next"', '"gapped"')
    trace.write_text("".join(lines), "utf-8")

    printed = gridproof("validate", trace, "--specification", "replicas")

    assert printed.status == 1
    assert "the specification refuses gapped_update_is_applied" in printed.out
