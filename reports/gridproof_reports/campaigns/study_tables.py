"""A study as CSV and Parquet."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet

from gridproof_reports.campaigns.rows import column_of
from gridproof_reports.campaigns.study import Study

Row = dict[str, object]


def estimate_rows(study: Study) -> list[Row]:
    """Return a row a cell and estimate: what is set, and the estimate with its 99 % interval."""
    shown = {one.name for one in study.estimates}
    return [
        {
            "cell": cell.found.cell,
            **{column_of(name): text for name, text in (*study.common, *cell.values)},
            "runs": cell.found.runs,
            "estimate": one.name,
            "value": one.value,
            "low": one.low,
            "high": one.high,
        }
        for cell in study.cells
        for one in cell.found.estimates
        if one.name in shown
    ]


def difference_rows(study: Study) -> list[Row]:
    """Return a row a difference."""
    return [
        {
            "estimate": one.estimate,
            "cell": one.cell,
            "base": one.base,
            "axis": one.axis,
            "seeds": one.seeds,
            "difference": one.value,
            "low": one.low,
            "high": one.high,
        }
        for one in study.differences
    ]


def write_tables(study: Study, folder: Path) -> list[Path]:
    """Write both tables in both forms to a folder, and return the files."""
    written = []
    for name, rows in (("estimates", estimate_rows(study)), ("differences", difference_rows(study))):
        if rows:
            written += [_write_csv(folder / f"{name}.csv", rows), _write_parquet(folder / f"{name}.parquet", rows)]
    return written


def _write_csv(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def _write_parquet(path: Path, rows: Sequence[Row]) -> Path:
    parquet.write_table(arrow.Table.from_pylist(list(rows)), path, compression="zstd")
    return path
