"""What the footer of a Parquet file says of its sizes, read without Arrow.

Arrow ends the whole process where a damaged footer names a column that is not there (26.0.1: `row_group(i).column(j)`),
and whoever asks how much a file unpacks to asks before anything of it is trusted. A footer is a struct of the compact
protocol of Thrift; the numbers of its fields are those of `parquet.thrift` of apache/parquet-format.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC = b"PAR1"
_TAIL = 8
"""Bytes behind the footer: its length, and the four letters."""
_DEPTH_MAX = 32


class NoFooterError(Exception):
    """The end of the file is none of Parquet; the message says why."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column of a row group."""

    name: str
    values: int
    """Those in lists counted one by one."""
    unpacked_bytes: int
    is_text: bool
    """Whether its values may be of any length."""


@dataclass(frozen=True, slots=True)
class Group:
    """A row group."""

    rows: int
    chunks: tuple[Chunk, ...]


def read_groups(path: Path) -> tuple[Group, ...]:
    """Return the row groups of a file, as its footer says; NoFooterError where it says nothing, OSError."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > size - _TAIL:
            raise NoFooterError("its end is not that of a Parquet file")
        file.seek(size - _TAIL - length)
        footer = file.read(length)
    try:
        return tuple(_group(group) for group in _Reader(footer).struct(0).get(4, ()))
    except (LookupError, TypeError, ValueError, AttributeError):
        raise NoFooterError("its footer is damaged") from None


def _group(group: dict[int, Any]) -> Group:
    chunks = (chunk[3] for chunk in group[1])
    return Group(
        int(group[3]),
        tuple(Chunk(b".".join(one[3]).decode(), int(one[5]), int(one[6]), one[1] in (6, 7)) for one in chunks),
    )


class _Reader:
    """Reads values of the compact protocol; IndexError behind the last byte, ValueError for what is none."""

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
            raise ValueError("structs in structs, deeper than any footer has")
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
                # An element that is true or false has a byte of its own in a list, and in a field it has none.
                return [self._byte() if element in (1, 2) else self._value(element, depth + 1) for _ in range(count)]
            case 12:
                return self.struct(depth)
            case _:
                raise ValueError("no such type")

    def _byte(self) -> int:
        self._place += 1
        return self._text[self._place - 1]

    def _bytes(self, count: int) -> bytes:
        self._place += count
        if self._place > len(self._text):
            raise IndexError("behind the end")
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
                raise ValueError("a number of more than 64 bits")

    def _number(self) -> int:
        zigzag = self._unsigned()
        return (zigzag >> 1) ^ -(zigzag & 1)
