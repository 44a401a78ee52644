"""Judges all table rows in one pass over them.

Spark distributes parts and runs; the reader of a run passes its rows, batch by batch, to the judges of tables, which
are the same as those of a live run. A task reads Parquet files directly into columns: with Spark's own rows, ten
million take ten times as long. Rows of JSON lines, which Spark has parsed, are given to the same judges, one run after
the other.

The table rows of Parquet traces are read one run after the other. A part is some row groups of one file, and the runs
that are read from them. Runs follow one another in a trace, and the head of each run shows where it begins; so the
statistics of positions in a file show which groups hold the rows of a run. To read a part, neither Spark nor the rest
of the file is needed.
"""

import gc
import pickle
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet
from pyspark.sql import DataFrame, SparkSession

from gridproof_implementation.trace import TraceFile, TraceFormat
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.guarantee import Finding
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.row_batch import BATCH_ROWS, RowBatch
from gridproof_properties.judging.view_facts import Longs
from gridproof_reports.pipeline.case import POSITION, Case, ShownRows
from gridproof_reports.pipeline.cases import refusal, unbegun
from gridproof_reports.pipeline.columns import COLUMNS, BatchReader, RunViews, views_of


@dataclass(frozen=True, slots=True)
class RowGroup:
    """A row group of a Parquet file, with its statistics."""

    number: int
    rows: int
    positions: tuple[int, int] | None
    """The smallest and the largest position of a row; None if the file does not state them."""
    run: str | None
    """The run to which all the rows belong; None if it is not known whether they belong to one run."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a trace that one task reads."""

    trace: str
    """The absolute path of the trace, as a task runs in another working folder."""
    groups: tuple[RowGroup, ...]
    runs: frozenset[str]
    """The runs that are read; the groups may also hold rows of other runs."""


def deal_out(trace: Path, cases: Sequence[Case], rows: int) -> list[Part]:
    """Return parts of about `rows` rows each that together read every group, for the runs of a trace in their order.

    If a file has no statistics of positions, it is one part.
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
    parts.append(_part(trace, {**needed, **unread}, mine))  # with the rows before the first head
    return [part for part in parts if part.groups or part.runs]


def _may_hold(group: RowGroup, case: Case) -> bool:
    """Return whether a group may hold rows of a run."""
    if group.positions is None:
        return True
    least, greatest = group.positions
    return case.head_position < greatest and least < case.end_position


def _part(trace: Path, groups: Collection[RowGroup], runs: Collection[str]) -> Part:
    return Part(str(trace.absolute()), tuple(sorted(groups, key=lambda group: group.number)), frozenset(runs))


def count_rows(trace: TraceFile) -> int:
    """Return how many table rows a Parquet trace has, from its metadata; 0 for a JSON trace."""
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
    """Return the smallest and the largest value of a column in a group; None if the file does not state them."""
    statistics = group.column(column).statistics
    if statistics is None or not statistics.has_min_max or statistics.null_count != 0:
        return None
    return statistics.min, statistics.max


def read_part(part: Part) -> Iterator[tuple[str | None, Any]]:
    """Yield the rows of a part in the order of the file: a run each time, and columns with its consecutive rows."""
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
    """Yield the rows of a batch in stretches that belong to one run each."""
    encoded = compute.call_function("dictionary_encode", [batch.column("run")])
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    begins = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1)).tolist()
    for first, end in zip(begins, [*begins[1:], batch.num_rows], strict=True):
        yield batch.column("run")[first].as_py(), batch.slice(first, end - first)


def _with_versions(batch: Any) -> Any:
    """Return rows with a version column, which is null if the file has none."""
    if "version" in batch.schema.names:
        return batch
    columns = [*batch.columns, arrow.nulls(batch.num_rows, arrow.int64())]
    return arrow.RecordBatch.from_arrays(columns, names=[*batch.schema.names, "version"])


_PARTS_A_CORE = 4
_FOUND = "run string, found binary"
_FOUND_COLUMNS: Any = arrow.schema([("run", arrow.string()), ("found", arrow.binary())])
"""The columns of results; `found` is a pickled `Found`, null if no trace has the head of the run."""


@dataclass(frozen=True, slots=True)
class Found:
    """The results of reading the rows of one run."""

    shown: ShownRows
    findings: Mapping[str, Finding]
    """The finding for each property."""
    unadmitted: Mapping[str, tuple[str, ...]]
    """For each property, the story of a failure that no admitted weakness covers."""


def reduce_rows(
    spark: SparkSession,
    traces: Sequence[TraceFile],
    lines: DataFrame | None,
    cases: Mapping[str, Case],
    properties: Sequence[Property] = INVARIANTS,
) -> None:
    """Give each case the findings on these properties of tables, and the number of rows of each of its views.

    `lines` are the table rows of JSON traces. Raise TraceError if there are rows of a run whose head is not in their
    trace.
    """
    views = {name: views_of(case) for name, case in cases.items()}
    frames = []
    if parts := _parts_of(traces, cases, spark.sparkContext.defaultParallelism):
        numbers = spark.range(0, len(parts), 1, len(parts))
        frames.append(numbers.mapInArrow(partial(read_parts, parts, views, properties), _FOUND))
    if lines is not None:
        in_order = lines.select("run", *COLUMNS).repartition("run").sortWithinPartitions("run", POSITION)
        frames.append(in_order.mapInArrow(partial(read_lines, views, properties), _FOUND))
    lines_found = list(chain.from_iterable(frame.collect() for frame in frames))
    for case in cases.values():
        case.findings = Panel(properties, {}).findings()
    for line in lines_found:
        if line["found"] is None:
            raise unbegun(line["run"])
        found: Found = pickle.loads(line["found"])
        case = cases[line["run"]]
        case.shown = found.shown
        case.findings, case.unadmitted = found.findings, found.unadmitted
    _check_counts(traces, cases)


def _parts_of(traces: Sequence[TraceFile], cases: Mapping[str, Case], cores: int) -> list[Part]:
    """Return the parts of Parquet files that have to be read."""
    there = {trace.path: count for trace in traces if (count := count_rows(trace))}
    rows = max(BATCH_ROWS, sum(there.values()) // (_PARTS_A_CORE * cores))
    by_trace = {path: [case for case in cases.values() if case.source == path] for path in there}
    return [part for path, its in by_trace.items() for part in deal_out(path, its, rows)]


def _check_counts(traces: Sequence[TraceFile], cases: Mapping[str, Case]) -> None:
    """Raise TraceError if rows were not read because they stand among the rows of another run."""
    for trace in traces:
        read = sum(case.shown.rows + case.shown.strays for case in cases.values() if case.source == trace.path)
        if trace.format is TraceFormat.PARQUET and read != count_rows(trace):
            raise refusal(trace.path, "rows of a run are outside of the run")


def read_parts(
    parts: Sequence[Part],
    views: Mapping[str, RunViews],
    properties: Sequence[Property],
    batches: Iterator[arrow.RecordBatch],
) -> Iterator[arrow.RecordBatch]:
    """Yield the results for the parts with the given numbers."""
    gc.freeze()  # the process collects garbage between tasks, and would check all imported objects each time
    for number in (number for batch in batches for number in batch.column("id").to_pylist()):
        part = parts[number]
        reduced: dict[str | None, RunReduction] = {run: RunReduction.of(views[run], properties) for run in part.runs}
        strangers: dict[str | None, None] = {}
        for run, columns in read_part(part):
            if run in reduced:
                reduced[run].add(columns)
            elif run is None or run not in views or views[run].source != part.trace:
                strangers[run] = None
        yield _line_of([(run, its.finish()) for run, its in reduced.items()])
        yield _line_of([(run, None) for run in strangers])


def read_lines(
    views: Mapping[str, RunViews], properties: Sequence[Property], batches: Iterator[arrow.RecordBatch]
) -> Iterator[arrow.RecordBatch]:
    """Yield the results for each run; the rows of a run follow one another in order, over any number of batches."""
    pieces = (piece for batch in batches for piece in split_by_run(batch))
    for run, its in groupby(pieces, key=lambda piece: piece[0]):
        reduction = RunReduction.of(views[run], properties) if run is not None and run in views else None
        for _, columns in its:
            if reduction is not None:
                reduction.add(columns)
        yield _line_of([(run, None if reduction is None else reduction.finish())])


def _line_of(found: Sequence[tuple[str | None, Found | None]]) -> arrow.RecordBatch:
    lines = [{"run": run, "found": None if one is None else pickle.dumps(one)} for run, one in found]
    return arrow.RecordBatch.from_pylist(lines, schema=_FOUND_COLUMNS)


@dataclass(slots=True)
class RunReduction:
    """Collects the results for one run while the run's rows are read."""

    reader: BatchReader
    panel: Panel
    counts: Longs
    """For each view (a table as one member showed it at one moment), the number of its rows."""

    @staticmethod
    def of(views: RunViews, properties: Sequence[Property]) -> "RunReduction":
        """Return the state before the first row of a run."""
        panel = Panel(properties, {})
        panel.admit(views.admitted)
        return RunReduction(BatchReader(views), panel, np.zeros(len(views.view), np.int64))

    def add(self, columns: Any) -> None:
        """Read further rows, given as Arrow columns."""
        self._reduce(self.reader.read(columns))

    def finish(self) -> Found:
        """Return the results; called after the last row."""
        self._reduce(self.reader.finish())
        shown = np.flatnonzero(self.counts)
        by_view = dict(zip(self.reader.views.view[shown].tolist(), self.counts[shown].tolist(), strict=True))
        rows = ShownRows(int(self.counts.sum()), self.reader.strays, by_view, self.reader.first)
        unadmitted = self.panel.take_unadmitted()
        return Found(rows, self.panel.findings(), unadmitted)

    def _reduce(self, batches: Iterable[RowBatch]) -> None:
        for batch in batches:
            np.add.at(self.counts, batch.view[batch.pieces], batch.piece_lengths)
            self.panel.look_at_rows(batch)
