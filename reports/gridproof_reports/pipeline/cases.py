"""What of each run fits in memory.

Head, members, views, promises, and the few rows that are shown. Grows with the number of views, not with that of rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from gridproof_implementation.trace import TraceError, TraceFile, open_trace
from gridproof_implementation.trace.event_fields import read_fields
from gridproof_implementation.trace.schema import FIELDS, check_head, check_sense, make_record
from gridproof_model.events import NAMES
from gridproof_model.events.conditions import AuditSetup, Configured, CopiesEnded
from gridproof_model.trace import Record, RowRecord, RunRecord
from gridproof_properties.judging.verdict_records import verdict_of_record
from gridproof_reports.pipeline.job import POSITION, Case
from gridproof_reports.pipeline.local import twice
from gridproof_reports.pipeline.sources import SOURCE, local_path

_ROWS_AT_ONCE = 10_000
"""Rows that are looked up by position in one query."""


def collect_cases(kinds: Mapping[str, DataFrame], traces: Sequence[TraceFile]) -> dict[str, Case]:
    """Return a case a run, by its name, in the order of the traces; TraceError when two runs have one name."""
    order = {trace.path.absolute(): number for number, trace in enumerate(traces)}
    heads = []
    for place, record, row in _records(kinds["run"], "run"):
        file = local_path(row[SOURCE])
        source = file if file in order else file.parent
        heads.append((order[source], place, record, traces[order[source]].path))
    cases: dict[str, Case] = {}
    for _, _, head, path in sorted(heads, key=lambda found: found[:2]):
        assert isinstance(head, RunRecord)
        if head.run in cases:
            raise TraceError(twice(head.run, cases[head.run].source, path))
        cases[head.run] = Case(head, path)
        _check(cases[head.run], head)
    _collect_settings(kinds, cases)
    _count_records(kinds, cases)
    return cases


def _collect_settings(kinds: Mapping[str, DataFrame], cases: Mapping[str, Case]) -> None:
    for word in ("member", "view"):
        for place, record, _ in _records(kinds[word], word):
            case = case_of(cases, record.run)
            _check(case, record)
            case.setting.append((place, record))
    for case in cases.values():
        case.setting.sort(key=lambda placed: placed[0])
    for _, record, _ in _records(kinds["verdict"], "verdict"):
        case_of(cases, record.run).promises[record.property] = verdict_of_record(record).promise
    _collect_conditions(kinds["event"], cases)


def _collect_conditions(events: DataFrame, cases: Mapping[str, Case]) -> None:
    """Keep what members took along, and how each grid was set up."""
    wanted = [NAMES[kind] for kind in (CopiesEnded, Configured, AuditSetup)]
    for row in events.where(f.col("name").isin(wanted)).collect():
        its = case_of(cases, row["run"])
        try:
            event = read_fields(row["name"], row["fields"])
        except TraceError as error:
            raise refusal(its.source, f"run {row['run']!r}: {error}") from None
        match event:
            case CopiesEnded():
                its.recorded_ends.append((row[POSITION], event.member))
            case Configured() | AuditSetup():
                its.grouped = event.grouped
            case _:
                pass


def _count_records(kinds: Mapping[str, DataFrame], cases: Mapping[str, Case]) -> None:
    runs = [frame.select("run") for word, frame in kinds.items() if word != "row"]
    for line in reduce(DataFrame.unionAll, runs).groupBy("run").count().collect():
        case_of(cases, line["run"]).record_count = line["count"]


def _check(case: Case, record: Record) -> None:
    """Raise TraceError where a record makes no sense; the plain reader says where it stands."""
    try:
        if isinstance(record, RunRecord):
            check_head(record)
        check_sense(record, case.head.partition_count)
    except TraceError as error:
        raise refusal(case.source, f"run {case.head.run!r}: {error}") from None


def case_of(cases: Mapping[str, Case], run: str) -> Case:
    """Return the case of a run; TraceError when no trace begins it."""
    if run not in cases:
        raise TraceError(f"records of run {run!r} stand in a trace that does not begin it; record the run again")
    return cases[run]


def fetch_rows(rows: DataFrame, cases: Mapping[str, Case], wanted: Iterable[tuple[str, int]]) -> None:
    """Look up table rows by run and position, into their cases."""
    places = sorted(set(wanted))
    for begin in range(0, len(places), _ROWS_AT_ONCE):
        chosen = places[begin : begin + _ROWS_AT_ONCE]
        found = rows.where(f.col(POSITION).isin(sorted({place for _, place in chosen})))
        for place, record, _ in _records(found, "row"):
            if (record.run, place) in chosen:
                assert isinstance(record, RowRecord)
                cases[record.run].rows[place] = record


def _records(frame: DataFrame, word: str) -> Iterable[tuple[int, Any, Any]]:
    """Yield positions, records and Spark's own rows of a small frame."""
    for row in frame.collect():  # at once: an iterator has a job a part
        yield row[POSITION], _record(word, row), row


def _record(word: str, row: Any) -> Record:
    values = []
    for field in FIELDS[word]:
        value = row[field.name]
        if isinstance(value, list):
            value = tuple(value)
        elif field.choices is not None and value is not None:
            value = field.choices[value]
        values.append(value)
    return make_record(word, values)


def refusal(source: Path, why: str) -> TraceError:
    """Return what the plain reader says of a malformed trace: it names the place; this, where it finds nothing."""
    try:
        for _ in open_trace(source).records():
            pass
    except TraceError as error:
        return error
    return TraceError(f"{source}: {why}; record the run again")
