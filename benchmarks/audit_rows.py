"""An audit of ten million table rows on Spark, against a bare scan.

A synthetic trace. A scan of the Parquet columns that the row rules read, these rules, and a whole audit, all
properties, from the first look at the path to the last verdict, take turns in one session; a round of each is not
counted. Spark's start, the same for all, is printed beside.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gridproof_properties.invariants import rows
from gridproof_reports.pipeline.audit import look_at
from gridproof_reports.pipeline.case import POSITION
from gridproof_reports.pipeline.cases import collect_cases
from gridproof_reports.pipeline.judging import judge_traces
from gridproof_reports.pipeline.row_pass import reduce_rows
from gridproof_reports.pipeline.session import open_session
from gridproof_reports.pipeline.sources import read_kinds
from tools.synthetic_trace import SyntheticPlan, generate_trace

ROWS_GOAL, AUDIT_GOAL = 3.0, 12.0
"""Times a bare scan, at most."""
ROUNDS = 5


def main() -> None:
    """Print rows a second, and the times of the row rules and of the audit over that of the scan."""
    with tempfile.TemporaryDirectory(prefix="gridproof-benchmark-") as folder:
        path = Path(folder) / "synthetic.parquet"
        row_count, seconds = generate(path)
        print(f"audit of {row_count:,} table rows, written in {seconds:.1f} s")
        started, scans, judged, audits = take_turns(path)
        print(f"  Spark's start, not counted below          {started:6.2f} s")
        for what, times in (
            ("bare scan of run, view, slots, position", scans),
            ("row rules", judged),
            ("whole audit, every property", audits),
        ):
            median = statistics.median(times)
            print(f"  {what:40}  {median:6.2f} s {row_count / median:14,.0f} rows/s")
        show_ratio("row rules", judged, scans, ROWS_GOAL)
        show_ratio("whole audit", audits, scans, AUDIT_GOAL)


def show_ratio(what: str, times: list[float], scans: list[float], goal: float) -> None:
    """Print how many times the scan of its round something took."""
    ratios = sorted(seconds / scan for seconds, scan in zip(times, scans, strict=True))
    median = statistics.median(ratios)
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f} over {ROUNDS} rounds"
    print(f"  {what} over scan {median:.2f} ({spread}; goal under {goal:g}: {'met' if median < goal else 'MISSED'})")


def generate(path: Path) -> tuple[int, float]:
    """Write the trace; return its rows and how long it took."""
    begin = time.perf_counter()
    return generate_trace(path, SyntheticPlan()), time.perf_counter() - begin


def take_turns(path: Path) -> tuple[float, list[float], list[float], list[float]]:
    """Return the seconds of Spark's start, and of each scan, each pass of the row rules, and each audit."""
    begin = time.perf_counter()
    with open_session() as spark:
        started = time.perf_counter() - begin
        traces = look_at([path])
        sources = read_kinds(spark, traces)
        cases = collect_cases(sources, traces)

        def scan() -> None:
            columns = sources["row"].select("run", "view", "slots", POSITION)
            columns.write.format("noop").mode("overwrite").save()

        def judge() -> None:
            reduce_rows(spark, traces, sources.row_lines, cases, rows.PROPERTIES)

        def audit() -> None:
            found = look_at([path])
            for trace in found:
                trace.check_pages()
            judge_traces(spark, found, lambda *_: None)

        turns = [(clock(scan), clock(judge), clock(audit)) for _ in range(ROUNDS + 1)][1:]
    scans, judged, audits = (list(times) for times in zip(*turns, strict=True))
    return started, scans, judged, audits


def clock(work: Callable[[], None]) -> float:
    """Return how many seconds some work takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
