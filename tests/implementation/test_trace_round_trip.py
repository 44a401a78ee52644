"""What is written is what is read."""

from collections.abc import Iterable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.trace import TraceFormat, open_trace, read_trace, write_trace
from gridproof_implementation.trace.json_lines import FIRST, encode
from gridproof_implementation.trace.json_reading import decode
from gridproof_implementation.trace.parquet import POSITION, READ_BATCH_ROWS, ROW_GROUP_ROWS
from gridproof_implementation.trace.schema import FIELDS
from gridproof_model.trace import RECORD_KINDS, Record, RowRecord, RunRecord, ViewRecord
from tests.implementation.drawn_records import records, traces
from tests.profiles import examples

HEAD = RunRecord("r", "reference", "1", 0, 271, 1)


def write(folder: str | Path, trace: Iterable[Record], trace_format: TraceFormat) -> Path:
    path = Path(folder) / f"trace.{trace_format}"
    with write_trace(path) as writer:
        for record in trace:
            writer.write(record)
    return path


@pytest.mark.parametrize("word", RECORD_KINDS)
@given(data=st.data())
def test_every_kind_of_record_survives_a_json_line(word: str, data: st.DataObject) -> None:
    record = data.draw(records(word))

    assert decode(encode(record)) == record


@pytest.mark.parametrize("word", RECORD_KINDS)
def test_no_field_takes_the_place_of_the_word_or_the_position(word: str) -> None:
    assert {FIRST, POSITION}.isdisjoint(field.name for field in FIELDS[word])


@pytest.mark.parametrize("trace_format", TraceFormat)
@given(trace=traces())
def test_every_trace_survives_both_formats(trace_format: TraceFormat, trace: list[Record]) -> None:
    with TemporaryDirectory() as folder:
        assert list(read_trace(write(folder, trace, trace_format))) == trace


@pytest.mark.parametrize("trace_format", TraceFormat)
@settings(max_examples=examples(20))
@given(trace=traces())
def test_equal_traces_are_equal_bytes(trace_format: TraceFormat, trace: list[Record]) -> None:
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        paths = [write(folder, trace, trace_format) for folder in (one, two)]
        assert contents(paths[0]) == contents(paths[1])


def contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else sorted(path.iterdir())
    return {file.name: file.read_bytes() for file in files}


@pytest.mark.parametrize("trace_format", TraceFormat)
@settings(max_examples=examples(20))
@given(trace=traces())
def test_runs_are_read_one_by_one(trace_format: TraceFormat, trace: list[Record]) -> None:
    with TemporaryDirectory() as folder:
        runs = [(head, list(body)) for head, body in open_trace(write(folder, trace, trace_format)).runs()]

    assert [record for _, body in runs for record in body] == trace
    assert all(body[0] == head and {r.run for r in body} == {head.run} for head, body in runs)


def test_a_run_that_is_not_read_up_is_passed_over(tmp_path: Path) -> None:
    look = ViewRecord("r", 0, 0, "joined 1", 0, True, (0,), (0,), ("a",))
    row = RowRecord("r", 0, 0, (0,))
    second = RunRecord("s", "reference", "1", 0, 271, 1)
    trace = open_trace(write(tmp_path, [HEAD, look, row, second], TraceFormat.JSON_LINES))

    assert [head.run for head, _ in trace.runs()] == ["r", "s"]


def test_order_survives_many_row_groups_and_batches(tmp_path: Path) -> None:
    size = ROW_GROUP_ROWS + READ_BATCH_ROWS + 1
    look = ViewRecord("r", 0, 0, "joined 1", 0, True, (0,), (0,), ("a",))
    rows = [RowRecord("r", 0, partition, (partition % 5, None)) for partition in range(size)]

    head = RunRecord("r", "reference", "1", 0, size, 1)

    read = read_trace(write(tmp_path, [head, look, *rows], TraceFormat.PARQUET))

    numbers = count()
    assert all(row.partition == next(numbers) for row in read if isinstance(row, RowRecord))
    assert next(numbers) == size
