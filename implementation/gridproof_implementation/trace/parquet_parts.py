"""Which files a Parquet trace consists of, and whether their footers allow gridproof to read them.

A kind of record is one file, which is how gridproof writes it, or a folder of parts, which is how Spark, Dask, DuckDB
and Polars write it; names of folders may then give the value of a column
(`row.parquet/run=reference-7/part-0.parquet`). A few bytes of Parquet may unpack to more than any machine can store, so
a file that is too large according to its footer is refused before anything is unpacked. The sizes in a footer are read
here without Arrow: Arrow ends the whole process if a damaged footer names a column that does not exist (26.0.1:
`row_group(i).column(j)`), and the unpacked size of a file has to be known before anything in the file is trusted. A
footer is a struct of Thrift's compact protocol; the numbers of its fields are those of `parquet.thrift` of
apache/parquet-format.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from gridproof_implementation.trace.schema import TraceError, shorten
from gridproof_model.trace import RECORD_KINDS

MAGIC = b"PAR1"
_TAIL = 8
"""How many bytes follow the footer: its length, and the four letters of `MAGIC`."""
_DEPTH_MAX = 32


class NoFooterError(Exception):
    """The file does not end as a Parquet file ends; the message says why."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column of a row group."""

    name: str
    values: int
    """How many values the column has; each value in a list counts as one."""
    unpacked_bytes: int
    is_text: bool
    """Whether the column's values may have any length."""


@dataclass(frozen=True, slots=True)
class Group:
    """A row group."""

    rows: int
    chunks: tuple[Chunk, ...]


def read_groups(path: Path) -> tuple[Group, ...]:
    """Return the row groups of a file according to its footer; NoFooterError without a readable footer, or OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > size - _TAIL:
            raise NoFooterError("the file does not end with the footer of a Parquet file")
        file.seek(size - _TAIL - length)
        footer = file.read(length)
    try:
        return tuple(_group(group) for group in _Reader(footer).struct(0).get(4, ()))
    except ValueError as error:
        raise NoFooterError(f"the footer of the file is damaged: {error}") from None
    except (LookupError, TypeError, AttributeError):
        raise NoFooterError("the footer of the file is damaged") from None


def _group(group: dict[int, Any]) -> Group:
    chunks = (chunk[3] for chunk in group[1])
    return Group(
        int(group[3]),
        tuple(Chunk(b".".join(one[3]).decode(), int(one[5]), int(one[6]), one[1] in (6, 7)) for one in chunks),
    )


class _Reader:
    """Reads values of the compact protocol; IndexError at the end of the bytes, ValueError for a malformed value."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._place = 0

    def struct(self, depth: int) -> dict[int, Any]:
        """Return the fields of a struct by their numbers."""
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._number()
            found[number] = self._value(head & 15, depth + 1)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEPTH_MAX:
            raise ValueError(f"structs are nested more than {_DEPTH_MAX} deep")
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._number()
            case 7:
                return self._bytes(8)
            case 8:
                return self._bytes(self._unsigned())
            case 9 | 10:
                head = self._byte()
                count, element = head >> 4 if head >> 4 < 15 else self._unsigned(), head & 15
                # A truth value in a list has a byte of its own; the truth value of a field is part of the field's type.
                return [self._byte() if element in (1, 2) else self._value(element, depth + 1) for _ in range(count)]
            case 12:
                return self.struct(depth)
            case _:
                raise ValueError(f"a value has the unknown type {kind}")

    def _byte(self) -> int:
        self._place += 1
        return self._text[self._place - 1]

    def _bytes(self, count: int) -> bytes:
        self._place += count
        if self._place > len(self._text):
            raise ValueError("the footer ends within a value")
        return self._text[self._place - count : self._place]

    def _unsigned(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise ValueError("a number has more than 64 bits")

    def _number(self) -> int:
        zigzag = self._unsigned()
        return (zigzag >> 1) ^ -(zigzag & 1)


SUFFIX = ".parquet"
CHUNK_BYTES_MAX = 512 * 2**20
"""The most unpacked bytes of one column of a row group: gridproof writes at most a hundredth of this."""
CHUNK_VALUES_MAX = 2**26
"""The most values of one column of a row group; each value in a list counts as one."""
BYTES_A_BYTE_MAX, ROWS_A_BYTE_MAX = 2_000, 200
"""The most unpacked bytes, and the most records, for each byte of a file; a file smaller than `SMALL_FILE_BYTES` counts
as if it had that size."""
SMALL_FILE_BYTES = 64 * 1024
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The text that Hive, and programs that name folders as Hive does, write for null."""


def parts_of(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each kind of record in a folder; TraceError if a file or folder is of no kind."""
    found: dict[str, list[Path]] = {}
    for place in sorted(folder.iterdir()):
        word = place.name.removesuffix(SUFFIX)
        if _is_hidden(place.name) or (place.is_file() and word == place.name):
            continue
        if word not in RECORD_KINDS or word == place.name:
            known = ", ".join(f"{kind}{SUFFIX}" for kind in RECORD_KINDS)
            raise TraceError(f"{place}: a part of a trace has one of the names {known}; rename or remove this part")
        found[word] = _parts_in(place) if place.is_dir() else [place]
    return {word: found[word] for word in RECORD_KINDS if word in found}


def _parts_in(place: Path) -> list[Path]:
    inside = [one for one in sorted(place.rglob("*")) if not any(map(_is_hidden, one.relative_to(place).parts))]
    parts = [one for one in inside if one.is_file()]
    strange = next((one for one in parts if one.suffix != SUFFIX), None)
    if strange is not None:
        raise TraceError(f"{strange}: the name of each part must end in {SUFFIX}; rename or remove this file")
    if not parts:
        raise TraceError(f"{place}: the folder holds no part of the trace; write the records into it, or remove it")
    return parts


def _is_hidden(name: str) -> bool:
    """Whether every reader of such folders ignores a file of this name, such as `_SUCCESS` or `.part-0.crc`."""
    return name.startswith(("_", "."))


def given_by_folders(path: Path) -> Mapping[str, str | None]:
    """Return the columns whose values are in the names of a part's folders, as texts."""
    pairs = [name.partition("=") for name in path.parent.parts if "=" in name]
    return {unquote(name): None if text == _NULL else unquote(text) for name, _, text in pairs}


def check_size(path: Path) -> tuple[Group, ...]:
    """Return the row groups of a file; TraceError if it is not Parquet, or unpacks to more than a trace may have."""
    try:
        groups = read_groups(path)
    except NoFooterError as error:
        raise TraceError(f"{path}: not a whole Parquet file ({error}); record the run again") from None
    for chunk in (chunk for group in groups for chunk in group.chunks):
        for count, most, what in (
            (chunk.unpacked_bytes, CHUNK_BYTES_MAX, "unpacks to {:,} bytes"),
            (chunk.values, CHUNK_VALUES_MAX, "has {:,} values"),
        ):
            if not 0 <= count <= most:
                raise TraceError(
                    f"{path}: column {shorten(chunk.name)} {what.format(count)} in one row group, "
                    f"and at most {most:,} are allowed; write smaller row groups"
                )
    length = max(SMALL_FILE_BYTES, path.stat().st_size)
    unpacked = sum(chunk.unpacked_bytes for group in groups for chunk in group.chunks)
    for count, most, what in (
        (sum(group.rows for group in groups), ROWS_A_BYTE_MAX, "rows"),
        (unpacked, BYTES_A_BYTE_MAX, "bytes"),
    ):
        if count > most * length:
            limit = f"more than {most:,} for each byte of the file"
            raise TraceError(f"{path}: the file unpacks to {count:,} {what}, {limit}; record the run again")
    return groups
