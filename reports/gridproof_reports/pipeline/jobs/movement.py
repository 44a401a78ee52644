"""Copies moved from one table at rest to the next.

Only the first whole table of each stage takes part; its rows meet those of the stage before by partition. Of every
member it is counted what it took on and gave up, once for primaries and once for all copies.
"""

from collections import Counter
from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_model.trace import ViewRecord
from gridproof_properties.invariants import movement
from gridproof_properties.invariants.movement import Movement, MovementJudge, fewest_moves
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_reports.pipeline.job import Case, Job, Tables

NAME = "movement"
PRIMARIES, COPIES = "primaries", "copies"
SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("before", t.LongType()),
        t.StructField("view", t.LongType()),
        t.StructField("scope", t.StringType()),
        t.StructField("member", t.IntegerType()),
        t.StructField("gained", t.LongType()),
        t.StructField("lost", t.LongType()),
        t.StructField("partition", t.LongType()),
        t.StructField("held", t.ArrayType(t.IntegerType())),
        t.StructField("holds", t.ArrayType(t.IntegerType())),
    ]
)
"""A row a pair of views, a scope (primaries or copies) and a member that took on or gave up something; without a member
where nothing changed hands. `partition`, `held`, `holds`: the first one taken on, and who held it before and after."""


def gather(tables: Tables) -> DataFrame:
    """Return who took on and gave up how much, from each table at rest to the next."""
    chosen = tables.whole.where("before is not null")
    roles = [
        chosen.select("run", "before", "copies", f.col("view").alias("after"), f.col(role).alias("view"))
        for role in ("before", "view")
    ]
    rows = tables["row"].select("run", "view", "partition", "slots")
    sides = rows.join(f.broadcast(roles[0].unionByName(roles[1])), on=["run", "view"], how="inner")
    pairs = sides.groupBy("run", "before", "after", "partition").agg(
        f.min("copies").alias("copies"),
        f.max(f.when(f.col("view") == f.col("before"), f.col("slots"))).alias("old"),
        f.max(f.when(f.col("view") == f.col("after"), f.col("slots"))).alias("new"),
    )
    scopes = [_changes(pairs, PRIMARIES, f.lit(1)), _changes(pairs, COPIES, f.col("copies"))]
    return reduce(DataFrame.unionByName, scopes).select(*SCHEMA.names)


def _changes(pairs: DataFrame, scope: str, copies: Column) -> DataFrame:
    """Return one scope's evidence: members that changed hands, and for each pair one line without a member."""
    held, holds = (f.array_distinct(f.array_compact(f.slice(side, f.lit(1), copies))) for side in ("old", "new"))
    holders = pairs.select(
        "run", "before", f.col("after").alias("view"), "partition", held.alias("held"), holds.alias("holds")
    )
    changes = f.concat(
        f.array(f.struct(f.lit(None).cast("int").alias("member"), f.lit(False).alias("gains"))),
        _as_changes(f.array_except("holds", "held"), gains=True),
        _as_changes(f.array_except("held", "holds"), gains=False),
    )
    each = holders.withColumn("change", f.explode(changes)).withColumn("member", f.col("change.member"))
    example = f.when(f.col("change.gains"), f.col("partition"))
    counted = each.groupBy("run", "before", "view", "member").agg(
        f.count_if(f.col("change.gains")).alias("gained"),
        f.count_if(~f.col("change.gains")).alias("lost"),
        f.min(example).alias("partition"),
        f.min_by("held", example).alias("held"),
        f.min_by("holds", example).alias("holds"),
    )
    return counted.withColumn("scope", f.lit(scope))


def _as_changes(members: Column, *, gains: bool) -> Column:
    return f.transform(members, lambda member: f.struct(member.alias("member"), f.lit(gains).alias("gains")))


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of movement say of these changes."""
    changes: dict[tuple[int, str], list[Row]] = {}
    for line in case.evidence[NAME]:
        changes.setdefault((line["view"], line["scope"]), []).append(line)
    return {prop.name: _conclude(case, prop, changes) for prop in movement.PROPERTIES}


def _conclude(case: Case, prop: Property, changes: Mapping[tuple[int, str], list[Row]]) -> Finding:
    judge = prop.start()
    assert isinstance(judge, MovementJudge)
    scene, scope = Scene(), PRIMARIES if judge.primaries_only else COPIES
    tables: dict[int, SettledTable] = {}
    scene.observe(case.head)
    for _, record in case.setting:
        scene.observe(record)
        if isinstance(record, ViewRecord):
            tables[record.view] = SettledTable(record, (), scene.groups, dict(scene.weights))
            lines = changes.get((record.view, scope))
            if lines:
                judge.take(_movement(tables[lines[0]["before"]], tables[record.view], lines), scene)
    return judge.conclude()


def _movement(before: SettledTable, after: SettledTable, lines: list[Row]) -> Movement:
    moved = [line for line in lines if line["member"] is not None]
    gained = Counter({line["member"]: line["gained"] for line in moved if line["gained"]})
    lost = Counter({line["member"]: line["lost"] for line in moved if line["lost"]})
    examples = {
        line["member"]: (line["partition"], frozenset(line["held"]), frozenset(line["holds"]))
        for line in moved
        if line["gained"]
    }
    return Movement(before, after, gained, lost, fewest_moves(lost, gained), examples)


JOB = Job(NAME, movement.PROPERTIES, SCHEMA, gather, conclude)
