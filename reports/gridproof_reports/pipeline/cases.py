"""What of each run fits in memory.

Head, members, views, promises, and the few rows that are shown. Grows with the number of views, not with that of rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from gridproof_implementation.adapter import Options
from gridproof_implementation.adapters import ADAPTERS
from gridproof_implementation.trace import TraceError, TraceFile
from gridproof_implementation.trace.schema import FIELDS, make_record
from gridproof_model.trace import Record, RowRecord, RunRecord
from gridproof_properties.audits.recorder import STOPPED
from gridproof_properties.conformance import promise_levels
from gridproof_properties.judge import unfinished
from gridproof_properties.verdict import PromiseLevel, Verdict
from gridproof_reports.pipeline.job import POSITION, Case
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
            raise TraceError(f"run {head.run!r} stands in {cases[head.run].source} and in {path}; judge one of them")
        cases[head.run] = Case(head, path)
    _collect_settings(kinds, cases)
    return cases


def _collect_settings(kinds: Mapping[str, DataFrame], cases: Mapping[str, Case]) -> None:
    for word in ("member", "view"):
        for place, record, _ in _records(kinds[word], word):
            case_of(cases, record.run).setting.append((place, record))
    for case in cases.values():
        case.setting.sort(key=lambda placed: placed[0])
    for _, record, _ in _records(kinds["verdict"], "verdict"):
        case_of(cases, record.run).promises[record.property] = _level(record)
    for _, record, _ in _records(kinds["event"].where(f.col("name") == STOPPED), "event"):
        case_of(cases, record.run).stopped = record.detail


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
    for row in frame.toLocalIterator():
        yield row[POSITION], _record(word, row), row


def _record(word: str, row: Any) -> Record:
    values = []
    for field in FIELDS[word]:
        value = row[field.name]
        if isinstance(value, list):
            value = tuple(value)
        elif field.choices is not None and value is not None:
            value = field.choices(value)
        values.append(value)
    return make_record(word, values)


def _level(record: Any) -> PromiseLevel:
    try:
        return PromiseLevel(record.promise)
    except ValueError:
        found = f"the verdict on {record.property} has promise {record.promise!r}"
        raise TraceError(f"run {record.run!r}: {found}; must be one of {', '.join(PromiseLevel)}") from None


def promises_of(case: Case) -> Mapping[str, PromiseLevel]:
    """Return what the subject of a run promised, by property.

    Choice: what the run itself recorded with its verdicts; else what the catalogue says of a system of this name; else
    nothing, for nobody may be blamed for what nobody is known to have promised.
    """
    if case.promises:
        return case.promises
    head = case.head
    options = Options(seed=head.seed, backup_count=head.backup_count, partition_count=head.partition_count)
    adapter = next((adapter for adapter in ADAPTERS if adapter.name == head.system), None)
    return {} if adapter is None else promise_levels(adapter, options)


def with_promises(case: Case, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """Return the verdicts with the subject's promises, and none that holds where the audit stopped before its end."""
    promises = promises_of(case)
    told = [replace(verdict, promise=promises.get(verdict.property, PromiseLevel.NONE)) for verdict in verdicts]
    return tuple(told if case.stopped is None else (unfinished(verdict, case.stopped) for verdict in told))
