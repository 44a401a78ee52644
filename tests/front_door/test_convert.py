"""`gridproof convert`: traces of an older version are read again."""

import json
from pathlib import Path

from tests.front_door.command_line import CommandLine
from tests.implementation.test_version_1 import old_trace


def test_a_trace_of_version_1_is_converted_and_judged(gridproof: CommandLine, tmp_path: Path) -> None:
    old = old_trace(tmp_path / "old.jsonl")

    refused = gridproof("audit", old, "--out", "first")
    done = gridproof("convert", old, tmp_path / "new.jsonl")
    audited = gridproof("audit", tmp_path / "new.jsonl", "--json", "--out", "second")

    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "gridproof convert OLD NEW makes a trace of this version of it" in refused.err
    assert (done.status, done.out) == (0, f"3 records written to {tmp_path / 'new.jsonl'}\n")
    assert [one["run"] for one in audited.json["runs"]] == ["old"]


def test_what_is_no_trace_is_one_line(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text(json.dumps({"record": "moon"}) + "\n")

    wrong = gridproof("convert", tmp_path / "old.jsonl", tmp_path / "new.jsonl")

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert 'old.jsonl:1: no record is of kind "moon"' in wrong.err
    assert not (tmp_path / "new.jsonl").exists()
