"""Runs all judges over the same traces, one run after the other.

The module also chooses the views whose rows the judges of histories need. The judges of histories alone read rows one
by one, and they need only a few rows; which rows they need follows from the number of rows in each view. If a harness
does not record which copies end with a member, these copies are taken from the latest rows at rest (see
`gridproof_properties.judging.conditions`), so these rows are needed, too.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from gridproof_implementation.trace import TraceFile
from gridproof_implementation.trace.json_lines import encode
from gridproof_model.events import NAMES
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.events.harness import TablesPolled
from gridproof_model.trace import MemberChange, MemberRecord, Record, ViewRecord
from gridproof_properties.audits.trace_verdicts import beside_promises
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.panel import STOPPED_EARLY, taken_away, unadmitted, unfinished, verdict_of
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.words import count
from gridproof_reports.pipeline.case import EVENT, POSITION, Case, Over, RunAudit
from gridproof_reports.pipeline.cases import case_of, collect_cases, refusal
from gridproof_reports.pipeline.histories import gather
from gridproof_reports.pipeline.row_pass import reduce_rows
from gridproof_reports.pipeline.sources import Sources, read_kinds

_SMALL = frozenset({"run", "member", "view", "verdict", "route"})
"""The kinds of records in which no judge of histories has anything to compare."""


def wanted_views(case: Case) -> list[int]:
    """Return, in their order, the views whose rows the judges of histories need.

    The result is the first whole table of each stage, if contents were read or clients made operations; and the tables
    that show which copies ended with a member, if some judge can need that. If a run states a time for restoring copies
    and a member crashed in it, all rows are kept, since a later table of a stage may show when the copies were
    restored. In a run in which tables were polled, all rows are kept, too.
    """
    if not case.counts.keys() - _SMALL:
        return []
    views = [record for _, record in case.setting if isinstance(record, ViewRecord)]
    if case.counts[EVENT + NAMES[TablesPolled]] or (case.counts[EVENT + NAMES[StatedTimes]] and _has_crash(case)):
        return [view.view for view in views]
    wanted = set(_holding_views(case))
    if case.counts["operation"] or case.counts["digest"]:
        wanted.update(_first_whole_views(case, views))
    return sorted(wanted)


def _has_crash(case: Case) -> bool:
    changes = (record.change for _, record in case.setting if isinstance(record, MemberRecord))
    return MemberChange.CRASHED in changes


def _is_whole(case: Case, view: ViewRecord) -> bool:
    """Return whether a view is settled and shows as many rows as the grid has partitions."""
    return view.settled and case.shown.by_view.get(view.view, 0) >= case.head.partition_count


def _first_whole_views(case: Case, views: list[ViewRecord]) -> Iterator[int]:
    """Yield the first whole view of each stage."""
    stage: str | None = None
    for view in views:
        if _is_whole(case, view) and view.stage != stage:
            stage = view.stage
            yield view.view


def _holding_views(case: Case) -> list[int]:
    """Return the views that show which copies were held by members that ended without a record of their copies.

    The result: the latest two whole tables at rest, and what others showed since; a member may end between rows.
    """
    ends = set(_unrecorded_ends(case))
    needed: dict[int, None] = {}
    before: list[int] = []
    since: list[int] = []
    for place, record in case.setting:
        if isinstance(record, ViewRecord) and record.settled:
            if _is_whole(case, record):
                before, since = since, []
            since.append(record.view)
        elif place in ends:
            needed |= dict.fromkeys((*before, *since))
    return list(needed)


def _unrecorded_ends(case: Case) -> Iterator[int]:
    """Yield the positions at which members ended that may have held copies, if no record says which copies."""
    ended: int | None = None
    news = iter(sorted(case.recorded_ends))
    coming = next(news, None)
    for place, record in case.setting:
        while coming is not None and coming[0] < place:
            ended, coming = coming[1], next(news, None)
        if isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            if record.member != ended and record.change is not MemberChange.LEFT and not record.lite:
                yield place
            ended = None


def judge_traces(
    spark: SparkSession,
    traces: Sequence[TraceFile],
    progress: Callable[[str, int, int], None],
    over: Over = lambda: None,
) -> tuple[RunAudit, ...]:
    """Return the verdicts on every run of these traces; raise TraceError if a record is malformed.

    After a KeyboardInterrupt, when the work is to stop, the findings on tables made by then are returned.
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
    """Return, for each run, the results of the judges of histories."""
    wanted = {run: wanted_views(case) for run, case in cases.items()}
    lines = [line for run, case in cases.items() for line in _setting_lines(case, wanted[run])]
    views = [(run, view) for run, its in wanted.items() for view in its]
    return gather(
        {word: sources.kinds[word] for word in sources.there},
        spark.createDataFrame(lines, f"run string, {POSITION} long, line string"),
        spark.createDataFrame(views, "run string, view long") if views else None,
    )


def _setting_lines(case: Case, wanted: Sequence[int]) -> Iterator[tuple[str, int, str]]:
    """Yield heads, members, views and verdicts, and one row, so that a judge that needs rows has seen at least one."""
    records: list[tuple[int, Record]] = [(case.head_position, case.head), *case.setting]
    if case.shown.first is not None and case.shown.first[1].view not in wanted:
        records.append(case.shown.first)
    yield from ((case.head.run, place, encode(record)) for place, record in records)


def _audit(case: Case) -> RunAudit:
    strays = case.shown.strays
    wrong = case.judged.malformed or (f"it has {count(strays, 'row')} of no view or no partition" if strays else None)
    if wrong is not None:
        raise refusal(case.source, f"run {case.head.run!r}: {wrong}")
    verdicts = {verdict.property: verdict for verdict in case.judged.verdicts}
    verdicts |= {name: _verdict(case, name, finding) for name, finding in case.findings.items()}
    return _in_order(case, verdicts)


def _cut_audit(case: Case, why: str) -> RunAudit:
    """Return the findings on tables; it is not known for them whether a condition suspended a promise."""
    found = {name: finding for name, finding in case.findings.items() if not get_property(name).limits}
    late = Finding(Result.UNKNOWN, f"{STOPPED_EARLY}: {why}", reason=Reason.UNDECIDED)
    verdicts = {prop.name: _verdict(case, prop.name, found.get(prop.name, late)) for prop in CATALOGUE}
    return _in_order(case, verdicts, is_cut=True)


def _in_order(case: Case, verdicts: Mapping[str, Verdict], *, is_cut: bool = False) -> RunAudit:
    in_order = [verdicts[prop.name] for prop in CATALOGUE]
    judged = beside_promises(case.head, case.promises, in_order, grouped=case.grouped)
    return RunAudit(case.head, case.source, case.shown.rows, case.record_count, judged, is_cut)


def _verdict(case: Case, name: str, finding: Finding) -> Verdict:
    """Return a finding that was made from columns as the verdict that a panel of judges would give."""
    limit = case.judged.limits.get(name)
    if limit is None and (effects := case.admitted.get(name)):
        story = case.unadmitted.get(name, ())
        limit, finding = (None, unadmitted(finding, story)) if story else (effects[0][2:], finding)
    if limit is not None and finding.result is Result.BROKEN:
        finding = taken_away(finding, *limit)
    seen = {"row"} if case.shown.rows else set[str]()
    verdict = verdict_of(get_property(name), finding, PromiseLevel.NONE, seen)
    return verdict if case.judged.stopped is None else unfinished(verdict, case.judged.stopped)
