"""All that is to be known of table rows, in one pass over them.

Spark deals out parts and runs; what reads a run shows its rows, batch by batch, to the judges of tables, the very ones
that watch a live run. Parquet files are read straight into columns where the task is: through Spark's own rows ten
million take ten times as long. Rows of JSON lines, which Spark has parsed, come to the same judges run by run.

The table rows of Parquet traces, run by run. A part is some row groups of one file and the runs that are read there.
Runs follow one another in a trace, and where each begins is known by its head; so the groups that hold its rows are
known by their statistics of positions. Whoever reads a part needs neither Spark nor the rest of the file.
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


_PARTS_A_CORE = 4
_FOUND = "run string, found binary"
_FOUND_COLUMNS: Any = arrow.schema([("run", arrow.string()), ("found", arrow.binary())])
"""`found`: a pickled `Found`; null where no trace begins the run."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a pass found of one run."""

    shown: ShownRows
    findings: Mapping[str, Finding]
    """By property."""
    unadmitted: Mapping[str, tuple[str, ...]]
    """By property, the story of what nothing that the system admits takes away."""


def reduce_rows(
    spark: SparkSession,
    traces: Sequence[TraceFile],
    lines: DataFrame | None,
    cases: Mapping[str, Case],
    properties: Sequence[Property] = INVARIANTS,
) -> None:
    """Give each case what is found of these properties of tables, and what its views show.

    `lines` are the rows of traces of JSON lines. TraceError where rows are of a run that their trace does not begin.
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
    """Return what is to be read of Parquet files."""
    there = {trace.path: count for trace in traces if (count := count_rows(trace))}
    rows = max(BATCH_ROWS, sum(there.values()) // (_PARTS_A_CORE * cores))
    by_trace = {path: [case for case in cases.values() if case.source == path] for path in there}
    return [part for path, its in by_trace.items() for part in deal_out(path, its, rows)]


def _check_counts(traces: Sequence[TraceFile], cases: Mapping[str, Case]) -> None:
    """Raise TraceError where rows of a run stand among those of another: nobody has read them."""
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
    """Yield what is found in the parts whose numbers come."""
    gc.freeze()  # the process collects garbage between tasks, and would look at all that is imported every time
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
    """Yield what is found in each run; its rows follow one another, in order, over as many batches as it takes."""
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
    """One run under way."""

    reader: BatchReader
    panel: Panel
    counts: Longs
    """Rows of each view."""

    @staticmethod
    def of(views: RunViews, properties: Sequence[Property]) -> "RunReduction":
        """Return the reduction of a run of which nothing has been read."""
        panel = Panel(properties, {})
        panel.admit(views.admitted)
        return RunReduction(BatchReader(views), panel, np.zeros(len(views.view), np.int64))

    def add(self, columns: Any) -> None:
        """Take in some rows, as Arrow has them."""
        self._reduce(self.reader.read(columns))

    def finish(self) -> Found:
        """Return what was found, once the last row has come."""
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
