"""What an audit says of traces it cannot judge."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as parquet
import pytest

from gridproof_implementation.trace import TraceError, open_trace, write_trace
from gridproof_implementation.trace.json_lines import encode
from gridproof_implementation.trace.parquet import ROW_GROUP_ROWS
from gridproof_model.trace import OperationKind, OperationRecord, Outcome, RowRecord, RunRecord, ViewRecord
from gridproof_reports.pipeline import java
from gridproof_reports.pipeline.audit import Engine, audit_traces, look_at
from gridproof_reports.pipeline.case import RunAudit
from gridproof_reports.pipeline.java import PipelineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HEAD = RunRecord("r", "reference", "1", 0, 1, 1)
VIEW = ViewRecord("r", 0, 0, "joined 1", 0, True, (0,), (0,), ("a",))
ROW = RowRecord("r", 0, 0, (0,), 1)


def judge(spark: "SparkSession", *paths: Path) -> tuple[RunAudit, ...]:
    from gridproof_reports.pipeline.judging import judge_traces

    return judge_traces(spark, look_at(paths), lambda *_: None)


def a_trace(path: Path, *more: str) -> Path:
    path.write_text("".join([encode(HEAD), encode(VIEW), encode(ROW), *(f"{line}\n" for line in more)]))
    return path


def test_a_missing_trace_is_named_before_spark_starts(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"none\.jsonl: no such file or directory"):
        audit_traces([tmp_path / "none.jsonl"])


def test_no_trace_at_all_is_wrong_use() -> None:
    with pytest.raises(TraceError, match="no trace was named"):
        audit_traces([])


def test_a_trace_named_twice_is_wrong_use(tmp_path: Path) -> None:
    path = a_trace(tmp_path / "a.jsonl")

    with pytest.raises(TraceError, match="was named twice"):
        audit_traces([path, path])


def test_a_missing_java_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "ask_version", lambda home: None)

    with pytest.raises(PipelineError, match=r"^Spark needs Java 17 or 21; .+$"):
        audit_traces([a_trace(tmp_path / "a.jsonl")], engine=Engine.SPARK)


def test_a_damaged_page_is_reported_before_spark_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "ask_version", lambda home: None)
    path = tmp_path / "a.parquet"
    with write_trace(path) as trace:
        trace.write(replace(HEAD, partition_count=ROW_GROUP_ROWS + 1))
        trace.write(VIEW)
        for partition in range(ROW_GROUP_ROWS + 1):
            trace.write(replace(ROW, partition=partition))
    content = bytearray((path / "row.parquet").read_bytes())
    content[parquet.read_metadata(path / "row.parquet").row_group(1).column(1).dictionary_page_offset - 1] ^= 0xFF
    (path / "row.parquet").write_bytes(content)

    with pytest.raises(TraceError, match=r"row\.parquet: not a whole Parquet file"):
        audit_traces([path], engine=Engine.SPARK)


MALFORMED = {
    '{"record":"row","run":"r","view":0,"partition":0,"slots":[0,"a"]}': 'slots must be .*, found "a"; ',
    '{"record":"row","run":"r","view":0,"partition":0,"slots":[-1]}': "slots must be .*, found -1; ",
    '{"record":"row","run":"r","view":0,"partition":0.5,"slots":[0]}': "partition must be .*, found 0.5; ",
    '{"record":"row","run":"r","view":0,"slots":[0]}': "the row record has no partition, ",
    '{"record":"row","run":"r","view":0,"partition":0,"slots":[0],"x":1}': '"x" is no field of the row record; ',
    '{"record":"rows","run":"r"}': '"rows" is no kind of record; ',
    '{"record":"event","run":"r","at_ms":0,"name":"e","member":null,"fields":': "not a line of JSON ",
}
"""What the plain reader complains of in each."""


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_spark_knows_each_malformed_line(spark: "SparkSession", tmp_path: Path) -> None:
    from gridproof_reports.pipeline.sources import malformed, read_lines

    good = a_trace(tmp_path / "good.jsonl")
    wrong = {a_trace(tmp_path / f"{number}.jsonl", line) for number, line in enumerate(MALFORMED)}
    lines = read_lines(spark, [good, *wrong])

    assert lines is not None
    assert malformed(lines) == wrong


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_a_malformed_line_is_named_with_its_number(spark: "SparkSession", tmp_path: Path) -> None:
    line, complaint = next(iter(MALFORMED.items()))

    with pytest.raises(TraceError, match=f":4: {complaint}"):
        judge(spark, a_trace(tmp_path / "a.jsonl", line))


@pytest.mark.parametrize("line", MALFORMED)
def test_the_plain_reader_says_what_is_wrong_with_it(tmp_path: Path, line: str) -> None:
    trace = open_trace(a_trace(tmp_path / "a.jsonl", line))

    with pytest.raises(TraceError, match=f":4: {MALFORMED[line]}"):
        list(trace.records())


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_two_runs_of_one_name_are_not_mixed_up(spark: "SparkSession", tmp_path: Path) -> None:
    paths = [a_trace(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]

    with pytest.raises(TraceError, match=r"run 'r' is both in .*a\.jsonl and in .*b\.jsonl; judge one of them"):
        judge(spark, *paths)


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_what_spark_finds_wrong_is_said_with_its_place(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = a_trace(tmp_path / "twice.jsonl")
    path.write_text(path.read_text() * 2)
    monkeypatch.setattr("gridproof_reports.pipeline.session.open_session", lambda *_, **__: nullcontext(spark))

    with pytest.raises(TraceError, match=r'twice\.jsonl:\d+: run "r" begins a second time'):
        audit_traces([path], engine=Engine.SPARK)


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_more_runs_than_anybody_judges_are_refused_before_they_are_judged(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("".join(encode(replace(HEAD, run=name)) for name in "abc"))
    monkeypatch.setattr("gridproof_reports.pipeline.cases.schema.RUNS_MAX", 2)
    monkeypatch.setattr("gridproof_implementation.trace.schema.RUNS_MAX", 2)

    with pytest.raises(TraceError, match=r"many\.jsonl:3: a trace has at most 2 runs"):
        judge(spark, path)


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_an_operation_that_is_recorded_twice_is_refused(spark: "SparkSession", tmp_path: Path) -> None:
    read = encode(OperationRecord("r", 0, 0, OperationKind.READ, "k", 0, None, Outcome.OK, None, None, 1, 2, "s"))

    with pytest.raises(TraceError, match="operation 0 is recorded a second time"):
        judge(spark, a_trace(tmp_path / "a.jsonl", read.strip(), read.strip()))


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
def test_rows_without_their_view_are_not_passed_over(spark: "SparkSession", tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    with write_trace(path) as trace:
        for record in (HEAD, VIEW, ROW):
            trace.write(record)
    rows = parquet.read_table(path / "row.parquet")
    parquet.write_table(rows.set_column(rows.column_names.index("view"), "view", [[7]]), path / "row.parquet")

    with pytest.raises(TraceError, match="record at position 2 of the trace: a row of view 7 comes after view 0"):
        judge(spark, path)


@pytest.mark.xdist_group("spark")
@pytest.mark.spark
@pytest.mark.parametrize(
    ("run", "complaint"),
    [
        ("r", "a record of run 'r' is within run 's'; runs must follow one another"),
        ("other", "records of run 'other' are in a trace that does not begin the run; record the run again"),
    ],
)
def test_rows_of_another_run_are_not_passed_over(
    spark: "SparkSession", tmp_path: Path, run: str, complaint: str
) -> None:
    path = tmp_path / "a.parquet"
    with write_trace(path) as trace:
        for name in ("r", "s"):
            for record in (HEAD, VIEW, ROW):
                trace.write(replace(record, run=name))
    rows = parquet.read_table(path / "row.parquet")
    parquet.write_table(rows.set_column(rows.column_names.index("run"), "run", [["r", run]]), path / "row.parquet")

    with pytest.raises(TraceError, match=re.escape(complaint).replace("'r'", ".r.").replace("'s'", ".s.")):
        judge(spark, path)
