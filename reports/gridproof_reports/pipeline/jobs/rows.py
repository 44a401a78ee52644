"""Every rule about one row, in one pass.

No row needs another: the facts of its view are broadcast, the rules are column expressions, and one aggregation
counts for all of them. Sets of members are 64-bit words there, because words are compiled and lambdas over arrays are
not; rows too large for words take the same rules over arrays, in a pass of their own.
"""

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as t

from gridproof_properties.invariants import rows as rules
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.row_rule import RowJudge, RowRule
from gridproof_reports.pipeline.job import LEFT_OUT, POSITION, Case, Job, Tables, replay
from gridproof_reports.pipeline.view_facts import NOT_IN_A_GROUP, WORD_BITS

NAME = "rows"
WORD_SLOTS = 7
"""Rows of at most this many slots are judged as words."""


def owed() -> Mapping[str, Column]:
    """Return, by property, whether a row is held to it and could break it: the rules' own `owed` and `can_fail`.

    Of a row it needs: slots `filled` and `last`, those that name `owner_slots`, whether one is `ungrouped`.
    """
    return {
        rules.ONE_REPLICA_PER_MEMBER.name: f.col("filled") > 1,
        rules.GROUP_SEPARATION.name: f.col("separation_owed") & ((f.col("owner_slots") > 1) | f.col("ungrouped")),
        rules.NO_LITE_OWNER.name: f.col("has_lite") & (f.col("filled") > 0),
        rules.FULL_ROWS.name: f.col("settled") & (f.greatest("wanted", "last") > 0),
    }


def judged_by_words(rows: DataFrame) -> DataFrame:
    """Return rows, joined with the facts of their views, with a column a property: whether they break it.

    Column `fits` says whether the row fits words at all. The words are columns of their own first, so that they are
    made once and not once a rule.
    """
    slots = _slots()
    last = f.greatest(*(f.when(slot.isNotNull(), n + 1).otherwise(0) for n, slot in enumerate(slots)))
    owners = (f.coalesce(_has_bit("owner_word", slot), f.lit(0)) for slot in slots)
    words = rows.select(
        "*",
        _fits_words().alias("fits"),
        _word(slots).alias("held"),
        sum((slot.isNotNull().cast("int") for slot in slots), start=f.lit(0)).alias("filled"),
        sum(owners, start=f.lit(0)).alias("owner_slots"),
        last.alias("last"),
        (f.col("alive_word").bitwiseAND(f.bitwise_not("owner_word")) != 0).alias("has_lite"),
    )
    ungrouped = f.col("held").bitwiseAND(f.col("owner_word")).bitwiseAND(f.col("ungrouped_word")) != 0
    words = words.withColumn("ungrouped", ungrouped)
    return words.select(*_KEPT, *_named(_faults_by_words()))


def _fits_words() -> Column:
    return f.col("fits_words") & (f.size("slots") <= WORD_SLOTS) & (f.greatest(*_slots(), f.lit(0)) < WORD_BITS)


def _faults_by_words() -> Mapping[str, Column]:
    held, alive, may_own = f.col("held"), f.col("alive_word"), f.col("owner_word")
    groups = _word([f.nullif(f.get("group_numbers", slot), f.lit(NOT_IN_A_GROUP)) for slot in _slots()])
    stands_twice = f.bit_count(held) < f.col("filled")
    shares = f.bit_count(groups) < f.col("owner_slots")
    gone = held.bitwiseAND(f.bitwise_not(alive))
    return {
        rules.ONE_REPLICA_PER_MEMBER.name: stands_twice,
        rules.GROUP_SEPARATION.name: (f.col("may_share") | stands_twice) & (f.col("ungrouped") | shares),
        rules.NO_LITE_OWNER.name: held.bitwiseAND(alive).bitwiseAND(f.bitwise_not(may_own)) != 0,
        rules.FULL_ROWS.name: (gone != 0) | (f.bit_count(held) < f.greatest("last", "wanted")),
    }


def _has_bit(word: str, slot: Column) -> Column:
    """Return 1 where a word has the bit of a slot's member, else 0."""
    return f.call_function("shiftright", f.col(word), slot).bitwiseAND(f.lit(1).cast("long")).cast("int")


def _slots() -> tuple[Column, ...]:
    return tuple(f.get("slots", f.lit(slot)) for slot in range(WORD_SLOTS))


def _word(numbers: Sequence[Column]) -> Column:
    """Return the word with the bits of these numbers; an empty one has no bit."""
    one, none = f.lit(1).cast("long"), f.lit(0).cast("long")
    bits = (f.coalesce(f.call_function("shiftleft", one, number), none) for number in numbers)
    return reduce(Column.bitwiseOR, bits)


def judged_by_arrays(rows: DataFrame) -> DataFrame:
    """Return the same, for rows of any size."""
    held, owner_slots = f.array_compact("slots"), _owner_slots()
    groups = f.transform(owner_slots, lambda member: f.get("group_numbers", member))
    arrays = rows.select(
        "*",
        f.lit(True).alias("fits"),
        f.size(held).alias("filled"),
        f.size(owner_slots).alias("owner_slots"),
        _last_filled().alias("last"),
        (f.size(f.array_except("alive", "owners")) > 0).alias("has_lite"),
        f.array_contains(groups, NOT_IN_A_GROUP).alias("ungrouped"),
    )
    return arrays.select(*_KEPT, *_named(_faults_by_arrays()))


def _owner_slots() -> Column:
    """Return the members of the slots that name owners, as often as they do."""
    return f.filter(f.array_compact("slots"), lambda member: f.array_contains(f.col("owners"), member))


def _last_filled() -> Column:
    """Return how many slots there are up to the last filled one."""
    behind = f.coalesce(f.array_position(f.reverse(f.transform("slots", f.isnotnull)), True), f.lit(0)) - 1
    return f.when(f.size(f.array_compact("slots")) == 0, 0).otherwise(f.size("slots") - behind)


def _named(faults: Mapping[str, Column]) -> list[Column]:
    return [fault.alias(name) for name, fault in faults.items()]


def _faults_by_arrays() -> Mapping[str, Column]:
    held, distinct = f.array_compact("slots"), f.array_distinct(f.array_compact("slots"))
    groups = f.transform(_owner_slots(), lambda member: f.get("group_numbers", member))
    lite = f.array_except("alive", "owners")
    return {
        rules.ONE_REPLICA_PER_MEMBER.name: f.size(distinct) < f.size(held),
        rules.GROUP_SEPARATION.name: f.col("ungrouped") | (f.size(f.array_distinct(groups)) < f.size(_owner_slots())),
        rules.NO_LITE_OWNER.name: f.arrays_overlap(held, lite),
        rules.FULL_ROWS.name: (f.size(f.array_except(held, f.col("alive"))) > 0)
        | (f.size(distinct) < f.greatest("last", "wanted")),
    }


_KEPT = (
    "run",
    POSITION,
    "settled",
    "is_counted",
    "separation_owed",
    "fits",
    "filled",
    "owner_slots",
    "last",
    "wanted",
    "has_lite",
    "ungrouped",
)
"""What `owed` needs of a row, beside the faults."""


def _columns(rule: RowRule) -> tuple[str, str, str]:
    return f"seen {rule.name}", f"faulty {rule.name}", f"first {rule.name}"


SCHEMA = t.StructType(
    [
        t.StructField("run", t.StringType()),
        t.StructField("rows", t.LongType()),
        t.StructField("strays", t.LongType()),
        t.StructField(LEFT_OUT, t.LongType()),
        *(t.StructField(name, t.LongType()) for rule in rules.RULES for name in _columns(rule)),
    ]
)
"""A row a run. `strays`: rows of no view or no partition; `left_out`: rows that do not fit words and are counted by
`gather_rest`; `first`: the position of the first faulty row, null without any."""


def gather(tables: Tables) -> DataFrame:
    """Return how many rows were held to each rule, how many broke it, and where the first one stands."""
    return _count(judged_by_words(_with_facts(tables)))


def gather_rest(tables: Tables) -> DataFrame:
    """Return the same of the rows that do not fit words; lambdas keep Spark from compiling this one."""
    return _count(judged_by_arrays(_with_facts(tables).where(~_fits_words())))


def _with_facts(tables: Tables) -> DataFrame:
    rows = tables["row"].select("run", "view", "partition", "slots", POSITION)
    counted = f.col("partition").between(f.lit(0), f.col("partitions") - 1)
    joined = rows.join(f.broadcast(tables.facts), on=["run", "view"], how="left")
    return joined.withColumn("is_counted", f.coalesce(counted, f.lit(False)))


def _count(judged: DataFrame) -> DataFrame:
    is_owed = owed()
    columns = [
        f.count("*").alias("rows"),
        f.count_if(f.isnull("settled") | ~f.col("is_counted")).alias("strays"),
        f.count_if(~f.col("fits")).alias(LEFT_OUT),
    ]
    for rule in rules.RULES:
        seen, faulty, first = _columns(rule)
        held_to_it = f.col("fits") & is_owed[rule.name]
        breaks = held_to_it & f.col(rule.name)
        columns += [
            f.count_if(held_to_it).alias(seen),
            f.count_if(breaks).alias(faulty),
            f.min(f.when(breaks, f.col(POSITION))).alias(first),
        ]
    return judged.groupBy("run").agg(*columns).select(*SCHEMA.names)


def shown(case: Case) -> Sequence[int]:
    """Return where the first faulty row of each rule stands."""
    firsts = [line[_columns(rule)[2]] for line in case.evidence[NAME] for rule in rules.RULES]
    return [first for first in firsts if first is not None]


def conclude(case: Case) -> Mapping[str, Finding]:
    """Return what the rules' judges say of these counts."""
    return {rule.name: _conclude(case, rule) for rule in rules.RULES}


def _conclude(case: Case, rule: RowRule) -> Finding:
    seen, faulty, first = _columns(rule)
    prop, lines = rule.as_property(), case.evidence[NAME]
    place = min((line[first] for line in lines if line[first] is not None), default=None)
    judge = RowJudge(rule)
    judge.comparisons.compared = sum(line[seen] for line in lines)
    judge.comparisons.failed = sum(line[faulty] for line in lines)
    judge.comparisons.witness = () if place is None else replay(prop, case.story(place))
    return judge.conclude()


JOB = Job(NAME, rules.PROPERTIES, SCHEMA, gather, conclude, shown, gather_rest)
