"""What a user or a stranger names is read within bounds, and numbers have a size that work can have."""

import os
from pathlib import Path

import pytest

from gridproof_model.own_modules import BYTES_MAX
from tests.front_door.command_line import CommandLine
from tools.options_page import parsers

READERS = {
    "times": "simulate --set latency=empirical({file})",
    "a campaign": "campaign {file}",
    "a behaviour": "replay {file}",
    "a scenario": "check --system vecgrid --scenario {file}",
    "a baseline": "audit none.jsonl --baseline {file}",
    "a configuration": "simulate --config {file}",
    "a page": "suite reach --check {file}",
    "reasons": "suite reach --reasons {file}",
}
NAMES = {"a configuration": "a.yaml"}


def integer_options() -> list[tuple[str, str]]:
    """Every option of every command that is a whole number."""
    found: list[tuple[str, str]] = []
    for command, parser in parsers().items():
        found += [
            (command, one.option_strings[-1]) for one in parser._actions if one.type is int and one.option_strings
        ]
    return found


@pytest.mark.parametrize("number", ["1" + "0" * 20, "-1" + "0" * 20, "1" + "0" * 5_000])
def test_a_whole_number_beyond_all_work_is_one_line(gridproof: CommandLine, number: str) -> None:
    options = integer_options()

    assert len(options) > 20
    for command, option in options:
        wrong = gridproof(*command.split(), f"{option}={number}")
        assert wrong.status == 2, (command, option)
        assert wrong.err.count("\n") == 1, (command, option)
        assert "write a whole number" in wrong.err
        assert len(wrong.err) < 300


@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("form", ["a pipe", "a device", "a link to a device", "too large"])
def test_what_is_no_ordinary_file_is_one_line(gridproof: CommandLine, what: str, form: str, tmp_path: Path) -> None:
    file = tmp_path / NAMES.get(what, "file")
    match form:
        case "a pipe":
            os.mkfifo(file)
        case "a device" if what not in NAMES:
            file = Path("/dev/zero")
        case "too large":
            with file.open("wb") as made:
                made.truncate(BYTES_MAX + 1)
        case _:
            file.symlink_to("/dev/zero")

    wrong = gridproof(*READERS[what].format(file=file).split(" "))

    assert wrong.status == 2
    assert wrong.err.count("\n") == 1
    assert ("larger than" if form == "too large" else "no ordinary file") in wrong.err


def test_no_content_of_a_file_that_is_no_times_is_shown(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password\n")

    wrong = gridproof("simulate", "--set", f"latency=empirical({tmp_path / 'secret'})")

    assert wrong.status == 2
    assert "line 1 is no time" in wrong.err
    assert "password" not in wrong.err
