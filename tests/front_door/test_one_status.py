"""The same facts, the same status: whichever command looks at a run."""

import json
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings

from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine
from tests.front_door.test_one_verdict import OPTIONS, SEEDS, SHARED
from tests.profiles import examples


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
    assert file.json["missed_faults"].keys() == seed.json["missed_faults"].keys()  # a seed draws, a file does not
    assert all(file.json[name] == seed.json[name] for name in ("unseen", "properties", "failures"))


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


@given(SEEDS, OPTIONS)
@settings(max_examples=examples(2, nightly=60), suppress_health_check=SHARED)
def test_drawn_options_end_alike_whichever_command_is_asked(
    gridproof: CommandLine, seed: int, options: list[str]
) -> None:
    words = [seed, *(word for word in options if word != "--steps"), "--steps"]
    with TemporaryDirectory() as name, chdir(name):
        replayed = gridproof("replay", *words, "--at-least", 0, "--whole", "--out", "run")
        others = [
            gridproof("simulate", "--seed", *words, "--at-least", 0),
            gridproof("replay", "run/scenario.json", "--at-least", 0, "--whole"),
            *(gridproof("explain", *which, "--prefixes", 3, "--continuations", 1, "--workers", 1)
              for which in (words, ("run/scenario.json",))),
        ]  # fmt: skip

    assert {one.status for one in others} == {replayed.status}
