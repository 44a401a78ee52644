"""What a job is.

Spark deals out and reduces, the judge concludes. A job turns the records of a trace into a few lines of evidence:
counts, and where in the trace something is wrong. What that means is then said, run by run, by the very judges that
watch a live run, with the evidence in place of the records they would have counted themselves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from gridproof_properties.judging.judge import Property


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Properties that are judged from the same evidence; the module of each concludes, of a run, from its `Case`."""

    name: str
    properties: tuple[Property, ...]
    gather: Callable[[Frames], DataFrame]
    """Return the evidence; its first column is `run`, and a run without any may be absent."""
    needs: frozenset[str]
    """Kinds of records; there is no evidence where no trace has any of them."""
