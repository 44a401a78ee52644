"""`gridproof check`, as typed."""

import json
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine


def test_the_reference_keeps_every_promise(gridproof: CommandLine) -> None:
    checked = gridproof("check", "--json")

    assert checked.status == 0
    assert {v["verdict"] for v in checked.json["verdicts"] if v["promise"] == "promised"} == {"holds"}


def test_json_is_one_object_with_the_agreed_fields(gridproof: CommandLine) -> None:
    checked = gridproof("check", "--seed", 5, "--json").json

    assert list(checked) == ["system", "version", "seed", "verdicts", "trace", "report", "seconds"]
    assert list(checked["verdicts"][0]) == [
        "property",
        "verdict",
        "promise",
        "sentence",
        "witness",
        "compared",
        "reason",
        "out_of_scope",
    ]
    assert checked["seed"] == 5


def test_trace_and_report_are_where_json_says(gridproof: CommandLine, tmp_path: Path) -> None:
    checked = gridproof("check", "--out", tmp_path / "here", "--json").json

    assert Path(checked["trace"]).parent == tmp_path / "here"
    assert Path(checked["report"]).read_text().startswith("<!DOCTYPE html>")


def test_the_table_names_every_promised_property(gridproof: CommandLine) -> None:
    promised = [v["property"] for v in gridproof("check", "--json").json["verdicts"] if v["promise"] == "promised"]

    table = gridproof("check").out

    assert [name for name in promised if name not in table] == []


def test_the_same_seed_writes_the_same_trace(gridproof: CommandLine) -> None:
    first, second = (gridproof("check", "--seed", 3, "--json").json["trace"] for _ in range(2))

    assert first != second
    assert Path(first).read_bytes() == Path(second).read_bytes()


def test_a_run_never_writes_over_another(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("check", "--out", tmp_path / "here")
    before = (tmp_path / "here" / "trace.jsonl").read_bytes()

    again = gridproof("check", "--out", tmp_path / "here", "--seed", 1)

    assert again.status == 2
    assert "is not empty" in again.err
    assert (tmp_path / "here" / "trace.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--system", "vecgird"), "no system is called 'vecgird': did you mean vecgrid"),
        (("--members", "0"), "--members 0: a grid has at least one member"),
        (("--members", "1000000"), "--members 1000000: at most 100 members are audited at once"),
        (("--hosts", ",,"), "--hosts ,,: a host has no name"),
        (("--out", "x" * 300), "File name too long; name another with --out"),
        (("--backups", "7"), "--backups 7: a partition has 0 to 6 backups"),
        (("--members", "three"), "invalid int value: 'three'"),
        (("--sistem", "reference"), "unrecognized arguments: --sistem"),
    ],
)
def test_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], complaint: str) -> None:
    wrong = gridproof("check", *words)

    assert wrong.status == 2
    assert complaint in wrong.err
    assert wrong.err.count("\n") == 1
    assert wrong.out == ""


SEED_CONFIG = """
hazelcast:
  properties:
    hazelcast.partition.count: 12
  map:
    default: {backup-count: 2}
  partition-group:
    enabled: true
    group-type: CUSTOM
    member-group:
      - - 10.10.0.*
        - 10.10.3.*
      - - 10.10.10.10-100
"""


def test_a_users_own_configuration_is_followed(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "hazelcast.yaml").write_text(SEED_CONFIG)

    checked = gridproof(
        "check", "--config", "hazelcast.yaml", "--hosts", "10.10.0.1,10.10.3.7,10.10.10.50", "--out", "run", "--json"
    )

    head = json.loads((tmp_path / "run" / "trace.jsonl").read_text().splitlines()[0])
    assert (head["partition_count"], head["backup_count"]) == (12, 2)
    assert checked.status == 0


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("    group-type: CUSTOMM", 'hazelcast.yaml:2: group-type "CUSTOMM" is unknown; did you mean CUSTOM?'),
        ("    groop-type: CUSTOM", "hazelcast.yaml:2: "),
    ],
)
def test_a_bad_configuration_is_one_line_with_its_place(
    gridproof: CommandLine, tmp_path: Path, line: str, complaint: str
) -> None:
    (tmp_path / "hazelcast.yaml").write_text(f"partition-group:\n{line}\n")

    wrong = gridproof("check", "--config", "hazelcast.yaml")

    assert wrong.status == 2
    assert complaint in wrong.err
    assert wrong.err.count("\n") == 1


def test_members_that_no_group_matches_are_refused(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "hazelcast.yaml").write_text(SEED_CONFIG)

    wrong = gridproof("check", "--config", "hazelcast.yaml")

    assert wrong.status == 2
    assert "no member matches a configured member-group" in wrong.err


def test_several_systems_come_together_in_one_table(gridproof: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "both"

    checked = gridproof("check", "--system", "reference", "--system", "jump-consistent-hash", "--out", out)

    assert "reference" in checked.out
    assert "jump-consistent-hash" in checked.out
    assert (out / "index.html").exists()
    assert (out / "reference" / "report.html").exists()
