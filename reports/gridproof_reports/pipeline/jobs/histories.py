"""Client histories and contents of copies, run by run.

What a key may hold depends on everything before it, so here the judges themselves watch the records, in Arrow
batches: runs are dealt out over the workers, each run in order and as a stream. Columns leave out beforehand what
these judges pass over: routes, and all table rows but those of the first whole table of a stage in runs that looked
at contents, asked for something, or state a time.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import groupby
from typing import Any

import pyarrow as arrow
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_implementation.trace.json_lines import FIRST, decode
from gridproof_implementation.trace.schema import FIELDS
from gridproof_model.run_conditions import NAMES, StatedTimes
from gridproof_properties.checkers import CHECKERS, routes
from gridproof_properties.judge import Finding, judge_run
from gridproof_properties.verdict import Result
from gridproof_reports.pipeline.job import POSITION, Case, Job, Tables

NAME = "histories"
PROPERTIES = tuple(prop for prop in CHECKERS if prop not in routes.PROPERTIES)
WATCHED = ("run", "member", "view", "operation", "digest", "event")
SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("property", t.StringType()),
        t.StructField("result", t.StringType()),
        t.StructField("sentence", t.StringType()),
        t.StructField("witness", t.ArrayType(t.StringType())),
    ]
)
"""A row a run and property: the finding itself."""


def gather(tables: Tables) -> DataFrame:
    """Return the findings of the judges that watched the lines of each run."""
    lines = [_lines(tables[word], word) for word in WATCHED]
    lines.append(_lines(_rows_for_contents(tables), "row"))
    in_order = reduce(DataFrame.unionByName, lines).repartition("run").sortWithinPartitions("run", POSITION)
    return in_order.mapInArrow(judge_lines, SCHEMA)


def _rows_for_contents(tables: Tables) -> DataFrame:
    stated = tables["event"].where(f.col("name") == NAMES[StatedTimes])
    kinds = [frame.select("run") for frame in (tables["digest"], tables["operation"], stated)]
    looked = reduce(DataFrame.union, kinds).distinct()
    wanted = tables.whole.select("run", "view").join(looked, on="run", how="left_semi")
    return tables["row"].join(f.broadcast(wanted), on=["run", "view"], how="left_semi")


def _lines(frame: DataFrame, word: str) -> DataFrame:
    """Return records as the lines of a JSON trace, which the judges' side reads with the plain reader."""
    fields = [f.col(field.name) for field in FIELDS[word]]
    line = f.to_json(f.struct(f.lit(word).alias(FIRST), *fields), {"ignoreNullFields": "false"})
    return frame.select("run", POSITION, line.alias("line"))


def judge_lines(batches: Iterator[arrow.RecordBatch]) -> Iterator[arrow.RecordBatch]:
    """Yield the findings on each run; its lines follow one another, in order, over as many batches as it takes."""
    for run, lines in groupby(_pairs(batches), key=lambda pair: pair[0]):
        verdicts = judge_run((decode(line) for _, line in lines), PROPERTIES, {})
        rows = [
            {"run": run, "property": v.property, "result": v.result.value, "sentence": v.sentence, "witness": v.witness}
            for v in verdicts
        ]
        yield arrow.RecordBatch.from_pylist(rows, schema=_ARROW_SCHEMA)


def _pairs(batches: Iterator[arrow.RecordBatch]) -> Iterator[tuple[str, str]]:
    for batch in batches:
        yield from zip(batch.column("run").to_pylist(), batch.column("line").to_pylist(), strict=True)


_ARROW_SCHEMA: Any = arrow.schema(
    [
        ("run", arrow.string()),
        ("property", arrow.string()),
        ("result", arrow.string()),
        ("sentence", arrow.string()),
        ("witness", arrow.list_(arrow.string())),
    ]
)


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return the findings as they were made."""
    return {
        line["property"]: Finding(Result(line["result"]), line["sentence"], tuple(line["witness"]))
        for line in case.evidence[NAME]
    }


JOB = Job(NAME, PROPERTIES, SCHEMA, gather, conclude)
