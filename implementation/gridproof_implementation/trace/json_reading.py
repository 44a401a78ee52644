"""Reads trace files with one JSON object per line (`json_lines.py`); a trace may come from anyone.

A generated function reads each kind of record and each type of event while every value fits. Where one does not, or a
field is left out, an ordinary function reads the object again, field by field, and says in one line what is wrong.
"""

import json
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, cast

from gridproof_implementation.trace.json_lines import FIRST, are_small_numbers
from gridproof_implementation.trace.schema import (
    EVENT_FIELDS,
    FIELDS,
    KIND_WORDS,
    Field,
    RunOrder,
    Shape,
    TraceError,
    is_text,
    must_be,
    shorten,
)
from gridproof_model.events import EVENTS, Event
from gridproof_model.trace import RECORD_KINDS, EventRecord, Record
from gridproof_model.user_error import nearest

LINE_BYTES_MAX = 16 * 1024 * 1024
"""More bytes than the line of a view of any grid has: a file without line ends must not fill the memory."""

Reader = Callable[[dict[str, Any]], Any]
"""Makes a record, or another value, of a JSON object, which may be emptied; raises TraceError about a wrong value."""


def read_json_lines(path: Path) -> Iterator[Record]:
    """Yield the records of a file, with one line in memory at a time; TraceError names the file and the line."""
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
        raise TraceError(f"the line is longer than {LINE_BYTES_MAX:,} bytes; name a trace that gridproof wrote")
    if line.startswith(BOM_UTF8):  # other messages would have the head removed
        raise TraceError("the line begins with a byte order mark; remove these three bytes")
    try:
        return decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TraceError(f"byte {error.start + 1} is not UTF-8 text; name a trace that gridproof wrote") from None
    except NotJsonError as error:
        if not whole:
            raise TraceError("the last line is cut off; remove it to judge what was recorded before it") from None
        raise TraceError(f"not a line of JSON ({error}); remove the line or record the run again") from None


def decode(line: str) -> Record:
    """Return the record of one line; TraceError says what is wrong with it, without the place."""
    word, found = _read_object(line)
    record: Record = _decode_event(found) if word == _EVENT else _reader_of(word)(found)
    return record


def _read_object(line: str) -> tuple[str, dict[str, object]]:
    """Return the kind of a line's record and the rest of its JSON object; TraceError if no trace has such a line."""
    found = parse(line)
    if not isinstance(found, dict):
        raise TraceError(f"a line must be one JSON object, found {shorten(found)}; name a trace that gridproof wrote")
    pairs = cast(dict[str, object], found)
    if next(iter(pairs), None) != FIRST:
        raise TraceError(f'"{FIRST}" must be the first key of the line; see docs/trace-format.md')
    word = pairs.pop(FIRST)
    if not isinstance(word, str) or word not in RECORD_KINDS:
        raise TraceError(f"{shorten(word)} is no kind of record; the kinds are {', '.join(RECORD_KINDS)}")
    return word, pairs


def _decode_event(found: dict[str, object]) -> EventRecord:
    if "fields" not in found:
        raise TraceError('the event record lacks "fields", which must be an object; see docs/trace-format.md')
    fields = found.pop("fields")
    run, at_ms, name, member = _read_head(found)
    return EventRecord(run, at_ms, member, read_event(name, fields))


def read_fields(name: str, text: str) -> Event:
    """Return the event with this name and the fields in a JSON text; TraceError says what is wrong."""
    try:
        return read_event(name, parse(text))
    except NotJsonError as error:
        raise TraceError(f"the fields of {shorten(name)} are not JSON ({error}); record the run again") from None


def read_event(name: str, fields: object) -> Event:
    """Return the event with this name and the fields of a JSON object, which may be emptied; TraceError for a bad
    field."""
    if name not in EVENTS:
        cure = nearest(name, EVENTS, "write a remark, or see docs/trace-format.md")
        raise TraceError(f"no event is called {shorten(name)}; {cure}")
    if not isinstance(fields, dict):
        raise TraceError(f"the fields of the {name} event must be a JSON object, not {shorten(fields)}; mend the line")
    event: Event = _reader_of_event(name)(cast(dict[str, object], fields))
    return event


@cache
def _reader_of_event(name: str) -> Reader:
    kind = EVENTS[name]
    return make_reader(f"{name} event", EVENT_FIELDS[kind], kind)


@cache
def _reader_of(word: str) -> Reader:
    return make_reader(f"{word} record", FIELDS[word], RECORD_KINDS[word])


def make_reader(what: str, fields: Sequence[Field], make: Callable[..., Any]) -> Reader:
    """Return a function that reads the fields of a JSON object and calls `make` with their values, in field order.

    In errors, `what` names what is being read, such as "row record".
    """
    names: dict[str, Any] = {"make": make, "read_slowly": lambda found: read_values(what, fields, found)}
    loads, checks = [], [f"len(found) == {len(fields)}"]
    for field in fields:
        value = f"its_{field.name}"
        load, check = f'found["{field.name}"]', ""
        match field.shape:
            case Shape.TEXT:
                check, names["is_text"] = f"type({value}) is str and ({value}.isascii() or is_text({value}))", is_text
            case Shape.INTEGER | Shape.MEMBER:
                low, high = field.bounds
                check = f"type({value}) is int and {low} <= {value} <= {high}"
            case Shape.TRUTH:
                check = f"type({value}) is bool"
            case _:
                load, names[f"{value}_read"] = f"{value}_read({load})", _converter(field)
        loads.append(f"{value} = {load}")
        checks += [f"({value} is None or {check})" if field.optional else check] if check else []
    values = ", ".join(f"its_{field.name}" for field in fields)
    exec(_READER.format("; ".join(loads), " and ".join(checks), values), names)
    reader: Reader = names["read"]
    return reader


_READER = """
def read(found):
    try:
        {0}
        fits = {1}
    except (KeyError, TypeError, ValueError):
        fits = False
    return make({2}) if fits else make(*read_slowly(found))
"""


def _converter(field: Field) -> Callable[[object], object]:
    """Return a function from JSON values to those of a field; it raises KeyError, TypeError or ValueError where a value
    does not fit, or may not."""

    def read(raw: object) -> object:
        value = _to_value(field, raw)
        if not field.accepts(value):
            raise ValueError
        return value

    def read_numbers(raw: object) -> object:
        if type(raw) is list:
            values = tuple(raw)
            if are_small_numbers(tuple([value for value in values if value is not None]) if is_row else values):
                return values
        return read(raw)

    if field.choices is not None:
        values: dict[object, object] = dict(field.choices.items())
        return (values | {None: None} if field.optional else values).__getitem__
    is_row = field.shape is Shape.SLOTS
    is_numbers = field.shape in (Shape.MEMBERS, Shape.SLOTS, Shape.NUMBERS) and (field.least or 0) <= 1
    return read_numbers if is_numbers else read


class NotJsonError(TraceError):
    """The text is not JSON."""


def parse(text: str) -> object:
    """Return the value of a JSON text; NotJsonError if it is not JSON, TraceError if an object has a key twice."""
    try:
        found: object = _DECODER.decode(text)
    except TraceError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"{error}".split("\n")[0]) from None
    return found


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        what = f"the key {shorten(twice)} appears twice in this line"
        raise TraceError(f"{what}; remove one of the two, or record the run again")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"JSON has only finite numbers, not {constant}")


def read_values(what: str, fields: Sequence[Field], found: dict[str, object]) -> list[Any]:
    """Return the values of a record's or an event's fields, in field order; TraceError says what is wrong.

    In errors, `what` names what is being read, such as "row record". `found` is emptied.
    """
    values = [_read(what, field, found) for field in fields]
    if found:
        raise TraceError(f"{shorten(next(iter(found)))} is no field of the {what}; see docs/trace-format.md")
    return values


def _read(what: str, field: Field, found: dict[str, object]) -> object:
    if field.name not in found:
        if field.required:
            raise TraceError(f"the {what} has no {field.name}, which must be {field.words}")
        return field.default
    raw = found.pop(field.name)
    value = _to_value(field, raw)
    if not field.accepts(value):
        raise TraceError(f"{must_be(field, _culprit(field, raw))}; mend the line or record the run again")
    return value


def _to_value(field: Field, raw: object) -> object:
    """Return a JSON value in the form in which records have it; unchanged if it does not fit."""
    match raw:
        case list():
            return _as_tuple(cast(list[object], raw))
        case int() if field.shape is Shape.NUMBER and type(raw) is int and abs(raw) < 2**53:
            return float(raw)
        case str() if field.choices is not None:
            return field.choices.get(raw, raw)
        case str() if field.shape is Shape.BYTES:
            try:
                return bytes.fromhex(raw)
            except ValueError:
                return raw
        case _:
            return raw


def _as_tuple(values: list[object]) -> tuple[object, ...]:
    """Return a list in the form in which records have it: a list may contain lists, but these contain none."""
    return tuple([tuple(cast(list[object], value)) if isinstance(value, list) else value for value in values])


def _culprit(field: Field, raw: object) -> object:
    """Return the first part of a list that does not fit its field; if there is none, return the value itself."""
    if not isinstance(raw, list):
        return raw
    parts = cast(list[object], raw)
    return next((part for part in parts if not field.accepts(_to_value(field, [part]))), raw)


_DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_no_key_twice)
_EVENT = KIND_WORDS[EventRecord]
_read_head = make_reader(
    "event record", [field for field in FIELDS["event"] if field.name != "fields"], lambda *values: values
)
