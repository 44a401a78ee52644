"""`explain`, as typed."""

import csv
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine

LEAVER = ("suite", "explain", "43", "--mutant", "X10", "--prefixes", 3, "--continuations", 4, "--workers", 1)


def test_the_curve_is_reported_to_machines_written_and_drawn(gridproof: CommandLine, tmp_path: Path) -> None:
    done = gridproof(*LEAVER, "--json", "--out", tmp_path / "explained")

    assert done.status == 1
    first, *_, last = done.json["points"]
    assert (first["at_ms"], first["continuations"], last["share"]) == (0.0, 4, 1.0)
    assert first["low"] <= first["share"] <= first["high"]
    assert done.json["property"] == "acknowledged-append-kept"
    names = sorted(path.name for path in (tmp_path / "explained").iterdir())
    assert names == ["curve.csv", "explanation.png", "explanation.svg"]
    rows = list(csv.DictReader((tmp_path / "explained" / "curve.csv").read_text().splitlines()))
    assert rows[0]["continuations"] == "4"


def test_the_curve_is_reported_to_people(gridproof: CommandLine) -> None:
    done = gridproof(*LEAVER)

    assert done.status == 1
    assert "the run itself" in done.out
    assert "from the start of the run" in done.out


def test_a_run_that_holds_is_one_line(gridproof: CommandLine) -> None:
    done = gridproof("explain", "1", "--members", "1", "--faults", "none")

    assert done.status == 0
    assert done.out == "seed 1: nothing is broken, and there is no failure to explain\n"


WEAK = ("explain", 2, "--members", 3, "--backups", 0, "--faults", "crash", "--prefixes", 3, "--continuations", 1)


def test_a_weakness_that_the_run_counted_is_explained_and_breaks_no_promise(gridproof: CommandLine) -> None:
    done = gridproof(*WEAK, "--of", "acknowledged-write-kept", "--workers", 1)

    assert done.status == 0
    assert "failed where as many members ended as held a copy" in done.out
    assert "the run itself" in done.out


def test_a_weakness_that_the_run_did_not_show_is_one_line(gridproof: CommandLine) -> None:
    done = gridproof("explain", 0, "--members", 1, "--faults", "none", "--of", "acknowledged-write-kept")

    assert done.status == 0
    assert "no weakness of acknowledged-write-kept shows" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("1", "--prefixes", "2"), "--prefixes 2"),
        (("1", "--continuations", "0"), "--continuations 0"),
        (("1", "--workers", "0"), "--workers 0"),
        (("1", "--of", "nothing"), "nothing"),
        (("nothing.json",), "nothing.json"),
    ],
)
def test_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    done = gridproof("explain", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mutant", "M999"), "no mutant is called"),
        (("--mutant", "M28"), "no simulated run to explain"),
        ((), "--mutant"),
    ],
)
def test_wrong_use_of_a_mutant_is_one_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    done = gridproof("suite", "explain", "1", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
