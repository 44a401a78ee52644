"""Files of runs that are damaged: what is wrong with each is a line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from gridproof_reports.campaigns.plan import Part, Plan
from gridproof_reports.campaigns.rows import RowsError, make_part, read_rows

COMMON = (("grid", "plain"), ("operations", "8"), ("partitions", "1"), ("members", "2"))
PLAN = Plan(COMMON, (("sync-backups", ("0", "1")),), runs=4, runs_a_part=2, steps=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table.drop(["inputs"]), "inputs is missing"),
        (
            lambda table: table.append_column("inputs", table.column("inputs")),
            "does not hold the runs that its name states",
        ),
        (lambda table: table.set_column(0, "cell", arrow.array(["0"])), "cell is string; it must be int32"),
        (lambda table: table.set_column(0, "cell", arrow.array([7], arrow.int32())), "not all of cell 1"),
        (lambda table: table.set_column(1, "seed", arrow.array([9])), "not those of seeds 3 to 3"),
        (lambda table: arrow.concat_tables([table, table]), "not those of seeds 3 to 3"),
        (lambda table: with_column(table, "inputs", arrow.array([-1])), "inputs is below 0"),
        (lambda table: with_column(table, "inputs", arrow.nulls(1, arrow.int64())), "inputs is null"),
    ],
)
def test_a_file_that_holds_other_rows_is_named(change: Callable[[Any], Any], said: str, tmp_path: Path) -> None:
    part, file = Part(1, 3, 3), tmp_path / "part.parquet"
    made = make_part(part, PLAN.cells[1], PLAN.draw_options()[1], steps=False)
    parquet.write_table(change(parquet.read_table(arrow.BufferReader(made))), file)

    with pytest.raises(RowsError, match=said):
        read_rows([(part, file)])


def test_a_file_that_is_cut_off_is_named(tmp_path: Path) -> None:
    file = tmp_path / "part.parquet"
    file.write_bytes(make_part(Part(1, 3, 3), PLAN.cells[1], PLAN.draw_options()[1], steps=False)[:900])

    with pytest.raises(RowsError, match="does not hold the runs that its name states"):
        read_rows([(Part(1, 3, 3), file)])


def with_column(table: Any, name: str, column: Any) -> Any:
    return table.set_column(table.column_names.index(name), name, column)
