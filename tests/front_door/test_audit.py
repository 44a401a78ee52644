"""`gridproof audit`, as typed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gridproof.command import UsageError
from gridproof.output.folders import choose_folder
from gridproof_implementation.trace import write_trace
from gridproof_model.trace import VerdictRecord
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.front_door.command_line import CommandLine


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(("--master", "local[2]"), marks=[pytest.mark.spark, pytest.mark.nightly], id="spark"),
        pytest.param(("--engine", "local"), id="local"),
    ],
)
def test_a_recorded_run_gets_the_verdicts_it_had(
    gridproof: CommandLine, tmp_path: Path, engine: tuple[str, ...]
) -> None:
    checked = gridproof("check", "--members", 2, "--out", tmp_path / "run", "--json").json

    audited = gridproof("audit", checked["trace"], *engine, "--json")

    assert audited.status == 0
    assert audited.json["runs"][0]["verdicts"] == checked["verdicts"]
    assert Path(audited.json["report"]).exists()


def test_a_missing_trace_is_one_line(gridproof: CommandLine) -> None:
    wrong = gridproof("audit", "absent.jsonl")

    assert wrong.status == 2
    assert wrong.err.startswith("gridproof: absent.jsonl: no such file")
    assert wrong.err.count("\n") == 1


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(
            ("--engine", "spark", "--master", "local[1]"), marks=[pytest.mark.spark, pytest.mark.nightly], id="spark"
        ),
        pytest.param(("--engine", "local"), id="local"),
    ],
)
@pytest.mark.parametrize("promise", ["promised", "weakness"])
def test_a_promise_of_what_no_property_is_called_is_one_line(
    gridproof: CommandLine, tmp_path: Path, engine: tuple[str, ...], promise: str
) -> None:
    records = TraceBuilder().join(0, 1).records
    with write_trace(tmp_path / "log.jsonl") as writer:
        for record in records:
            writer.write(record)
        writer.write(VerdictRecord(records[0].run, "full-row", "unknown", promise, "", ()))

    wrong = gridproof("audit", "log.jsonl", *engine)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "promises 'full-row', which is no property: did you mean full-rows" in wrong.err


def test_a_property_of_somebodys_own_that_was_judged_is_passed_over(gridproof: CommandLine, tmp_path: Path) -> None:
    records = TraceBuilder().join(0, 1).records
    with write_trace(tmp_path / "log.jsonl") as writer:
        for record in records:
            writer.write(record)
        writer.write(VerdictRecord(records[0].run, "zz-top", "holds", "promised", "it does", (), 3))

    assert gridproof("audit", "log.jsonl", "--engine", "local").status == 3


def test_a_file_that_is_no_trace_is_one_line(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("hello\n")

    wrong = gridproof("audit", "notes.jsonl")

    assert wrong.status == 2
    assert "notes.jsonl:1: " in wrong.err


def test_what_a_killed_command_left_half_written_is_taken_away_by_the_next(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    left, written = (tmp_path / f".gridproof-{process}-0" for process in (int(ended.stdout), os.getpid()))
    left.touch()
    choose_folder(tmp_path, "check")
    written.touch()

    with pytest.raises(UsageError, match="is not empty"):
        choose_folder(tmp_path, "check")
    assert list(tmp_path.iterdir()) == [written]


def test_a_full_folder_is_refused_before_a_trace_is_read(
    gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    monkeypatch.delattr("gridproof.commands.audit.audit_traces")

    refused = gridproof("audit", "absent.jsonl", "--out", tmp_path)

    assert refused.status == 2
    assert "is not empty; name another folder with --out" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_missing_java_is_one_line_with_the_cure(
    gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gridproof("check", "--members", 1, "--out", tmp_path / "run")
    monkeypatch.setattr("gridproof_reports.pipeline.java.ask_version", lambda home: None)

    wrong = gridproof("audit", tmp_path / "run" / "trace.jsonl", "--engine", "spark")

    assert wrong.status == 2
    assert "Java" in wrong.err
    assert "install" in wrong.err
    assert wrong.err.count("\n") == 1


def test_what_is_refused_leaves_the_users_own_empty_folder(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "broken.jsonl").write_text("{\n")

    refused = gridproof("audit", "broken.jsonl", "--engine", "local", "--out", "mine")
    gridproof("audit", "broken.jsonl", "--engine", "local", "--out", "new/deep")
    gridproof("audit", "broken.jsonl", "--engine", "local")

    assert refused.status == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.jsonl", "mine"]
