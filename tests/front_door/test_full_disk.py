"""A disk that is full is one line, whoever writes; nothing half written stays, and no member is blamed."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gridproof_implementation.trace.json_lines import JsonLinesWriter
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine

GRIDS = "tests.front_door.bad_grids"
UNBUFFERED = "PYTHONUNBUFFERED"
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

FULL_ADAPTER = """
from dataclasses import replace
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.trace.json_lines import JsonLinesWriter

REFERENCE = get_adapter("reference")

def refuse(*_):
    raise OSError(28, "No space left on device")

def open_full(options):  # in a process of its own
    JsonLinesWriter._empty = refuse
    return REFERENCE.open(options)

ADAPTER = replace(REFERENCE, name="full", open=open_full)
"""


def refuse(*_: object) -> None:
    raise FULL


@pytest.mark.parametrize("words", ["completion bash", "--help", "check --help", "--version", "systems --json"])
@pytest.mark.parametrize("unbuffered", ["", pytest.param("1", marks=pytest.mark.nightly)])
def test_a_standard_output_that_finds_no_room_is_one_line(words: str, unbuffered: str) -> None:
    with open("/dev/full", "w") as full:
        command, around = [sys.executable, "-m", "gridproof", *words.split()], os.environ | {UNBUFFERED: unbuffered}
        wrong = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=around)

    assert wrong.returncode == ExitStatus.WRONG_USE
    what = "standard output, or a file that was being written"
    assert wrong.stderr == f"gridproof: {what}: {FULL.strerror}; make room, or write elsewhere\n"


@pytest.mark.parametrize("words", ["check", "simulate"])
def test_a_trace_that_finds_no_room_is_one_line(
    gridproof: CommandLine, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JsonLinesWriter, "_empty", refuse)

    wrong = gridproof(words, "--out", "out")

    place = "out/trace.jsonl"
    assert wrong.status == ExitStatus.WRONG_USE
    assert wrong.err == f"gridproof: {place}: cannot be written ({FULL.strerror}); choose another place\n"
    assert list(Path().iterdir()) == []


def test_a_page_that_finds_no_room_is_one_line(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    gridproof("simulate", "--out", "run")
    monkeypatch.setattr(os, "replace", refuse)

    wrong = gridproof("audit", "run/trace.jsonl", "--out", "out")

    assert wrong.status == ExitStatus.WRONG_USE
    assert wrong.err.endswith(f"report.html: {FULL.strerror}; name another\n")
    assert wrong.err.count("\n") == 1
    assert not Path("out").exists()


def test_of_several_systems_the_others_keep_their_verdicts(gridproof: CommandLine) -> None:
    Path("full.py").write_text(FULL_ADAPTER)

    done = gridproof(
        "check", "--system", "full.py:ADAPTER", "--system", f"{GRIDS}:FEW_PROMISES", "--out", "out", "--json"
    )

    full, whole = done.json["runs"]
    assert "No space left on device" in full["failure"]
    assert {one["verdict"] for one in whole["verdicts"] if one["promise"] == "promised"} == {"holds"}
