"""`gridproof check`, as typed."""

import json
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from gridproof.cli import main
from tests.front_door.command_line import CommandLine
from tests.front_door.few_keys import ask_for_few_keys

pytestmark = pytest.mark.xdist_group("check")


@dataclass(frozen=True, slots=True)
class Checked:
    """What `gridproof check` alone printed and left behind."""

    json: Any
    folder: Path

    @property
    def promised(self) -> list[Any]:
        return [verdict for verdict in self.json["verdicts"] if verdict["promise"] == "promised"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """One check of the reference, which the tests below look at."""
    folder = tmp_path_factory.mktemp("check") / "here"
    with redirect_stdout(StringIO()) as printed, pytest.MonkeyPatch.context() as patch:
        ask_for_few_keys(patch)
        assert main(["check", "--out", str(folder), "--json"]) == 0
    return Checked(json.loads(printed.getvalue()), folder)


def test_the_reference_keeps_every_promise(plain: Checked) -> None:
    assert {verdict["verdict"] for verdict in plain.promised} == {"holds"}


def test_json_is_one_object_with_the_agreed_fields(plain: Checked) -> None:
    assert list(plain.json) == ["system", "version", "seed", "verdicts", "trace", "report", "seconds", "history"]
    assert list(plain.json["verdicts"][0]) == [
        "property",
        "verdict",
        "promise",
        "promised_by",
        "sentence",
        "witness",
        "compared",
        "reason",
        "out_of_scope",
    ]


def test_trace_and_report_are_where_json_says(plain: Checked) -> None:
    assert Path(plain.json["trace"]).parent == plain.folder
    assert Path(plain.json["report"]).read_text().startswith("<!DOCTYPE html>")


def test_the_table_names_every_promised_property(gridproof: CommandLine, plain: Checked) -> None:
    table = gridproof("check").out

    assert [verdict["property"] for verdict in plain.promised if verdict["property"] not in table] == []


def test_the_same_seed_writes_the_same_trace(gridproof: CommandLine, plain: Checked) -> None:
    again = gridproof("check", "--seed", 0, "--json").json

    assert (plain.json["seed"], again["seed"]) == (0, 0)
    assert plain.json["trace"] != again["trace"]
    assert Path(plain.json["trace"]).read_bytes() == Path(again["trace"]).read_bytes()


def test_a_run_never_writes_over_another(gridproof: CommandLine, plain: Checked) -> None:
    before = (plain.folder / "trace.jsonl").read_bytes()

    again = gridproof("check", "--out", plain.folder, "--seed", 1)

    assert again.status == 2
    assert "is not empty" in again.err
    assert (plain.folder / "trace.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--system", "vecgird"), "no system is called 'vecgird': did you mean vecgrid"),
        (("--members", "0"), "--members 0: a grid has at least one member"),
        (("--members", "1000000"), "--members 1000000: at most 100 members are audited at once"),
        (("--hosts", ",,"), "--hosts ,,: a name is empty"),
        (("--out", "x" * 300), "File name too long; name another folder with --out"),
        (("--backups", "7"), "--backups 7: a partition has 0 to 6 backups"),
        (("--members", "three"), "invalid int value: 'three'"),
        (("--sistem", "reference"), "unrecognized arguments: --sistem"),
        (("--sistem", "reference"), "see gridproof check --help"),
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
