"""Trace files, which are written as a whole or not at all.

A trace is written under a temporary name in the same folder, and renamed when it is complete; an existing file or
folder is never overwritten.

This file also estimates how many records a trace has, without reading the trace.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, assert_never

from gridproof_implementation.trace.json_lines import JsonLinesWriter
from gridproof_implementation.trace.json_reading import read_json_lines
from gridproof_implementation.trace.schema import RunOrder, TraceError
from gridproof_model.trace import Record, RunRecord, ViewRecord
from gridproof_model.whole_file import written_whole


class TraceFormat(StrEnum):
    """The two forms of a trace on disk; each value is the suffix of the file name."""

    JSON_LINES = "jsonl"
    PARQUET = "parquet"


class TraceWriter(Protocol):
    """Takes the records of a trace, in order."""

    def write(self, record: Record) -> None:
        """Yield every record, in order, in bounded memory; TraceError at the first malformed record."""
        ...


ChooseViews = Callable[[Iterable[ViewRecord]], Mapping[str, Collection[int]]]
"""Takes views in their order; returns the numbers of the views that it chooses, by the name of their run."""


@dataclass(frozen=True, slots=True)
class TraceFile:
    """A trace that was opened: it exists, its format is known, and its first record can be read."""

    path: Path
    format: TraceFormat

    def records(self) -> Iterator[Record]:
        """Yield every record, in order, in bounded memory; TraceError at the first that is malformed."""
        match self.format:
            case TraceFormat.JSON_LINES:
                return read_json_lines(self.path)
            case TraceFormat.PARQUET:
                # Imported here: only Parquet traces need PyArrow.
                from gridproof_implementation.trace.parquet import read_parquet

                return read_parquet(self.path)
            case _:
                assert_never(self.format)

    def _records_chosen(self, choose: ChooseViews) -> Iterator[Record]:
        if self.format is not TraceFormat.PARQUET:
            return self.records()
        from gridproof_implementation.trace.parquet import read_parquet, read_views

        return read_parquet(self.path, choose(read_views(self.path)))

    def check_pages(self) -> None:
        """Raise TraceError if a page of a Parquet file is damaged; JSON Lines have no pages."""
        if self.format is TraceFormat.PARQUET:
            from gridproof_implementation.trace.parquet import check_pages

            check_pages(self.path)

    def runs(self, choose: ChooseViews | None = None) -> Iterator[tuple[RunRecord, Iterator[Record]]]:
        """Yield each run's head and its records, beginning with the head; each run is read to its end before the next
        one begins.

        A caller that needs the rows of only a few views chooses these views with `choose`; the rows of other views may
        then be skipped, as in a Parquet trace, where most of the time goes into reading rows.
        """
        records = self.records() if choose is None else self._records_chosen(choose)
        head = next(records, None)
        while isinstance(head, RunRecord):
            body = _RunBody(records)
            yield head, chain([head], body)
            for _ in body:
                pass
            head = body.next_head


class _RunBody(Iterator[Record]):
    """Reads the records up to the head of the next run, and keeps this head for the caller."""

    def __init__(self, records: Iterator[Record]) -> None:
        self._records = records
        self.next_head: RunRecord | None = None

    def __next__(self) -> Record:
        if self.next_head is not None:
            raise StopIteration
        record = next(self._records)
        if isinstance(record, RunRecord):
            self.next_head = record
            raise StopIteration
        return record


def open_trace(path: Path | str) -> TraceFile:
    """Open a trace and return it; TraceError if it is missing, of another version, or not a trace.

    A directory is Parquet, a file is JSON Lines. Only the first record of the trace is read and, in a Parquet trace,
    the names of its columns.
    """
    place = Path(path)
    trace = TraceFile(place, format_of(place))
    try:
        if next(trace.records(), None) is None:
            raise TraceError(f"{place}: the trace holds no record; record the run again")
    except OSError as error:
        raise TraceError(f"{place}: cannot be read ({error.strerror}); check its permissions") from None
    return trace


def format_of(place: Path) -> TraceFormat:
    """Return the format of an existing trace: a directory is Parquet. TraceError if nothing exists there."""
    if not place.exists():
        raise TraceError(f"{place}: no such file or directory; give the path of a recorded trace")
    if not (place.is_dir() or place.is_file()):  # a pipe waits for ever, and can be read once
        raise TraceError(f"{place} is neither a file nor a folder, and can be read only once; copy it to a file")
    return TraceFormat.PARQUET if place.is_dir() else TraceFormat.JSON_LINES


def read_trace(path: Path | str) -> Iterator[Record]:
    """Yield the records of a trace in either format; TraceError as for `open_trace`, and at the first malformed
    record."""
    return open_trace(path).records()


@contextmanager
def in_our_columns(trace: TraceFile) -> Iterator[TraceFile]:
    """Yield a trace whose files have the columns that gridproof writes: itself, or a copy that is removed when the
    block ends.

    The function is for callers that read the files without gridproof's own reader. A copy is made record by record, so
    that TraceError names the place of a malformed record.
    """
    if trace.format is TraceFormat.PARQUET:
        from gridproof_implementation.trace.parquet import is_ours

        if not is_ours(trace.path):
            with TemporaryDirectory(prefix="gridproof-trace-") as scratch:
                copy = Path(scratch) / f"copy.{trace.format.value}"
                with write_trace(copy) as writer:
                    for record in trace.records():
                        writer.write(record)
                yield TraceFile(copy, trace.format)
                return
    yield trace


@contextmanager
def write_trace(path: Path | str, trace_format: TraceFormat | None = None) -> Iterator[TraceWriter]:
    """Write a trace: it appears under its name when the block ends; if the block raises an error, it does not appear.

    The format is taken from the suffix (.jsonl, .parquet) unless it is given. TraceError if `path` exists already, or
    cannot be written.
    """
    place = Path(path)
    chosen = trace_format or _format_by_suffix(place)
    with whole_or_nothing(place) as unfinished, _writer(unfinished, chosen) as writer:
        yield _InOrder(writer, place)


@contextmanager
def whole_or_nothing(place: Path) -> Iterator[Path]:
    """Yield a path beside `place` for a file or directory, which is renamed to `place` when the block ends.

    If the block raises an error, nothing is left. TraceError if `place` exists already, or cannot be written.
    """
    if place.exists():
        raise TraceError(f"{place} exists already and is not overwritten; remove it, or choose another name")
    try:
        with written_whole(place, _publish) as unfinished:
            yield unfinished
    except OSError as error:
        if error.filename != str(place):
            raise
        raise _unwritten(place, error) from None


class _InOrder:
    """A writer that refuses a record at a place where no reader would accept a record of this kind."""

    def __init__(self, writer: TraceWriter, place: Path) -> None:
        self._check = RunOrder().check
        self._write = writer.write
        self._place = place

    def write(self, record: Record) -> None:
        self._check(record)
        try:
            self._write(record)
        except OSError as error:  # a recorder must not take this for a failure of the recorded system
            raise _unwritten(self._place, error) from None


def _unwritten(place: Path, error: OSError) -> TraceError:
    return TraceError(f"{place}: cannot be written ({error.strerror}); choose another place")


def _format_by_suffix(path: Path) -> TraceFormat:
    with suppress(ValueError):
        return TraceFormat(path.suffix.removeprefix("."))
    raise TraceError(f"{path}: the name of a trace must end in .jsonl or .parquet")


@contextmanager
def _writer(unfinished: Path, trace_format: TraceFormat) -> Iterator[TraceWriter]:
    match trace_format:
        case TraceFormat.JSON_LINES:
            with unfinished.open("xb") as file:
                lines = JsonLinesWriter(file)
                yield lines
                lines.close()
        case TraceFormat.PARQUET:
            # Imported here: only Parquet traces need PyArrow.
            from gridproof_implementation.trace.parquet import ParquetWriter

            unfinished.mkdir()
            writer = ParquetWriter(unfinished)
            try:
                yield writer
            finally:
                writer.close()
        case _:
            assert_never(trace_format)


def _publish(unfinished: Path, place: Path) -> None:
    try:
        if unfinished.is_dir():
            unfinished.rename(place)  # refuses a directory that is not empty, and a file
        else:
            os.link(unfinished, place)  # unlike a rename, never replaces a file that appeared meanwhile
    except OSError:
        if not place.exists():
            raise
        raise TraceError(f"{place} was made by another program and is not overwritten; choose another name") from None


SAMPLE_BYTES = 64 * 1024


def estimate_records(trace: TraceFile, left_out: str = "") -> int:
    """Return how many records a trace has, not counting one given kind; for JSON Lines this is an estimate."""
    match trace.format:
        case TraceFormat.PARQUET:
            # Imported here: only Parquet traces need PyArrow.
            from gridproof_implementation.trace.parquet import count_records

            return count_records(trace.path, left_out)
        case TraceFormat.JSON_LINES:
            with trace.path.open("rb") as file:
                sample = file.read(SAMPLE_BYTES)
            lines = max(1, sample.count(b"\n"))
            return max(1, round(trace.path.stat().st_size * lines / max(1, len(sample))))
        case _:
            assert_never(trace.format)
