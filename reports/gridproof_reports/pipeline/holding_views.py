"""Views that show what an ended member held.

Where a harness does not record what ends with a member, it is read off the latest rows at rest (see
`gridproof_properties.judging.conditions`): of a few views, then, the rows must be shown to whoever judges by them.
"""

from collections.abc import Iterable, Iterator, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as t

from gridproof_model.trace import MemberChange, MemberRecord, ViewRecord
from gridproof_reports.pipeline.job import Case

SCHEMA = t.StructType([t.StructField("run", t.StringType()), t.StructField("view", t.LongType())])


def holding_views(spark: SparkSession, cases: Iterable[Case], shown: DataFrame) -> DataFrame:
    """Return run and view; empty, and without a look at the rows, where every end is recorded."""
    asked = [case for case in cases if any(_unrecorded_ends(case))]
    if not asked:
        return spark.createDataFrame([], SCHEMA)
    rows = {(line["run"], line["view"]): line["rows"] for line in shown.collect()}
    found = [(case.head.run, view) for case in asked for view in views_needed(case, rows)]
    return spark.createDataFrame(found, SCHEMA)


def views_needed(case: Case, rows: Mapping[tuple[str, int], int]) -> list[int]:
    """Return the views whose rows say what members held whose end was not recorded, given how many each shows.

    Those of the latest two whole tables at rest, and of what others showed since: a member may end while rows come.
    """
    ends = set(_unrecorded_ends(case))
    needed: dict[int, None] = {}
    before: list[int] = []
    since: list[int] = []
    for place, record in case.setting:
        if isinstance(record, ViewRecord) and record.settled:
            if rows.get((case.head.run, record.view), 0) == case.head.partition_count:
                before, since = since, []
            since.append(record.view)
        elif place in ends:
            needed |= dict.fromkeys((*before, *since))
    return list(needed)


def _unrecorded_ends(case: Case) -> Iterator[int]:
    """Yield the positions of the ends of members that may have held copies, and of which no record says what."""
    ended: int | None = None
    news = iter(sorted(case.recorded_ends))
    coming = next(news, None)
    for place, record in case.setting:
        while coming is not None and coming[0] < place:
            ended, coming = coming[1], next(news, None)
        if isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            if record.member != ended and record.change is not MemberChange.LEFT and not record.lite:
                yield place
            ended = None
