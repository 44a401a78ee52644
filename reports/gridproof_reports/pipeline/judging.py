"""Every judge over the same traces, run by run."""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from gridproof_implementation.trace import TraceFile
from gridproof_implementation.trace.json_lines import encode
from gridproof_model.trace import Record
from gridproof_properties.audits.trace_verdicts import beside_promises
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.panel import STOPPED_EARLY, taken_away, unadmitted, unfinished, verdict_of
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.words import count
from gridproof_reports.pipeline.case import POSITION, Case
from gridproof_reports.pipeline.cases import case_of, collect_cases, refusal
from gridproof_reports.pipeline.histories import gather
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

    Whoever interrupts it (KeyboardInterrupt) when work is over has what was found of tables until then.
    """
    steps = 5
    progress("reading heads, members and views", 0, steps)
    sources = read_kinds(spark, traces)
    cases = collect_cases(sources, traces)
    try:
        progress("judging table rows", 1, steps)
        reduce_rows(spark, traces, sources.row_lines, cases)
        progress("judging histories", 2, steps)
        for row in _judged(spark, sources, cases).collect():
            case_of(cases, row["run"]).judged = pickle.loads(row["judged"])
    except KeyboardInterrupt:
        why = over()
        if why is None:
            raise
        spark.sparkContext.cancelAllJobs()
        return tuple(_cut_audit(case, why) for case in cases.values())
    progress("reporting what was found", steps - 2, steps)
    audits = tuple(_audit(case) for case in cases.values())
    progress("ending Spark", steps - 1, steps)
    return audits


def _judged(spark: SparkSession, sources: Sources, cases: Mapping[str, Case]) -> DataFrame:
    """Return what the judges of histories say of each run."""
    wanted = {run: wanted_views(case) for run, case in cases.items()}
    lines = [line for run, case in cases.items() for line in _setting_lines(case, wanted[run])]
    views = [(run, view) for run, its in wanted.items() for view in its]
    return gather(
        {word: sources.kinds[word] for word in sources.there},
        spark.createDataFrame(lines, f"run string, {POSITION} long, line string"),
        spark.createDataFrame(views, "run string, view long") if views else None,
    )


def _setting_lines(case: Case, wanted: Sequence[int]) -> Iterator[tuple[str, int, str]]:
    """Yield heads, members and views; and one table row, that a judge who asks for rows has seen some."""
    records: list[tuple[int, Record]] = [(case.head_position, case.head), *case.setting]
    if case.shown.first is not None and case.shown.first[1].view not in wanted:
        records.append(case.shown.first)
    yield from ((case.head.run, place, encode(record)) for place, record in records)


def _audit(case: Case) -> RunAudit:
    strays = case.shown.strays
    wrong = case.judged.malformed or (f"{count(strays, 'row')} of no view, or no partition" if strays else None)
    if wrong is not None:
        raise refusal(case.source, f"run {case.head.run!r}: {wrong}")
    verdicts = {verdict.property: verdict for verdict in case.judged.verdicts}
    verdicts |= {name: _verdict(case, name, finding) for name, finding in case.findings.items()}
    return _in_order(case, verdicts)


def _cut_audit(case: Case, why: str) -> RunAudit:
    """Return what was found of tables; of a promise that something may take away, nobody has said that."""
    found = {name: finding for name, finding in case.findings.items() if not get_property(name).limits}
    late = Finding(Result.UNKNOWN, f"{STOPPED_EARLY}: {why}", reason=Reason.UNDECIDED)
    verdicts = {prop.name: _verdict(case, prop.name, found.get(prop.name, late)) for prop in CATALOGUE}
    return _in_order(case, verdicts, is_cut=True)


def _in_order(case: Case, verdicts: Mapping[str, Verdict], *, is_cut: bool = False) -> RunAudit:
    in_order = [verdicts[prop.name] for prop in CATALOGUE]
    judged = beside_promises(case.head, case.promises, in_order, grouped=case.grouped)
    return RunAudit(case.head, case.source, case.shown.rows, case.record_count, judged, is_cut)


def _verdict(case: Case, name: str, finding: Finding) -> Verdict:
    """Return what columns have found as the judges' panel would report it."""
    limit = case.judged.limits.get(name)
    if limit is None and (effects := case.admitted.get(name)):
        story = case.unadmitted.get(name, ())
        limit, finding = (None, unadmitted(finding, story)) if story else (effects[0][2:], finding)
    if limit is not None and finding.result is Result.BROKEN:
        finding = taken_away(finding, *limit)
    seen = {"row"} if case.shown.rows else set[str]()
    verdict = verdict_of(get_property(name), finding, PromiseLevel.NONE, seen)
    return verdict if case.judged.stopped is None else unfinished(verdict, case.judged.stopped)
