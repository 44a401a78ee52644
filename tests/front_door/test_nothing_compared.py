"""Status 0 says that something was compared: where nothing was, no command ends with it."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_implementation.trace import read_trace, write_trace
from gridproof_model.trace import OperationRecord, Outcome
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.work import CHANGING, NO_CHANGE
from suite.blind.attack import Attack, Fate
from suite.blind.search import BlindSearch
from suite.commands import blind, reach
from suite.reach.measure import Reach
from suite.reach.page import Checked, Page
from tests.front_door.command_line import CommandLine

LAMP = '''
from gridproof_model.language import BoolExpr, Bool, Specification, Step

bare = Specification("bare", "A lamp.", source="a test")
size = bare.constant("size", 1, "How many there are.", least=1)
lit = bare.variable("lit", Bool(), "Whether it is lit.")


@bare.action(source="a test")
def it_is_lit() -> Step:
    """It is lit."""
    return Step(when=[~lit], then=[lit.becomes(True)])


@bare.may_stop
def it_is_over() -> bool:
    """Anywhere."""
    return True
'''
CLAIM = '''

@bare.always(source="a test")
def in_another_world() -> BoolExpr:
    """With two of them it is never lit."""
    return (size == 2).implies(~lit)
'''


@pytest.fixture(autouse=True)
def lamp(tmp_path: Path) -> None:
    """A specification that claims nothing, and one that claims nothing of the world that is usual."""
    (tmp_path / "lamp.py").write_text(LAMP, "utf-8")
    (tmp_path / "other.py").write_text(LAMP + CLAIM, "utf-8")


@pytest.mark.parametrize("words", ["explore lamp.py", "explore other.py", "prove other.py --find"])
def test_a_world_in_which_nothing_is_claimed_is_unknown(gridproof: CommandLine, words: str) -> None:
    assert gridproof(*words.split()).status == ExitStatus.UNKNOWN


def test_a_measure_of_nothing_is_refused(gridproof: CommandLine) -> None:
    done = gridproof("measure", "lamp.py", "--rate", "*=1/s")

    assert (done.status, done.err.count("\n")) == (ExitStatus.WRONG_USE, 1)
    assert "say with --of or --events what to measure" in done.err


def test_blind_mutants_that_no_run_comes_to_are_unknown(
    gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blind, "measure", lambda *_, **__: Reach())
    monkeypatch.setattr(blind, "records_of_reference", lambda *_: {})
    monkeypatch.setattr(BlindSearch, "attack", lambda _, mutant: Attack(mutant, Fate.NOT_REACHED))

    assert gridproof("suite", "blind", "--draw", 2).status == ExitStatus.UNKNOWN


def test_a_mutant_that_is_perhaps_no_bug_and_is_not_found_is_unknown(gridproof: CommandLine) -> None:
    assert gridproof("suite", "zoo", "M07", "--budget", "0.000001").status == ExitStatus.UNKNOWN


def test_a_page_that_leaves_out_everything_is_unknown(
    gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "_read", lambda _: Page({}, {}, ()))
    monkeypatch.setattr(reach, "check_page", lambda *_: Checked(0, (), ()))

    assert gridproof("suite", "reach", "--check", tmp_path / "reach.md").status == ExitStatus.UNKNOWN


def test_a_run_in_which_every_change_was_refused_is_unknown(gridproof: CommandLine) -> None:
    drawn = draw_scenario(3, DrawOptions(members=3, faults=(), workload="register"))
    write_scenario(Path("scenario.json"), replace(drawn, quorum=9), "nothing is accepted")

    replayed = gridproof("replay", "scenario.json", "--at-least", 0)
    explained = gridproof("explain", "scenario.json")

    assert (replayed.status, explained.status) == (ExitStatus.UNKNOWN,) * 2
    assert replayed.out.splitlines()[0] == NO_CHANGE
    assert NO_CHANGE in explained.out


@pytest.mark.parametrize("refused", [True, False], ids=["refused", "acknowledged"])
def test_a_trace_in_which_every_change_was_refused_is_unknown(gridproof: CommandLine, refused: bool) -> None:
    gridproof("simulate", "--members", 2, "--faults", "none", "--set", "operations=9", "--steps", "--out", "run")
    trace, easy = Path("run/trace.jsonl"), ("--only", "full-rows")
    with write_trace(Path("changed.jsonl")) as writer:
        for record in read_trace(trace):
            if refused and isinstance(record, OperationRecord) and record.kind in CHANGING:
                record = replace(record, outcome=Outcome.REFUSED)
            writer.write(record)
    Path("changed.jsonl").replace(trace)

    ended = [
        gridproof("audit", "run", "--engine", "local", *easy, "--junit", "run.xml"),
        gridproof("report", "run", *easy),
        gridproof("validate", "run", "--specification", "ownership"),
    ]

    assert {one.status for one in ended} == {ExitStatus.UNKNOWN if refused else ExitStatus.HOLDS}
    assert [NO_CHANGE in one.out for one in ended] == [refused] * 3
    assert (NO_CHANGE in Path("run.xml").read_text()) == refused


def test_an_audit_whose_time_is_over_at_once_is_unknown(
    gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    gridproof("simulate", "--members", 1, "--faults", "none", "--set", "operations=4", "--out", "run")

    monkeypatch.setattr("gridproof.commands.audit.audit_traces", lambda *_: time.sleep(60))

    done = gridproof("audit", "run", "--time-limit", "0.000001")

    assert done.status == ExitStatus.UNKNOWN
    assert done.err == "gridproof: the time limit is reached; no trace was judged\n"
