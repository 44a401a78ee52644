"""One record a line, as a JSON object.

A line carries "record", the kind of record, first, then the fields in declared order: equal records are equal bytes.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from json.encoder import encode_basestring as _quote
from pathlib import Path
from typing import IO, NoReturn, cast

from gridproof_implementation.trace.schema import (
    FIELDS,
    INTEGER_MAX,
    INTEGER_MIN,
    Field,
    RunOrder,
    Shape,
    TraceError,
    check_record,
    is_integer,
    is_text,
    make_record,
    must_be,
    shorten,
)
from gridproof_model.trace import RECORD_KINDS, EventRecord, Record

FIRST = "record"
"""The key of the word that says what a line is; no record has a field of this name."""
_LEAST, _MOST = INTEGER_MIN, INTEGER_MAX
LINE_BYTES_MAX = 16 * 1024 * 1024
"""Longer than a view of any grid; a file without line ends must not fill the memory."""


class JsonLinesWriter:
    """Writes records to an open file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, record: Record) -> None:
        """Write one record; TraceError when a value has no place in the format."""
        try:
            line = encode(record).encode("utf-8")
        except UnicodeEncodeError:
            check_record(record)
            raise
        self._file.write(line)

    def close(self) -> None:
        """Do nothing: every line is complete, and whoever opened the file closes it."""


def encode(record: Record) -> str:
    """Return a record as its line, with the line end; TraceError when a value has no place in the format."""
    return _encode_event(record) if type(record) is EventRecord else _encode_any(record)


def _encode_event(event: EventRecord) -> str:
    """Do what `_encode_any` does, for the one kind of which a simulated run writes a hundred thousand a second."""
    at_ms, member = event.at_ms, event.member
    if type(at_ms) is not int or not _LEAST <= at_ms <= _MOST:
        return _encode_any(event)
    if member is None:
        who = "null"
    elif type(member) is int and _LEAST <= member <= _MOST:
        who = str(member)
    else:
        return _encode_any(event)
    try:
        return (
            f'{{"record":"event","run":{_quote(event.run)},"at_ms":{at_ms},"name":{_quote(event.name)},'
            f'"member":{who},"detail":{_quote(event.detail)}}}\n'
        )
    except TypeError:
        return _encode_any(event)


def _encode_any(record: Record) -> str:
    try:
        said = [begin + say(getattr(record, name)) for begin, name, say in _PARTS[type(record)]]
    except _UnfitError:
        check_record(record)
        raise
    return "".join(said) + "}\n"


class _UnfitError(ValueError):
    """A value does not fit its field; `check_record` says which."""


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _say_text(value: object) -> str:
    if not isinstance(value, str) or not is_text(value):
        raise _UnfitError
    return _quote(value)


def _say_integer(value: object) -> str:
    if not is_integer(value):
        raise _UnfitError
    return str(value)


def _sayer(field: Field) -> Callable[[object], str]:
    """Return what turns a value of a field into JSON."""
    match field:
        case Field(shape=Shape.TEXT, optional=False):
            return _say_text
        case Field(shape=Shape.INTEGER, optional=False):
            return _say_integer
        case Field(shape=Shape.TEXT):
            return lambda value: "null" if value is None else _say_text(value)
        case Field(shape=Shape.INTEGER):
            return lambda value: "null" if value is None else _say_integer(value)
        case Field(shape=Shape.CHOICE, optional=False, choices=choices) if choices is not None:
            words: Mapping[object, str] = {choice: _quote(choice.value) for choice in choices}
            return lambda value: words[value] if isinstance(value, choices) else _say_any(field, value)
        case _:
            return lambda value: _say_any(field, value)


def _say_any(field: Field, value: object) -> str:
    if not field.accepts(value):
        raise _UnfitError
    return "null" if value is None else _ENCODER.encode(value.hex() if isinstance(value, bytes) else value)


def _parts(word: str) -> tuple[tuple[str, str, Callable[[object], str]], ...]:
    """Return, for every field of a kind of record, what stands before its value, its name, and how it is said."""
    return tuple(
        (f'{{"{FIRST}":"{word}","{field.name}":' if place == 0 else f',"{field.name}":', field.name, _sayer(field))
        for place, field in enumerate(FIELDS[word])
    )


_PARTS = {kind: _parts(word) for word, kind in RECORD_KINDS.items()}


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
    except _NotJsonError as error:
        if not whole:
            raise TraceError("the last line is cut off; remove it to judge what was recorded before it") from None
        raise TraceError(f"not a line of JSON ({error}); remove the line or record the run again") from None


class _NotJsonError(TraceError):
    """The line is no JSON object at all."""


def decode(line: str) -> Record:
    """Return the record of one line; TraceError says what is wrong with it, without the place."""
    try:
        found = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise _NotJsonError(f"{error}".split("\n")[0]) from None
    if not isinstance(found, dict):
        raise TraceError(f"a line is one JSON object, found {shorten(found)}; this is not a gridproof trace")
    if next(iter(found), None) != FIRST:
        raise TraceError(f'"{FIRST}" must stand first in the line; see docs/trace-format.md')
    word = found.pop(FIRST)
    if not isinstance(word, str) or word not in RECORD_KINDS:
        raise TraceError(f"no record is of kind {shorten(word)}; the kinds are {', '.join(RECORD_KINDS)}")
    values = [_from_json(word, field, found) for field in FIELDS[word]]
    if found:
        raise TraceError(f"a {word} record has no field {shorten(next(iter(found)))}; see docs/trace-format.md")
    return make_record(word, values)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _from_json(word: str, field: Field, found: dict[str, object]) -> object:
    if field.name not in found:
        if field.required:
            raise TraceError(f"the {word} record has no {field.name}; it must be {field.words}")
        return field.default
    raw = found.pop(field.name)
    value = _to_value(field, raw)
    if not field.accepts(value):
        raise TraceError(f"{must_be(field, _culprit(raw))}; mend the line or record the run again")
    return value


def _to_value(field: Field, raw: object) -> object:
    """Return a JSON value as records hold it, or unchanged where it does not fit."""
    match raw:
        case list():
            return tuple(cast(list[object], raw))
        case int() if field.shape is Shape.NUMBER and type(raw) is int and abs(raw) < 2**53:
            return float(raw)
        case str() if field.choices is not None and raw in list(field.choices):
            return field.choices(raw)
        case str() if field.shape is Shape.BYTES:
            try:
                return bytes.fromhex(raw)
            except ValueError:
                return raw
        case _:
            return raw


def _culprit(raw: object) -> object:
    """Return the first part of a list that is no member number, text or null, or the value itself."""
    if not isinstance(raw, list):
        return raw
    parts = cast(list[object], raw)
    strangers = (p for p in parts if p is not None and (type(p) is not int or p < 0))
    return next(strangers, raw)
