"""Every job over the same traces, run by run."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from pyspark.sql import SparkSession

from gridproof_implementation.trace import TraceFile
from gridproof_implementation.trace.json_lines import encode
from gridproof_model.trace import Record
from gridproof_properties.audits.trace_verdicts import beside_promises
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.panel import STOPPED_EARLY, taken_away, unadmitted, unfinished, verdict_of
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.words import count
from gridproof_reports.pipeline.case import POSITION, Case, Line
from gridproof_reports.pipeline.cases import case_of, collect_cases, refusal
from gridproof_reports.pipeline.job import Frames, Job
from gridproof_reports.pipeline.jobs import JOBS, histories, routes
from gridproof_reports.pipeline.row_pass import reduce_rows
from gridproof_reports.pipeline.run_audit import Over, RunAudit
from gridproof_reports.pipeline.sources import Sources, read_kinds
from gridproof_reports.pipeline.wanted_views import wanted_views


def judge_traces(
    spark: SparkSession,
    traces: Sequence[TraceFile],
    progress: Callable[[str, int, int], None],
    over: Over = lambda: None,
) -> tuple[RunAudit, ...]:
    """Return the verdicts on every run of these traces; TraceError when a record is malformed.

    Whoever interrupts it (KeyboardInterrupt) when work is over has those of the jobs that have ended.
    """
    steps = len(JOBS) + 4
    progress("reading heads, members and views", 0, steps)
    sources = read_kinds(spark, traces)
    cases = collect_cases(sources, traces)
    ended: list[Job] = []
    try:
        progress("judging table rows", 1, steps)
        reduce_rows(spark, traces, sources.row_lines, cases)
        frames = _frames(spark, sources, cases)
        for number, job in enumerate(JOBS, start=2):
            progress(f"judging {job.name}", number, steps)
            _gather(job, frames, cases)
            ended.append(job)
    except KeyboardInterrupt:
        why = over()
        if why is None:
            raise
        spark.sparkContext.cancelAllJobs()
        return tuple(_cut_audit(case, ended, why) for case in cases.values())
    progress("reporting what was found", steps - 2, steps)
    audits = tuple(_audit(case) for case in cases.values())
    progress("ending Spark", steps - 1, steps)
    return audits


def _frames(spark: SparkSession, sources: Sources, cases: Mapping[str, Case]) -> Frames:
    wanted = {run: wanted_views(case) for run, case in cases.items()}
    lines = [line for run, case in cases.items() for line in _setting_lines(case, wanted[run])]
    views = [(run, view) for run, its in wanted.items() for view in its]
    return Frames(
        sources.kinds,
        sources.there | {"run"},
        spark.createDataFrame(lines, f"run string, {POSITION} long, line string"),
        spark.createDataFrame(views, "run string, view long") if views else None,
    )


def _setting_lines(case: Case, wanted: Sequence[int]) -> Iterator[tuple[str, int, str]]:
    """Yield heads, members and views; and one table row, that a judge who asks for rows has seen some."""
    records: list[tuple[int, Record]] = [(case.head_position, case.head), *case.setting]
    if case.shown.first is not None and case.shown.first[1].view not in wanted:
        records.append(case.shown.first)
    yield from ((case.head.run, place, encode(record)) for place, record in records)


def _gather(job: Job, frames: Frames, cases: Mapping[str, Case]) -> None:
    found: dict[str, list[Line]] = {run: [] for run in cases}
    for row in job.gather(frames).collect() if job.needs & frames.there else ():
        found[case_of(cases, row["run"]).head.run].append(row.asDict())
    for run, lines in found.items():
        cases[run].evidence[job.name] = lines


def _audit(case: Case) -> RunAudit:
    strays = case.shown.strays
    wrong = histories.malformed_in(case) or (f"{count(strays, 'row')} of no view, or no partition" if strays else None)
    if wrong is not None:
        raise refusal(case.source, f"run {case.head.run!r}: {wrong}")
    verdicts = {verdict.property: verdict for verdict in histories.verdicts_of(case)}
    found = {**case.findings, **_of_routes(case)}
    verdicts |= {name: _verdict(case, name, finding) for name, finding in found.items()}
    return _in_order(case, verdicts)


def _cut_audit(case: Case, ended: Sequence[Job], why: str) -> RunAudit:
    """Return what the jobs that have ended say; of a promise that something may take away, the others may say that."""
    found = {**case.findings, **(_of_routes(case) if routes.JOB in ended else {})}
    if histories.JOB not in ended:
        found = {name: finding for name, finding in found.items() if not get_property(name).limits}
        case.evidence[histories.NAME] = []
    verdicts = {verdict.property: verdict for verdict in histories.verdicts_of(case)}
    late = Finding(Result.UNKNOWN, f"{STOPPED_EARLY}: {why}", reason=Reason.UNDECIDED)
    case.evidence.setdefault(routes.NAME, [])
    for prop in CATALOGUE:
        if prop.name not in verdicts:
            verdicts[prop.name] = _verdict(case, prop.name, found.get(prop.name, late))
    return _in_order(case, verdicts, is_cut=True)


def _in_order(case: Case, verdicts: Mapping[str, Verdict], *, is_cut: bool = False) -> RunAudit:
    in_order = [verdicts[prop.name] for prop in CATALOGUE]
    judged = beside_promises(case.head, case.promises, in_order, grouped=case.grouped)
    return RunAudit(case.head, case.source, case.shown.rows, case.record_count, judged, is_cut)


def _verdict(case: Case, name: str, finding: Finding) -> Verdict:
    """Return what columns have found as the judges' panel would report it."""
    limit = histories.limits_of(case).get(name)
    if limit is None and (effects := case.admitted.get(name)):
        story = case.unadmitted.get(name, ())
        limit, finding = (None, unadmitted(finding, story)) if story else (effects[0][2:], finding)
    if limit is not None and finding.result is Result.BROKEN:
        finding = taken_away(finding, *limit)
    seen = {"row"} if case.shown.rows else set[str]()
    seen |= {need for line in case.evidence[routes.NAME] for need in routes.needs_met(line)}
    verdict = verdict_of(get_property(name), finding, PromiseLevel.NONE, seen)
    stopped = histories.stopped_by(case)
    return verdict if stopped is None else unfinished(verdict, stopped)


def _of_routes(case: Case) -> Mapping[str, Finding]:
    try:
        return routes.conclude(case)
    except Exception as error:  # a crashed judge must never look green
        sentence = f"the judge itself failed: {type(error).__name__}: {error}"
        failed = Finding(Result.UNKNOWN, sentence, reason=Reason.JUDGE_FAILED)
        return dict.fromkeys((prop.name for prop in routes.JOB.properties), failed)
