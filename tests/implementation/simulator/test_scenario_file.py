"""A scenario goes to a file and comes back."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, Script, StreamJob
from gridproof_implementation.simulator.scenario_file import (
    BEFORE,
    ScenarioError,
    is_scenario,
    read_scenario,
    write_scenario,
)


@pytest.mark.parametrize("seed", range(20))
def test_what_was_written_is_read(seed: int, tmp_path: Path) -> None:
    scenario = draw_scenario(seed)
    write_scenario(tmp_path / "scenario.json", scenario, "something")

    assert read_scenario(tmp_path / "scenario.json") == scenario


def test_a_file_of_before_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    drawn = draw_scenario(1)
    write_scenario(path, Scenario(1, workload=drawn.workload, scripts=drawn.scripts), "something")
    whole = json.loads(path.read_text())
    for name in ("grouping", "merge_policy", "quorum", "straggling_ms"):
        del whole["scenario"][name]
    for fault_event in whole["scenario"]["scripts"][0]["fault_events"]:
        del fault_event["share"]
    path.write_text(json.dumps(whole))

    assert read_scenario(path).merge_policy == Scenario(1).merge_policy


def test_a_file_that_has_other_names_of_addresses_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    crash = FaultEvent("crash", 5, 50, (1,))
    scenario = Scenario(1, scripts=(Script((), (crash,)),), job=StreamJob(at_ms=3, address_index=2))
    write_scenario(path, scenario, "something")
    text = path.read_text()
    for before, name in BEFORE.items():
        text = text.replace(f'"{name}"', f'"{before}"')
    path.write_text(text)

    assert all(f'"{before}"' in text for before in BEFORE)
    assert read_scenario(path) == scenario


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    write_scenario(path, draw_scenario(1), "something")

    with pytest.raises(ScenarioError, match="exists already"):
        write_scenario(path, draw_scenario(2), "something")


def test_other_json_is_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "story.json").write_text("{}")

    assert not is_scenario(tmp_path / "story.json")


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("members", 2.5, "scenario.members is 2.5; it must be a whole number"),
        ("colour", "red", "scenario has no field 'colour'"),
        ("workload", "nothing", "no workload is called 'nothing'"),
        ("grouping", "BY_COLOUR", "scenario.grouping is 'BY_COLOUR', but must be one of PER_MEMBER"),
        ("merge_policy", "Mine", "scenario.merge_policy is 'Mine', but must be one of PutIfAbsentMergePolicy"),
        (
            "scripts",
            [{"client_operations": [], "fault_events": [asdict(FaultEvent("flood", 0, 0, ()))]}],
            "flood",
        ),
        ("scripts", 3, "scenario.scripts is 3; it must be a list"),
        ("scripts", [{"client_operations": [{"use": "register", "kind": "burn", "key": "register-1"}]}], ".kind is"),
        (
            "scripts",
            [{"client_operations": [{"use": "queue", "kind": "write", "key": "queue"}]}],
            "is no operation of the workload",
        ),
        ("members", 2**62, "scenario.members is 4611686018427387904; it must be a whole number from 1 to 100"),
        ("sync_backups", -1, "it must be a whole number from 0 to 6"),
        ("async_backups", 6, "and 6 async backups, but at most 6 together are allowed"),
        ("scripts", [{"client_operations": [], "fault_events": [asdict(FaultEvent("crash", 0, 0, ()))]}], "no address"),
        (
            "scripts",
            [{"client_operations": [], "fault_events": [asdict(FaultEvent("lag", 0, 9, (0, 1)))]}],
            "'lag' cannot be",
        ),
        (
            "scripts",
            [{"client_operations": [], "fault_events": [asdict(FaultEvent("leave", 0, 9, (0, 1)))]}],
            "takes one",
        ),
        ("sync_backups", True, "scenario.sync_backups is true; it must be a whole number"),
        ("lite", [None], "scenario.lite[0] is null; it must be a whole number"),
        ("properties", [["a"]], "scenario.properties[0] is a list; it must be a list of 2"),
        ("latency", "\ud800", "scenario.latency is '\\ud800'; it must be text that has an encoding"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(place: str, value: object, said: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    write_scenario(path, draw_scenario(1), "something")
    whole = json.loads(path.read_text())
    whole["scenario"][place] = value
    path.write_text(json.dumps(whole))

    with pytest.raises(ScenarioError) as caught:
        read_scenario(path)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def with_fault_event(path: Path, **fields: object) -> Path:
    write_scenario(path, Scenario(1, scripts=(Script((), (FaultEvent("crash", 5, 50, (1,)),)),)), "something")
    whole = json.loads(path.read_text())
    whole["scenario"]["scripts"][0]["fault_events"][0] |= fields
    path.write_text(json.dumps(whole))
    return path


def test_a_fault_event_may_come_again(tmp_path: Path) -> None:
    scenario = read_scenario(with_fault_event(tmp_path / "scenario.json", times=3, every_ms=100))

    assert [one.at_ms for one in scenario.fault_events()] == [5, 105, 205]


@pytest.mark.parametrize("fields", [{"times": 0}, {"times": 2}, {"times": 1_001, "every_ms": 1}, {"times": "3"}])
def test_how_often_a_fault_event_comes_has_a_time_between(tmp_path: Path, fields: dict[str, object]) -> None:
    with pytest.raises(ScenarioError, match="it must happen 1 to 1,000 times"):
        read_scenario(with_fault_event(tmp_path / "scenario.json", **fields))
