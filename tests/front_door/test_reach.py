"""`python -m suite reach`, as typed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from suite.commands import reach as command
from suite.reach import page as pages
from suite.reach.measure import Reach, ReachOfRun, measure
from suite.reach.page import read_page
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT


@pytest.fixture(scope="module")
def reach() -> Reach:
    """What two runs reach."""
    return measure(range(2))


@pytest.fixture(autouse=True)
def measured(reach: Reach, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever measures gets the same two runs, and whoever checks no others."""

    def runs_of(seeds: object, workers: int) -> Iterator[ReachOfRun]:
        yield from reach.runs

    monkeypatch.setattr(command, "Reach", lambda: reach)
    monkeypatch.setattr(command, "measure", lambda *_, into: into)
    monkeypatch.setattr(pages, "runs_of", runs_of)


def test_every_rule_is_reported_with_its_runs(gridproof: CommandLine) -> None:
    shown = gridproof("suite", "reach", "--runs", 2)

    assert shown.status == 0
    assert "2 runs of the simulated reference" in shown.out
    assert "protocol.member.GridMember.receive" in shown.out
    assert "not reached: protocol.jobs" in shown.out
    assert "rules reached: " in shown.out


def test_runs_and_ways_are_reported_as_json(gridproof: CommandLine) -> None:
    shown = gridproof("suite", "reach", "--runs", 2, "--json").json

    receive = next(one for one in shown["rules"] if one["rule"] == "protocol.member.GridMember.receive")
    assert (shown["runs"], receive["runs"], receive["public"]) == (2, 2, True)
    assert {way["runs"] for one in shown["rules"] for way in one["ways"]} == {0, 1, 2}


def test_a_page_is_written_and_is_true(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("suite", "reach", "--runs", 2, "--page", tmp_path / "reach.md")

    checked = gridproof("suite", "reach", "--check", tmp_path / "reach.md")
    assert checked.status == 0
    assert "is reached" in checked.out


def test_reasons_are_put_into_a_page(gridproof: CommandLine, tmp_path: Path) -> None:
    page = tmp_path / "reach.md"
    page.write_text(
        "Some page.\n\nSeeds: 1\n\n| `placement.optimal.choose` | nobody has said why |\n", encoding="utf-8"
    )

    assert gridproof("suite", "reach", "--reasons", page).status == 0
    assert "| `placement.optimal.choose` | no drawn run places by the policy `optimal` |" in page.read_text("utf-8")


def test_what_fell_out_of_reach_is_named_with_the_cure(gridproof: CommandLine, tmp_path: Path) -> None:
    lines = (ROOT / "docs" / "reach.md").read_text(encoding="utf-8").splitlines()
    unlisted = next(name for name in read_page("\n".join(lines)).unreached if ":" not in name)
    page = tmp_path / "reach.md"
    page.write_text("\n".join(line for line in lines if not line.startswith(f"| `{unlisted}` ")), encoding="utf-8")

    checked = gridproof("suite", "reach", "--check", page)
    assert checked.status == 1
    assert f"reaches {unlisted}: let drawn runs come to it, or make the page anew" in checked.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--runs", 0), "--runs must be at least 1"),
        (("--check", "nowhere.md"), "nowhere.md: cannot be read"),
        (("--runs", 1, "--page", "/dev/null/reach.md"), "--page /dev/null/reach.md is no ordinary file"),
    ],
)
def test_a_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[object, ...], said: str) -> None:
    done = gridproof("suite", "reach", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_file_that_is_no_page_is_one_line(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Other", encoding="utf-8")

    done = gridproof("suite", "reach", "--check", tmp_path / "other.md")
    assert done.status == 2
    assert done.err.count("\n") == 1


def test_a_page_is_written_beside_what_a_machine_reads(gridproof: CommandLine, tmp_path: Path) -> None:
    done = gridproof("suite", "reach", "--runs", 2, "--workers", 1, "--page", tmp_path / "reach.md", "--json")

    assert done.json["runs"] == 2
    assert (tmp_path / "reach.md").read_text("utf-8").startswith("#")
