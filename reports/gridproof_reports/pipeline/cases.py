"""Collects cases from traces: a case is what the driver keeps in memory of one run.

The driver itself reads the small files of Parquet traces; Spark parses the lines of JSON traces.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from gridproof_implementation.trace import TraceError, TraceFile, TraceFormat, open_trace, schema
from gridproof_implementation.trace.json_reading import read_fields
from gridproof_implementation.trace.parquet import kind_files
from gridproof_model.events import NAMES
from gridproof_model.events.conditions import (
    Admitted,
    AuditSetup,
    Configured,
    CopiesEnded,
    FaultBegun,
    FaultEnded,
    HeldTo,
    StatedTable,
)
from gridproof_model.trace import EventRecord, MemberRecord, Record, RunRecord, VerdictRecord, ViewRecord
from gridproof_properties.audits.trace_verdicts import said_in
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_reports.pipeline.case import EVENT, POSITION, Case
from gridproof_reports.pipeline.local import twice
from gridproof_reports.pipeline.sources import SMALL, SOURCE, Sources, local_path

_CONDITIONS = (CopiesEnded, Configured, AuditSetup, StatedTable, Admitted, HeldTo, FaultBegun, FaultEnded)


def collect_cases(sources: Sources, traces: Sequence[TraceFile]) -> dict[str, Case]:
    """Return a case for each run, by its name, in the order of the traces; TraceError if two runs share a name."""
    small = [*_small_records(traces), *_small_lines(sources, traces)]
    cases: dict[str, Case] = {}
    order = {trace.path: number for number, trace in enumerate(traces)}
    heads = [(path, place, record) for path, place, record in small if isinstance(record, RunRecord)]
    for path, runs in Counter(path for path, _, _ in heads).items():
        if runs > schema.RUNS_MAX:
            raise refusal(path, f"the trace has {runs:,} runs, more than a trace may have")
    for path, place, head in sorted(heads, key=lambda found: (order[found[0]], found[1])):
        if head.run in cases:
            raise TraceError(twice(head.run, cases[head.run].source, path))
        cases[head.run] = Case(head, path, place)
        _check(cases[head.run], head)
    for case, following in pairwise(cases.values()):
        if case.source == following.source:
            case.end_position = following.head_position
    for _, place, record in small:
        _take(case_of(cases, record.run), place, record)
    for case in cases.values():
        case.setting.sort(key=lambda placed: placed[0])
        _check_views(case)
    if "event" in sources.there:
        _collect_conditions(sources["event"], cases)
    _count_records(sources, cases)
    return cases


Small = tuple[Path, int, Record]
"""The trace of a record of a small kind, the record's position in the trace, and the record."""


def _small_records(traces: Sequence[TraceFile]) -> Iterator[Small]:
    """Yield the small records of Parquet traces."""
    for trace in traces:
        if trace.format is TraceFormat.PARQUET:
            try:
                for file in kind_files(trace.path):
                    if file.word in SMALL:
                        yield from ((trace.path, place, record) for place, record in file.records())
            except TraceError as error:
                raise refusal(trace.path, error) from None


def _small_lines(sources: Sources, traces: Sequence[TraceFile]) -> Iterator[Small]:
    """Yield the small records of JSON traces; the heads of runs come first."""
    paths = {trace.path.absolute(): trace.path for trace in traces}
    path = Path()
    for word in SMALL if sources.row_lines is not None else ():
        for place, record, row in _records(sources[word], word):
            path = paths[local_path(row[SOURCE])] if word == "run" else path
            yield path, place, record


def _take(case: Case, place: int, record: Record) -> None:
    """Keep a record of a small kind."""
    case.counts[schema.KIND_WORDS[type(record)]] += 1
    match record:
        case MemberRecord() | ViewRecord():
            _check(case, record)
            case.setting.append((place, record))
        case VerdictRecord():
            said = said_in(record)
            case.setting.append((place, record))
            case.promises[said.property] = said.promise, said.promised_by
        case _:
            pass


def _check_views(case: Case) -> None:
    """Raise TraceError if the numbers of views do not rise, since the rows of a view are found by its number."""
    numbers = [record.view for _, record in case.setting if isinstance(record, ViewRecord)]
    if any(number <= before for before, number in pairwise(numbers)):
        raise refusal(case.source, f"run {case.head.run!r}: its views are not numbered upwards")


def _collect_conditions(events: DataFrame, cases: Mapping[str, Case]) -> None:
    """Keep which copies ended with members, how each grid was set up, and when admitted weaknesses were in effect."""
    placed: dict[str, list[tuple[int, Record]]] = {run: list(case.setting) for run, case in cases.items()}
    for row in events.where(f.col("name").isin([NAMES[kind] for kind in _CONDITIONS])).collect():
        its = case_of(cases, row["run"])
        try:
            event = read_fields(row["name"], row["fields"])
        except TraceError as error:
            raise refusal(its.source, f"run {row['run']!r}: {error}") from None
        if isinstance(event, CopiesEnded):
            its.recorded_ends.append((row[POSITION], event.member))
        else:
            placed[row["run"]].append((row[POSITION], EventRecord(row["run"], row["at_ms"], None, event)))
    for run, case in cases.items():
        conditions = RunConditions()
        for _, record in sorted(placed[run], key=lambda one: one[0]):
            conditions.observe(record)
        case.grouped, case.stated = conditions.grouped, conditions.scene.stated
        for prop in INVARIANTS if conditions.admitted else ():
            of_it = Comparisons((), conditions, prop.name, is_timeless=prop.is_timeless)
            case.admitted[prop.name] = of_it.admitted_spans()


def _count_records(sources: Sources, cases: Mapping[str, Case]) -> None:
    words = sources.there.difference(SMALL, {"row"})
    if not words:
        return
    kinds = [sources[word].select("run", f.lit(word).alias("what")) for word in words if word != "event"]
    if "event" in words:
        kinds.append(sources["event"].select("run", f.concat(f.lit(EVENT), "name").alias("what")))
    for line in reduce(DataFrame.unionAll, kinds).groupBy("run", "what").count().collect():
        case_of(cases, line["run"]).counts[line["what"]] += line["count"]


def _check(case: Case, record: Record) -> None:
    """Raise TraceError if a record makes no sense; the plain reader finds the place of the record."""
    try:
        if isinstance(record, RunRecord):
            schema.check_head(record)
        schema.check_sense(record, case.head.partition_count)
    except TraceError as error:
        raise refusal(case.source, f"run {case.head.run!r}: {error}") from None


def case_of(cases: Mapping[str, Case], run: str) -> Case:
    """Return the case of a run; raise TraceError if no trace has the head of the run."""
    if run not in cases:
        raise unbegun(run)
    return cases[run]


def unbegun(run: str | None) -> TraceError:
    """Return the error for records of a run whose run record is in no trace."""
    return TraceError(f"records of run {run!r} are in a trace that does not begin the run; record the run again")


def _records(frame: DataFrame, word: str) -> Iterable[tuple[int, Any, Any]]:
    """Yield the positions, the records and the Spark rows of a small frame."""
    for row in frame.collect():  # all at once: an iterator starts a job for each part
        yield row[POSITION], _record(word, row), row


def _record(word: str, row: Any) -> Record:
    values = []
    for field in schema.FIELDS[word]:
        value = row[field.name]
        if isinstance(value, list):
            value = tuple(value)
        elif field.choices is not None and value is not None:
            value = field.choices[value]
        values.append(value)
    return schema.make_record(word, values)


def refusal(source: Path, why: TraceError | str) -> TraceError:
    """Return the plain reader's error on a malformed trace, which names the place; `why` if there is no such error."""
    try:
        for _ in open_trace(source).records():
            pass
    except TraceError as error:
        return error
    return why if isinstance(why, TraceError) else TraceError(f"{source}: {why}; record the run again")
