"""A fault that was asked for and struck nobody is named first, and is never green."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_properties.exit_status import ExitStatus
from suite.zoo.members import MEMBER_MUTANTS
from tests.front_door.command_line import CommandLine

ALONE = ("--members", 1, "--faults", "split")
SAID = "split was asked for and struck nobody: it takes two members that run, and there was one"
EASY = ("--only", "full-rows")
"""A promise that every run meets."""
HAND_WRITTEN = {
    "too late": (FaultEvent("crash", 600_000, 100, (0,)), "it came after the clients' work had ended"),
    "nobody there": (FaultEvent("crash", 1, 100, (9,)), "nobody ran at its address"),
    "everybody on one side": (FaultEvent("split", 1, 100, (0, 1, 2)), "nobody ran beyond the members that it names"),
    "somebody there": (FaultEvent("join", 1, 100, (1,)), "somebody ran at its address"),
}


@pytest.mark.parametrize("command", [("simulate", "--seed", 0), ("simulate", "--runs", 2, "--workers", 1)])
def test_a_split_of_one_member_is_unknown_whatever_is_enough(
    gridproof: CommandLine, command: tuple[object, ...]
) -> None:
    ended = gridproof(*command, *ALONE, "--at-least", 0)

    assert ended.status == ExitStatus.UNKNOWN
    assert ended.out.splitlines()[0] == SAID


def test_every_command_says_so_of_the_same_run(gridproof: CommandLine) -> None:
    simulated = gridproof("simulate", *ALONE, *EASY, "--out", "run")
    audited = gridproof("audit", "run", *EASY, "--engine", "local", "--junit", "run.xml")
    reported, replayed = gridproof("report", "run", *EASY), gridproof("replay", 0, *ALONE, "--at-least", 0)
    validated, explained = gridproof("validate", "run", "--specification", "ownership"), gridproof("explain", 0, *ALONE)

    every = (simulated, audited, reported, replayed, validated, explained)
    assert {one.status for one in every} == {ExitStatus.UNKNOWN}
    assert all(SAID in one.out for one in every)
    assert 'name="fault split"' in Path("run.xml").read_text()


def test_a_fault_that_struck_changes_nothing(gridproof: CommandLine) -> None:
    simulated = gridproof("simulate", "--members", 3, "--faults", "split", *EASY, "--out", "run", "--json")

    assert simulated.status == ExitStatus.HOLDS
    assert simulated.json["faults"]["split"]["struck"] > 0
    assert gridproof("audit", "run", *EASY, "--engine", "local").status == ExitStatus.HOLDS


def test_one_that_no_run_drew_struck_nobody(gridproof: CommandLine) -> None:
    simulated = gridproof("simulate", "--seed", 1, "--faults", "none", "--rate", "crash=1/1000h", *EASY, "--json")

    assert simulated.status == ExitStatus.UNKNOWN
    assert simulated.json["faults"] == {"crash": {"planned": 0, "struck": 0, "missed": {}}}


@pytest.mark.parametrize("name", HAND_WRITTEN)
def test_a_scenario_written_by_hand_whose_fault_strikes_nobody_is_not_green(gridproof: CommandLine, name: str) -> None:
    event, why = HAND_WRITTEN[name]
    drawn = draw_scenario(3, DrawOptions(members=3, faults=(), workload="register"))
    script = replace(drawn.scripts[0], fault_events=(event,))
    write_scenario(Path("scenario.json"), drawn.with_scripts((script,)), "nothing yet")

    replayed = gridproof("replay", "scenario.json", "--at-least", 0)

    assert replayed.status == ExitStatus.UNKNOWN
    assert replayed.out.splitlines()[0] == f"{event.fault} was asked for and struck nobody: {why}"


def test_of_a_file_that_is_played_nothing_more_is_drawn(gridproof: CommandLine) -> None:
    drawn = draw_scenario(3, DrawOptions(members=3, faults=(), workload="register"))
    write_scenario(Path("scenario.json"), drawn, "nothing yet", asked={"split": True})
    gridproof("simulate", "--seed", 1, "--faults", "none", "--rate", "crash=1/1000h", "--out", "run")
    drawn_anew = gridproof("simulate", "--seed", 1, "--faults", "none", "--rate", "crash=1/1000h", *EASY)

    played = [gridproof(*words.split()) for words in ("replay scenario.json", "explain scenario.json")]
    recorded = [gridproof(command, "run", *EASY) for command in ("audit", "report")]

    assert {one.status for one in (*played, *recorded)} == {ExitStatus.UNKNOWN}
    assert all("nothing draws faults where a file is played" in one.out for one in played)
    assert all("it is in the scenario of no run\n" in one.out for one in recorded)
    assert "it is in the scenario of no run: more seeds draw more" in drawn_anew.out


def test_json_says_of_each_fault_how_often_it_struck(gridproof: CommandLine) -> None:
    found = json.loads(gridproof("simulate", *ALONE, "--json").out)["faults"]

    assert found["split"]["struck"] == 0
    assert list(found["split"]["missed"]) == ["it takes two members that run, and there was one"]


def test_replay_prints_one_object(gridproof: CommandLine) -> None:
    held = gridproof("replay", 3, "--at-least", 0, "--json")
    with next(one for one in MEMBER_MUTANTS if one.number == "M10").plant():
        broken = gridproof("replay", 2, "--steps", "--whole", "--json")

    assert (held.status, held.json["failures"], held.json["scenario"]) == (ExitStatus.HOLDS, [], None)
    assert held.json["faults"]["late"]["struck"] == 1
    assert broken.status == ExitStatus.BROKEN
    assert broken.json["failures"][0]["witness"]
    assert Path(broken.json["scenario"]).exists()
