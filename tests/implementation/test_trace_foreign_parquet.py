"""Parquet traces as pandas, Polars, DuckDB, Dask and Spark write them, and such as nobody can read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.dataset as dataset
import pyarrow.parquet as parquet
import pytest

from gridproof_implementation.trace import TraceError, open_trace, parquet_parts, read_trace, write_trace
from gridproof_implementation.trace.files import in_our_columns
from gridproof_implementation.trace.parquet import is_ours
from gridproof_model.events.harness import Remark
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    Record,
    RouteRecord,
    RowRecord,
    RunRecord,
    VerdictRecord,
    ViewRecord,
)


def records_of(run: str) -> tuple[Record, ...]:
    return (
        RunRecord(run, "reference", "1", 7, 2, 1),
        MemberRecord(run, 0, 0, MemberChange.JOINED, "a:5701", "a"),
        ViewRecord(run, 0, 1, "joined 1", 0, True, (0,), (0,), ("a",)),
        RowRecord(run, 0, 0, (0, None), None),
        RowRecord(run, 0, 1, (0, None), 3),
        RouteRecord(run, "int", b"\x01\x02", 271, 4, "1", False),
        EventRecord(run, 2, None, Remark("log", "fine")),
        VerdictRecord(run, "no-orphan", "holds", "none", "all is well", ("so",)),
    )


RECORDS = (*records_of("one"), *records_of("two 2"))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    with write_trace(tmp_path / "whole.parquet") as writer:
        for record in RECORDS:
            writer.write(record)
    return tmp_path / "whole.parquet"


def change(trace: Path, word: str, column: str, to: Any) -> Path:
    """Give one column of one file another type."""
    file = trace / f"{word}.parquet"
    table = parquet.read_table(file)
    parquet.write_table(table.set_column(table.column_names.index(column), column, table.column(column).cast(to)), file)
    return file


TEXT, WHOLE = arrow.dictionary(arrow.int32(), arrow.string()), arrow.uint64()
FORMS = [
    *(("row", "position", kind) for kind in (arrow.int16(), arrow.uint8(), arrow.uint64(), arrow.float64())),
    *(("row", "version", kind) for kind in (arrow.float64(), arrow.int32(), arrow.uint32(), arrow.decimal128(20, 0))),
    *(("run", "run", kind) for kind in (arrow.large_string(), arrow.string_view(), TEXT)),
    *(("member", "change", kind) for kind in (arrow.large_string(), TEXT)),
    *(("member", "weight", kind) for kind in (arrow.float32(), arrow.int64())),
    *(("view", "members", arrow.list_(kind)) for kind in (arrow.int8(), arrow.uint64(), arrow.float64())),
    *(("row", "slots", kind) for kind in (arrow.large_list(arrow.int64()), arrow.list_(arrow.int16(), 2))),
    *(("view", "groups", kind) for kind in (arrow.large_list(arrow.large_string()), arrow.list_(TEXT))),
    *(("route", "payload", kind) for kind in (arrow.large_binary(), arrow.binary(2))),
    ("event", "fields", arrow.large_string()),
    ("verdict", "witness", arrow.large_list(arrow.string())),
]


@pytest.mark.parametrize(("word", "column", "kind"), FORMS)
def test_a_column_of_another_width_or_form_is_read_as_it_was_meant(
    trace: Path, word: str, column: str, kind: Any
) -> None:
    change(trace, word, column, kind)
    assert tuple(read_trace(trace)) == RECORDS


def test_a_number_that_is_none_stands_for_null(trace: Path) -> None:
    file = trace / "row.parquet"
    table = parquet.read_table(file)
    versions = arrow.array([float("nan"), 3.0] * 2)
    parquet.write_table(table.set_column(table.column_names.index("version"), "version", versions), file)
    assert tuple(read_trace(trace)) == RECORDS


@pytest.mark.parametrize(
    ("word", "column", "kind"),
    [
        ("member", "at_ms", arrow.timestamp("ms")),
        ("member", "at_ms", arrow.string()),
        ("view", "settled", arrow.int8()),
        ("row", "version", arrow.decimal128(20, 1)),
        ("row", "position", arrow.duration("ms")),
    ],
)
def test_a_column_that_could_be_meant_otherwise_is_refused(trace: Path, word: str, column: str, kind: Any) -> None:
    change(trace, word, column, kind)
    with pytest.raises(TraceError, match=rf"{word}\.parquet: column {column} is .*, not "):
        tuple(read_trace(trace))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (arrow.array([0.5, 1.0, 2.0, 3.0]), "0.5"),
        (arrow.array([0, 2**63, 2, 3], arrow.uint64()), "9223372036854775808"),
        (arrow.array([2.0**60, 1.0, 2.0, 3.0]), "1.15"),
    ],
)
def test_a_number_that_is_not_whole_or_not_known_is_named_with_its_place(trace: Path, values: Any, found: str) -> None:
    file = trace / "row.parquet"
    table = parquet.read_table(file)
    parquet.write_table(table.set_column(table.column_names.index("version"), "version", values), file)
    with pytest.raises(TraceError, match=rf"row\.parquet: record \d: version must be a whole number .*{found}"):
        tuple(read_trace(trace))


def as_parts(trace: Path, word: str, cut: Callable[[Any, Path], None]) -> Path:
    """Make a folder of one kind's file."""
    file = trace / f"{word}.parquet"
    table = parquet.read_table(file)
    file.unlink()
    file.mkdir()
    (file / "_SUCCESS").touch()
    (file / ".part-0.parquet.crc").write_bytes(b"crc")
    cut(table, file)
    return file


def in_two(table: Any, place: Path) -> None:
    parquet.write_table(table.slice(0, 1), place / "part-00000-9.snappy.parquet")
    parquet.write_table(table.slice(1), place / "part-00001-1.snappy.parquet")


def interleaved(table: Any, place: Path) -> None:
    parquet.write_table(table.take([0, 2]), place / "data_0.parquet")
    parquet.write_table(table.take([1, 3]), place / "data_1.parquet")


def by_run(table: Any, place: Path) -> None:
    for run, folder in (("two 2", "run=two%202"), ("one", "run=one")):
        (place / folder).mkdir()
        its = table.filter(dataset.field("run") == run).drop_columns(["run"])
        parquet.write_table(its, place / folder / "part-0.parquet")


def by_version(table: Any, place: Path) -> None:
    for version, folder in ((None, "version=__HIVE_DEFAULT_PARTITION__"), (3, "version=3")):
        (place / folder).mkdir()
        is_its = dataset.field("version").is_null() if version is None else dataset.field("version") == version
        parquet.write_table(table.filter(is_its).drop_columns(["version"]), place / folder / "a.parquet")


@pytest.mark.parametrize("cut", [in_two, interleaved, by_run, by_version])
def test_a_kind_that_is_a_folder_of_parts_is_read(trace: Path, cut: Callable[[Any, Path], None]) -> None:
    as_parts(trace, "row", cut)
    assert tuple(read_trace(trace)) == RECORDS


@pytest.mark.parametrize("word", ["run", "member", "view", "route", "event", "verdict"])
def test_every_kind_may_be_a_folder(trace: Path, word: str) -> None:
    as_parts(trace, word, in_two)
    assert tuple(read_trace(trace)) == RECORDS


def test_of_a_foreign_trace_spark_is_given_a_copy_in_our_columns(trace: Path) -> None:
    as_parts(trace, "row", by_run)
    change(trace, "event", "at_ms", arrow.int16())
    with in_our_columns(open_trace(trace)) as copy:
        assert is_ours(copy.path)
        assert tuple(copy.records()) == RECORDS
    assert not copy.path.exists()


def no_parts(table: Any, place: Path) -> None:
    del table, place


def other_names(table: Any, place: Path) -> None:
    parquet.write_table(table, place / "part-0.pq")


@pytest.mark.parametrize(("cut", "why"), [(no_parts, "the folder holds no part"), (other_names, "end in .parquet")])
def test_a_folder_that_would_be_lost_is_refused(trace: Path, cut: Callable[[Any, Path], None], why: str) -> None:
    as_parts(trace, "row", cut)
    with pytest.raises(TraceError, match=why):
        tuple(read_trace(trace))


@pytest.mark.parametrize("name", ["rows.parquet", "Row.parquet", "row"])
def test_a_name_that_is_no_kind_is_refused(trace: Path, name: str) -> None:
    (trace / "row.parquet").rename(trace / "waits")
    if name == "row":
        (trace / name).mkdir()
    (trace / "waits").rename(trace / name / "part-0.parquet" if name == "row" else trace / name)
    with pytest.raises(TraceError, match=r"a part of a trace has one of the names run\.parquet, member\.parquet, "):
        tuple(read_trace(trace))


def test_a_column_that_stands_twice_is_refused(trace: Path) -> None:
    file = trace / "member.parquet"
    table = parquet.read_table(file)
    parquet.write_table(table.append_column("run", table.column("run")), file)
    with pytest.raises(TraceError, match=r"member\.parquet: column run is there twice"):
        tuple(read_trace(trace))


@pytest.mark.parametrize(
    ("limit", "most", "why"),
    [
        ("CHUNK_BYTES_MAX", 9_999, r'column "fields" unpacks to 1\d,\d{3} bytes in one row group, and at most 9,999'),
        ("CHUNK_VALUES_MAX", 1, r'column "position" has 2 values in one row group, and at most 1'),
        ("BYTES_A_BYTE_MAX", 0, r"unpacks to [\d,]+ bytes, more than 0 for each byte"),
        ("ROWS_A_BYTE_MAX", 0, r"unpacks to 2 rows, more than 0 for each byte"),
    ],
)
def test_a_file_that_unpacks_to_more_than_is_kept_is_refused_before_it_is_unpacked(
    trace: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, why: str
) -> None:
    monkeypatch.setattr(parquet_parts, limit, most)
    file = trace / "event.parquet"
    table = parquet.read_table(file)
    long = table.set_column(table.column_names.index("fields"), "fields", [[" " * 5_000, "-" * 5_000]])
    parquet.write_table(long, file, compression="zstd", use_dictionary=False)
    with pytest.raises(TraceError, match=why):
        parquet_parts.check_size(file)


def test_fewer_rows_are_read_at_a_time_where_each_may_be_long(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_implementation.trace.parquet.READ_BATCH_BYTES", 1)
    monkeypatch.setattr("gridproof_implementation.trace.parquet.READ_BATCH_VALUES", 1)
    assert tuple(read_trace(trace)) == RECORDS
