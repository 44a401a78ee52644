"""The tables of a study, as CSV and Parquet."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet

from gridproof_model.value import picked
from gridproof_model.whole_file import written_whole
from gridproof_properties.campaign.run_splitting import GOAL
from gridproof_properties.measuring.fixed_effort import Split
from gridproof_reports.campaigns.exact_cells import CellExact, exact_rows
from gridproof_reports.campaigns.rows import column_of
from gridproof_reports.campaigns.split_cells import CellSplit
from gridproof_reports.campaigns.study import Study

Row = dict[str, object]


def estimate_rows(study: Study) -> list[Row]:
    """Return one row for each cell and estimate: the parameters, and the estimate with its 99 % interval."""
    shown = {one.name for one in study.estimates}
    return [
        {
            "cell": cell.found.cell,
            **{column_of(name): text for name, text in (*study.common, *cell.values)},
            "runs": cell.found.runs,
            "estimate": one.name,
            **picked(one, "value low high note"),
            "runs_for_10_percent": one.runs_for_a_tenth,
        }
        for cell in study.cells
        for one in cell.found.estimates
        if one.name in shown
    ]


def split_rows(splits: Sequence[CellSplit]) -> list[Row]:
    """Return one row for each split cell: the probability, its interval, the effort, and the estimate from plain
    runs."""
    rows: list[Row] = []
    for one in splits:
        found = one.found if isinstance(one.found, Split) else None
        rows.append(
            {
                "cell": one.studied.found.cell,
                **{column_of(name): text for name, text in one.studied.values},
                "estimate": GOAL,
                **{name: getattr(found, name, None) for name in ("value", "low", "high", "trials", "plain_runs")},
                "levels": " ".join(map(str, found.levels)) if found else None,
                "shares": " ".join(f"{share:.6g}" for share in found.shares) if found else None,
                "unknown": None if found else str(one.found),
                "campaign_runs": one.studied.found.runs,
                "campaign_runs_with_loss": one.studied.lossy,
            }
        )
    return rows


def write_tables(
    study: Study, folder: Path, splits: Sequence[CellSplit] = (), exacts: Sequence[CellExact] = ()
) -> list[Path]:
    """Write all tables that have rows to a folder, both as CSV and as Parquet, and return the files."""
    written = []
    differences: list[Row] = [asdict(one) for one in study.differences]
    tables = {"estimates": estimate_rows(study), "differences": differences, "splits": split_rows(splits)}
    tables["exact"] = exact_rows(exacts)
    for name, rows in tables.items():
        if rows:
            written += [_write_csv(folder / f"{name}.csv", rows), _write_parquet(folder / f"{name}.parquet", rows)]
    return written


def _write_csv(path: Path, rows: Sequence[Row]) -> Path:
    with written_whole(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def _write_parquet(path: Path, rows: Sequence[Row]) -> Path:
    with written_whole(path) as beside:
        parquet.write_table(arrow.Table.from_pylist(list(rows)), beside, compression="zstd")
    return path
