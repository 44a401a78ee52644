"""Campaigns on Spark: equal bytes, nothing repeated."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gridproof_reports.campaigns.plan import Part, Plan
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

    (row,) = read_rows([tmp_path / "part.parquet"]).to_pylist()

    assert (row["cell"], row["seed"], row["set_sync_backups"], row["broken"]) == (1, 3, "1", [])
    assert sum(count for _, count in row["call_us"]) == row["operations"] == 8


@pytest.mark.spark
def test_executors_make_the_bytes_that_this_process_makes(spark: "SparkSession") -> None:
    from gridproof_reports.pipeline.campaigning import simulate_parts

    made = dict(simulate_parts(spark, work_of(PLAN)))  # type: ignore[arg-type]

    cells, draw_options = PLAN.cells, PLAN.draw_options()
    assert made == {part: make_part(part, cells[part.cell], draw_options[part.cell], steps=False) for part in made}
    assert len(made) == 4


@pytest.mark.spark
def test_one_worker_and_two_make_equal_folders(spark: "SparkSession", tmp_path: Path) -> None:
    from gridproof_reports.pipeline import campaigning

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

    monkeypatch.setattr("gridproof_reports.pipeline.campaigning.open_session", lambda master: nullcontext(spark))
    store = Store(tmp_path / "campaign")
    store.open(PLAN)
    store.write(Part(0, 0, 1), make_part(Part(0, 0, 1), PLAN.cells[0], PLAN.draw_options()[0], steps=False))

    end = Campaign(PLAN, store, "local[2]", lambda *_: None).run()
    again = Campaign(PLAN, store, "local[2]", lambda *_: None).run()

    assert (end.runs, end.kept) == (6, 2)
    assert (again.runs, again.kept) == (0, 8)


@pytest.mark.spark
def test_a_run_that_cannot_be_measured_is_one_line(spark: "SparkSession") -> None:
    from gridproof_reports.campaigns.rows import RunFailedError
    from gridproof_reports.pipeline.campaigning import simulate_parts

    (part, cell, draw_options, steps), *_ = work_of(replace(PLAN, common=COMMON[:1]))
    impossible = replace(draw_options, members="many")  # type: ignore[type-var]

    with pytest.raises(RunFailedError, match="cell 0, seed 0: the run cannot be measured"):
        list(simulate_parts(spark, [(part, cell, impossible, steps)]))  # type: ignore[list-item]
