"""A reader that needs the rows of few views is spared the others."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from gridproof_implementation.trace import TraceError, open_trace, write_trace
from gridproof_model.trace import Record, RowRecord, RunRecord, ViewRecord


def records_of(run: str) -> list[Record]:
    """Return a run with three views of two rows."""
    head: list[Record] = [RunRecord(run, "reference", "1", 0, 2, 1)]
    for number in range(3):
        head.append(ViewRecord(run, number, 0, "joined 1", 0, True, (0, 1), (0, 1), ("a", "b")))
        head += [RowRecord(run, number, partition, (0, 1), 1) for partition in range(2)]
    return head


def a_trace(path: Path) -> Path:
    with write_trace(path) as trace:
        for record in (*records_of("a"), *records_of("b")):
            trace.write(record)
    return path


def last_of_b(views: Iterable[ViewRecord]) -> Mapping[str, set[int]]:
    return {"b": {max(view.view for view in views)}}


def rows_in(trace: Path) -> list[tuple[str, int, int]]:
    records = [record for _, run in open_trace(trace).runs(last_of_b) for record in run]
    assert sum(isinstance(record, RunRecord | ViewRecord) for record in records) == 8
    return [(row.run, row.view, row.partition) for row in records if isinstance(row, RowRecord)]


def test_of_a_parquet_trace_the_rows_of_the_chosen_views_are_read(tmp_path: Path) -> None:
    assert rows_in(a_trace(tmp_path / "a.parquet")) == [("b", 2, 0), ("b", 2, 1)]


def test_lines_of_json_are_read_as_a_whole(tmp_path: Path) -> None:
    assert len(rows_in(a_trace(tmp_path / "a.jsonl"))) == 12


def test_a_malformed_row_of_another_view_is_named_by_its_place(tmp_path: Path) -> None:
    file = a_trace(tmp_path / "a.parquet") / "row.parquet"
    rows = parquet.read_table(file)
    partitions = rows.column("partition").to_pylist()
    partitions[1] = -1
    parquet.write_table(rows.set_column(rows.column_names.index("partition"), "partition", [partitions]), file)

    with pytest.raises(TraceError, match=r"row\.parquet: record 2: partition must be .*, found -1"):
        rows_in(file.parent)
