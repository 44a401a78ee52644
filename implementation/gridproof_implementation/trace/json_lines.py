"""Trace files with one JSON object a line, each one record.

A line carries "record", the kind of record, first, then the fields in declared order: equal records are equal bytes.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

from gridproof_implementation.trace.event_fields import read_event
from gridproof_implementation.trace.json_values import (
    NotJsonError,
    make_encoder,
    make_event_encoder,
    parse,
    read_values,
)
from gridproof_implementation.trace.schema import (
    EVENT_FIELDS,
    FIELDS,
    KIND_WORDS,
    RunOrder,
    TraceError,
    check_record,
    make_record,
    shorten,
)
from gridproof_model.events import NAMES, Event
from gridproof_model.trace import RECORD_KINDS, EventRecord, Record

FIRST = "record"
"""The key of the word that says what a line is; no record has a field of this name."""
LINE_BYTES_MAX = 16 * 1024 * 1024
"""Longer than a view of any grid; a file without line ends must not fill the memory."""
LINES_AT_ONCE = 256


class JsonLinesWriter:
    """Writes records to an open file, some hundred lines at a time; to be closed before the file is."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lines: list[str] = []

    def write(self, record: Record) -> None:
        """Write one record; TraceError when a value has no place in the format."""
        try:  # as `encode`, without a call more for each of a hundred thousand a second
            line = _ENCODERS[type(record.event) if type(record) is EventRecord else type(record)](record)
        except KeyError:
            line = encode(record)
        if not line.isascii():
            _check_text(record, line)
        self._lines.append(line)
        if len(self._lines) >= LINES_AT_ONCE:
            self._empty()

    def close(self) -> None:
        """Write what is left; whoever opened the file closes it."""
        self._empty()

    def _empty(self) -> None:
        self._file.write("".join(self._lines).encode("utf-8"))
        self._lines.clear()


def _check_text(record: Record, line: str) -> None:
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        check_record(record)
        raise


def encode(record: Record) -> str:
    """Return a record as its line, with the line end; TraceError when a value has no place in the format."""
    kind: type[Record | Event] = type(record.event) if type(record) is EventRecord else type(record)
    found = _ENCODERS.get(kind)
    if found is None:
        raise TraceError(f"{kind.__name__} is nothing that the format has; nothing was written")
    return found(record)


_HEAD_OF_EVENT = tuple(field for field in FIELDS["event"] if field.name not in ("name", "fields"))
_ENCODERS: dict[type[Any], Callable[[Any], str]] = {
    **{
        kind: make_encoder(FIELDS[word], check_record, f'"{FIRST}":"{word}",', "\\n")
        for word, kind in RECORD_KINDS.items()
        if kind is not EventRecord
    },
    **{
        kind: make_event_encoder(_HEAD_OF_EVENT, NAMES[kind], fields, check_record, f'"{FIRST}":"event"')
        for kind, fields in EVENT_FIELDS.items()
    },
}
"""What writes the line of each kind of record, and of an event of each type: those are most of a traced run."""


def read_json_lines(path: Path) -> Iterator[Record]:
    """Yield the records of a file, one line in memory at a time; TraceError names the file and the line."""
    order = RunOrder()
    number = 0
    with path.open("rb") as file:
        while line := file.readline(LINE_BYTES_MAX):
            number += 1
            try:
                record = _decode_bytes(line)
                order.check(record)
            except TraceError as error:
                raise TraceError(f"{path}:{number}: {error}") from None
            yield record
    if number == 0:
        raise TraceError(f"{path}: the file is empty, not a gridproof trace; record the run again")


def _decode_bytes(line: bytes) -> Record:
    whole = line.endswith(b"\n")
    if not whole and len(line) == LINE_BYTES_MAX:
        raise TraceError(f"the line is longer than {LINE_BYTES_MAX:,} bytes; this is not a gridproof trace")
    try:
        return decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TraceError(f"byte {error.start + 1} is not UTF-8 text; this is not a gridproof trace") from None
    except NotJsonError as error:
        if not whole:
            raise TraceError("the last line is cut off; remove it to judge what was recorded before it") from None
        raise TraceError(f"not a line of JSON ({error}); remove the line or record the run again") from None


def decode(line: str) -> Record:
    """Return the record of one line; TraceError says what is wrong with it, without the place."""
    word, found = _read_object(line)
    if word == KIND_WORDS[EventRecord]:
        return _decode_event(found)
    return make_record(word, read_values(f"{word} record", FIELDS[word], found))


def _read_object(line: str) -> tuple[str, dict[str, object]]:
    """Return the kind of a line's record and what else the line holds; TraceError where it is no line of a trace."""
    found = parse(line)
    if not isinstance(found, dict):
        raise TraceError(f"a line is one JSON object, found {shorten(found)}; this is not a gridproof trace")
    pairs = cast(dict[str, object], found)
    if next(iter(pairs), None) != FIRST:
        raise TraceError(f'"{FIRST}" must stand first in the line; see docs/trace-format.md')
    word = pairs.pop(FIRST)
    if not isinstance(word, str) or word not in RECORD_KINDS:
        raise TraceError(f"no record is of kind {shorten(word)}; the kinds are {', '.join(RECORD_KINDS)}")
    return word, pairs


def _decode_event(found: dict[str, object]) -> EventRecord:
    if "fields" not in found:
        raise TraceError("the event record has no fields; it must be an object; see docs/trace-format.md")
    fields = found.pop("fields")
    run, at_ms, name, member = read_values("event record", _NAMED, found)
    return EventRecord(run, at_ms, member, read_event(name, fields))


_NAMED = tuple(field for field in FIELDS["event"] if field.name != "fields")
