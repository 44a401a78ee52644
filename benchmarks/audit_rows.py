"""Table rows a second on Spark, against a bare scan.

A synthetic trace of ten million rows. The row invariants and a scan of the same Parquet columns take turns in one
session, every round a fresh query; then one whole audit, all properties, from the first look at the path to the last
verdict.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gridproof_reports.pipeline.audit import Engine, audit_traces, look_at
from gridproof_reports.pipeline.cases import collect_cases
from gridproof_reports.pipeline.holding_views import holding_views
from gridproof_reports.pipeline.job import POSITION, Tables
from gridproof_reports.pipeline.jobs import rows
from gridproof_reports.pipeline.session import open_session
from gridproof_reports.pipeline.sources import read_kinds
from gridproof_reports.pipeline.view_facts import facts_of
from gridproof_reports.pipeline.whole_tables import shown_rows, whole_tables
from tools.synthetic_trace import SyntheticPlan, generate_trace

GOAL = 3.0
"""Times a bare scan, at most."""
ROUNDS = 5


def main() -> None:
    """Print rows a second, and the time of the row invariants over that of the scan."""
    with tempfile.TemporaryDirectory(prefix="gridproof-benchmark-") as folder:
        path = Path(folder) / "synthetic.parquet"
        row_count, seconds = generate(path)
        print(f"audit of {row_count:,} table rows, written in {seconds:.1f} s")
        scans, audits = take_turns(path)
        ratios = sorted(audit / scan for scan, audit in zip(scans, audits, strict=True))
        scan, judged = statistics.median(scans), statistics.median(audits)
        print(f"  bare scan of run, view, slots, position   {scan:6.2f} s {row_count / scan:14,.0f} rows/s")
        print(f"  row invariants                            {judged:6.2f} s {row_count / judged:14,.0f} rows/s")
        median = statistics.median(ratios)
        spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f} over {ROUNDS} rounds"
        print(f"  ratio {median:.2f} ({spread}; goal under {GOAL:g}: {'met' if median < GOAL else 'MISSED'})")
        report = audit_traces([path], engine=Engine.SPARK)
        whole = f"{report.seconds:6.2f} s {row_count / report.seconds:14,.0f} rows/s"
        print(f"  whole audit, Spark's start included       {whole}, {len(report.verdicts)} verdicts")


def generate(path: Path) -> tuple[int, float]:
    """Write the trace; return its rows and how long it took."""
    begin = time.perf_counter()
    return generate_trace(path, SyntheticPlan()), time.perf_counter() - begin


def take_turns(path: Path) -> tuple[list[float], list[float]]:
    """Return the seconds of each scan and of each pass of the row invariants, one round of both not counted."""
    with open_session() as spark:
        traces = look_at([path])
        kinds = read_kinds(spark, traces)
        cases = collect_cases(kinds, traces).values()
        facts, shown = spark.createDataFrame(facts_of(cases)).cache(), shown_rows(kinds).cache()
        tables = Tables(kinds, facts, shown, whole_tables(kinds, facts, shown), holding_views(spark, cases, shown))

        def scan() -> None:
            columns = kinds["row"].select("run", "view", "slots", POSITION)
            columns.write.format("noop").mode("overwrite").save()

        def judge() -> None:
            rows.gather(tables).collect()

        turns = [(clock(scan), clock(judge)) for _ in range(ROUNDS + 1)][1:]
    return [scanned for scanned, _ in turns], [judged for _, judged in turns]


def clock(work: Callable[[], None]) -> float:
    """Return how many seconds some work takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
