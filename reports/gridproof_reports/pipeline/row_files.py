"""The table rows of Parquet traces, run by run.

A part is some row groups of one file and the runs that are read there. Runs follow one another in a trace, and where
each begins is known by its head; so the groups that hold its rows are known by their statistics of positions. Whoever
reads a part needs neither Spark nor the rest of the file.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from gridproof_implementation.trace import TraceFile
from gridproof_properties.judging.row_batch import BATCH_ROWS
from gridproof_reports.pipeline.case import POSITION, Case
from gridproof_reports.pipeline.columns import COLUMNS


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group, and what its statistics say."""

    number: int
    rows: int
    positions: tuple[int, int] | None
    """The least and the greatest; None where the file does not say."""
    run: str | None
    """The run of all its rows; None where it is not known to be one."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one task reads."""

    trace: str
    """The path of the trace, from the root: a task has another folder."""
    groups: tuple[RowGroup, ...]
    runs: frozenset[str]
    """Rows of other runs stand there, too, where groups hold several."""


def deal_out(trace: Path, cases: Sequence[Case], rows: int) -> list[Part]:
    """Return parts that together read every group, of about so many rows each, for the runs of a trace in their order.

    A file that says nothing of positions is one part.
    """
    groups = _groups_of(_rows_of(trace))
    if any(group.positions is None for group in groups):
        return [_part(trace, groups, [case.head.run for case in cases])]
    parts: list[Part] = []
    mine: list[str] = []
    needed: dict[RowGroup, None] = {}
    unread = dict.fromkeys(groups)
    for case in cases:
        mine.append(case.head.run)
        for group in groups:
            if _may_hold(group, case):
                needed[group] = None
                unread.pop(group, None)
        if sum(group.rows for group in needed) >= rows:
            parts.append(_part(trace, needed, mine))
            mine, needed = [], {}
    parts.append(_part(trace, {**needed, **unread}, mine))  # rows before the first head, too
    return [part for part in parts if part.groups or part.runs]


def _may_hold(group: RowGroup, case: Case) -> bool:
    """Whether rows of a run may stand in a group."""
    if group.positions is None:
        return True
    least, greatest = group.positions
    return case.head_position < greatest and least < case.end_position


def _part(trace: Path, groups: Collection[RowGroup], runs: Collection[str]) -> Part:
    return Part(str(trace.absolute()), tuple(sorted(groups, key=lambda group: group.number)), frozenset(runs))


def count_rows(trace: TraceFile) -> int:
    """Return how many table rows a Parquet trace has, as its file says; 0 of lines of JSON."""
    path = _rows_of(trace.path)
    return parquet.read_metadata(path).num_rows if path.is_file() else 0


def _rows_of(trace: Path) -> Path:
    return trace / "row.parquet"


def _groups_of(path: Path) -> list[RowGroup]:
    metadata = parquet.read_metadata(path)
    position, run = (metadata.schema.names.index(name) for name in (POSITION, "run"))
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        least, most = _ends_of(group, run) or (None, None)
        one = least if least == most else None
        found.append(RowGroup(number, group.num_rows, _ends_of(group, position), one))
    return found


def _ends_of(group: Any, column: int) -> tuple[Any, Any] | None:
    """Return the least and the greatest value of a column in a group; None where the file says nothing."""
    statistics = group.column(column).statistics
    if statistics is None or not statistics.has_min_max or statistics.null_count != 0:
        return None
    return statistics.min, statistics.max


def read_part(part: Part) -> Iterator[tuple[str | None, Any]]:
    """Yield what stands there, in the order of the file: a run, and columns of rows of it that follow one another."""
    with parquet.ParquetFile(_rows_of(Path(part.trace))) as file:
        there = set(file.schema_arrow.names)
        for run, groups in groupby(part.groups, key=lambda group: group.run):
            columns = [name for name in (*COLUMNS, *(("run",) if run is None else ())) if name in there]
            numbers = [group.number for group in groups]
            for batch in file.iter_batches(BATCH_ROWS, row_groups=numbers, columns=columns, use_threads=False):
                whole = _with_versions(batch)
                if run is None:
                    yield from split_by_run(whole)
                else:
                    yield run, whole


def split_by_run(batch: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield the rows of each run in a batch, as long as they follow one another."""
    encoded = compute.call_function("dictionary_encode", [batch.column("run")])
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    begins = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1)).tolist()
    for first, end in zip(begins, [*begins[1:], batch.num_rows], strict=True):
        yield batch.column("run")[first].as_py(), batch.slice(first, end - first)


def _with_versions(batch: Any) -> Any:
    """Return rows with a version, null where the file has none."""
    if "version" in batch.schema.names:
        return batch
    columns = [*batch.columns, arrow.nulls(batch.num_rows, arrow.int64())]
    return arrow.RecordBatch.from_arrays(columns, names=[*batch.schema.names, "version"])
