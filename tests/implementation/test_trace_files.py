"""A trace is written whole or not at all."""

from contextlib import suppress
from pathlib import Path

import pytest

from gridproof_implementation.trace import TraceError, TraceFormat, open_trace, read_trace, write_trace
from gridproof_model.trace import RowRecord, RunRecord

HEAD = RunRecord("r", "reference", "1", 0, 271, 1)
BOTH = pytest.mark.parametrize("trace_format", TraceFormat)


@BOTH
def test_nothing_half_written_stays(tmp_path: Path, trace_format: TraceFormat) -> None:
    with suppress(KeyboardInterrupt), write_trace(tmp_path / f"trace.{trace_format}") as trace:
        trace.write(HEAD)
        raise KeyboardInterrupt

    assert list(tmp_path.iterdir()) == []


@BOTH
def test_a_trace_appears_only_when_it_is_whole(tmp_path: Path, trace_format: TraceFormat) -> None:
    path = tmp_path / f"trace.{trace_format}"
    with write_trace(path) as trace:
        trace.write(HEAD)
        assert not path.exists()

    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@BOTH
def test_an_existing_trace_is_never_overwritten(tmp_path: Path, trace_format: TraceFormat) -> None:
    path = tmp_path / f"trace.{trace_format}"
    path.write_text("precious")

    with pytest.raises(TraceError, match="exists already and is not overwritten; "), write_trace(path):
        pass

    assert path.read_text() == "precious"


@BOTH
def test_a_trace_that_appeared_meanwhile_is_kept(tmp_path: Path, trace_format: TraceFormat) -> None:
    path = tmp_path / f"trace.{trace_format}"
    writing = write_trace(path)
    writing.__enter__().write(HEAD)
    path.write_text("precious")

    with pytest.raises(TraceError, match="was made by another program"):
        writing.__exit__(None, None, None)
    assert path.read_text() == "precious"


def test_the_format_can_be_given_where_the_name_is_silent(tmp_path: Path) -> None:
    with write_trace(tmp_path / "trace", TraceFormat.PARQUET) as trace:
        trace.write(HEAD)

    assert open_trace(tmp_path / "trace").format is TraceFormat.PARQUET


def test_a_name_without_a_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"the name of a trace must end in \.jsonl or \.parquet"):
        write_trace(tmp_path / "trace.csv").__enter__()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot be written"), write_trace(tmp_path / "none" / "trace.jsonl"):
        pass


@BOTH
def test_a_record_no_reader_would_take_is_refused(tmp_path: Path, trace_format: TraceFormat) -> None:
    path = tmp_path / f"trace.{trace_format}"
    with pytest.raises(TraceError, match="the first record must be a run record"), write_trace(path) as trace:
        trace.write(RowRecord("r", 0, 0, (0,)))


def test_fields_with_a_default_may_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    line = '{"record": "run", "run": "r", "system": "reference", "version": "1", "seed": 0, '
    path.write_text(line + '"partition_count": 271, "backup_count": 1}')

    assert list(read_trace(path)) == [HEAD]
