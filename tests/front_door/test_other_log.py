"""The log of another program is judged: docs/examples/other_log.py."""

import runpy
import sys
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT
from tests.implementation.test_adapter_lines import python_lines

EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the example makes of its log."""
    path = tmp_path / "other.jsonl"
    monkeypatch.setattr(sys, "argv", ["other_log.py", str(EXAMPLES / "other_system.log"), str(path)])
    runpy.run_path(str(EXAMPLES / "other_log.py"))
    return path


def test_the_example_has_thirty_lines_besides_its_imports() -> None:
    imports, first, rest = (EXAMPLES / "other_log.py").read_text().partition("LINE = ")

    assert python_lines(first + rest) <= 30
    assert "def " not in imports


def test_the_defect_in_the_log_is_found(gridproof: CommandLine, trace: Path) -> None:
    audited = gridproof("audit", trace, "--json", "--out", "audited")

    verdicts = {one["property"]: one for one in audited.json["runs"][0]["verdicts"]}
    assert audited.status == 1
    assert verdicts["backup-never-goes-back"]["verdict"] == "broken"
    assert "applied version 2 of " in verdicts["backup-never-goes-back"]["sentence"]
    assert ", though it had version 3 already" in verdicts["backup-never-goes-back"]["sentence"]
    assert verdicts["calls-end-once"]["verdict"] == verdicts["strict-means-copies"]["verdict"] == "holds"


def test_a_log_without_the_defect_holds(gridproof: CommandLine, trace: Path) -> None:
    lines = trace.read_text().splitlines()
    late = next(line for line in lines if '"backup-applied"' in line and '"version":2' in line)
    trace.write_text("".join(f"{line}\n" for line in lines if line != late))

    assert gridproof("audit", trace, "--json", "--out", "audited").status == 0
