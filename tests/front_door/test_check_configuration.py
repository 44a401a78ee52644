"""`gridproof check --config`: results and wrong use."""

import json
from pathlib import Path

import pytest

from gridproof_model.groups import ZONE_ATTRIBUTE
from tests.front_door.command_line import CommandLine

NO_BACKUPS = "0 backups: what a crash takes along is lost, and no promise about crashes was tried."
SMALL = "hazelcast:\n  properties:\n    hazelcast.partition.count: 7\n"
MAPS = (
    f"{SMALL}  map:\n    accounts:\n      backup-count: 2\n      async-backup-count: 1\n      near-cache:\n"
    "        name: a\n    orders:\n      backup-count: 0\n"
)
GROUPS = f"{SMALL}  partition-group:\n    enabled: true\n    group-type: "
CUSTOM = f"{GROUPS}CUSTOM\n    member-group: [[10.0.0.*], [10.0.1.*]]\n"
ACCOUNTS = 'a.yaml:5: map "accounts": 2 sync and 1 async backups'
NEAR_CACHE = (
    'a.yaml:8: near-cache of map "accounts" changes nothing here: reads go to the members, never to a near cache'
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(MAPS)
    return tmp_path / "a.yaml"


def test_every_result_says_what_was_taken_and_passed_over(gridproof: CommandLine, config: Path, tmp_path: Path) -> None:
    shown = gridproof("check", "--config", "a.yaml", "--map", "accounts", "--out", "run", "--json")

    printed = json.loads(shown.out)["configuration"]
    assert (shown.status, printed["taken"][0]) == (0, "7 partitions")
    assert 'the map tried is "accounts": 2 sync and 1 async backups' in printed["taken"]
    assert (ACCOUNTS in printed["taken"], NEAR_CACHE in printed["passed_over"]) == (True, True)
    page = (tmp_path / "run" / "report.html").read_text()
    assert ("near-cache of map" in page, "2 sync and 1 async backups" in page) == (True, True)
    head = json.loads((tmp_path / "run" / "trace.jsonl").read_text().splitlines()[0])
    assert (head["partition_count"], head["backup_count"]) == (7, 3)
    assert head["run"].startswith("reference-3-members-3-backups-seed-0-config-")


def test_a_map_that_the_file_does_not_name_is_said_to_get_the_default(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{SMALL}  map:\n    default:\n      backup-count: 2\n")

    printed = gridproof("check", "--config", "a.yaml", "--map", "orders", "--json").json["configuration"]["taken"]

    assert 'the map tried is "orders": 2 sync and 0 async backups, as map "default" is configured' in printed


def test_the_terminal_and_a_report_of_the_trace_say_it_too(
    gridproof: CommandLine, config: Path, tmp_path: Path
) -> None:
    shown = gridproof("check", "--config", "a.yaml", "--map", "orders", "--out", "run")
    (tmp_path / "run" / "report.html").unlink()
    gridproof("report", "run")

    again = (tmp_path / "run" / "report.html").read_text()
    assert "taken from the configuration\n  7 partitions" in shown.out
    for printed in ("maps that are not tried: accounts; --map NAME tries one", "near-cache of map", NO_BACKUPS):
        assert printed in shown.out
        assert printed in again


def test_members_are_put_into_zones_and_the_line_that_repeats_says_so(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{GROUPS}${{how}}\n")
    words = ("--config", "a.yaml", "--set", "how=ZONE_AWARE", "--zones", "x,y,z")

    shown = gridproof("check", *words, "--out", "run")

    lines = (json.loads(line) for line in (tmp_path / "run" / "trace.jsonl").read_text().splitlines())
    groups = [one["group"] for one in lines if one.get("change") == "joined"]
    line = f"gridproof check --system reference --members 3 --backups 1 --seed 0 {' '.join(words)}"
    assert (shown.status, groups[:3]) == (0, ["x", "y", "z"])
    assert line in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.parametrize(
    ("text", "words", "complaint"),
    [
        (
            CUSTOM,
            ("--hosts", "10.0.0.1,9.9.9.9"),
            "no member-group of a.yaml matches 9.9.9.9, so the member on this host would own no",
        ),
        (CUSTOM, ("--hosts", "10.0.0.0/24"), 'a.yaml: "10.0.0.0/24" stands for many hosts'),
        (CUSTOM, ("--zones", "a"), "--zones a: a.yaml groups members by CUSTOM, without --zones; leave --zones out"),
        (CUSTOM.replace("10.0.1.*", "10.0.1.0/24"), (), "is a network with a prefix length"),
        (f"{GROUPS}ZONE_AWARE\n", (), "says where they run; give --zones a,b,c or --racks a,b,c"),
        (
            f"{GROUPS}ZONE_AWARE\n  member-attributes:\n    {ZONE_ATTRIBUTE}:\n      value: ${{dc.name}}\n",
            (),
            'zone" is a variable without a value, ${dc.name}, but members are grouped by this attribute; '
            "give the variable a value with --set NAME=VALUE, or give --zones a,b,c or --racks a,b,c",
        ),
        (f"{GROUPS}NODE_AWARE\n", (), "no attribute says where they run; give --nodes a,b,c"),
        (f"{GROUPS}NODE_AWARE\n", ("--nodes", "a,,b"), "--nodes a,,b: a name is empty; write a node between"),
        (SMALL, ("--set", "a"), "--set a: write NAME=VALUE"),
        ("hazelcast:\n", (), "the file sets nothing that gridproof reads"),
        ("hazelcast:\n  a:\n    b: c\n", (), 'a.yaml:2: "a" is no setting of a Hazelcast member'),
    ],
)
def test_wrong_use_is_one_line(
    gridproof: CommandLine, tmp_path: Path, text: str, words: tuple[str, ...], complaint: str
) -> None:
    (tmp_path / "a.yaml").write_text(text)
    wrong = gridproof("check", "--config", "a.yaml", *words)

    assert (wrong.status, wrong.out, wrong.err.count("\n")) == (2, "", 1)
    assert complaint.removeprefix("a.yaml: ") in wrong.err


@pytest.mark.parametrize("words", [("--map", "a"), ("--set", "a=b"), ("--zones", "a")])
def test_an_option_about_a_configuration_needs_one(gridproof: CommandLine, words: tuple[str, ...]) -> None:
    assert f"{words[0]} needs a configuration; name the" in gridproof("check", *words).err
