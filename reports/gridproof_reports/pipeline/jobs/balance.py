"""Copies held, by settled view, slot and member.

Equal rows are counted together before slots are taken apart, which leaves little to shuffle. The loads are then judged
by the judges of balance, as if they had counted the rows themselves.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_model.trace import ViewRecord
from gridproof_properties.invariants import balance
from gridproof_properties.invariants.balance import BalanceJudge
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_reports.pipeline.job import Case, Job, Tables

NAME = "balance"
LOADS = t.ArrayType(
    t.StructType(
        [
            t.StructField("slot", t.IntegerType()),
            t.StructField("member", t.IntegerType()),
            t.StructField("count", t.LongType()),
        ]
    )
)
SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("view", t.LongType()),
        t.StructField("rows", t.LongType()),
        t.StructField("loads", LOADS),
    ]
)
"""A row a settled view: how many rows it showed, and how often each member stands in each slot the run asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedTable(SettledTable):
    """A settled table of which only the loads are known."""

    row_count: int
    loads: Mapping[int, Counter[int]]
    """By slot."""

    @property
    def partition_count(self) -> int:
        """How many partitions it has."""
        return self.row_count

    def count_slot(self, slot: int) -> Counter[int]:
        """Return in how many rows each member stands in this slot."""
        return self.loads.get(slot, Counter())


def gather(tables: Tables) -> DataFrame:
    """Return the loads of every settled view."""
    facts = tables.facts.where("settled").select("run", "view", "copies")
    rows = tables["row"].select("run", "view", "slots")
    equal_rows = (
        rows.join(f.broadcast(facts), on=["run", "view"], how="inner").groupBy("run", "view", "copies", "slots").count()
    )
    slots = equal_rows.select("run", "view", "copies", "count", f.posexplode("slots").alias("slot", "member"))
    loads = (
        slots.where("slot < copies")
        .groupBy("run", "view", "slot", "member")
        .agg(f.sum("count").alias("count"))
        .groupBy("run", "view")
        .agg(
            f.sum(f.when(f.col("slot") == 0, f.col("count"))).alias("rows"),
            f.collect_list(f.when(f.col("member").isNotNull(), f.struct("slot", "member", "count"))).alias("loads"),
        )
    )
    return loads.select(*SCHEMA.names)


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the judges of balance say of these loads."""
    lines = {line["view"]: line for line in case.evidence[NAME]}
    return {prop.name: _conclude(case, prop, lines) for prop in balance.PROPERTIES}


def _conclude(case: Case, prop: Property, lines: Mapping[int, Row]) -> Finding:
    judge = prop.start()
    assert isinstance(judge, BalanceJudge)
    scene = Scene()
    scene.observe(case.head)
    for _, record in case.setting:
        scene.observe(record)
        if isinstance(record, ViewRecord) and record.view in lines:
            line = lines[record.view]
            if line["rows"] == case.head.partition_count:
                judge.look_at(_table(scene, record, line), scene)
    return judge.conclude()


def _table(scene: Scene, view: ViewRecord, line: Row) -> CountedTable:
    loads: dict[int, Counter[int]] = {}
    for load in line["loads"]:
        loads.setdefault(load["slot"], Counter())[load["member"]] = load["count"]
    return CountedTable(view, (), scene.groups, dict(scene.weights), line["rows"], loads)


JOB = Job(NAME, balance.PROPERTIES, SCHEMA, gather, conclude)
