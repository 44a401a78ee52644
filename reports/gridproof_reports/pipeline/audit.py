"""Judges any number of traces again; the systems are not needed.

Small traces are judged in this process, by the judges that watch a live run; large traces are judged on Spark, with the
same verdicts. On Spark, the memory of the driver grows with the number of views and members, but not with the number of
table rows; rows, operations and routes stay on the workers.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof_implementation.trace import TraceError, TraceFile, open_trace
from gridproof_implementation.trace.files import estimate_records, in_our_columns
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import Verdict
from gridproof_reports.pipeline.case import Over, RunAudit

if TYPE_CHECKING:  # loaded only by commands that read a file of promises
    from gridproof_implementation.live.said import Said

DEFAULT_MASTER = "local[*]"
LOCAL_RECORDS_MAX = 1_000_000
"""If all traces together have at most this many records, they are judged in this process; it takes a minute or two."""
SMALL_RECORDS_MAX = 2_000_000
"""If traces have at most this many records, Spark has judged them before the JVM has warmed up, so that a second
compilation would come too late."""
Progress = Callable[[str, int, int], None]
"""A function that is called with the step that comes next, the number of steps done, and the number of all steps."""


class Engine(StrEnum):
    """The engines that judge traces; all give the same verdicts."""

    LOCAL = "local"
    """This process, without a JVM of its own."""
    SPARK = "spark"


@dataclass(frozen=True, slots=True)
class Step:
    """A part of the work, with the time that it took."""

    what: str
    seconds: float


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The results of an audit of traces."""

    engine: Engine
    runs: tuple[RunAudit, ...]
    """The audited runs: trace by trace, and in each trace in their order."""
    seconds: float
    """The time from the first check of the paths to the last verdict, including the start of Spark."""
    steps: tuple[Step, ...] = ()
    """The start of Spark and the Spark jobs, in order; empty if Spark was not needed."""

    @property
    def row_count(self) -> int:
        """The number of table rows that were read, in all runs together."""
        return sum(run.row_count for run in self.runs)

    @property
    def record_count(self) -> int:
        """The number of records that were read, in all runs together."""
        return sum(run.record_count for run in self.runs)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts of all runs."""
        return tuple(verdict for run in self.runs for verdict in run.verdicts)


def audit_traces(
    paths: Sequence[Path | str],
    master: str = DEFAULT_MASTER,
    progress: Progress | None = None,
    engine: Engine | None = None,
    over: Over = lambda: None,
    stated: "Said | None" = None,
) -> AuditReport:
    """Judge every run of these traces, with the engine that is named or the one that suits the size of the traces.

    The promises that an auditor has `stated` are used only if the traces are judged in this process.

    If a KeyboardInterrupt comes because work is `over`, the verdicts reached by then are returned: in this process,
    those of the runs before, and what was broken in the last run; on Spark, which judges all runs at once, those of
    finished jobs.

    Raise TraceError if a path is missing, is no trace, or has a malformed record, before Spark starts if possible;
    raise PipelineError if PySpark, Java or the master is missing.
    """
    begin = time.perf_counter()
    traces = look_at(paths)
    chosen = engine or (engine_for(traces) if stated is None else Engine.LOCAL)
    report = progress or (lambda what, done, total: None)
    if chosen is Engine.LOCAL:
        return AuditReport(chosen, _judge_locally(traces, report, over, stated), time.perf_counter() - begin)
    stopwatch = _Stopwatch(report)
    try:
        runs = _judge_on_spark(traces, master, stopwatch.report, over)
    except KeyboardInterrupt:
        why = over()
        if why is None:
            raise
        runs = tuple(_unjudged(trace, why) for trace in traces)
    return AuditReport(chosen, runs, time.perf_counter() - begin, stopwatch.steps())


class _Stopwatch:
    """Measures how long each reported step takes, and passes each report on."""

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._begun: list[tuple[str, float]] = []

    def report(self, what: str, done: int, total: int) -> None:
        self._begun.append((what, time.perf_counter()))
        self._report(what, done, total)

    def steps(self) -> tuple[Step, ...]:
        ends = [*(begin for _, begin in self._begun[1:]), time.perf_counter()]
        return tuple(Step(what, end - begin) for (what, begin), end in zip(self._begun, ends, strict=True))


def engine_for(traces: Sequence[TraceFile]) -> Engine:
    """Return the better engine for traces of this size; this process judges 100,000 routes in columns per second."""
    records = sum(estimate_records(trace, "route") for trace in traces)
    return Engine.LOCAL if records <= LOCAL_RECORDS_MAX else Engine.SPARK


def _judge_locally(
    traces: Sequence[TraceFile], report: Progress, over: Over, stated: "Said | None"
) -> tuple[RunAudit, ...]:
    from gridproof_reports.pipeline.local import judge_traces

    return judge_traces(traces, report, over, stated)


def _unjudged(trace: TraceFile, why: str) -> RunAudit:
    """Return an audit, without verdicts, of the first run of a trace that was not judged."""
    from gridproof_properties.audits.trace_verdicts import JUDGED, beside_promises

    head = next(trace.runs())[0]
    verdicts = beside_promises(head, {}, Panel(JUDGED, {}).break_off(why), grouped=False)
    return RunAudit(head, trace.path, 0, 0, verdicts, is_cut=True)


def _judge_on_spark(traces: Sequence[TraceFile], master: str, report: Progress, over: Over) -> tuple[RunAudit, ...]:
    # Imported here: PySpark is an extra, and listing commands does not need it.
    # The Spark session is imported first, since it reports which software is missing.
    from gridproof_reports.pipeline.session import open_session

    for trace in traces:  # Spark reads columns without their checksums, and a failed job does not name the file
        trace.check_pages()
    is_small = sum(map(estimate_records, traces)) <= SMALL_RECORDS_MAX
    with ExitStack() as stack:
        readable = [stack.enter_context(in_our_columns(trace)) for trace in traces]
        report("starting Spark", 0, 1)
        spark = stack.enter_context(open_session(master, is_small=is_small))
        from gridproof_reports.pipeline.judging import judge_traces

        try:
            audits = judge_traces(spark, readable, report, over)
        except TraceError:
            for trace in traces:  # the plain reader names the place of what is wrong, if a record is
                deque(trace.records(), maxlen=0)
            raise
    sources = {copy.path: trace.path for copy, trace in zip(readable, traces, strict=True)}
    return tuple(replace(one, source=sources[one.source]) for one in audits)


def look_at(paths: Sequence[Path | str]) -> tuple[TraceFile, ...]:
    """Return the traces at these paths; raise TraceError if there is none, or if one is given twice."""
    if not paths:
        raise TraceError("no trace was named; give the path of at least one trace")
    traces = tuple(open_trace(path) for path in paths)
    places = [trace.path.resolve() for trace in traces]
    twice = next((place for place in places if places.count(place) > 1), None)
    if twice is not None:
        raise TraceError(f"{twice} was named twice; name every trace once")
    return traces
