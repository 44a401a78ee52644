"""`gridproof simulate --config`, and what is made of its runs."""

import json
from pathlib import Path

import pytest

from gridproof.arguments.configuration import Given
from gridproof.arguments.simulations import line_to_replay
from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions, Prescribed
from gridproof_implementation.simulator.scenario_file import read_scenario
from gridproof_model.grid_config import ProtectOn
from gridproof_model.groups import GroupType
from tests.front_door.command_line import CommandLine

FILE = """
hazelcast:
  properties:
    hazelcast.partition.count: 5
    hazelcast.max.no.heartbeat.seconds: 20
    hazelcast.operation.backup.timeout.millis: ${timeout}
    hazelcast.operation.fail.on.indeterminate.state: true
    hazelcast.logging.type: none
  map:
    accounts:
      backup-count: 0
      async-backup-count: 2
      merge-policy: com.hazelcast.spi.merge.LatestUpdateMergePolicy
      per-entry-stats-enabled: true
      split-brain-protection-ref: three
  split-brain-protection:
    three: {enabled: true, minimum-cluster-size: 3, protect-on: WRITE}
  partition-group:
    enabled: true
    group-type: HOST_AWARE
"""
GIVEN = ("--config", "a.yaml", "--set", "timeout=700", "--map", "accounts")
CONFIGURED = {
    "sync_backups": 0,
    "async_backups": 2,
    "strict": True,
    "backup_timeout_ms": 700,
    "quorum": 3,
    "merge_keeps": False,
    "grouped": True,
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(FILE)
    return tmp_path / "a.yaml"


def test_a_run_is_configured_as_the_file_says_and_read_by_the_other_commands(
    gridproof: CommandLine, config: Path, tmp_path: Path
) -> None:
    ran = gridproof("simulate", *GIVEN, "--seed", 3, "--at-least", 0, "--out", "run", "--json")

    head, event = (json.loads(line) for line in (tmp_path / "run" / "trace.jsonl").read_text().splitlines()[:2])
    assert (ran.status, head["partition_count"], head["backup_count"]) == (0, 5, 2)
    assert event["fields"].items() >= CONFIGURED.items()
    assert 'the map tried is "accounts": 0 sync and 2 async backups' in ran.json["configuration"]["taken"]
    assert (
        "the number of partition groups is not taken from the file, which does not state it"
        in ran.json["configuration"]["passed_over"]
    )
    assert [gridproof(*words).status for words in (("report", "run"), ("audit", "run/trace.jsonl"))] == [3, 3]


def test_audit_and_validate_take_the_folder_that_simulate_wrote(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("simulate", "--seed", 3, "--out", "run")

    audited = gridproof("audit", "run", "--out", "audited", "--json")
    validated = gridproof("validate", "run", "--specification", "ownership", "--json")

    assert [one["run"] for one in audited.json["runs"]] == ["simulation-3"]
    assert [one["specification"] for one in validated.json["validated"]] == ["ownership"]


@pytest.mark.nightly
def test_audit_takes_every_trace_that_check_wrote(gridproof: CommandLine, tmp_path: Path) -> None:
    systems = ("uhashring", "jump-consistent-hash")
    gridproof("check", *(word for name in systems for word in ("--system", name)), "--out", "checked")

    audited = gridproof("audit", "checked", "--out", "audited", "--json")

    assert sorted(one["system"] for one in audited.json["runs"]) == sorted(systems)


def test_the_terminal_shows_what_was_taken(gridproof: CommandLine, config: Path) -> None:
    shown = gridproof("simulate", *GIVEN, "--runs", 2, "--workers", 1, "--at-least", 0)

    assert "taken from the configuration\n  5 partitions" in shown.out


def test_a_replay_writes_a_scenario_that_holds_the_configuration(
    gridproof: CommandLine, config: Path, tmp_path: Path
) -> None:
    again = gridproof("replay", 4, *GIVEN, "--at-least", 0, "--out", "again")  # every fault of 4 strikes
    scenario = read_scenario(tmp_path / "again" / "scenario.json")

    assert again.status == 0
    assert (scenario.partition_count, scenario.quorum, scenario.protect_on) == (5, 3, "WRITE")
    assert (scenario.grouping, scenario.zones > 0) == ("HOST_AWARE", True)
    assert dict(scenario.properties)["hazelcast.operation.backup.timeout.millis"] == "700"
    assert gridproof("replay", tmp_path / "again" / "scenario.json", "--at-least", 0).status == 0


def test_a_scenario_takes_no_other_configuration(gridproof: CommandLine, config: Path) -> None:
    gridproof("replay", 3, *GIVEN, "--at-least", 0, "--out", "again")
    wrong = gridproof("replay", "again/scenario.json", *GIVEN)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "--config does not apply to a scenario, which holds its whole run" in wrong.err


def test_the_line_that_repeats_a_run_names_the_configuration() -> None:
    printed = Given(Path("a b.yaml"), map_name="accounts", variables=("timeout=700",))

    assert line_to_replay(3, DrawOptions(), printed) == (
        "gridproof replay 3 --config 'a b.yaml' --set timeout=700 --map accounts"
    )


def test_what_is_not_prescribed_is_drawn_as_ever(config: Path) -> None:
    printed = Given(config, map_name="accounts", variables=("timeout=700",)).load(audited=False)
    assert printed is not None
    (structure,) = printed.structures
    prescribed = Prescribed.by(printed, structure)
    plain, drawn = draw_scenario(7), draw_scenario(7, DrawOptions(prescribed=prescribed))

    assert (prescribed.group_type, prescribed.protect_on) == (GroupType.HOST_AWARE, ProtectOn.WRITE)
    assert (drawn.members, drawn.workload, drawn.lite) == (plain.members, plain.workload, plain.lite)
    assert [name for name, _ in drawn.properties if name not in FILE] == []
