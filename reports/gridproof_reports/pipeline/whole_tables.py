"""The first whole table at rest of every stage."""

from collections.abc import Mapping

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from gridproof_reports.pipeline.job import POSITION


def shown_rows(kinds: Mapping[str, DataFrame]) -> DataFrame:
    """Return run, view, `rows`: how many it shows, and `first`: the position of the first of them. A row a view."""
    return kinds["row"].groupBy("run", "view").agg(f.count("*").alias("rows"), f.min(POSITION).alias("first"))


def whole_tables(kinds: Mapping[str, DataFrame], facts: DataFrame, shown: DataFrame) -> DataFrame:
    """Return run, view, copies, and `before`: the whole table of the stage before, null for the first.

    Whole is a settled view that shows as many rows as the grid has partitions. A row a stage: small.
    """
    heads = kinds["run"].select("run", "partition_count")
    settled = facts.where("settled").select("run", "view", "copies")
    stages = kinds["view"].select("run", "view", "stage", POSITION)
    whole = (
        shown.join(f.broadcast(settled), on=["run", "view"], how="inner")
        .join(f.broadcast(heads), on="run", how="inner")
        .where("rows = partition_count")
        .join(stages, on=["run", "view"], how="inner")
    )
    in_order = Window.partitionBy("run").orderBy(POSITION)
    first = whole.withColumn("stage_before", f.lag("stage").over(in_order)).where(
        "stage_before is null or stage_before != stage"
    )
    return first.select("run", "view", "copies", f.lag("view").over(in_order).alias("before"))
