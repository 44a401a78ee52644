"""All that is to be known of table rows, in one pass over them.

Spark deals out parts and runs; what reads a run reduces its rows, batch by batch, for every job at once. Parquet files
are read straight into columns where the task is: through Spark's own rows ten million take ten times as long. Rows of
JSON lines, which Spark has parsed, come to the same reducers run by run.
"""

import gc
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import Any

import numpy as np
import pyarrow as arrow
from pyspark.sql import DataFrame, SparkSession

from gridproof_implementation.trace import TraceFile, TraceFormat
from gridproof_model.trace import RowRecord
from gridproof_reports.pipeline.case import POSITION, Case, Line, ShownRows
from gridproof_reports.pipeline.cases import refusal, unbegun
from gridproof_reports.pipeline.columns import BATCH_ROWS, COLUMNS, EMPTY, BatchReader, Longs, RowBatch
from gridproof_reports.pipeline.job import Reducer, RowJob
from gridproof_reports.pipeline.row_files import Part, count_rows, deal_out, read_part, split_by_run
from gridproof_reports.pipeline.view_facts import ViewFacts, facts_of

_PARTS_A_CORE = 4
_FOUND = "run string, found binary"
_FOUND_COLUMNS: Any = arrow.schema([("run", arrow.string()), ("found", arrow.binary())])
"""`found`: a pickled `Found`; null where no trace begins the run."""
Starts = Mapping[str, Callable[[ViewFacts], Reducer]]
"""By the name of a job."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a pass found of one run."""

    shown: ShownRows
    evidence: Mapping[str, Sequence[Line]]
    """By the name of the job."""


def reduce_rows(
    spark: SparkSession,
    traces: Sequence[TraceFile],
    lines: DataFrame | None,
    cases: Mapping[str, Case],
    jobs: Sequence[RowJob],
) -> None:
    """Give each case the evidence of these jobs, and what its views show.

    `lines` are the rows of traces of JSON lines. TraceError where rows are of a run that their trace does not begin.
    """
    facts = {name: facts_of(case) for name, case in cases.items()}
    starts = {job.name: job.start for job in jobs}
    frames = []
    if parts := _parts_of(traces, cases, spark.sparkContext.defaultParallelism):
        numbers = spark.range(0, len(parts), 1, len(parts))
        frames.append(numbers.mapInArrow(partial(read_parts, parts, facts, starts), _FOUND))
    if lines is not None:
        in_order = lines.select("run", *COLUMNS).repartition("run").sortWithinPartitions("run", POSITION)
        frames.append(in_order.mapInArrow(partial(read_lines, facts, starts), _FOUND))
    for case in cases.values():
        case.evidence |= {job.name: [] for job in jobs}
    for line in chain.from_iterable(frame.collect() for frame in frames):
        if line["found"] is None:
            raise unbegun(line["run"])
        found: Found = pickle.loads(line["found"])
        case = cases[line["run"]]
        case.shown = found.shown
        case.evidence |= found.evidence
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
    parts: Sequence[Part], facts: Mapping[str, ViewFacts], starts: Starts, batches: Iterator[arrow.RecordBatch]
) -> Iterator[arrow.RecordBatch]:
    """Yield what is found in the parts whose numbers come."""
    gc.freeze()  # the process collects garbage between tasks, and would look at all that is imported every time
    for number in (number for batch in batches for number in batch.column("id").to_pylist()):
        part = parts[number]
        reduced: dict[str | None, RunReduction] = {run: RunReduction.of(facts[run], starts) for run in part.runs}
        strangers: dict[str | None, None] = {}
        for run, columns in read_part(part):
            if run in reduced:
                reduced[run].add(columns)
            elif run is None or run not in facts or facts[run].source != part.trace:
                strangers[run] = None
        yield _line_of([(run, its.finish()) for run, its in reduced.items()])
        yield _line_of([(run, None) for run in strangers])


def read_lines(
    facts: Mapping[str, ViewFacts], starts: Starts, batches: Iterator[arrow.RecordBatch]
) -> Iterator[arrow.RecordBatch]:
    """Yield what is found in each run; its rows follow one another, in order, over as many batches as it takes."""
    pieces = (piece for batch in batches for piece in split_by_run(batch))
    for run, its in groupby(pieces, key=lambda piece: piece[0]):
        reduction = RunReduction.of(facts[run], starts) if run is not None and run in facts else None
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

    facts: ViewFacts
    reader: BatchReader
    reducers: Mapping[str, Reducer]
    """By the name of the job."""
    counts: Longs
    """Rows of each view."""
    first: tuple[int, RowRecord] | None = None
    """The first row, with its position."""

    @staticmethod
    def of(facts: ViewFacts, starts: Starts) -> "RunReduction":
        """Return the reduction of a run of which nothing has been read."""
        reducers = {name: start(facts) for name, start in starts.items()}
        return RunReduction(facts, BatchReader(facts), reducers, np.zeros(len(facts.view), np.int64))

    def add(self, columns: Any) -> None:
        """Take in some rows, as Arrow has them."""
        self._reduce(self.reader.read(columns))

    def finish(self) -> Found:
        """Return what was found, once the last row has come."""
        self._reduce(self.reader.finish())
        views = np.flatnonzero(self.counts)
        by_view = dict(zip(self.facts.view[views].tolist(), self.counts[views].tolist(), strict=True))
        shown = ShownRows(int(self.counts.sum()), self.reader.strays, by_view, self.first)
        return Found(shown, {name: list(reducer.evidence()) for name, reducer in self.reducers.items()})

    def _reduce(self, batches: Iterable[RowBatch]) -> None:
        for batch in batches:
            self.first = self.first or _first_of(batch, self.facts)
            np.add.at(self.counts, batch.view[batch.pieces], batch.piece_lengths)
            for reducer in self.reducers.values():
                reducer.add(batch)


def _first_of(batch: RowBatch, facts: ViewFacts) -> tuple[int, RowRecord]:
    slots = tuple(None if member == EMPTY else member for member in batch.slots[:, 0].tolist() if member >= EMPTY)
    version = int(batch.version[0]) if batch.has_version[0] else None
    row = RowRecord(facts.run, int(facts.view[batch.view[0]]), int(batch.partition[0]), slots, version)
    return int(batch.position[0]), row
