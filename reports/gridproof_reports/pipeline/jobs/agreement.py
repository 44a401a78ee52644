"""Whether the members that look at rest see one table.

Rows of a stage are counted together where they are equal, whoever shows them; only a partition shown in two ways is
disputed. The first settled view of a stage is what the others are held to.
"""

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_properties.invariants.agreement import PROPERTIES, VIEWS_AGREE
from gridproof_properties.judging.judge import Finding
from gridproof_reports.pipeline.job import POSITION, Case, Job, Tables, conclude_with, replay

NAME = "agreement"
SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("compared", t.LongType()),
        t.StructField("differing", t.LongType()),
        t.StructField("against", t.LongType()),
        t.StructField("first", t.LongType()),
    ]
)
"""A row a run: rows compared, rows of stages in dispute, and the positions of the two rows that show it first."""


def gather(tables: Tables) -> DataFrame:
    """Return the evidence on agreement."""
    stages = tables.facts.where("first_of_stage is not null").select("run", "view", "first_of_stage")
    rows = tables["row"].select("run", "view", "partition", "slots", "version", POSITION)
    is_first = f.col("view") == f.col("first_of_stage")
    ways = (
        rows.join(f.broadcast(stages), on=["run", "view"], how="inner")
        .groupBy("run", "first_of_stage", "partition", "slots", "version")
        .agg(
            f.min(f.when(is_first, f.col(POSITION))).alias("against"),
            f.min(POSITION).alias("place"),
            f.count_if(~is_first).alias("others"),
        )
    )
    is_dissent = f.col("against").isNull()
    partitions = (
        ways.groupBy("run", "first_of_stage", "partition")
        .agg(
            f.max("against").alias("against"),
            f.min(f.when(is_dissent, f.col("place"))).alias("first"),
            f.sum("others").alias("compared"),
        )
        .where("against is not null")
    )
    return (
        partitions.groupBy("run")
        .agg(
            f.sum("compared").alias("compared"),
            f.count("first").alias("differing"),
            f.min_by("against", "first").alias("against"),
            f.min("first").alias("first"),
        )
        .select(*SCHEMA.names)
    )


def shown(case: Case) -> Sequence[int]:
    """Return where the two rows of the witness stand."""
    faults = [line for line in case.evidence[NAME] if line["first"] is not None]
    return [position for line in faults for position in (line["against"], line["first"])]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judge of agreement says of these counts."""
    for line in case.evidence[NAME]:
        broken = line["first"] is not None
        witness = replay(VIEWS_AGREE, case.story(line["against"], line["first"])) if broken else ()
        counts = {"compared": line["compared"], "differing": line["differing"]}
        return {VIEWS_AGREE.name: conclude_with(VIEWS_AGREE, counts, witness)}
    return {VIEWS_AGREE.name: VIEWS_AGREE.start().conclude()}


JOB = Job(NAME, PROPERTIES, SCHEMA, gather, conclude, shown)
