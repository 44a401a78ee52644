"""A directory that has, for each kind of record, one Parquet file or one folder of parts.

Each file has the record's fields as columns, and a column `position` with the record's place in the whole trace, so
that the order of the records is kept across the files. The size of row groups is bounded, in writing and reading.
"""

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from gridproof_implementation.trace import schema
from gridproof_implementation.trace.foreign_columns import COLUMN_TYPES, UnfitError, as_wanted, can_hold
from gridproof_implementation.trace.json_lines import write_fields
from gridproof_implementation.trace.json_reading import read_fields
from gridproof_implementation.trace.parquet_parts import Group, check_size, given_by_folders, parts_of
from gridproof_model.trace import EventRecord, Record, ViewRecord

ROW_GROUP_ROWS = 65_536
READ_BATCH_ROWS = 8_192
READ_BATCH_VALUES = 2**20
"""About how many values of a column are in memory at a time; each value inside a list counts as one."""
READ_BATCH_BYTES = 2**29
"""How many bytes of text are in memory at most, even if a dictionary stands for long texts with few bytes."""
POSITION = "position"
_POSITION = schema.Field(POSITION, schema.Shape.INTEGER, False, None, None, True)
ViewsByRun = Mapping[str, Collection[int]]
"""The numbers of some views, by the name of their run."""
RECORD_AGAIN = "record the run again"


def schema_of(word: str) -> Any:
    """Return the Arrow schema of the file of one kind of record."""
    return _schema_of(schema.FIELDS[word])


def _schema_of(fields: Sequence[schema.Field]) -> Any:
    columns = [arrow.field(f.name, COLUMN_TYPES[f.shape], nullable=f.optional) for f in fields]
    return arrow.schema([arrow.field(POSITION, arrow.int64(), nullable=False), *columns])


class ParquetWriter:
    """Writes records into a folder, one file per kind; has about one row group of each kind in memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0
        self._kinds: dict[str, _KindWriter] = {}

    def write(self, record: Record) -> None:
        """Write one record; TraceError if a value does not fit the format."""
        schema.check_record(record)
        self._kind(schema.KIND_WORDS[type(record)]).add(self._written, record)
        self._written += 1

    def close(self) -> None:
        """Write the records that still wait, and finish every file."""
        for kind in self._kinds.values():
            kind.close()

    def _kind(self, word: str) -> "_KindWriter":
        if word not in self._kinds:
            self._kinds[word] = _KindWriter(self._folder, word)
        return self._kinds[word]


class _KindWriter:
    """The file of one kind of record, and the records that wait until they are its next row group."""

    def __init__(self, folder: Path, word: str) -> None:
        self._fields = schema.FIELDS[word]
        self._schema = schema_of(word)
        options: dict[str, Any] = {
            "compression": "zstd",
            "use_dictionary": [
                f.name for f in self._fields if f.shape in (schema.Shape.TEXT, schema.Shape.CHOICE, schema.Shape.EVENT)
            ],
            "column_encoding": {POSITION: "DELTA_BINARY_PACKED"},
            "store_schema": False,
            "write_page_checksum": True,
        }
        self._file = parquet.ParquetWriter(folder / f"{word}.parquet", self._schema, **options)
        self._records: list[tuple[int, Record]] = []

    def add(self, position: int, record: Record) -> None:
        self._records.append((position, record))
        if len(self._records) == ROW_GROUP_ROWS:
            self._flush()

    def write(self, table: Any) -> None:
        """Write a table of up to two row groups, unchanged."""
        self._file.write_table(table, row_group_size=2 * ROW_GROUP_ROWS)

    def close(self) -> None:
        if self._records:
            self._flush()
        self._file.close()

    def _flush(self) -> None:
        """Write the records that still wait."""
        columns = [arrow.array([position for position, _ in self._records], arrow.int64())]
        for field in self._fields:
            values = [_in_column(field, schema.value_of(record, field)) for _, record in self._records]
            columns.append(arrow.array(values, COLUMN_TYPES[field.shape]))
        self.write(arrow.Table.from_arrays(columns, schema=self._schema))
        self._records.clear()


def _in_column(field: schema.Field, value: Any) -> Any:
    return write_fields(value) if field.shape is schema.Shape.EVENT else value


@dataclass(frozen=True, slots=True)
class KindFile:
    """A file with records of one kind; its columns are already checked."""

    path: Path
    word: str
    given: Mapping[str, str | None]
    """The columns that are not in the file but in the names of its folders; each column has one value for all
    records."""
    is_ours: bool
    """Whether the file is the only one of its kind, and all its columns have the types that gridproof writes."""
    groups: tuple[Group, ...] = ()
    first: float = 0
    """The positions of the file's first and last record, if it is one of several files of its kind."""
    last: float = inf

    @property
    def fields(self) -> Sequence[schema.Field]:
        """The columns that the file has; for events, the column with the event's fields is last."""
        return schema.FIELDS[self.word]

    def records(self, rows_of: ViewsByRun | None = None) -> Iterator[tuple[int, Record]]:
        """Yield the records with their positions, one batch in memory at a time.

        If `rows_of` is given, table rows are only those of its views.
        """
        before = 0
        for batch in self._batches():
            for part in (batch,) if rows_of is None or self.word != "row" else self._of_views(batch, rows_of):
                yield from self._read(part, before)
            before += batch.num_rows

    def _read(self, batch: Any, before: int) -> Iterator[tuple[int, Record]]:
        try:
            positions, columns = self._columns(batch, before)
        except (arrow.ArrowException, UnicodeDecodeError) as error:
            raise not_whole(self.path, error) from None
        read = self._event if self.word == "event" else lambda _, values: schema.make_record(self.word, values)
        for row, (position, *values) in enumerate(zip(positions, *columns, strict=True), start=before + 1):
            yield position, read(row, values)

    def _of_views(self, batch: Any, rows_of: ViewsByRun) -> Iterator[Any]:
        """Yield the table rows of these views; if the batch may be malformed, yield all of it, so that the error names
        the place."""
        there = (field for field in self.fields if field.name in batch.schema.names)
        if batch.column(POSITION).null_count or any(_is_suspect(batch.column(field.name), field) for field in there):
            yield batch
            return
        for run in batch.column("run").unique():
            views = arrow.array(sorted(rows_of.get(run.as_py(), ())), arrow.int64())
            is_wanted = compute.call_function("is_in", [batch.column("view")], compute.SetLookupOptions(views))
            is_its = compute.call_function("equal", [batch.column("run"), run])
            yield batch.filter(compute.call_function("and", [is_wanted, is_its]))

    def check_pages(self) -> None:
        """Read every page; TraceError if a page is damaged, a position is null, or a route has a malformed value.

        The values of other kinds of records are checked by the code that reads them.
        """
        before = 0
        for batch in self._batches():
            if self.word == "route":
                self._columns(batch, before)
            elif batch.column(POSITION).null_count:
                self._positions(batch, before)
            before += batch.num_rows

    def _batches(self) -> Iterator[Any]:
        """Yield the batches of the file; pages may be damaged although its footer, which names the columns, is
        whole."""
        before = 0
        try:
            with parquet.ParquetFile(self.path, page_checksum_verification=True) as file:
                for number, group in zip(range(file.num_row_groups), self.groups, strict=True):
                    for batch in file.iter_batches(batch_size=_rows_at_once(group), row_groups=[number]):
                        yield batch if self.is_ours else self._as_ours(batch, before)
                        before += batch.num_rows
                left = file.metadata.num_rows - before
        except (arrow.ArrowException, OSError) as error:
            raise not_whole(self.path, error) from None
        if left:  # Arrow ends a column silently if the damaged head of a page says that there is no page
            raise not_whole(self.path, f"{left} of its records are missing")

    def _as_ours(self, batch: Any, before: int) -> Any:
        """Return a batch with columns of the types that gridproof writes, or of wider types for numbers of any size."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for name, text in self.given.items():
            columns[name] = arrow.repeat(arrow.scalar(text, arrow.string()), batch.num_rows)
        try:
            for field in (_POSITION, *(field for field in self.fields if field.name in columns)):
                columns[field.name] = as_wanted(columns[field.name], field)
        except UnfitError as error:
            raise schema.TraceError(f"{self.path}: record {before + error.row + 1}: {error}; {RECORD_AGAIN}") from None
        return arrow.RecordBatch.from_arrays(list(columns.values()), names=list(columns))

    def _columns(self, batch: Any, before: int) -> tuple[list[int], list[list[Any]]]:
        """Return the positions of a batch's records, and its columns in the order of `fields`."""
        there = set(batch.schema.names)
        columns = [
            self._values(batch, field, before) if field.name in there else [field.default] * batch.num_rows
            for field in self.fields
        ]
        return self._positions(batch, before), columns

    def _positions(self, batch: Any, before: int) -> list[int]:
        positions: list[int | None] = batch.column(POSITION).to_pylist()
        if None in positions:
            row = before + positions.index(None) + 1
            raise schema.TraceError(f"{self.path}: record {row}: its {POSITION} is null; {RECORD_AGAIN}")
        return [position for position in positions if position is not None]

    def _event(self, row: int, values: list[Any]) -> Record:
        run, at_ms, name, member, fields = values
        try:
            return EventRecord(run, at_ms, member, read_fields(name, fields))
        except schema.TraceError as error:
            raise schema.TraceError(f"{self.path}: record {row}: {error}") from None

    def _values(self, batch: Any, field: schema.Field, before: int) -> list[Any]:
        column = batch.column(field.name)
        values: list[Any] = column.to_pylist()
        if arrow.types.is_list(column.type):
            values = [None if value is None else tuple(value) for value in values]
        elif field.choices is not None:
            values = [field.choices.get(value, value) for value in values]
        if _is_suspect(column, field):
            wrong = next((i for i, value in enumerate(values) if not field.accepts(value)), None)
            if wrong is not None:
                raise schema.TraceError(
                    f"{self.path}: record {before + wrong + 1}: {schema.must_be(field, values[wrong])}; {RECORD_AGAIN}"
                )
        return values


def _is_suspect(column: Any, field: schema.Field) -> bool:
    """Whether a column has to be checked value by value; cheap checks of the whole column decide this."""
    if not field.optional and column.null_count > 0:
        return True
    match field.shape:
        case schema.Shape.MEMBERS | schema.Shape.SLOTS:
            members = column.flatten()
            has_null = field.shape is schema.Shape.MEMBERS and members.null_count > 0
            return has_null or _is_outside(members, 0, schema.MEMBER_NUMBER_MAX)
        case schema.Shape.TEXTS:
            return bool(column.flatten().null_count > 0)
        case schema.Shape.CHOICE | schema.Shape.NUMBER:
            return True
        case schema.Shape.INTEGER:
            return _is_outside(column, field.least, field.most)
        case _:
            return False


def _is_outside(column: Any, least: int | None, most: int) -> bool:
    """Whether a column of whole numbers has a number that is too small or too large."""
    ends = compute.call_function("min_max", [column])
    low, high = ends["min"].as_py(), ends["max"].as_py()
    return low is not None and ((least is not None and low < least) or high > most)


def not_whole(path: Path, error: Exception | str) -> schema.TraceError:
    """Return the error about a file that Arrow cannot read."""
    reason = str(error).split("\n")[0]
    return schema.TraceError(f"{path}: not a whole Parquet file ({reason}); {RECORD_AGAIN}")


def kind_files(folder: Path) -> list[KindFile]:
    """Return the files of a trace; TraceError if it is not a trace, or a file lacks a column."""
    parts = parts_of(folder)
    if "run" not in parts:
        raise schema.TraceError(f"{folder}: no run.parquet in this directory; it is not a gridproof trace")
    files: list[KindFile] = []
    for word, paths in parts.items():
        its = [_kind_file(folder, path, KindFile(path, word, {}, False)) for path in paths]
        files += its if len(its) == 1 else map(_with_ends, its)
    return files


def check_pages(folder: Path) -> None:
    """Read every page, for callers that check the values with other code; TraceError if a page is damaged.

    For ten million rows this takes a second.
    """
    for file in kind_files(folder):
        file.check_pages()


def is_ours(folder: Path) -> bool:
    """Whether every file of a trace has the columns that gridproof writes, with one file for each kind of record."""
    return all(file.is_ours for file in kind_files(folder))


def count_records(folder: Path, left_out: str = "") -> int:
    """Return how many records a trace has according to the footers of its files, not counting one given kind."""
    return sum(parquet.read_metadata(file.path).num_rows for file in kind_files(folder) if file.word != left_out)


def _kind_file(folder: Path, path: Path, file: KindFile) -> KindFile:
    """Return a file with what its footer says about it; TraceError if no trace can have such a file."""
    try:
        groups = check_size(path)
        found = parquet.read_schema(path)
        names = list(found.names)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise not_whole(path, error) from None
    given = {name: text for name, text in given_by_folders(path.relative_to(folder)).items() if name not in names}
    _check_names(path, file, [*names, *given])
    expected = _schema_of(file.fields)
    for field in (_POSITION, *(field for field in file.fields if field.name in names)):
        kind = found.field(field.name).type
        if not can_hold(kind, field.shape):
            wanted = expected.field(field.name).type
            raise schema.TraceError(f"{path}: column {field.name} is {kind}, not {wanted}; see docs/trace-format.md")
    same = path.parent == folder and all(
        _same_type(found.field(name).type, expected.field(name).type) for name in names
    )
    return replace(file, given=given, is_ours=same, groups=groups)


def _with_ends(file: KindFile) -> KindFile:
    """Return a part with the positions of its first and last record, read from the data: statistics may be wrong."""
    try:
        with parquet.ParquetFile(file.path, page_checksum_verification=True) as opened:
            groups = sorted({0, max(opened.num_row_groups - 1, 0)})[: opened.num_row_groups]
            ends = [opened.read_row_group(number, columns=[POSITION]).column(POSITION) for number in groups]
    except (arrow.ArrowException, OSError) as error:
        raise not_whole(file.path, error) from None
    known = [one for column in ends for one in (column[:1].to_pylist() + column[-1:].to_pylist()) if one is not None]
    return replace(file, first=min(known, default=0), last=max(known, default=0))


def _check_names(path: Path, file: KindFile, there: Sequence[str]) -> None:
    """Raise TraceError if a column is missing, unknown, or present twice."""
    expected = _schema_of(file.fields).names
    if twice := [name for name, times in Counter(there).items() if times > 1]:
        raise schema.TraceError(f"{path}: column {twice[0]} is there twice; write it once")
    may_lack = {field.name for field in file.fields if not field.required}
    missing = [name for name in expected if name not in there and name not in may_lack]
    if missing:
        raise schema.TraceError(f"{path}: the file has no column {', '.join(missing)}; see docs/trace-format.md")
    if unknown := sorted(set(there).difference(expected)):
        raise schema.TraceError(f"{path}: {unknown[0]!r} is no column of {file.word} records; see docs/trace-format.md")


def _same_type(found: Any, expected: Any) -> bool:
    if arrow.types.is_list(found) and arrow.types.is_list(expected):
        return bool(found.value_type == expected.value_type)
    return bool(found == expected)


def _rows_at_once(group: Group) -> int:
    """Return how many rows of a row group are read at a time: fewer for long lists, or for texts that may be long."""
    rows = READ_BATCH_ROWS
    for chunk in group.chunks:
        rows = min(rows, group.rows * READ_BATCH_VALUES // max(chunk.values, 1))
        if chunk.is_text:
            rows = min(rows, READ_BATCH_BYTES // max(chunk.unpacked_bytes, 1))
    return max(1, rows)


def read_parquet(folder: Path, rows_of: ViewsByRun | None = None) -> Iterator[Record]:
    """Yield the records of a directory in the order of their positions; one batch of each kind is in memory at a time.

    If `rows_of` is given, table rows are only those of its views.
    """
    order = schema.RunOrder()
    for position, record in _merged(folder, kind_files(folder), rows_of):
        try:
            order.check(record)
        except schema.TraceError as error:
            raise schema.TraceError(f"{folder}: record at position {position} of the trace: {error}") from None
        yield record


def read_views(folder: Path) -> Iterator[ViewRecord]:
    """Yield the views in a directory, without checking their places in the trace."""
    views = [file for file in kind_files(folder) if file.word == "view"]
    yield from (record for _, record in _by_position(views) if isinstance(record, ViewRecord))


def _merged(folder: Path, files: Sequence[KindFile], rows_of: ViewsByRun | None = None) -> Iterator[tuple[int, Record]]:
    """Yield the records of all files in the order of their positions."""
    before = -1
    for position, record in _by_position(files, rows_of):
        try:
            _check_position(before, position)
        except schema.TraceError as error:
            raise schema.TraceError(f"{folder}: record at position {position} of the trace: {error}") from None
        before = position
        yield position, record


def _by_position(files: Sequence[KindFile], rows_of: ViewsByRun | None = None) -> Iterator[tuple[int, Record]]:
    """Yield the records of some files by position; of parts that follow one another, only one is open at a time."""
    chains: list[list[KindFile]] = []
    for file in sorted(files, key=lambda file: file.first):
        chain = next((chain for chain in chains if chain[-1].last < file.first), None)
        if chain is None:
            chains.append([file])
        else:
            chain.append(file)
    yield from heapq.merge(*(_in_turn(chain, rows_of) for chain in chains), key=lambda placed: placed[0])


def _in_turn(files: Iterable[KindFile], rows_of: ViewsByRun | None) -> Iterator[tuple[int, Record]]:
    for file in files:
        yield from file.records(rows_of)


def _check_position(before: int, position: int) -> None:
    """Raise TraceError unless a record's position is greater than the position of the record before it."""
    if position < 0:
        raise schema.TraceError("its position is negative; number the records of a trace from 0")
    if position == before:
        raise schema.TraceError("another record has the same position; give each record of a trace its own")
    if position < before:
        raise schema.TraceError(f"the record before has position {before}; positions must rise within a file")
