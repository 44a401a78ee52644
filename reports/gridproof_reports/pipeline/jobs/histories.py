"""Whatever depends on all that came before, run by run.

What a key may hold, what a member may do next, what a run was under: here the judges themselves watch the records, in
Arrow batches. Runs are dealt out over the workers, each run in order and as a stream. Columns leave out beforehand what
these judges pass over: routes, and table rows but for a few views (see `wanted_views`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, groupby
from math import inf
from typing import Any

import pyarrow as arrow
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_implementation.trace import TraceError
from gridproof_implementation.trace.json_lines import FIRST, decode, encode
from gridproof_implementation.trace.schema import FIELDS, Shape, check_head, check_sense
from gridproof_model.trace import Record, RunRecord, VerdictRecord
from gridproof_properties.audits.promises import admission_of
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.checkers import routes
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.by_proof import ByProof
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record, verdict_record
from gridproof_reports.pipeline.case import POSITION, Case
from gridproof_reports.pipeline.job import Frames, Job

NAME = "histories"
BY_COLUMNS: tuple[Property, ...] = (*INVARIANTS, *routes.PROPERTIES)
"""What the other jobs judge."""
PROPERTIES = tuple(prop for prop in CATALOGUE if prop not in BY_COLUMNS)
VERDICT, BY_PROOF, LIMITED, STOPPED_BY, MALFORMED = "verdict", "by proof", "limited", "stopped", "malformed"
SCHEMA = t.StructType([t.StructField(name, t.StringType()) for name in ("run", "what", "property", "recorded")])
"""A row a run and property, with the verdict as a line of a trace; one more with what follows by proof, if anything. Of
the properties that other jobs judge: which cause takes a promise away, as "cause\\nsource". And of the run: why it
stopped before its end, what in it is malformed."""
WATCHED = ("operation", "digest", "verdict")
"""Kinds of records that are read as they stand, beside events."""


def gather(frames: Frames) -> DataFrame:
    """Return what the judges that watched the lines of each run say."""
    lines = [frames.settings, *(_lines(frames[word], word) for word in WATCHED if word in frames.there)]
    if "event" in frames.there:
        lines.append(_event_lines(frames["event"]))
    if frames.wanted is not None:
        rows = frames["row"].join(f.broadcast(frames.wanted), on=["run", "view"], how="left_semi")
        lines.append(_lines(rows, "row"))
    in_order = reduce(DataFrame.unionByName, lines).repartition("run").sortWithinPartitions("run", POSITION)
    return in_order.mapInArrow(judge_lines, SCHEMA)


def _lines(frame: DataFrame, word: str) -> DataFrame:
    """Return records as the lines of a JSON trace, which the judges' side reads with the plain reader."""
    fields = [f.col(field.name) for field in FIELDS[word]]
    line = f.to_json(f.struct(f.lit(word).alias(FIRST), *fields), {"ignoreNullFields": "false"})
    return frame.select("run", POSITION, line.alias("line"))


def _event_lines(events: DataFrame) -> DataFrame:
    """Return all events as lines; those that no judge reads, too, so that what is malformed is refused."""
    fields = [f.col(field.name) for field in FIELDS["event"] if field.shape is not Shape.EVENT]
    head = f.to_json(f.struct(f.lit("event").alias(FIRST), *fields), {"ignoreNullFields": "false"})
    open_head = f.regexp_replace(head, r"\}$", "")
    return events.select("run", POSITION, f.concat(open_head, f.lit(',"fields":'), "fields", f.lit("}")).alias("line"))


def judge_lines(batches: Iterator[arrow.RecordBatch]) -> Iterator[arrow.RecordBatch]:
    """Yield what is found in each run; its lines follow one another, in order, over as many batches as it takes."""
    for run, lines in groupby(_pairs(batches), key=lambda pair: pair[0]):
        found = [
            {"run": run, "what": what, "property": name, "recorded": finding}
            for what, name, finding in _judge(run, lines)
        ]
        yield arrow.RecordBatch.from_pylist(found, schema=_ARROW_SCHEMA)


def _judge(run: str, lines: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield verdicts and what else is to be known; or only what is malformed."""
    records = _checked(decode(line) for _, line in lines)
    try:
        head = next(records)  # nothing stands before it
        system = head.system if isinstance(head, RunRecord) else ""
        panel = Panel(PROPERTIES, {}, is_recorded=True, admits=admission_of(system))
        for record in chain((head,), records):
            panel.observe(record)
            if isinstance(record, VerdictRecord):
                panel.hear(verdict_of_record(record))
    except TraceError as error:
        yield MALFORMED, "", str(error)
        return
    if panel.stopped is not None:
        yield STOPPED_BY, "", panel.stopped
    for prop in BY_COLUMNS:
        if (limit := panel.comparisons_of(prop).find_incident(None, 0, inf)) is not None:
            yield LIMITED, prop.name, "\n".join(limit)
    for verdict in panel.conclude():
        yield VERDICT, verdict.property, encode(verdict_record(run, verdict))
        if verdict.by_proof is not None:
            yield BY_PROOF, verdict.property, json.dumps(verdict.by_proof.as_json())


def _checked(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records that make sense; the others raise TraceError, as the plain reader would."""
    partition_count = 0
    for record in records:
        if isinstance(record, RunRecord):
            check_head(record)
            partition_count = record.partition_count
        check_sense(record, partition_count)
        yield record


def _pairs(batches: Iterator[arrow.RecordBatch]) -> Iterator[tuple[str, str]]:
    for batch in batches:
        yield from zip(batch.column("run").to_pylist(), batch.column("line").to_pylist(), strict=True)


_ARROW_SCHEMA: Any = arrow.schema([(name, arrow.string()) for name in SCHEMA.names])


def verdicts_of(case: Case) -> Sequence[Verdict]:
    """Return the verdicts on a run, without promises."""
    lines, found = case.evidence[NAME], list[Verdict]()
    follows = {line["property"]: json.loads(line["recorded"]) for line in lines if line["what"] == BY_PROOF}
    for line in (line for line in lines if line["what"] == VERDICT):
        record = decode(line["recorded"])
        assert isinstance(record, VerdictRecord), "the lines of this kind are verdicts"
        said = follows.get(line["property"])
        by_proof = None if said is None else ByProof.from_json(said)
        found.append(replace(verdict_of_record(record), by_proof=by_proof))
    return found


def limits_of(case: Case) -> Mapping[str, tuple[str, str]]:
    """Return the cause and source by which the promise of a property that another job judges is taken away."""
    found: dict[str, tuple[str, str]] = {}
    for line in case.evidence[NAME]:
        if line["what"] == LIMITED:
            cause, _, source = line["recorded"].partition("\n")
            found[line["property"]] = (cause, source)
    return found


def stopped_by(case: Case) -> str | None:
    """Return why a run stopped before its end, None where it did not."""
    return next((line["recorded"] for line in case.evidence[NAME] if line["what"] == STOPPED_BY), None)


def malformed_in(case: Case) -> str | None:
    """Return what is wrong with a record of a run, None where nothing is."""
    return next((line["recorded"] for line in case.evidence[NAME] if line["what"] == MALFORMED), None)


JOB = Job(name=NAME, properties=PROPERTIES, gather=gather, needs=frozenset({"run"}))
