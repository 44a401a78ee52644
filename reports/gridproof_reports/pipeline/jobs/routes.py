"""Whether keys are where the documented rule puts them.

Payloads are hashed in Arrow batches by the implementation's own hash; everything else is column functions. Of each
type of key the wrong ones are counted, and the smallest is kept for the witness.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pyarrow as arrow
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as f
from pyspark.sql import types as t
from pyspark.sql.pandas.functions import arrow_udf

from gridproof_implementation.hashing import hash_payloads, partitions_of_hashes
from gridproof_model.events import NAMES
from gridproof_model.events.harness import KeyRefused
from gridproof_model.trace import RouteRecord
from gridproof_properties.checkers.routes import (
    EVERY_KEY_ROUTED,
    KEY_TO_PARTITION,
    PARTITION_IN_RANGE,
    PROPERTIES,
    KeyToPartitionJudge,
    RangeJudge,
    RefusalJudge,
    Tally,
)
from gridproof_properties.judging.judge import Finding
from gridproof_reports.pipeline.case import POSITION, Case, Line
from gridproof_reports.pipeline.job import Frames, Job
from gridproof_reports.pipeline.sources import event_schema_of, schema_of

NAME = "routes"
_ROUTE = schema_of("route")
_ROUTED = t.StructType([t.StructField("hashed", t.IntegerType()), t.StructField("index", t.IntegerType())])
_COUNTS = ("keys", "boundary_keys", "wrong", "outside", "refused")
SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("key_type", t.StringType()),
        *(t.StructField(name, t.LongType()) for name in _COUNTS),
        t.StructField("wrong_route", _ROUTE),
        t.StructField("wrong_hash", t.IntegerType()),
        t.StructField("lowest_hash", t.IntegerType()),
        t.StructField("highest_hash", t.IntegerType()),
        t.StructField("outside_route", _ROUTE),
        t.StructField("first_refusal", t.StringType()),
    ]
)
"""A row a run and type of key. `wrong_route`, `outside_route`: the smallest such key; the hashes are of wrong keys."""


def route_payloads(payloads: arrow.Array, counts: arrow.Array) -> arrow.Array:
    """Return hash and documented partition of each payload; no partition where the count is below 1."""
    hashes = hash_payloads(payloads.to_pylist())
    asked = counts.to_numpy(zero_copy_only=False)
    index = np.full(len(hashes), -1, np.int32)
    for count in np.unique(asked):
        if count >= 1:
            index[asked == count] = partitions_of_hashes(hashes[asked == count], int(count))
    columns = [arrow.array(hashes), arrow.array(index, mask=index < 0)]
    return arrow.StructArray.from_arrays(columns, ["hashed", "index"])


def gather(frames: Frames) -> DataFrame:
    """Return the evidence on routes and refusals."""
    route = cast(Any, arrow_udf)(route_payloads, _ROUTED)  # its kind is read off the type hints
    routes = frames["route"].withColumn("routed", route("payload", "partition_count"))
    documented = f.coalesce("documented", "routed.index")
    is_right = f.coalesce(documented == f.col("partition"), f.lit(False))
    is_outside = ~f.col("partition").between(f.lit(0), f.col("partition_count") - 1)
    hashed = f.when(f.col("documented").isNull(), f.col("routed.hashed"))
    wrong_hash = f.when(~is_right, hashed)
    counted = routes.groupBy("run", "key_type").agg(
        f.count("*").alias("keys"),
        f.count_if("boundary").alias("boundary_keys"),
        f.count_if(~is_right).alias("wrong"),
        f.count_if(is_outside).alias("outside"),
        _smallest(f.struct(*_ROUTE.names), ~is_right).alias("wrong_route"),
        _smallest(hashed, ~is_right).alias("wrong_hash"),
        f.min(wrong_hash).alias("lowest_hash"),
        f.max(wrong_hash).alias("highest_hash"),
        _smallest(f.struct(*_ROUTE.names), is_outside).alias("outside_route"),
    )
    both = counted.join(_refusals(frames["event"]), on=["run", "key_type"], how="full_outer")
    return both.fillna(0, list(_COUNTS)).select(*SCHEMA.names)


def _smallest(value: Column, condition: Column) -> Column:
    """Return the value at the smallest key that meets the condition; as the judges have it, shortest payload first."""
    size = f.struct(f.length("payload"), f.length("key"), f.col("payload"), f.col("partition_count"), f.col(POSITION))
    return f.min_by(value, f.when(condition, size))


def _refusals(events: DataFrame) -> DataFrame:
    refused = events.where(f.col("name") == NAMES[KeyRefused])
    recorded = refused.select("run", POSITION, f.from_json("fields", event_schema_of(KeyRefused)).alias("refused"))
    words = f.concat("refused.key_type", f.lit(" "), "refused.key", f.lit(": "), "refused.reason")
    return recorded.groupBy("run", f.col("refused.key_type").alias("key_type")).agg(
        f.count("*").alias("refused"), f.min_by(words, POSITION).alias("first_refusal")
    )


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of routes say of these counts."""
    lines = case.evidence[NAME]
    keys = sum(line["keys"] for line in lines)
    refused = {line["key_type"]: line for line in lines if line["refused"]}
    refusals = RefusalJudge(
        keys,
        Counter({key_type: line["refused"] for key_type, line in refused.items()}),
        {key_type: line["first_refusal"] for key_type, line in refused.items()},
    )
    return {
        KEY_TO_PARTITION.name: _conclude_partitions(lines, keys),
        PARTITION_IN_RANGE.name: _conclude_range(lines, keys),
        EVERY_KEY_ROUTED.name: refusals.conclude(),
    }


def needs_met(line: Line) -> Iterable[str]:
    """Return what the properties of routes need that a line of evidence shows."""
    return [need for need, column in (("route", "keys"), (f"event {NAMES[KeyRefused]}", "refused")) if line[column]]


def _conclude_partitions(lines: Iterable[Line], keys: int) -> Finding:
    wrong = {
        line["key_type"]: Tally(line["wrong"], _record(line["wrong_route"]), line["wrong_hash"])
        for line in lines
        if line["wrong"]
    }
    ends = ("lowest_hash", "highest_hash")
    hashes = {line[end] for line in lines if line["wrong"] for end in ends if line[end] is not None}
    boundary_keys = sum(line["boundary_keys"] for line in lines)
    judge = cast(KeyToPartitionJudge, KEY_TO_PARTITION.start())
    return replace(judge, keys=keys, boundary_keys=boundary_keys, wrong=wrong, wrong_hashes=hashes).conclude()


def _conclude_range(lines: Iterable[Line], keys: int) -> Finding:
    outside = RangeJudge(keys)
    for line in lines:
        if line["outside"]:
            smallest = replace(outside)
            smallest.observe(_record(line["outside_route"]))
            outside = replace(smallest, keys=keys, outside=outside.outside + line["outside"])
    return outside.conclude()


def _record(route: Row) -> RouteRecord:
    values: dict[str, Any] = route.asDict()
    values["payload"] = bytes(values["payload"])
    return RouteRecord(**values)


JOB = Job(name=NAME, properties=PROPERTIES, gather=gather, needs=frozenset({"route", "event"}))
