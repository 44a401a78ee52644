"""Every job over the same traces, run by run."""

from collections.abc import Callable, Sequence

from pyspark.sql import SparkSession

from gridproof_implementation.trace import TraceFile
from gridproof_properties.audits.trace_verdicts import beside_promises
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Finding, taken_away, unfinished, verdict_of
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.words import count
from gridproof_reports.pipeline.audit import RunAudit
from gridproof_reports.pipeline.cases import case_of, collect_cases, fetch_rows, refusal
from gridproof_reports.pipeline.holding_views import holding_views
from gridproof_reports.pipeline.job import LEFT_OUT, Case, Job, Tables
from gridproof_reports.pipeline.jobs import JOBS, histories, routes
from gridproof_reports.pipeline.jobs.rows import NAME as ROWS
from gridproof_reports.pipeline.sources import read_kinds
from gridproof_reports.pipeline.view_facts import facts_of
from gridproof_reports.pipeline.whole_tables import shown_rows, whole_tables


def judge_traces(
    spark: SparkSession, traces: Sequence[TraceFile], progress: Callable[[str, int, int], None]
) -> tuple[RunAudit, ...]:
    """Return the verdicts on every run of these traces; TraceError when a record is malformed."""
    steps = len(JOBS) + 2
    progress("reading heads, members and views", 0, steps)
    kinds = read_kinds(spark, traces)
    cases = collect_cases(kinds, traces)
    facts = spark.createDataFrame(facts_of(cases.values())).cache()
    shown = shown_rows(kinds).cache()
    whole = whole_tables(kinds, facts, shown).cache()
    tables = Tables(kinds, facts, shown, whole, holding_views(spark, cases.values(), shown))
    for number, job in enumerate(JOBS, start=1):
        progress(f"judging {job.name}", number, steps)
        _gather(job, tables, cases)
    progress("reporting what was found", steps - 1, steps)
    wanted = [(run, place) for run, case in cases.items() for job in JOBS for place in job.shown(case)]
    fetch_rows(kinds["row"], cases, wanted)
    audits = tuple(_audit(case) for case in cases.values())
    progress("ending Spark", steps, steps)
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
    lines = case.evidence[ROWS][:1]  # further ones are about some of these rows once more
    rows = sum(line["rows"] for line in lines)
    strays = sum(line["strays"] for line in lines)
    wrong = histories.malformed_in(case) or (f"{count(strays, 'row')} of no view, or no partition" if strays else None)
    if wrong is not None:
        raise refusal(case.source, f"run {case.head.run!r}: {wrong}")
    verdicts = {verdict.property: verdict for verdict in histories.verdicts_of(case)}
    for job in JOBS:
        if job is not histories.JOB:
            verdicts |= {name: _verdict(case, name, finding) for name, finding in _conclude(job, case).items()}
    in_order = [verdicts[prop.name] for prop in CATALOGUE]
    judged = beside_promises(case.head, case.promises, in_order, grouped=case.grouped)
    return RunAudit(case.head, case.source, rows, rows + case.record_count, judged)


def _verdict(case: Case, name: str, finding: Finding) -> Verdict:
    """Return what columns have found as the judges' panel would report it."""
    limit = histories.limits_of(case).get(name)
    if limit is not None and finding.result is Result.BROKEN:
        finding = taken_away(finding, *limit)
    seen = {"row"} if any(line["rows"] for line in case.evidence[ROWS]) else set[str]()
    seen |= {need for line in case.evidence[routes.NAME] for need in routes.needs_met(line)}
    verdict = verdict_of(get_property(name), finding, PromiseLevel.NONE, seen)
    stopped = histories.stopped_by(case)
    return verdict if stopped is None else unfinished(verdict, stopped)


def _conclude(job: Job, case: Case) -> dict[str, Finding]:
    try:
        return dict(job.conclude(case))
    except Exception as error:  # a crashed judge must never look green
        sentence = f"the judge itself failed: {type(error).__name__}: {error}"
        return {prop.name: Finding(Result.UNKNOWN, sentence, reason=Reason.JUDGE_FAILED) for prop in job.properties}
