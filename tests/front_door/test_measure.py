"""`measure`, as typed."""

import csv
import shlex
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from tests.front_door.command_line import CommandLine

PNG = b"\x89PNG"
COPIES = """
from gridproof_model.language import BoolExpr, Bool, Int, Specification, Step

one = Specification("one", "A copy that fails.", source="-")
limit = one.constant("limit", 3, "How often.", least=1)
failures = one.variable("failures", Int(0, limit), "How often it failed.")

@one.action(source="-")
def fails() -> Step:
    \"\"\"It fails.\"\"\"
    return Step(when=[failures < limit], then=[failures.becomes(failures + 1)])

@one.sometimes(source="-")
def it_failed_often() -> BoolExpr:
    \"\"\"It failed as often as it may.\"\"\"
    return failures == limit

@one.always(source="-")
def it_never_failed() -> BoolExpr:
    \"\"\"It never failed.\"\"\"
    return failures == 0
"""


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a specification that fails at a rate, in the folder that is ours just now."""
    (tmp_path / "one.py").write_text(COPIES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "one.py"


def test_numbers_come_with_their_error_and_their_cost(gridproof: CommandLine, one: str) -> None:
    found = gridproof("measure", one, "--rate", "fails=1/10s", "--time", "1s", "--json")

    rows = {row["quantity"]: row for row in found.json["measures"]}
    assert found.status == 0
    assert rows["expected time until then"]["value"] == pytest.approx(30, rel=1e-12)
    assert rows["probability within the time"]["value"] == pytest.approx(1.546530702647e-4, rel=1e-12)
    assert 0 < rows["probability within the time"]["relative_error"] < 1e-9
    assert (found.json["states"], found.json["bytes"] > 0, found.json["seconds"] > 0) == (4, True, True)


def test_a_table_reports_values_in_units_that_people_use(gridproof: CommandLine, one: str) -> None:
    expected = gridproof("measure", one, "--rate", "fails=1/30d", "--of", "it_never_failed", "--events", "f*")

    assert "30 d" in expected.out
    assert "events per second" in expected.out
    assert "it_failed_often" not in expected.out


def test_an_infinite_time_is_marked(gridproof: CommandLine, one: str) -> None:
    found = gridproof("measure", one, "--rate", "fails=never", "--json").json["measures"]

    assert {row["quantity"]: row["infinite"] for row in found}["expected time until then"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--rate", "fails=often"], "'often' is no rate"),
        (["--rate", "fails=1/1m"], "write min for minutes"),
        (["--rate", "fals=1/s"], "did you mean fails?"),
        ([], "fails has no rate"),
        (["--rate", "fails=1/s", "--rate", "fails=2/s"], "two rates"),
        (["--rate", "fails=1/s", "--time", "soon"], "'soon' is no time"),
        (["--rate", "fails=1/s", "--time", "1e999y"], "must be between"),
        (["--rate", "fails=1/s", "--of", "it_failed_oftn"], "did you mean it_failed_often"),
        (["--rate", "fails=1/s", "--events", "nothing*"], "no action matches the pattern"),
        (["--rate", "fails=1/s", "--memory", "0"], "--memory 0: write a number of MiB, at least 1"),
        (["--rate", "fails=1/s", "--sweep", "fails"], "write NAME=FROM..TO"),
        (["--rate", "fails=1/s", "--sweep", "fails=1/s..never"], "write two rates above 0"),
        (["--rate", "fails=1/s", "--sweep", "limit=1..x"], "whole number"),
        (["--rate", "fails=1/s", "--sweep", "limit=0..2"], "limit must be at least 1"),
        (["--rate", "fails=1/s", "--sweep", "limit=1..9999999"], "at most 1,000 points"),
        (["--rate", "fails=1/s", "--sweep", "crash=1/s..2/s"], "'crash' cannot be varied; name one of time, "),
        (["--rate", "fails=1/s", "--sweep", "time=1s..1h:1"], "from 2 to 1,000 points"),
        (["--rate", "fails=1/s", "--sweep", "*=1/s..1/h"], "--rate sets every action that matches"),
        (["--rate", "fails=1/s", "--out", "one.py"], "is a file"),
        (["--rate", "fails=1/s", "--quantity", "within"], "--quantity within needs --time; add it, such as --time 1y"),
        (["--rate", "fails=1/s", "--quantity", "events-per-second"], "--quantity events-per-second needs --events"),
        (["--rate", "fails=1/s", "--quantity", "share", "--time", "1s"], "--time changes nothing of --quantity share"),
        (["--rate", "fails=1/s", "--quantity", "ever", "--events", "fails"], "--events changes nothing of --quantity"),
        (["--rate", "fails=1/s", "--quantity", "ever", "--sweep", "time=1s..1h"], "--sweep time changes nothing of"),
        (
            ["--rate=fails=1/s", "--of=it_never_failed", "--events=fails", "--quantity=events-per-second"],
            "--of changes nothing of --quantity events-per-second",
        ),
    ],
)
def test_what_cannot_be_measured_is_one_line(gridproof: CommandLine, one: str, words: list[str], expected: str) -> None:
    wrong = gridproof("measure", one, *words)

    assert (wrong.status, wrong.out, wrong.err.count("\n")) == (2, "", 1)
    assert expected in wrong.err


def test_a_world_that_does_not_fit_is_unknown(gridproof: CommandLine) -> None:
    found = gridproof("measure", "two_phase_commit", "--size", 7, "--rate", "*=1/s", "--memory", 1, "--json")

    assert found.status == 3
    assert "1 MiB" in found.json["measures"][0]["unknown"]


def test_a_sweep_leaves_tables_and_figures(gridproof: CommandLine, one: str, tmp_path: Path) -> None:
    done = gridproof("measure", one, "--time", "1h", "--sweep", "fails=1/1s..1/1d:4", "--out", "swept", "--json")

    with (tmp_path / "swept" / "measures.csv").open() as file:
        rows = list(csv.DictReader(file))
    table = parquet.read_table(tmp_path / "swept" / "measures.parquet").to_pylist()
    assert [row["at"] for row in done.json["points"]] == pytest.approx(
        [1, 86_400 ** (-1 / 3), 86_400 ** (-2 / 3), 1 / 86_400]
    )
    assert len(rows) == len(table) == 4 * 4
    assert [float(row["value"]) for row in rows] == [row["value"] for row in table]
    assert (tmp_path / "swept" / "expected-time-until-then.svg").read_text().startswith("<svg")
    assert (tmp_path / "swept" / "expected-time-until-then.png").read_bytes().startswith(PNG)


def test_constants_and_times_are_swept_too(gridproof: CommandLine, one: str) -> None:
    longer = gridproof("measure", one, "--rate", "fails=1/s", "--sweep", "limit=1..3", "--json").json["points"]
    later = gridproof("measure", one, "--rate", "fails=1/s", "--sweep", "time=1s..100s:3", "--json").json["points"]

    times = [row["value"] for point in longer for row in point["measures"] if row["unit"] == "s"]
    assert times == pytest.approx([1, 2, 3])
    assert [point["time_s"] for point in later] == pytest.approx([1, 10, 100])


def test_a_rate_by_name_goes_before_the_pattern_of_a_sweep(gridproof: CommandLine, one: str) -> None:
    act = "@one.action(source='-')\ndef rests() -> Step:\n    'It rests.'\n"
    both = f"{COPIES}\n{act}    return Step(when=[failures == 9], then=[])\n"
    Path(one).write_text(both, "utf-8")
    words = ("measure", one, "--rate", "fails=1/10s", "--time", "1s", "--json")

    swept = gridproof(*words, "--sweep", "*=1/s..1/h:2").json["points"]
    alone = gridproof(*words, "--rate", "*=1/s").json["measures"]

    assert [[row["value"] for row in point["measures"]] for point in swept] == [[row["value"] for row in alone]] * 2


def test_a_sweep_is_printed_a_row_a_point(gridproof: CommandLine, one: str) -> None:
    expected = gridproof("measure", one, "--sweep", "fails=1/1s..1/1d:2")

    assert "1/1d" in expected.out
    assert expected.out.count(" 1/1s │") == 3


def test_a_folder_that_is_not_empty_is_refused_before_the_search(gridproof: CommandLine, one: str) -> None:
    refused = gridproof("measure", one, "--rate", "fails=1/s", "--out", ".")

    assert refused.status == 2
    assert "not empty" in refused.err


def test_a_disk_that_is_full_is_one_line(
    gridproof: CommandLine, one: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)

    refused = gridproof("measure", one, "--rate", "fails=1/s", "--out", "full")

    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "No space left on device" in refused.err
    assert not (tmp_path / "full").exists()


def test_every_action_that_a_pattern_matches_is_swept(gridproof: CommandLine) -> None:
    world = ("--set", "members=2", "--set", "async_backups=0", "--rate", "*=never", "--time", "1s")
    asked = (*world, "--events", "*_crashes", "--json")

    swept = gridproof("measure", "durability", *asked, "--sweep", "*_crashes=1/1s..1/2s:2")

    faster, slower = swept.json["points"]
    alone = gridproof("measure", "durability", *asked, "--rate", "*_crashes=1/2s")
    values = [[one["value"] for one in point["measures"]] for point in (faster, slower, alone.json)]
    assert values[1] == values[2] != values[0]


CELLS = """runs = 1
[set]
members = 4
partitions = 1
arrival = "5/s"
time = "10s"
latency = "20ms"
crash = "1/30s"
[grid]
strict = ["on", "off"]
"""
ASKED = ("--quantity", "within", "--of", "an_acknowledged_write_is_lost")


@pytest.fixture
def cells(tmp_path: Path) -> str:
    """The file of a campaign of two cells."""
    file = tmp_path / "cells.toml"
    file.write_text(CELLS, encoding="utf-8")
    return str(file)


def test_the_rates_of_a_cell_are_taken_and_shown(gridproof: CommandLine, cells: str) -> None:
    asked = ("measure", "durability", "--like", cells, "--cell", "0", *ASKED)
    plain = gridproof(*asked, "--json")
    slow = gridproof(*asked, "--rate", "crashed*=1/840ms", "--json")

    assert (plain.status, slow.status) == (0, 0)
    taken = {one["name"]: one["value"] for one in plain.json["like"]["taken"]}
    assert (taken["time"], taken["members"], taken["crashed_primary_is_removed"]) == ("10000ms", "4", "1/420ms")
    assert "crashed_primary_is_removed" not in {one["name"] for one in slow.json["like"]["taken"]}
    assert slow.json["measures"][0]["value"] > 1.3 * plain.json["measures"][0]["value"] > 0


def test_what_is_given_goes_before_what_the_cell_says(gridproof: CommandLine, cells: str) -> None:
    given = ("--members", "2", "--time", "5s", "--sweep", "primary_crashes=1/30s..1/10s:2")
    done = gridproof("measure", "durability", "--like", cells, "--cell", "0", *ASKED, *given)

    assert done.status == 0
    assert "5s" in done.out
    assert "30000ms" not in done.out
    assert "what the chain does not say" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["durability", "--like", "CELLS"], "2 cells; name one of them with --cell, from 0 to 1"),
        (["durability", "--like", "CELLS", "--cell", "2"], "from 0 to 1"),
        (["durability", "--cell", "0", "--rate", "*=1/s"], "--like"),
        (["two_phase_commit", "--like", "CELLS", "--cell", "0"], "give the rates of two_phase_commit with --rate"),
        (["durability", "--like", "nothing.toml"], "cannot be read"),
    ],
)
def test_a_cell_that_cannot_be_taken_is_one_line(
    gridproof: CommandLine, cells: str, words: list[str], said: str
) -> None:
    done = gridproof("measure", *(cells if word == "CELLS" else word for word in words))

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("gives_back", "said"), [pytest.param("false", 0.414, marks=pytest.mark.nightly), ("true", 0.265)]
)
def test_a_pair_of_the_three_readings_is_measured_as_its_page_says(
    gridproof: CommandLine, gives_back: str, said: float
) -> None:
    page = Path(__file__).parents[2] / "docs" / "three-readings.md"
    line = next(part for part in page.read_text("utf-8").split("```") if "measure docs/three-readings/pairs.py" in part)
    words = shlex.split(line.partition("gridproof ")[2].replace("\\\n", " "))
    words[1] = str(page.parent / "three-readings" / "pairs.py")

    found = gridproof(*words, "--set", f"gives_back={gives_back}", "--json")

    (row,) = found.json["measures"]
    assert row["value"] == pytest.approx(said, abs=5e-4)
    assert f"| {said} |" in page.read_text("utf-8")
