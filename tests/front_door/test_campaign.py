"""`campaign`, as typed, without Spark."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_implementation.config import load_config
from gridproof_implementation.simulator.draw_options import Prescribed
from gridproof_properties.measures import QUANTITIES
from gridproof_reports.campaigns.estimate_names import ESTIMATES
from gridproof_reports.campaigns.plan import FollowedConfiguration, Part, Plan, read_plan
from gridproof_reports.campaigns.rows import make_part
from gridproof_reports.campaigns.store import Store
from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT

FILE = """
runs = 4
steps = false
[set]
operations = 8
partitions = 1
members = 2
[grid]
sync-backups = [0, 1]
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """A small campaign, in a file."""
    (tmp_path / "small.toml").write_text(FILE)
    return read_plan(tmp_path / "small.toml")


@pytest.fixture
def finished(plan: Plan, tmp_path: Path) -> Store:
    """The folder of a campaign that is finished, where the command looks for it."""
    store = Store(tmp_path / "gridproof-out" / "campaign-small")
    store.open(plan)
    cells, draw_options = plan.cells, plan.draw_options()
    for cell in range(plan.cell_count):
        part = Part(cell, 0, 3)
        store.write(part, make_part(part, cells[cell], draw_options[cell], steps=False))
    return store


@pytest.mark.usefixtures("finished")
def test_a_finished_campaign_is_not_run_again(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_reports.pipeline.session.open_session", lambda master: 1 / 0)

    done = gridproof("campaign", "small.toml", "--json")

    assert done.status == 0
    assert {name: done.json[name] for name in ("cells", "runs", "simulated", "broken")} == {
        "cells": 2, "runs": 8, "simulated": 0, "broken": {},
    }  # fmt: skip


@pytest.mark.usefixtures("plan")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.toml",), "nothing.toml cannot be read"),
        (("small.toml", "--until", "luck ± 1 %"), "no estimate is called 'luck'"),
        (("small.toml", "--until", "loss"), "write an estimate and how near"),
        (("small.toml", "--runs", "0"), "--runs 0: write a number of runs per cell from 1 to"),
        (("small.toml", "--out", "small.toml"), "cannot make the folder small.toml"),
        (("small.toml", "--out", "."), "is no folder of a campaign"),
        (("small.toml", "--out", "/proc/nothing"), "cannot make the folder /proc/nothing"),
    ],
)
def test_a_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    done = gridproof("campaign", *words)

    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("plan")
def test_a_campaign_without_pyspark_leaves_no_folder(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gridproof_reports.pipeline.session", raising=False)
    monkeypatch.setitem(sys.modules, "pyspark", None)

    done = gridproof("campaign", "small.toml", "--out", "in/out")

    assert (done.status, done.err) == (2, "gridproof: Spark jobs need PySpark; type: pip install 'gridproof[spark]'\n")
    assert [path.name for path in Path().iterdir()] == ["small.toml"]


# In a process of its own: Spark has one session a process, and other tests share theirs.
@pytest.mark.nightly  # Spark looks for it for some ten seconds
@pytest.mark.spark
@pytest.mark.usefixtures("plan")
def test_a_master_that_is_none_is_one_line(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "gridproof", "campaign", "small.toml", "--master", "nowhere"]

    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "Spark did not start on nowhere" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("finished")
def test_another_plan_in_the_same_folder_is_refused(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(FILE.replace("[0, 1]", "[1]"))

    done = gridproof("campaign", "small.toml")

    assert done.status == 2
    assert "already holds a campaign with another" in done.err


def test_the_help_has_an_example(gridproof: CommandLine) -> None:
    shown = gridproof("campaign", "--help")

    assert shown.status == 0
    assert "gridproof campaign loss.toml --until 'loss ± 10 %'" in shown.out


def test_the_page_names_every_quantity_and_estimate() -> None:
    page = (ROOT / "docs" / "campaigns.md").read_text("utf-8")

    assert [one.name for one in QUANTITIES if f"`{one.name}` | {one.sentence}" not in page] == []
    assert [one.name for one in ESTIMATES if f"`{one.name}` | {one.sentence}" not in page] == []


def test_every_cell_follows_a_configuration(plan: Plan, gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "grid.yaml").write_text("hazelcast:\n  map:\n    hot:\n      backup-count: 2\n")
    config = load_config(tmp_path / "grid.yaml")
    followed = Prescribed.by(config, config.structures[0])
    words = ("--config", "grid.yaml", "--map", "hot")
    store, line = Store(tmp_path / "done"), FollowedConfiguration(followed, words, config.taken, config.notes)
    configured = replace(plan, axes=(), configuration=line)
    part = Part(0, 0, 3)
    store.open(configured)
    store.write(part, make_part(part, configured.cells[0], configured.draw_options()[0], steps=False))

    shown = gridproof("study", "done", "--json").json

    assert configured.draw_options()[0].prescribed == followed
    assert shown["configuration"]["taken"] == list(config.taken)
    assert "replay 0 --config grid.yaml --map hot --set grid=plain" in Path(shown["page"]).read_text()


def test_a_folder_of_another_configuration_is_refused(gridproof: CommandLine, finished: Store, tmp_path: Path) -> None:
    (tmp_path / "grid.yaml").write_text("hazelcast:\n  map:\n    default:\n      backup-count: 2\n")

    wrong = gridproof("campaign", "small.toml", "--out", finished.folder, "--config", "grid.yaml")

    assert wrong.status == 2
    assert "already holds a campaign with another" in wrong.err


def test_a_map_needs_a_configuration(plan: Plan, gridproof: CommandLine) -> None:
    wrong = gridproof("campaign", "small.toml", "--map", "hot")

    assert (plan.runs, wrong.status) == (4, 2)
    assert "--map needs a configuration; name the configuration's file with --config" in wrong.err


def test_a_fault_that_is_set_and_strikes_nobody_in_a_cell_is_unknown_and_named(
    gridproof: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "alone.toml").write_text("runs = 1\nsteps = false\n[set]\nloss = '10 %'\n[grid]\nmembers = [1, 3]\n")
    plan, store = read_plan(tmp_path / "alone.toml"), Store(tmp_path / "gridproof-out" / "campaign-alone")
    store.open(plan)
    for cell, options in enumerate(plan.draw_options()):
        store.write(Part(cell, 0, 0), make_part(Part(cell, 0, 0), plan.cells[cell], options, steps=False))

    done, shown = gridproof("campaign", "alone.toml", "--json"), gridproof("campaign", "alone.toml")

    studied = gridproof("study", store.folder)

    assert (done.status, done.json["missed_faults"], done.json["blind"]) == (3, {"loss": [0]}, 0)
    assert (shown.status, studied.status) == (3, 3)
    said = "loss was asked for and struck nobody: it came in no run of cell 0; it takes two members that run"
    assert shown.out.startswith(said)
    assert studied.out.startswith(said)
    assert "\nstruck  loss 1 of 2\n" in studied.out
    assert said in (store.folder / "study" / "study.html").read_text("utf-8")
