"""What no run ever met is unknown, whoever asks."""

from pathlib import Path

import pytest

from gridproof_implementation.trace import read_trace
from gridproof_model.trace import VerdictRecord
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine
from tests.front_door.test_pytest_plugin import type_pytest

GRIDS = "tests.front_door.bad_grids"
UNMET = f"{GRIDS}:PROMISES_WHAT_NO_RUN_SHOWS"
BROKEN_TOO = f"{GRIDS}:AND_BREAKS_A_PROMISE"


def test_check_says_so_and_ends_with_3(gridproof: CommandLine) -> None:
    checked = gridproof("check", "--system", UNMET)

    assert checked.status == ExitStatus.UNKNOWN
    assert "promised, not looked at: backups-converge" in checked.out


def test_one_of_several_systems_is_enough(gridproof: CommandLine) -> None:
    checked = gridproof("check", "--system", UNMET, "--system", f"{GRIDS}:FEW_PROMISES", "--json")

    reasons = {verdict["reason"] for verdict in checked.json["runs"][0]["verdicts"] if verdict["promise"] == "promised"}
    assert checked.status == ExitStatus.UNKNOWN
    assert reasons == {None, "not looked at"}


@pytest.mark.parametrize(
    ("system", "status"),
    [
        pytest.param("reference", ExitStatus.HOLDS, marks=pytest.mark.nightly),
        pytest.param(BROKEN_TOO, ExitStatus.BROKEN, marks=pytest.mark.nightly),
        (UNMET, ExitStatus.UNKNOWN),
    ],
)
def test_check_report_and_audit_end_alike(gridproof: CommandLine, system: str, status: int) -> None:
    checked = gridproof("check", "--system", system, "--out", "run")

    assert checked.status == status
    assert gridproof("report", "run").status == status
    assert gridproof("audit", "run/trace.jsonl", "--engine", "local").status == status


def test_the_page_counts_it_with_what_is_unknown(gridproof: CommandLine) -> None:
    gridproof("check", "--system", UNMET, "--out", "run")

    page = Path("run/report.html").read_text()
    assert "1 of 2 promised properties holds, none is broken; 1 not looked at." in page
    assert "1 promised property not looked at" in page


def test_a_trace_that_ends_amid_its_verdicts_is_judged_whole(gridproof: CommandLine) -> None:
    gridproof("check", "--system", UNMET, "--out", "run")
    trace = Path("run/trace.jsonl")
    first = next(place for place, one in enumerate(read_trace(trace)) if isinstance(one, VerdictRecord))
    trace.write_text("".join(trace.read_text().splitlines(keepends=True)[: first + 3]))

    again = gridproof("report", "run")

    assert "equal-version-equal-row" in Path(again.out.splitlines()[0]).read_text()


@pytest.mark.parametrize("alone", [True, False])
def test_a_promise_of_what_no_property_is_called_is_wrong_use(gridproof: CommandLine, alone: bool) -> None:
    others = [] if alone else ["--system", f"{GRIDS}:FEW_PROMISES"]

    wrong = gridproof("check", "--system", f"{GRIDS}:MISSPELT", *others)

    assert wrong.status == ExitStatus.WRONG_USE
    assert "did you mean full-rows?" in wrong.err
    assert wrong.err.count("\n") == 1
    assert not Path("gridproof-out").exists()


def test_a_test_of_it_fails(tmp_path: Path) -> None:
    ended = type_pytest(tmp_path, f"--gridproof-system={UNMET}", "-k", "backups-converge or full-rows")

    assert ended.returncode == 1
    assert "FAILED gridproof::" in ended.stdout
    assert "backups-converge is unknown: " in ended.stdout
    assert "1 failed, 2 passed" in ended.stdout


def test_a_test_of_what_no_property_is_called_is_wrong_use(tmp_path: Path) -> None:
    wrong = type_pytest(tmp_path, f"--gridproof-system={GRIDS}:MISSPELT")

    assert wrong.returncode == 4
    assert "did you mean full-rows?" in wrong.stderr


@pytest.mark.parametrize("command", [("simulate", "--seed"), ("replay",)])
def test_a_run_that_met_less_than_was_promised_ends_with_3(gridproof: CommandLine, command: tuple[str, ...]) -> None:
    ended = gridproof(*command, 1, "--faults", "none")

    assert ended.status == ExitStatus.UNKNOWN
    assert "promised properties held in no run of 1, so nothing is known of them: " in ended.out


def test_names_that_would_fill_a_paragraph_are_counted(gridproof: CommandLine) -> None:
    line = next(line for line in gridproof("simulate", "--seed", 1).out.splitlines() if "held in no run" in line)

    assert line.count(", ") < 10
    assert "others, which --json names" in line


def test_readers_of_its_trace_end_with_3_too(gridproof: CommandLine) -> None:
    gridproof("simulate", "--seed", 1, "--out", "run")

    assert gridproof("report", "run").status == ExitStatus.UNKNOWN
    assert gridproof("audit", "run/trace.jsonl", "--engine", "local").status == ExitStatus.UNKNOWN


def test_at_least_asks_for_more_runs(gridproof: CommandLine) -> None:
    runs = gridproof("simulate", "--runs", 2, "--workers", 1, "--at-least", 2)

    assert runs.status == ExitStatus.UNKNOWN
    assert "promised properties held in fewer than 2 runs of 2" in runs.out
