"""What a job is.

Spark deals out and reduces, the judge concludes. A job turns the records of a trace into a few lines of evidence:
counts, and where in the trace something is wrong. What that means is then said, run by run, by the very judges that
watch a live run, with the evidence in place of the records they would have counted themselves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from pyspark.sql import DataFrame

from gridproof_model.trace import Record
from gridproof_properties.judging.judge import Finding, Judge, Property
from gridproof_properties.judging.panel import judge_run
from gridproof_reports.pipeline.case import Case, Line
from gridproof_reports.pipeline.columns import RowBatch
from gridproof_reports.pipeline.view_facts import ViewFacts


@dataclass(frozen=True, slots=True)
class Frames:
    """The records of any number of runs, a DataFrame a kind, with positions."""

    kinds: Mapping[str, DataFrame]
    there: frozenset[str]
    """Kinds that some trace may have records of."""
    settings: DataFrame
    """Heads, members, views, and of each run a table row: run, position, and the record as a line of JSON."""
    wanted: DataFrame | None
    """Run and view, where the judges of histories want the rows (see `wanted_views`); None where they want none."""

    def __getitem__(self, kind: str) -> DataFrame:
        return self.kinds[kind]


class Reducer(Protocol):
    """Takes in the table rows of one run, and keeps what grows with its members, partitions and changes only."""

    def add(self, batch: RowBatch) -> None:
        """Take in the next rows."""
        ...

    def evidence(self) -> Sequence[Line]:
        """Return what was found; called once, after the last row."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Properties that are judged from the same evidence."""

    name: str
    properties: tuple[Property, ...]
    conclude: Callable[[Case], Mapping[str, Finding]]
    """Return a finding a property for one run, from `case.evidence[name]`."""
    shown: Callable[[Case], Sequence[int]] = lambda _: ()
    """Return the positions of the table rows that `conclude` needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowJob(Job):
    """A job about table rows, which are reduced where they are read."""

    start: Callable[[ViewFacts], Reducer]
    """Make what takes in the rows of one run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameJob(Job):
    """A job about other records, which Spark reads."""

    gather: Callable[[Frames], DataFrame]
    """Return the evidence; its first column is `run`, and a run without any may be absent."""
    needs: frozenset[str]
    """Kinds of records; there is no evidence where no trace has any of them."""


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
