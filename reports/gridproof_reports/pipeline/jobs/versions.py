"""Versions of rows: never down, one arrangement each.

The first looks at each observer's rows of a partition in order; the second at the distinct arrangements of each
version, which are few however often they are shown.
"""

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_properties.invariants.versions import EQUAL_VERSION_EQUAL_ROW, PROPERTIES, VERSION_NEVER_DECREASES
from gridproof_properties.judging.judge import Finding, Property
from gridproof_reports.pipeline.job import POSITION, Case, Job, Tables, conclude_with, replay

NAME = "versions"
SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("property", t.StringType()),
        t.StructField("shown", t.LongType()),
        t.StructField("seen", t.LongType()),
        t.StructField("faulty", t.LongType()),
        t.StructField("against", t.LongType()),
        t.StructField("first", t.LongType()),
    ]
)
"""A row a run and property: versions shown, rows that could be compared, versions or rows at fault, and where the two
rows stand that show it first."""


def gather(tables: Tables) -> DataFrame:
    """Return the evidence on both properties."""
    rows = tables["row"].where("version is not null")
    return _decreases(rows, tables.facts).unionByName(_ambiguities(rows)).select(*SCHEMA.names)


def _decreases(rows: DataFrame, facts: DataFrame) -> DataFrame:
    observers = f.broadcast(facts.select("run", "view", "observer"))
    seen = rows.select("run", "view", "partition", "version", POSITION).join(observers, on=["run", "view"], how="inner")
    in_order = Window.partitionBy("run", "observer", "partition").orderBy(POSITION)
    pairs = seen.select(
        "run",
        "version",
        POSITION,
        f.lag("version").over(in_order).alias("version_before"),
        f.lag(POSITION).over(in_order).alias("against"),
    )
    is_fault = f.col("version") < f.col("version_before")
    return _count(pairs, VERSION_NEVER_DECREASES, is_fault, POSITION, f.count("version_before"))


def _ambiguities(rows: DataFrame) -> DataFrame:
    arrangements = rows.groupBy("run", "partition", "version", "slots").agg(
        f.min(POSITION).alias(POSITION), f.count("*").alias("times")
    )
    versions = arrangements.groupBy("run", "partition", "version").agg(
        f.sort_array(f.collect_list(POSITION)).alias("all"), f.sum("times").alias("times")
    )
    pairs = versions.select(
        "run", "times", f.get("all", f.lit(0)).alias("against"), f.get("all", f.lit(1)).alias("second")
    )
    again = f.sum(f.col("times") - 1)
    return _count(pairs, EQUAL_VERSION_EQUAL_ROW, f.col("second").isNotNull(), "second", again)


def _count(pairs: DataFrame, prop: Property, is_fault: Column, place: str, seen: Column) -> DataFrame:
    """Return one line a run: how many of these pairs there are and were compared, the faults, where the first is."""
    fault_place = f.when(is_fault, f.col(place))
    return pairs.groupBy("run").agg(
        f.lit(prop.name).alias("property"),
        f.count("*").alias("shown"),
        seen.alias("seen"),
        f.count_if(is_fault).alias("faulty"),
        f.min_by("against", fault_place).alias("against"),
        f.min(fault_place).alias("first"),
    )


def shown(case: Case) -> Sequence[int]:
    """Return where the rows of the witnesses stand."""
    faults = [line for line in case.evidence[NAME] if line["first"] is not None]
    return [position for line in faults for position in (line["against"], line["first"])]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of versions say of these counts."""
    found = {prop.name: prop.start().conclude() for prop in PROPERTIES}
    for line in case.evidence[NAME]:
        prop = next(prop for prop in PROPERTIES if prop.name == line["property"])
        broken = line["first"] is not None
        witness = replay(prop, case.story(line["against"], line["first"])) if broken else ()
        found[prop.name] = conclude_with(prop, _counts(prop, line), witness)
    return found


def _counts(prop: Property, line: Row) -> Mapping[str, int | range]:
    if prop is VERSION_NEVER_DECREASES:
        return {"seen": line["seen"], "decreased": line["faulty"]}
    return {"seen": line["seen"], "first": range(line["shown"]), "ambiguous": range(line["faulty"])}


JOB = Job(NAME, PROPERTIES, SCHEMA, gather, conclude, shown)
