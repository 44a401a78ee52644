"""Every job over the same traces, run by run."""

from collections.abc import Callable, Sequence

from pyspark.sql import SparkSession

from gridproof_implementation.trace import TraceError, TraceFile
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judge import Finding
from gridproof_properties.verdict import Result, Verdict
from gridproof_reports.pipeline.audit import RunAudit
from gridproof_reports.pipeline.cases import case_of, collect_cases, fetch_rows, with_promises
from gridproof_reports.pipeline.job import LEFT_OUT, Case, Job, Tables
from gridproof_reports.pipeline.jobs import JOBS
from gridproof_reports.pipeline.jobs.rows import NAME as ROWS
from gridproof_reports.pipeline.sources import read_kinds
from gridproof_reports.pipeline.view_facts import facts_of
from gridproof_reports.pipeline.whole_tables import whole_tables


def judge_traces(
    spark: SparkSession, traces: Sequence[TraceFile], progress: Callable[[str, int, int], None]
) -> tuple[RunAudit, ...]:
    """Return the verdicts on every run of these traces; TraceError when a record is malformed."""
    steps = len(JOBS) + 2
    progress("reading heads, members and views", 0, steps)
    kinds = read_kinds(spark, traces)
    cases = collect_cases(kinds, traces)
    facts = spark.createDataFrame(facts_of(cases.values())).cache()
    tables = Tables(kinds, facts, whole_tables(kinds, facts).cache())
    for number, job in enumerate(JOBS, start=1):
        progress(f"judging {job.name}", number, steps)
        _gather(job, tables, cases)
    progress("telling what was found", steps - 1, steps)
    wanted = [(run, place) for run, case in cases.items() for job in JOBS for place in job.shown(case)]
    fetch_rows(kinds["row"], cases, wanted)
    audits = tuple(_audit(case) for case in cases.values())
    progress("done", steps, steps)
    return audits


def _gather(job: Job, tables: Tables, cases: dict[str, Case]) -> None:
    for case in cases.values():
        case.evidence[job.name] = []
    lines = job.gather(tables).collect()
    if job.gather_rest is not None and any(line[LEFT_OUT] for line in lines):
        lines += job.gather_rest(tables).collect()
    for line in lines:
        case_of(cases, line["run"]).evidence[job.name].append(line)


def _audit(case: Case) -> RunAudit:
    lines = case.evidence[ROWS]
    if strays := sum(line["strays"] for line in lines):
        raise TraceError(f"{case.source}: {strays:,} rows of run {case.head.run!r} follow no view of theirs")
    findings: dict[str, Finding] = {}
    for job in JOBS:
        findings |= _conclude(job, case)
    verdicts = [Verdict(prop.name, *_parts(findings[prop.name])) for prop in CATALOGUE]
    return RunAudit(case.head, case.source, lines[0]["rows"] if lines else 0, with_promises(case, verdicts))


def _parts(finding: Finding) -> tuple[Result, str, tuple[str, ...]]:
    return finding.result, finding.sentence, finding.witness


def _conclude(job: Job, case: Case) -> dict[str, Finding]:
    try:
        return dict(job.conclude(case))
    except Exception as error:  # a crashed judge must never look green
        told = f"the judge itself failed: {type(error).__name__}: {error}"
        return {prop.name: Finding(Result.UNKNOWN, told) for prop in job.properties}
