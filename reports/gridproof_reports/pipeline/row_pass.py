"""All that is to be known of table rows, in one pass over them.

Spark deals out parts and runs; what reads a run shows its rows, batch by batch, to the judges of tables, the very ones
that watch a live run. Parquet files are read straight into columns where the task is: through Spark's own rows ten
million take ten times as long. Rows of JSON lines, which Spark has parsed, come to the same judges run by run.
"""

import gc
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import Any

import numpy as np
import pyarrow as arrow
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
from gridproof_reports.pipeline.row_files import Part, count_rows, deal_out, read_part, split_by_run

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
            raise refusal(trace.path, "rows of a run stand outside of it")


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
