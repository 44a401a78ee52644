"""Judges everything that depends on all the earlier records of a run.

What a key may hold, what a member may do next, where keys are routed, and which conditions a run was under depend on
the history of the run: therefore the judges themselves read the records here, in Arrow batches. The runs are
distributed over the workers; each run is read in order, as a stream. Records that the judges of histories ignore are
left out beforehand: these are table rows, except those of a few views (see `wanted_views`).
"""

import pickle
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain, groupby
from math import inf
from typing import Any

import pyarrow as arrow
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.json_lines import FIRST
from gridproof_implementation.trace.json_reading import decode
from gridproof_implementation.trace.schema import FIELDS, OperationNumbers, Shape, check_head, check_sense
from gridproof_model.trace import OperationRecord, Record, RunRecord
from gridproof_properties.audits.promises import admission_of
from gridproof_properties.audits.trace_verdicts import JUDGED
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.panel import Panel
from gridproof_reports.pipeline.case import POSITION, Judged

PROPERTIES = tuple(prop for prop in JUDGED if prop not in INVARIANTS)
_JUDGED = "run string, judged binary"
_JUDGED_COLUMNS: Any = arrow.schema([("run", arrow.string()), ("judged", arrow.binary())])
"""The columns of results; `judged` is a pickled `Judged`."""
WATCHED = ("operation", "digest", "route")
"""The kinds of records that are read in full, besides events."""


def gather(kinds: Mapping[str, DataFrame], settings: DataFrame, wanted: DataFrame | None) -> DataFrame:
    """Return the results of the judges that read each run line by line.

    `settings` are heads, members, views and verdicts, each as a line of JSON; `wanted` are the views whose rows the
    judges need (see `wanted_views`), or None if they need no rows.
    """
    lines = [settings, *(_lines(kinds[word], word) for word in WATCHED if word in kinds)]
    if "event" in kinds:
        lines.append(_event_lines(kinds["event"]))
    if wanted is not None:
        rows = kinds["row"].join(f.broadcast(wanted), on=["run", "view"], how="left_semi")
        lines.append(_lines(rows, "row"))
    in_order = reduce(DataFrame.unionByName, lines).repartition("run").sortWithinPartitions("run", POSITION)
    return in_order.mapInArrow(judge_lines, _JUDGED)


def _lines(frame: DataFrame, word: str) -> DataFrame:
    """Return records as the lines of a JSON trace, which workers can read with the plain reader."""
    fields = [
        f.hex(field.name).alias(field.name) if field.shape is Shape.BYTES else f.col(field.name)
        for field in FIELDS[word]
    ]
    line = f.to_json(f.struct(f.lit(word).alias(FIRST), *fields), {"ignoreNullFields": "false"})
    return frame.select("run", POSITION, line.alias("line"))


def _event_lines(events: DataFrame) -> DataFrame:
    """Return all events as lines, even those that no judge reads, so that malformed ones are refused."""
    fields = [f.col(field.name) for field in FIELDS["event"] if field.shape is not Shape.EVENT]
    head = f.to_json(f.struct(f.lit("event").alias(FIRST), *fields), {"ignoreNullFields": "false"})
    open_head = f.regexp_replace(head, r"\}$", "")
    return events.select("run", POSITION, f.concat(open_head, f.lit(',"fields":'), "fields", f.lit("}")).alias("line"))


def judge_lines(batches: Iterator[arrow.RecordBatch]) -> Iterator[arrow.RecordBatch]:
    """Yield the results for each run; the lines of a run follow one another in order, over any number of batches."""
    for run, lines in groupby(_pairs(batches), key=lambda pair: pair[0]):
        found = [{"run": run, "judged": pickle.dumps(_judge(lines))}]
        yield arrow.RecordBatch.from_pylist(found, schema=_JUDGED_COLUMNS)


def _judge(lines: Iterable[tuple[str, str]]) -> Judged:
    records = _checked(decode(line) for _, line in lines)
    try:
        head = next(records)  # no record comes before the head
        system = head.system if isinstance(head, RunRecord) else ""
        panel = Panel(PROPERTIES, {}, is_recorded=True, admits=admission_of(system))
        for record in chain((head,), records):
            panel.observe(record)
    except TraceError as error:
        return Judged(malformed=str(error))
    limits = {prop.name: panel.comparisons_of(prop).find_incident(None, 0, inf) for prop in INVARIANTS}
    return Judged(panel.conclude(), limits, panel.stopped)


def _checked(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records, and raise TraceError, as the plain reader would, for a record that makes no sense."""
    partition_count, numbers = 0, OperationNumbers()
    for record in records:
        if isinstance(record, RunRecord):
            check_head(record)
            partition_count = record.partition_count
        check_sense(record, partition_count)
        if isinstance(record, OperationRecord):
            numbers.add(record.operation)
        yield record


def _pairs(batches: Iterator[arrow.RecordBatch]) -> Iterator[tuple[str, str]]:
    for batch in batches:
        yield from zip(batch.column("run").to_pylist(), batch.column("line").to_pylist(), strict=True)
