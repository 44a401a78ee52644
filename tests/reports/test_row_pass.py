"""What is found in parts of a file, and batches of any size, equals what is found in one; without Spark."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from gridproof_implementation.trace import write_trace
from gridproof_model.trace import MemberRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.invariants import INVARIANTS
from gridproof_properties.judging.panel import judge_run, verdict_of
from gridproof_properties.judging.verdict import PromiseLevel, Verdict
from tests.reports.random_runs import random_run

pytest.importorskip("pyspark", exc_type=ImportError)

from gridproof_reports.pipeline import row_pass
from gridproof_reports.pipeline.case import Case
from gridproof_reports.pipeline.columns import COLUMNS, views_of
from gridproof_reports.pipeline.row_pass import Found, RunReduction, deal_out, read_parts

OF_TABLES = (RunRecord, MemberRecord, ViewRecord, RowRecord)
PROPERTIES = tuple(replace(prop, limits=()) for prop in INVARIANTS)
HEAD = RunRecord("r", "reference", "1", 0, 2, 1)
VIEW = ViewRecord("r", 0, 0, "joined 1", 0, True, (0, 1), (0, 1), ("a", "b"))


def table_run(seed: int, first_member: int = 0, slot_count: int = 3) -> list[Record]:
    return [record for record in random_run(seed, first_member, slot_count) if isinstance(record, OF_TABLES)]


def with_odd_rows(records: Sequence[Record], seed: int) -> Iterator[Record]:
    """Yield a run in which some rows have other slots and odd versions, or are missing."""
    rng = Random(seed)
    for record in records:
        if not isinstance(record, RowRecord) or rng.random() < 0.8:
            yield record
        elif rng.random() < 0.8:
            slots = rng.choice([record.slots, (*record.slots, None), (), (2**31 - 1, None, 0, 0)])
            yield replace(record, slots=slots, version=rng.choice([None, record.version, -3, 2**40]))


def case_of(records: Sequence[Record], trace: Path) -> Case:
    placed = list(enumerate(records))
    head = records[0]
    assert isinstance(head, RunRecord)
    case = Case(head, trace, 0)
    case.setting += [(place, one) for place, one in placed if isinstance(one, MemberRecord | ViewRecord)]
    return case


def found_in(runs: Iterable[Sequence[Record]], trace: Path, rows: int = 1) -> list[tuple[Case, Found]]:
    """Write a trace; return each run with what is found in its rows, read in parts of about so many."""
    position, cases = 0, []
    with write_trace(trace) as writer:
        for run in runs:
            cases.append(moved(case_of(run, trace), position))
            position += len(run)
            for record in run:
                writer.write(record)
    cases = [replace(case, end_position=after.head_position) for case, after in pairwise(cases)] + cases[-1:]
    parts = deal_out(trace, cases, rows)
    views = {case.head.run: views_of(case) for case in cases}
    numbers = arrow.RecordBatch.from_pydict({"id": list(range(len(parts)))})
    batches = read_parts(parts, views, PROPERTIES, iter([numbers]))
    found = {line["run"]: pickle.loads(line["found"]) for batch in batches for line in batch.to_pylist()}
    return [(case, found[case.head.run]) for case in cases]


def moved(case: Case, position: int) -> Case:
    """Return a run that begins behind others."""
    setting = [(position + place, record) for place, record in case.setting]
    return replace(case, head_position=position, setting=setting)


def verdicts_of(found: Found) -> list[Verdict]:
    seen = {"row"} if found.shown.rows else set[str]()
    return [verdict_of(prop, found.findings[prop.name], PromiseLevel.NONE, seen) for prop in PROPERTIES]


def assert_equal_verdicts(runs: Sequence[Sequence[Record]], trace: Path, rows: int = 1) -> None:
    for run, (_, found) in zip(runs, found_in(runs, trace, rows), strict=True):
        assert verdicts_of(found) == list(judge_run(run, PROPERTIES, {}))


@pytest.mark.parametrize("batch_rows", [1, 7, 10_000])
@pytest.mark.parametrize(("first_member", "slot_count"), [(0, 3), (0, 9), (61, 3), (70, 9)])
def test_verdicts_are_equal_however_rows_come_in_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_rows: int, first_member: int, slot_count: int
) -> None:
    monkeypatch.setattr(row_pass, "BATCH_ROWS", batch_rows)

    assert_equal_verdicts([table_run(seed, first_member, slot_count) for seed in range(5)], tmp_path / "a.parquet")


@pytest.mark.parametrize("seed", range(10))
def test_verdicts_on_odd_and_missing_rows_are_equal(tmp_path: Path, seed: int) -> None:
    assert_equal_verdicts([list(with_odd_rows(table_run(seed), seed))], tmp_path / "a.parquet")


@pytest.mark.parametrize("rows", [1, 300, 10**6])
def test_verdicts_are_equal_where_row_groups_hold_pieces_of_several_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr("gridproof_implementation.trace.parquet.ROW_GROUP_ROWS", 13)

    assert_equal_verdicts([table_run(seed) for seed in range(20, 32)], tmp_path / "a.parquet", rows)


def test_verdicts_are_equal_where_a_file_says_nothing_of_its_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_pass, "_ends_of", lambda group, column: None)

    assert_equal_verdicts([table_run(seed) for seed in range(3)], tmp_path / "a.parquet")


def test_a_run_without_rows_among_others_is_judged(tmp_path: Path) -> None:
    without_rows: Sequence[Record] = [replace(HEAD, run="b"), replace(VIEW, run="b")]

    assert_equal_verdicts([[HEAD, VIEW, RowRecord("r", 0, 0, (0, 1), 1)], without_rows], tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("view", 7),
        ("view", 1),
        ("partition", 2),
        ("partition", -1),
        ("slots", [0, -1]),
        ("position", 1),
        ("position", 9),
    ],
)
def test_a_row_that_no_trace_may_have_there_is_a_stray(column: str, value: object) -> None:
    case = case_of([HEAD, VIEW, RowRecord("r", 0, 0, (0, 1), 1), replace(VIEW, view=1)], Path("a.parquet"))
    row = {"position": 2, "view": 0, "partition": 0, "slots": [0, 1], "version": 1} | {column: value}
    schema = arrow.schema([(name, arrow.list_(arrow.int32()) if name == "slots" else arrow.int64()) for name in row])
    reduction = RunReduction.of(views_of(case), ())
    reduction.add(arrow.RecordBatch.from_pylist([row], schema=schema))

    assert reduction.finish().shown.strays == 1


def test_each_row_of_a_view_stands_once_by_partition() -> None:
    case = case_of([replace(HEAD, partition_count=3), VIEW], Path("a.parquet"))
    reduction = RunReduction.of(views_of(case), ())
    types: dict[str, arrow.DataType] = {"slots": arrow.list_(arrow.int32())}
    schema = arrow.schema([(one, types.get(one, arrow.int64())) for one in COLUMNS])
    for position, partition in enumerate((1, 1, 0, 2), start=2):  # each in a batch of its own
        row = {"position": position, "view": 0, "partition": partition, "slots": [0, 1], "version": 1}
        reduction.add(arrow.RecordBatch.from_pylist([row], schema=schema))

    assert reduction.finish().shown.strays == 2


def test_rows_of_a_run_that_nobody_begins_are_handed_up_by_its_name(tmp_path: Path) -> None:
    trace = tmp_path / "a.parquet"
    with write_trace(trace) as writer:
        for record in (HEAD, VIEW, RowRecord("r", 0, 0, (0, 1), 1)):
            writer.write(record)
    rows = parquet.read_table(trace / "row.parquet")
    parquet.write_table(rows.set_column(rows.column_names.index("run"), "run", [["other"]]), trace / "row.parquet")
    numbers = arrow.RecordBatch.from_pydict({"id": [0, 1]})
    case = case_of([HEAD, VIEW], trace)
    parts = deal_out(trace, [case], 1)

    found = read_parts(parts, {"r": views_of(case)}, (), iter([numbers.slice(0, len(parts))]))

    assert {"run": "other", "found": None} in [line for batch in found for line in batch.to_pylist()]
