"""Campaigns on Spark: equal bytes, nothing repeated."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gridproof_reports.campaigns.plan import Part, Plan, read_plan
from gridproof_reports.campaigns.rows import make_part, read_rows
from gridproof_reports.campaigns.store import Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMMON = (("grid", "plain"), ("operations", "8"), ("partitions", "1"), ("members", "2"))
PLAN = Plan(COMMON, (("sync-backups", ("0", "1")),), runs=4, runs_a_part=2, steps=False)


def work_of(plan: Plan) -> list[tuple[Part, tuple[tuple[str, str], ...], object, bool]]:
    cells, draw_options = plan.cells, plan.draw_options()
    return [(part, cells[part.cell], draw_options[part.cell], False) for parts in plan.rounds() for part in parts]


def test_a_part_is_equal_bytes_each_time() -> None:
    cell, draw_options = PLAN.cells[1], PLAN.draw_options()[1]

    one, other = (make_part(Part(1, 0, 1), cell, draw_options, steps=False) for _ in range(2))

    assert one == other


def test_a_row_has_parameters_and_quantities(tmp_path: Path) -> None:
    (tmp_path / "part.parquet").write_bytes(
        make_part(Part(1, 3, 3), PLAN.cells[1], PLAN.draw_options()[1], steps=False)
    )

    (row,) = read_rows([(Part(1, 3, 3), tmp_path / "part.parquet")]).to_pylist()

    assert (row["cell"], row["seed"], row["set_sync_backups"], row["broken"]) == (1, 3, "1", [])
    assert sum(count for _, count in row["call_us"]) == row["operations"] == 8


@pytest.mark.spark
def test_executors_make_the_bytes_that_this_process_makes(spark: "SparkSession") -> None:
    from gridproof_reports.campaigns.campaigning import simulate_parts

    made = dict(simulate_parts(spark, work_of(PLAN)))  # type: ignore[arg-type]

    cells, draw_options = PLAN.cells, PLAN.draw_options()
    assert made == {part: make_part(part, cells[part.cell], draw_options[part.cell], steps=False) for part in made}
    assert len(made) == 4


@pytest.mark.spark
def test_one_worker_and_two_make_equal_folders(spark: "SparkSession", tmp_path: Path) -> None:
    from gridproof_reports.campaigns import campaigning

    folders = []
    for name, workers in (("one", 1), ("two", 2)):
        store = Store(tmp_path / name)
        store.open(PLAN)
        for part, file in campaigning.simulate_parts(spark, work_of(PLAN), side_by_side=workers):  # type: ignore[arg-type]
            store.write(part, file)
        folders.append({path.name: path.read_bytes() for path in (tmp_path / name / "runs").iterdir()})

    assert folders[0] == folders[1]


@pytest.mark.spark
def test_only_what_is_missing_is_simulated(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import nullcontext

    from gridproof_reports.campaigns.campaign import Campaign

    monkeypatch.setattr("gridproof_reports.campaigns.campaigning.open_session", lambda master: nullcontext(spark))
    store = Store(tmp_path / "campaign")
    store.open(PLAN)
    store.write(Part(0, 0, 1), make_part(Part(0, 0, 1), PLAN.cells[0], PLAN.draw_options()[0], steps=False))

    first, again = (Campaign(PLAN, store, "local[2]", lambda *_: None) for _ in range(2))
    first.run()
    again.run()

    assert first.runs == 6
    assert again.runs == 0


@pytest.mark.spark
def test_a_run_that_cannot_be_measured_is_one_line(spark: "SparkSession") -> None:
    from gridproof_reports.campaigns.campaigning import simulate_parts
    from gridproof_reports.campaigns.rows import RunFailedError

    (part, cell, draw_options, steps), *_ = work_of(replace(PLAN, common=COMMON[:1]))
    impossible = replace(draw_options, members="many")  # type: ignore[type-var]

    with pytest.raises(RunFailedError, match="cell 0, seed 0: the run cannot be measured"):
        list(simulate_parts(spark, [(part, cell, impossible, steps)]))  # type: ignore[list-item]


class Deadly:
    """Ends the executor's process that it is sent to."""

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return os._exit, (1,)


@pytest.mark.spark
def test_a_lost_executor_is_one_line_and_what_is_finished_is_kept(spark: "SparkSession") -> None:
    from gridproof_reports.campaigns.campaigning import simulate_parts
    from gridproof_reports.pipeline.java import PipelineError

    good, bad, *_ = work_of(PLAN)

    made = simulate_parts(spark, [good, (*bad[:2], Deadly(), False)], side_by_side=1)  # type: ignore[list-item]
    part, _ = next(made)

    with pytest.raises(PipelineError, match="Spark gave up on seeds 0 to 1 of cell 1") as caught:
        next(made)
    assert part == good[0]
    assert "finished runs are kept: give the same command again" in str(caught.value)
    assert "\n" not in str(caught.value)


FILE = """
runs = 12
runs-a-part = 2
steps = false
[set]
operations = 200
partitions = 1
members = 2
[grid]
sync-backups = [0, 1]
"""


# In processes of its own: what is killed is a command, its Spark and all.
@pytest.mark.nightly
@pytest.mark.spark
def test_a_campaign_that_was_killed_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(FILE)
    line = [sys.executable, "-m", "gridproof", "campaign", "small.toml", "--out", "done", "--master", "local[1]"]
    killed = subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not list(tmp_path.glob("done/runs/*.parquet")) and killed.poll() is None:
        time.sleep(0.05)
    killed.kill()
    killed.wait()
    before = {path.name for path in (tmp_path / "done" / "runs").glob("*.parquet")}

    again = subprocess.run([*line, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)

    plan = read_plan(tmp_path / "small.toml")
    cells, draw_options = plan.cells, plan.draw_options()
    parts = [part for parts in plan.rounds() for part in parts]
    made = {make_part(part, cells[part.cell], draw_options[part.cell], steps=False) for part in parts}
    assert 0 < len(before) < len(parts)
    assert json.loads(again.stdout)["simulated"] == plan.runs * plan.cell_count - 2 * len(before)
    assert {path.read_bytes() for path in (tmp_path / "done" / "runs").glob("*.parquet")} == made
