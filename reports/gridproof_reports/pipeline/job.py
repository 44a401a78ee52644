"""What a job is.

Spark reduces, the judge concludes. A job is a pure function from the tables of a trace to one small DataFrame of
evidence, whose schema it states: counts, and where in the trace something is wrong. What that means is then said, run
by run, by the very judges that watch a live run, with the evidence in place of the records they would have counted
themselves.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from pyspark.sql import DataFrame, Row
from pyspark.sql.types import StructType

from gridproof_model.trace import MemberRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.judging.judge import Finding, Judge, Property, judge_run
from gridproof_properties.judging.verdict import PromiseLevel

POSITION = "position"
"""The column that orders the records of a run."""
LEFT_OUT = "left_out"
"""The column of evidence that counts what is left to `gather_rest`."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The records of any number of runs, a DataFrame a kind, with positions; and what is known of every view."""

    kinds: Mapping[str, DataFrame]
    facts: DataFrame
    """As `view_facts.FACTS_SCHEMA` says; small enough to be broadcast."""
    shown: DataFrame
    """As `whole_tables.shown_rows` says: how many rows each view shows."""
    whole: DataFrame
    """As `whole_tables` says: the first whole table at rest of every stage, and the one before it."""
    holding: DataFrame
    """As `holding_views` says: the views by which it is known what a member held that ended."""

    def __getitem__(self, kind: str) -> DataFrame:
        return self.kinds[kind]


@dataclass(slots=True)
class Case:
    """One run: what is small enough to be held, and the evidence on the rest."""

    head: RunRecord
    source: Path
    """The trace it stands in."""
    setting: list[tuple[int, MemberRecord | ViewRecord]] = field(default_factory=list)
    """Its members and views, by position."""
    evidence: dict[str, list[Row]] = field(default_factory=dict)
    """By the name of the job."""
    rows: dict[int, RowRecord] = field(default_factory=dict)
    """The table rows that some finding shows, by position."""
    promises: dict[str, PromiseLevel] = field(default_factory=dict)
    """By property, as far as the run recorded verdicts."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    record_count: int = 0
    """Records but for table rows."""
    recorded_ends: list[tuple[int, int]] = field(default_factory=list)
    """Positions of the records that say what a member takes along that ends now, and the member."""

    def story(self, *positions: int) -> Iterator[Record]:
        """Yield some rows, each after what a judge must know of it: head, members by then, and its view."""
        yield self.head
        for position in positions:
            seen = [record for place, record in self.setting if place < position]
            latest = next((record for record in reversed(seen) if isinstance(record, ViewRecord)), None)
            yield from (record for record in seen if isinstance(record, MemberRecord) or record is latest)
            yield self.rows[position]


@dataclass(frozen=True, slots=True)
class Job:
    """Properties that are judged from one DataFrame of evidence."""

    name: str
    properties: tuple[Property, ...]
    schema: StructType
    """Of the evidence; its first column is `run`."""
    gather: Callable[[Tables], DataFrame]
    """Return the evidence. A run without any may be absent."""
    conclude: Callable[[Case], Mapping[str, Finding]]
    """Return a finding a property for one run, from `case.evidence[name]`."""
    shown: Callable[[Case], Sequence[int]] = lambda _: ()
    """Return the positions of the table rows that `conclude` needs."""
    gather_rest: Callable[[Tables], DataFrame] | None = None
    """Return further evidence of the same schema; asked only where a line of the first counts something left out."""


def conclude_with(prop: Property, counts: Mapping[str, int | range], witness: Sequence[str]) -> Finding:
    """Return what the property's own judge concludes when it has counted this, with this witness.

    `counts` are named as the fields of the judge; a range stands for a collection of which only the size matters.
    """
    counted: Any = replace(cast(Any, prop.start()), **counts, witness=tuple(witness))
    return cast(Judge, counted).conclude()


def replay(prop: Property, records: Iterable[Record]) -> tuple[str, ...]:
    """Return the witness that the property's own judge finds in a few records, whatever happened to the grid."""
    (verdict,) = judge_run(records, (replace(prop, limits=()),), {})
    return verdict.witness
