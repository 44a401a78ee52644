"""Any number of traces judged again, with no system present.

The verdicts are those of the Python judges on the same trace. Driver memory grows with the number of views and
members, never with that of table rows; operations and routes stay on the workers.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridproof_implementation.trace import TraceError, TraceFile, open_trace
from gridproof_model.trace import RunRecord
from gridproof_properties.verdict import Verdict

DEFAULT_MASTER = "local[*]"
Progress = Callable[[str, int, int], None]
"""Told what is done next, how many steps are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class RunAudit:
    """One run and what was found."""

    head: RunRecord
    source: Path
    """The trace it stands in."""
    row_count: int
    """Table rows read."""
    verdicts: tuple[Verdict, ...]
    """One a property, in the order of the catalogue."""


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit of traces found."""

    runs: tuple[RunAudit, ...]
    """By trace, then in their order there."""
    seconds: float
    """From the first look at the paths to the last verdict, Spark's start included."""

    @property
    def row_count(self) -> int:
        """Table rows read, of all runs."""
        return sum(run.row_count for run in self.runs)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of all runs."""
        return tuple(verdict for run in self.runs for verdict in run.verdicts)


def audit_traces(
    paths: Sequence[Path | str],
    master: str = DEFAULT_MASTER,
    progress: Progress | None = None,
) -> AuditReport:
    """Judge every run of these traces on Spark.

    Raises TraceError when a path is missing, is no trace, or holds a malformed record, before Spark starts where one
    look is enough; PipelineError when PySpark, Java or the master is missing.
    """
    begin = time.perf_counter()
    traces = look_at(paths)
    tell = progress or _keep_silent
    # Imported now, not with the module: PySpark is an extra, and whoever lists commands need not have it. The session
    # comes first, for it says what is missing.
    from gridproof_reports.pipeline.session import open_session

    tell("starting Spark", 0, 1)
    from gridproof_reports.pipeline.judging import judge_traces

    with open_session(master) as spark:
        runs = judge_traces(spark, traces, tell)
    return AuditReport(runs, time.perf_counter() - begin)


def _keep_silent(what: str, done: int, total: int) -> None:
    pass


def look_at(paths: Sequence[Path | str]) -> tuple[TraceFile, ...]:
    """Return the traces at these paths; TraceError when there is none, or one stands twice."""
    if not paths:
        raise TraceError("no trace was named; give the paths of one or more")
    traces = tuple(open_trace(path) for path in paths)
    places = [trace.path.resolve() for trace in traces]
    twice = next((place for place in places if places.count(place) > 1), None)
    if twice is not None:
        raise TraceError(f"{twice} was named twice; name every trace once")
    return traces
