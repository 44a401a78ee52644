"""`gridproof check --runs` and `--scenario`, as typed."""

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gridproof.checks import live_check
from gridproof.command import UsageError
from gridproof_implementation.adapter import Options
from gridproof_implementation.live.draw import CLIENTS, LiveDrawOptions, draw_live_scenario
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_properties.campaign.live import Cost, PlayedRun
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict
from tests.front_door.command_line import CommandLine
from tests.properties.live_toy import HONEST_TOY

TOY = "tests.properties.live_toy"


def test_the_help_says_how_many_clients_there_are(gridproof: CommandLine) -> None:
    """The number stands in the help itself, so that the help loads no live runs."""
    assert f"clients at work (default {CLIENTS})" in gridproof("check", "--help").out


@pytest.mark.nightly
@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_a_scenario_that_fails_is_played_again_reported_and_repeated_from_its_file(
    gridproof: CommandLine, tmp_path: Path
) -> None:
    words: Sequence[object] = ("--faults", "restart", "--times", 2, "--out", tmp_path / "runs")
    checked = gridproof("check", "--system", f"{TOY}:FORGETFUL_TOY", "--runs", 1, "--seed", 4, *words, "--json")

    (found,) = checked.json["scenarios"]
    assert checked.status == 1
    assert (found["played"], found["broken"]["acknowledged-key-present"]) == (2, 2)
    assert found["runs"][0]["lost"]
    assert checked.json["faults"]["restart"]["with lost writes"] == 1
    file = Path(found["scenario"])
    assert "acknowledged-key-present broken 2 of 2 times" in json.loads(file.read_text())["shows"]
    again = gridproof("check", "--scenario", file, "--times", 1, "--out", tmp_path / "again")
    assert again.status == 1
    assert "acknowledged-key-present 1 of 1" in again.out


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_an_honest_system_under_faults_is_green(gridproof: CommandLine, tmp_path: Path) -> None:
    words: Sequence[object] = ("--runs", 1, "--faults", "crash", "--out", tmp_path / "runs")

    checked = gridproof("check", "--system", f"{TOY}:HONEST_TOY", *words)

    assert checked.status == 0
    assert "address" in checked.out
    assert max(len(line) for line in checked.out.splitlines() if line[:1] in "│┃") <= 80
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"seed-0.json", "seed-0.jsonl", "seed-0.html"}
    for said in ("member 2 joined", "crash begins: ", "clients are at work", "crash has ended", "is judged"):
        assert said in checked.err
    page = (tmp_path / "runs" / "seed-0.html").read_text()
    assert page.index("Faults, and what clients met") < page.index("Verdicts</h2>")
    assert "Linux" in page
    made_again = gridproof("report", tmp_path / "runs", "--fail-on", "data-loss")
    assert made_again.out.splitlines()[0] == str(tmp_path / "runs" / "seed-0.html")


@pytest.mark.nightly
@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_sixty_clients_come_to_an_end(gridproof: CommandLine, tmp_path: Path) -> None:
    words: Sequence[object] = ("--runs", 1, "--faults", "crash", "--clients", 60, "--out", tmp_path / "runs", "--json")

    checked = gridproof("check", "--system", f"{TOY}:HONEST_TOY", *words)

    ((run,),) = (one["runs"] for one in checked.json["scenarios"])
    assert (checked.status, run["history"]["kind"]) == (0, "concurrent")


def test_what_fails_in_one_of_three_times_is_broken_and_says_so(
    gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = LiveDrawOptions(3, 1, 0, 1, 200, (), networked=False)
    scenario = draw_live_scenario(1, options)
    write_scenario(tmp_path / "one.json", scenario, "nothing yet")
    results = iter([Result.HOLDS, Result.BROKEN, Result.HOLDS])

    def play(_runs: object, played: Scenario, _name: str) -> PlayedRun:
        verdict = Verdict("full-rows", next(results), "so it was", promise=PromiseLevel.PROMISED, compared=3)
        return PlayedRun(played, "1", (verdict,), Cost(), None)

    monkeypatch.setattr(live_check, "_play", play)
    checked = gridproof("check", "--system", f"{TOY}:HONEST_TOY", "--scenario", tmp_path / "one.json", "--times", 3)

    assert checked.status == ExitStatus.BROKEN
    assert "full-rows 1 of 3" in checked.out
    assert f"none of {scenario.operation_count:,} operations was asked for" in checked.out


@pytest.mark.parametrize(
    ("words", "brings"),
    [
        (
            ["--runs", 1, "--duration", 1, "--cycle", "0.2,0.3"],
            "faults come in turn, and a longer --duration reaches it",
        ),
        (["--runs", 1, "--duration", 1], "more seeds draw more"),
    ],
)
def test_what_brings_a_fault_that_came_in_no_run_is_said_by_how_they_are_drawn(
    gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch, words: Sequence[object], brings: str
) -> None:
    def play(_runs: object, played: Scenario, _name: str) -> PlayedRun:
        verdict = Verdict("full-rows", Result.UNKNOWN, "so it was", promise=PromiseLevel.PROMISED)
        return PlayedRun(played, "1", (verdict,), Cost(), None)

    monkeypatch.setattr(live_check, "_play", play)
    checked = gridproof("check", "--system", f"{TOY}:HONEST_TOY", *words, "--faults", "crash,pause,restart")

    assert f"restart was asked for and struck nobody: it is in the scenario of no run: {brings}" in checked.out
    assert "so nothing is known of it: full-rows. More runs compare more; --at-least 0" in checked.out


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_ctrl_c_says_what_was_played_until_then(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    play, played = live_check._play, list[object]()

    def once(*words: Any) -> object:
        if played:
            signal.raise_signal(signal.SIGINT)
        played.append(play(*words))
        return played[-1]

    monkeypatch.setattr(live_check, "_play", once)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    ended = gridproof("check", "--system", f"{TOY}:HONEST_TOY", "--runs", 3, "--faults", "crash")
    signal.signal(signal.SIGINT, before)

    assert ended.status == ExitStatus.INTERRUPTED
    assert ended.err.endswith("gridproof: interrupted; these are 1 of 3 runs\n")
    assert "address" in ended.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--runs", "1"], "name it with --system"),
        (["--runs", "1", "--system", "reference"], "are processes; reference has none"),
        (["--runs", "0", "--system", "vecgrid"], "--runs 0: write a whole number of at least 1"),
        (["--runs", "1", "--times", "0", "--system", "vecgrid"], "--times 0: write a whole number of at least 1"),
        (
            ["--runs", "1", "--system", "vecgrid", "--at-least", "4"],
            "--at-least 4: a property is met by at most 3",
        ),
        (["--runs", "1", "--system", "vecgrid", "--faults", "crash,crash"], "--faults: 'crash' is named twice"),
        (["--runs", "1", "--system", "vecgrid", "--faults", "rain"], "--faults rain: no live fault has this name"),
        (
            ["--runs", "1", "--system", "vecgrid", "--faults", "lost-backups"],
            "lost-backups needs a message gate, which",
        ),
        (
            ["--runs", "1", "--system", "vecgrid", "--workload", "queue"],
            "--workload queue: the agent of vecgrid does not offer offer or poll; choose from the w",
        ),
        (
            ["--runs", "1", "--system", "vecgrid", "--workload", "cells"],
            "--workload cells: the agent of vecgrid does not offer compare-and-set or put-if-absent; ch",
        ),
        (
            ["--runs", "1", "--system", "vecgrid", "--workload", "jobs"],
            "there are appends, cells, counter, entries, lock, queue,",
        ),
        (["--runs", "1", "--system", "vecgrid", "--seed", "-1"], "the seed must be a whole number from 0 to"),
        (["--runs", "1", "--system", "vecgrid", "--shrink", "-1"], "--shrink -1: write a whole number from 0"),
        (["--scenario", "x.json", "--system", "vecgrid", "--shrink", "2"], "--shrink does not apply to a scenario"),
        (["--scenario", "nowhere.json", "--system", "vecgrid"], "or `check --runs` of a live system, wrote"),
        (["--scenario", "x.json", "--system", "vecgrid", "--clients", "2"], "--clients does not apply to a scenario"),
        (["--runs", "1", "--system", "vecgrid", "--clients", "501"], "--clients 501: write a number from 1 to 500"),
        (["--runs", "1", "--system", "vecgrid", "--keys", "0"], "--keys 0: write a number from 1 to 10,000"),
        (["--runs", "1", "--system", "vecgrid", "--popularity", "most"], "'most' is no popularity of keys"),
        (["--runs", "1", "--system", "vecgrid", "--cycle", "30"], "--cycle '30': write two numbers of seconds with a"),
        (["--runs", "1", "--system", "vecgrid", "--cycle", "0,1"], "--cycle 0,1: each number has to be from 0.1"),
        (["--runs", "1", "--system", "vecgrid", "--cycle", "1,1", "--faults", "none"], "no fault begins or ends"),
    ],
)
def test_a_mistake_is_one_line(gridproof: CommandLine, words: list[str], expected: str) -> None:
    outcome = gridproof("check", *words)

    assert outcome.status == 2
    assert expected in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("backups", [(1, 2), (1, -1)])
def test_async_backups_are_some_of_the_backups(gridproof: CommandLine, backups: tuple[int, int]) -> None:
    outcome = gridproof("check", "--backups", backups[0], "--async-backups", backups[1])

    assert outcome.status == 2
    assert f"--async-backups {backups[1]}: write a number from 0 to 1, " in outcome.err


def test_all_faults_are_those_that_the_machine_and_the_agent_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_check, "why_no_network", lambda: "no network")

    hello = live_check.read_hello(HONEST_TOY, Options(partition_count=1))
    offered = live_check.offered_faults("toy", hello, live_check.chosen_faults("all"), of_all=True)

    assert set(offered) == {"crash", "restart", "pause", "leave"}


def test_a_fault_that_the_machine_cannot_make_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_check, "why_no_network", lambda: None)
    monkeypatch.setattr(live_check, "why_no_filter", lambda: "nft is not installed")

    assert "one-way" not in live_check.chosen_faults("all")
    assert "split" in live_check.chosen_faults("all")
    with pytest.raises(UsageError, match=r"^--faults one-way cannot be used on this machine: nft is not installed$"):
        live_check.chosen_faults("crash,one-way")
