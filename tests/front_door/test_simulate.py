"""`simulate` and `replay` of seeds, as typed."""

import json
from pathlib import Path

import pytest

from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.faults import FAULTS
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_implementation.simulator.workloads import EVERY_WORKLOAD
from gridproof_implementation.trace import read_trace
from gridproof_model.trace import RunRecord, VerdictRecord
from gridproof_properties.catalogue import CATALOGUE
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT
from tests.properties.test_campaign import crash_scenario


@pytest.fixture
def a_broken_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every backup acknowledges, and applies nothing."""

    def acknowledge_only(part: ReplicationPart, sender: object, backup: object) -> None:
        part.acknowledge(backup)  # type: ignore[arg-type]

    monkeypatch.setattr(ReplicationPart, "on_backup", acknowledge_only)


def test_a_seed_is_simulated_and_judged(gridproof: CommandLine) -> None:
    done = gridproof("simulate", "--seed", 1)

    assert done.status == 3
    assert [prop.name for prop in CATALOGUE if prop.name not in done.out] == []
    assert "promised properties held in no run of 1" in done.out


def test_a_single_run_leaves_its_trace(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("simulate", "--seed", 1, "--out", tmp_path / "run")

    records = list(read_trace(tmp_path / "run" / "trace.jsonl"))
    assert isinstance(records[0], RunRecord)
    assert isinstance(records[-1], VerdictRecord)


def test_equal_lines_leave_equal_bytes(gridproof: CommandLine, tmp_path: Path) -> None:
    for name in ("one", "two"):
        gridproof("simulate", "--seed", 4, "--members", 3, "--out", tmp_path / name)

    assert (tmp_path / "one" / "trace.jsonl").read_bytes() == (tmp_path / "two" / "trace.jsonl").read_bytes()


def test_many_seeds_are_counted(gridproof: CommandLine) -> None:
    done = gridproof("simulate", "--runs", 6, "--workers", 1, "--json")

    assert done.json["runs"] == 6
    assert done.json["failures"] == []
    for counts in done.json["properties"].values():
        assert sum(number for standing, number in counts.items() if standing != "compared") == 6


def test_draw_options_are_followed(gridproof: CommandLine, tmp_path: Path) -> None:
    draw_options = ("--members", 2, "--backups", 1, "--faults", "none", "--workload", "queue")
    gridproof("simulate", "--seed", 3, *draw_options, "--out", tmp_path / "run")

    text = (tmp_path / "run" / "trace.jsonl").read_text()
    assert '"kind":"offer"' in text
    assert '"name":"fault"' not in text
    assert '"backup_count":' in text


def test_a_long_run_lasts_its_virtual_minutes(gridproof: CommandLine) -> None:
    done = gridproof("simulate", "--seed", 2, "--members", 2, "--faults", "none", "--minutes", 1, "--json")

    assert done.json["virtual_ms"] >= 60_000


@pytest.mark.usefixtures("a_broken_grid")
def test_a_failure_names_the_line_that_repeats_it(gridproof: CommandLine) -> None:
    draw_options = ("--members", 3, "--backups", 1, "--workload", "appends", "--faults", "crash,restart")
    done = gridproof("simulate", "--runs", 30, "--workers", 1, *draw_options, "--json")

    first = done.json["failures"][0]
    assert done.status == 1
    assert first["replay"] == f"gridproof replay {first['seed']} {' '.join(map(str, draw_options))}"
    assert gridproof(*first["replay"].split()[1:], "--whole").status == 1


@pytest.mark.usefixtures("a_broken_grid")
def test_a_failing_run_is_made_small_reported_drawn_and_repeated(gridproof: CommandLine, tmp_path: Path) -> None:
    write_scenario(tmp_path / "failing.json", crash_scenario(), "an append is lost")

    done = gridproof("replay", tmp_path / "failing.json", "--out", tmp_path / "small")

    small = json.loads((tmp_path / "small" / "scenario.json").read_text())
    assert done.status == 1
    assert len(small["scenario"]["scripts"][0]["client_operations"]) < 10
    assert "fault: the member at address 1 crashes" in done.out
    assert "executes Append" in done.out
    drawn = (tmp_path / "small" / "run.svg").read_text()
    assert drawn.startswith("<svg")

    again = gridproof("replay", tmp_path / "small" / "scenario.json", "--whole", "--out", tmp_path / "again")

    assert again.status == 1
    assert (tmp_path / "again" / "run.svg").read_text() == drawn


def test_a_seed_that_holds_is_said_so(gridproof: CommandLine) -> None:
    done = gridproof("replay", 1, "--at-least", 0)

    assert done.status == 0
    assert "nothing is broken" in done.out


def test_a_run_that_holds_is_written_where_a_folder_is_named(gridproof: CommandLine, tmp_path: Path) -> None:
    done = gridproof("replay", 1, "--at-least", 0, "--out", tmp_path / "run")

    again = gridproof("replay", tmp_path / "run" / "scenario.json", "--at-least", 0)
    assert (done.status, again.status) == (0, 0)
    assert str(tmp_path / "run" / "scenario.json") in done.out
    assert (tmp_path / "run" / "run.svg").read_text().startswith("<svg")


def test_a_run_that_holds_leaves_nothing_where_no_folder_is_named(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("replay", 1)

    assert list(tmp_path.iterdir()) == []


def test_replay_says_of_a_seed_what_simulate_says(gridproof: CommandLine) -> None:
    replayed, simulated = gridproof("replay", 4), gridproof("simulate", "--seed", 4)

    def standings(text: str) -> list[str]:
        return [line for line in text.splitlines() if line.startswith("│")]

    assert standings(replayed.out) == standings(simulated.out)
    assert replayed.status == simulated.status


def test_the_help_names_every_fault_and_workload(gridproof: CommandLine) -> None:
    shown = "".join(gridproof("simulate", "--help").out.split())

    assert [fault.name for fault in FAULTS if fault.name not in shown] == []
    assert [workload.name for workload in EVERY_WORKLOAD if workload.name not in shown] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--faults", "crush"), "no fault is called 'crush': did you mean crash?"),
        (("--workload", "cue"), "no workload is called 'cue'"),
        (("--members", 0), "--members 0: write a whole number from 1 to 50"),
        (("--minutes", 99999999999), "--minutes 99999999999: write a whole number from 0 to 10,000"),
        (("--backups", 7), "--backups 7: write a whole number from 0 to 6"),
        (("--runs", 0), "--runs must be at least 1"),
        (("--runs", 2, "--out", "somewhere"), "--out does not apply to several runs, only to a single run"),
        (("--minutes", -1), "--minutes -1"),
        (("--workers", -1), "--workers -1: write a number of processes from 1 to 256"),
        (("--at-least", 3, "--runs", 2), "--at-least 3: a property is met by at most 2 runs"),
        (("--faults", "crash,drop,crash"), "--faults crash,drop,crash: 'crash' is named twice; name it once"),
        (("--only", "full-rows", "--only", "full-rows"), "--only full-rows is given twice; give it once"),
        (("--at-least", -1), "argument --at-least: -1: write a whole number of at least 0"),
        (("--seed", 9223372036854775808), "at most 4,611,686,018,427,387,904"),
    ],
)
def test_a_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[object, ...], said: str) -> None:
    done = gridproof("simulate", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_full_folder_is_refused_before_the_run(
    gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    monkeypatch.delattr("gridproof.commands.replay.judge_scenario")

    refused = gridproof("replay", 1, "--out", tmp_path)

    assert refused.status == 2
    assert "is not empty; name another folder with --out" in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_that_is_neither_is_one_line(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "nothing.json").write_text("[]")

    done = gridproof("replay", tmp_path / "nothing.json")

    assert done.status == 2
    assert done.err.count("\n") == 1


def test_the_page_on_simulated_runs_names_every_fault_and_workload() -> None:
    page = (ROOT / "docs" / "simulating.md").read_text("utf-8")

    assert [fault.name for fault in FAULTS if f"`{fault.name}`" not in page] == []
    assert [workload.name for workload in EVERY_WORKLOAD if f"`{workload.name}`" not in page] == []


def test_varied_runs_set_their_own_options(gridproof: CommandLine) -> None:
    printed = gridproof("simulate", "--vary", "--workload", "jobs")

    assert printed.status == 2
    assert "leave out either --workload or --vary" in printed.err


@pytest.mark.usefixtures("a_broken_grid")
def test_a_varied_run_is_repeated_as_one(gridproof: CommandLine, tmp_path: Path) -> None:
    failure = gridproof("simulate", "--vary", "--seed", 1, "--json", "--out", tmp_path).json["failures"][0]

    assert failure["replay"].endswith(" --vary")
