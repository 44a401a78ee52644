"""A directory with one Parquet file a kind of record.

Each file has the record's fields as columns and `position`, the record's place in the whole trace, so that the order in
which things happened survives the split into files. Row groups are bounded, for writing and for reading.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from gridproof_implementation.trace.schema import (
    FIELDS,
    KIND_WORDS,
    Field,
    RunOrder,
    Shape,
    TraceError,
    check_record,
    make_record,
    must_be,
)
from gridproof_model.trace import RECORD_KINDS, Record

ROW_GROUP_ROWS = 65_536
READ_BATCH_ROWS = 8_192
POSITION = "position"

COLUMN_TYPES: dict[Shape, Any] = {
    Shape.TEXT: arrow.string(),
    Shape.CHOICE: arrow.string(),
    Shape.INTEGER: arrow.int64(),
    Shape.NUMBER: arrow.float64(),
    Shape.TRUTH: arrow.bool_(),
    Shape.BYTES: arrow.binary(),
    Shape.MEMBERS: arrow.list_(arrow.int32()),
    Shape.SLOTS: arrow.list_(arrow.int32()),
    Shape.TEXTS: arrow.list_(arrow.string()),
}


def schema_of(word: str) -> Any:
    """Return the Arrow schema of one kind's file."""
    columns = [arrow.field(f.name, COLUMN_TYPES[f.shape], nullable=f.optional) for f in FIELDS[word]]
    return arrow.schema([arrow.field(POSITION, arrow.int64(), nullable=False), *columns])


def open_kind(folder: Path, word: str) -> Any:
    """Return a Parquet writer for one kind of record in this folder; the caller closes it."""
    options: dict[str, Any] = {
        "compression": "zstd",
        "use_dictionary": [f.name for f in FIELDS[word] if f.shape in (Shape.TEXT, Shape.CHOICE)],
        "column_encoding": {POSITION: "DELTA_BINARY_PACKED"},
        "store_schema": False,
    }
    return parquet.ParquetWriter(folder / f"{word}.parquet", schema_of(word), **options)


class ParquetWriter:
    """Writes records into a folder, one file a kind; holds at most one row group of each kind in memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0
        self._writers: dict[str, Any] = {}
        self._waiting: dict[str, list[tuple[int, Record]]] = {}

    def write(self, record: Record) -> None:
        """Write one record; TraceError when a value has no place in the format."""
        check_record(record)
        word = KIND_WORDS[type(record)]
        waiting = self._waiting.setdefault(word, [])
        waiting.append((self._written, record))
        self._written += 1
        if len(waiting) == ROW_GROUP_ROWS:
            self._flush(word)

    def close(self) -> None:
        """Write what waits and finish every file."""
        for word, waiting in self._waiting.items():
            if waiting:
                self._flush(word)
        for writer in self._writers.values():
            writer.close()

    def _flush(self, word: str) -> None:
        if word not in self._writers:
            self._writers[word] = open_kind(self._folder, word)
        waiting = self._waiting[word]
        columns = [arrow.array([position for position, _ in waiting], arrow.int64())]
        for field in FIELDS[word]:
            values = [getattr(record, field.name) for _, record in waiting]
            columns.append(arrow.array(values, COLUMN_TYPES[field.shape]))
        self._writers[word].write_table(arrow.Table.from_arrays(columns, schema=schema_of(word)))
        self._waiting[word] = []


@dataclass(frozen=True, slots=True)
class KindFile:
    """One kind's file of a trace, its columns already checked."""

    path: Path
    word: str

    def records(self) -> Iterator[tuple[int, Record]]:
        """Yield the records with their positions, one batch in memory at a time."""
        before = 0
        with parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(batch_size=READ_BATCH_ROWS):
                columns = [self._values(batch, field, before) for field in FIELDS[self.word]]
                positions: list[int] = batch.column(POSITION).to_pylist()
                for position, *values in zip(positions, *columns, strict=True):
                    yield position, make_record(self.word, values)
                before += batch.num_rows

    def _values(self, batch: Any, field: Field, before: int) -> list[Any]:
        column = batch.column(field.name)
        values: list[Any] = column.to_pylist()
        if arrow.types.is_list(column.type):
            values = [None if value is None else tuple(value) for value in values]
        elif field.choices is not None:
            words: dict[str | None, Any] = {choice.value: choice for choice in field.choices}
            values = [words.get(value, value) for value in values]
        if _is_suspect(column, field):
            wrong = next((i for i, value in enumerate(values) if not field.accepts(value)), None)
            if wrong is not None:
                raise TraceError(
                    f"{self.path}: record {before + wrong + 1}: {must_be(field, values[wrong])}; record the run again"
                )
        return values


def _is_suspect(column: Any, field: Field) -> bool:
    """Whether a column needs a look value by value: cheap whole-column checks first."""
    if not field.optional and column.null_count > 0:
        return True
    match field.shape:
        case Shape.MEMBERS | Shape.SLOTS:
            members = column.flatten()
            lowest = compute.call_function("min", [members]).as_py()
            return (lowest is not None and lowest < 0) or (field.shape is Shape.MEMBERS and members.null_count > 0)
        case Shape.TEXTS:
            return bool(column.flatten().null_count > 0)
        case Shape.CHOICE | Shape.NUMBER:
            return True
        case _:
            return False


def kind_files(folder: Path) -> list[KindFile]:
    """Return the files of a trace; TraceError when it is none, or a file lacks a column."""
    files = [KindFile(path, word) for word in RECORD_KINDS if (path := folder / f"{word}.parquet").is_file()]
    if not any(file.word == "run" for file in files):
        raise TraceError(f"{folder}: no run.parquet in this directory; it is not a gridproof trace")
    for file in files:
        _check_columns(file)
    return files


def _check_columns(file: KindFile) -> None:
    try:
        found = parquet.read_schema(file.path)
    except (arrow.ArrowInvalid, OSError) as error:
        reason = str(error).split("\n")[0]
        raise TraceError(f"{file.path}: not a whole Parquet file ({reason}); record the run again") from None
    expected = schema_of(file.word)
    missing = [name for name in expected.names if name not in found.names]
    if missing:
        raise TraceError(f"{file.path}: no column {', '.join(missing)}; see docs/trace-format.md")
    for name in expected.names:
        if not _same_type(found.field(name).type, expected.field(name).type):
            raise TraceError(
                f"{file.path}: column {name} is {found.field(name).type}, must be {expected.field(name).type}; "
                "see docs/trace-format.md"
            )


def _same_type(found: Any, expected: Any) -> bool:
    if arrow.types.is_list(found) and arrow.types.is_list(expected):
        return bool(found.value_type == expected.value_type)
    return bool(found == expected)


def read_parquet(folder: Path) -> Iterator[Record]:
    """Yield the records of a directory in the order they were written, a batch of each kind in memory at a time."""
    order = RunOrder()
    files = [file.records() for file in kind_files(folder)]
    for position, record in heapq.merge(*files, key=lambda placed: placed[0]):
        try:
            order.check(record)
        except TraceError as error:
            raise TraceError(f"{folder}: record {position + 1} of the trace: {error}") from None
        yield record
