"""One record a line, as a JSON object.

A line carries "record", the kind of record, first, then the fields in declared order: equal records are equal bytes.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as _quote
from pathlib import Path
from typing import IO, Any, NoReturn, cast

from gridproof_implementation.trace.schema import (
    FIELDS,
    INTEGER_MAX,
    INTEGER_MIN,
    Field,
    RunOrder,
    Shape,
    TraceError,
    check_record,
    make_record,
    must_be,
    shorten,
)
from gridproof_model.trace import RECORD_KINDS, Record

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
        line = _ENCODERS[type(record)](record)
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
    return _ENCODERS[type(record)](record)


def _encoder(word: str) -> Callable[[Record], str]:
    """Return what makes lines of the records of one kind: a function with a part for each of its fields.

    A simulated run writes a hundred thousand records a second, and going over their fields took most of its time.
    """
    forms = {field.name: _form(field) for field in FIELDS[word]}
    pairs = ",".join([f'"{FIRST}":"{word}"', *(f'"{name}":{{{form.said}}}' for name, form in forms.items())])
    source = [
        "def encode(record):",
        *(f"    {name} = record.{name}" for name in forms),
        f"    if not ({' and '.join(form.fits for form in forms.values())}):",
        "        check_record(record)",
        f"    return f'{{{{{pairs}}}}}\\n'",
    ]
    namespace: dict[str, Any] = {"check_record": check_record, "quote": _quote, "NULL": "null"}
    for form in forms.values():
        namespace |= form.names
    exec("\n".join(source), namespace)
    encode: Callable[[Record], str] = namespace["encode"]
    return encode


@dataclass(frozen=True, slots=True)
class _Form:
    """How a field becomes JSON: two expressions of Python, in which its value goes by its name."""

    fits: str
    """Whether the value has a place in the format."""
    said: str
    """The value as JSON."""
    names: Mapping[str, object]
    """What else the two name."""


def _form(field: Field) -> _Form:
    name = field.name
    names: dict[str, object] = {}
    match field.shape:
        case Shape.TEXT:  # whether it has an encoding is seen when it is encoded
            fits, said = f"type({name}) is str", f"quote({name})"
        case Shape.INTEGER:
            least = INTEGER_MIN if field.least is None else field.least
            fits, said = f"(type({name}) is int and {least} <= {name} <= {INTEGER_MAX})", name
        case Shape.CHOICE if field.choices is not None:
            fits, said = f"type({name}) is {name}_choices", f"{name}_words[{name}]"
            names[f"{name}_choices"] = field.choices
            names[f"{name}_words"] = {choice: _quote(choice.value) for choice in field.choices}
        case _:
            fits, said = f"{name}_accepts({name})", f"{name}_say({name})"
            is_list_of_numbers = field.shape in (Shape.MEMBERS, Shape.SLOTS)
            names[f"{name}_accepts"] = field.accepts
            names[f"{name}_say"] = _say_numbers if is_list_of_numbers else _say
    if field.optional:
        fits, said = f"({name} is None or {fits})", f"NULL if {name} is None else {said}"
    return _Form(fits, said, names)


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _say_numbers(values: tuple[int | None, ...]) -> str:
    """Do what `_say` does, for the lists that make up most of a table."""
    return f"[{','.join(['null' if value is None else str(value) for value in values])}]"


def _say(value: object) -> str:
    return _ENCODER.encode(value.hex() if isinstance(value, bytes) else value)


_ENCODERS = {kind: _encoder(word) for word, kind in RECORD_KINDS.items()}


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
        found = json.loads(line, parse_constant=_refuse, object_pairs_hook=_no_key_twice)
    except TraceError:
        raise
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


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TraceError(f"the key {shorten(twice)} stands twice in the line; mend the line or record the run again")
    return found


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
