"""The same facts, the same status: whichever command looks at a run."""

import json
from pathlib import Path

import pytest

from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine


@pytest.mark.parametrize(
    "words",
    [
        (26,),  # draws a fault that strikes nobody
        (3, "--members", 3, "--faults", "crash,split"),
        (3, "--members", 1, "--faults", "split,pause"),
    ],
)
def test_a_scenario_that_replay_wrote_says_what_its_seed_says(
    gridproof: CommandLine, words: tuple[object, ...]
) -> None:
    seed = gridproof("replay", *words, "--steps", "--at-least", 0, "--out", "run", "--json")
    file = gridproof("replay", "run/scenario.json", "--at-least", 0, "--json")
    explained, again = gridproof("explain", *words, "--steps"), gridproof("explain", "run/scenario.json")

    assert {one.status for one in (file, explained, again)} == {seed.status}
    assert all(file.json[name] == seed.json[name] for name in ("missed_faults", "unseen", "properties", "failures"))


def test_a_fault_that_is_moved_behind_the_work_by_hand_is_not_green(gridproof: CommandLine) -> None:
    gridproof("replay", 5, "--members", 3, "--workload", "register", "--set", "operations=30", "--out", "run")
    whole = json.loads(Path("run/scenario.json").read_text("utf-8"))
    moved = [event for script in whole["scenario"]["scripts"] for event in script["fault_events"]]
    for event in moved:
        event["at_ms"] += 900_000
    Path("moved.json").write_text(json.dumps(whole), "utf-8")

    before, after = (gridproof("replay", name, "--at-least", 0) for name in ("run/scenario.json", "moved.json"))

    assert moved
    assert (before.status, after.status) == (ExitStatus.HOLDS, ExitStatus.UNKNOWN)
    assert after.out.splitlines()[0].endswith("it came after the clients' work had ended")


def test_a_file_that_asks_for_what_is_no_fault_is_one_line(gridproof: CommandLine) -> None:
    gridproof("replay", 26, "--out", "run")
    whole = json.loads(Path("run/scenario.json").read_text("utf-8"))
    Path("other.json").write_text(json.dumps({**whole, "asked": ["rain"]}), "utf-8")

    done = gridproof("replay", "other.json")

    assert (done.status, done.err.count("\n")) == (ExitStatus.WRONG_USE, 1)
