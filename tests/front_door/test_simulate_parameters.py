"""`--set` and `--rate` of simulated runs, as typed."""

from pathlib import Path

import pytest

from gridproof.arguments.configuration import Given
from gridproof.arguments.simulations import line_to_replay
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import PARAMETERS, RATES, set_parameters
from gridproof_implementation.simulator.scenario_file import read_scenario
from gridproof_implementation.trace import read_trace
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT

CELL = (
    *("--set", "grid=plain", "--set", "backup-acks=async", "--set", "latency=lognormal(2ms,0.5)"),
    *("--rate", "crash=1/10s", "--set", "repair=1/2s", "--set", "time=5s", "--rate", "arrival=20/s"),
)


def test_a_cell_is_simulated_by_one_line(gridproof: CommandLine) -> None:
    done = gridproof("simulate", *CELL, "--at-least", 0, "--json")

    assert done.status == 0
    assert done.json["operations"] > 50


def test_simulate_and_replay_take_the_same_names(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("simulate", "--seed", 3, *CELL, "--at-least", 0, "--out", "run")
    again = gridproof("replay", 3, *CELL, "--at-least", 0, "--out", "again")

    scenario = read_scenario(tmp_path / "again" / "scenario.json")
    simulated = [line for line in (tmp_path / "run" / "trace.jsonl").read_text().splitlines() if '"crash' in line]
    assert again.status == 0
    assert (scenario.latency, scenario.async_backups) == ("lognormal(2ms,0.5)", 1)
    assert len([one for one in scenario.fault_events() if one.fault == "crash"]) > 0
    assert simulated != []
    assert list(read_trace(tmp_path / "run" / "trace.jsonl")) != []


def test_the_line_that_repeats_a_run_names_what_is_set() -> None:
    draw_options = set_parameters(DrawOptions(), (("members", "2"), ("crash", "1/30s")))

    line = line_to_replay(0, draw_options, Given(parameters=("members=2", "crash=1/30s")))

    assert line == "gridproof replay 0 --set members=2 --set crash=1/30s"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--set", "ltency=2ms"), "no parameter is called 'ltency': did you mean latency?"),
        (("--set", "latency"), "--set latency: write NAME=VALUE"),
        (("--set", "latency=soon"), "latency=soon: 'soon' is no distribution"),
        (("--set", "latency=constant(7d)"), "nothing is promised of a grid in which messages may take as long as"),
        (("--set", "latency=exponential(30ms)"), "lets more than 1 % of messages take longer than 100 ms"),
        (("--set", "members=2", "--members", "3"), "--members and --set members set the same parameter"),
        (("--set", "loss=0.1", "--set", "loss=0.2"), "--set loss: the parameter is set twice"),
        (("--rate", "crash=often"), "--rate crash=often: write NAME=COUNT/TIME"),
        (("--rate", "crush=1/s"), "no rate is called 'crush': did you mean crash?"),
        (("--rate", "crash=0/s"), "a rate must be above 0"),
        (("--set", "time=5s"), "time needs arrival"),
    ],
)
def test_a_wrong_setting_is_one_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    done = gridproof("simulate", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_scenario_takes_no_parameters(gridproof: CommandLine) -> None:
    gridproof("replay", 1, "--at-least", 0, "--out", "run")

    done = gridproof("replay", "run/scenario.json", "--set", "latency=2ms")

    assert done.status == 2
    assert "--set does not apply to a scenario" in done.err


def test_a_scenario_of_an_unknown_policy_is_refused(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("replay", 1, "--at-least", 0, "--out", "run")
    file = tmp_path / "run" / "scenario.json"
    file.write_text(file.read_text().replace('"placement": "hazelcast"', '"placement": "best"'))

    done = gridproof("replay", file)

    assert done.status == 2
    assert "scenario.placement is 'best', but must be one of " in done.err


def test_a_scenario_of_a_network_too_slow_for_any_grid_is_refused(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("replay", 1, "--set", "latency=2ms", "--at-least", 0, "--out", "run")
    file = tmp_path / "run" / "scenario.json"
    file.write_text(file.read_text().replace("constant(2ms)", "constant(1h)"))

    done = gridproof("replay", file)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "'constant(1h)' lets more than 1 % of messages take longer than 100 ms" in done.err


def test_the_page_and_the_help_name_every_parameter(gridproof: CommandLine) -> None:
    page = (ROOT / "docs" / "simulating.md").read_text("utf-8")
    shown = "".join(gridproof("simulate", "--help").out.split())

    assert [one.name for one in PARAMETERS if f"`{one.name}`" not in page] == []
    assert [one.name for one in PARAMETERS if f"{one.name}(" not in shown] == []
    assert [name for name in RATES if name not in shown] == []
