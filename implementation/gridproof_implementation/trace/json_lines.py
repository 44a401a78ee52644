"""Trace files with one JSON object per line, each of which is one record.

A line contains first the kind of record, as "record", and then the fields in the order of their declaration, so that
equal records are equal bytes.

Generated functions write the fields, with a piece of code for each field: a loop over the fields of a record or an
event would take most of the time of a traced run (`benchmarks/simulator_events.py` prints how the two compare).
`json_reading.py` reads them. Events are written and read as a name and a JSON object.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring as _quote
from typing import IO, Any

from gridproof_implementation.trace.schema import (
    EVENT_FIELDS,
    FIELDS,
    KIND_WORDS,
    Field,
    Shape,
    TraceError,
    check_event,
    check_record,
)
from gridproof_model.events import NAMES
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord, Record

SMALL = 2**30
WRITTEN_MAX = 1_000
"""How many values of one field have their written form cached, at most."""
_REPEATED = frozenset(
    {
        Shape.TEXT,
        Shape.MEMBERS,
        Shape.SLOTS,
        Shape.TEXTS,
        Shape.NUMBERS,
        Shape.NAMED_NUMBERS,
        Shape.PAIRS,
        Shape.NAMED_PAIRS,
    }
)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

Encoder = Callable[[Any], str]
"""Returns a record or an event as JSON."""
Refuse = Callable[[Any], None]
"""Raises TraceError about a record or an event one of whose values does not fit its field."""


def make_encoder(fields: Sequence[Field], refuse: Refuse, before: str = "", after: str = "") -> Encoder:
    """Return a function that writes the fields of one class as a JSON object, with other text before and after it."""
    forms = [_form(field, field.name) for field in fields]
    loads = [f"{form.variable} = whole.{form.variable}" for form in forms]
    return _compiled(loads, forms, f"{{{{{before}{_pairs(forms)}}}}}{after}", refuse)


def make_event_encoder(
    head: Sequence[Field], name: str, fields: Sequence[Field], refuse: Refuse, first: str
) -> Encoder:
    """Return a function that writes the line of one type of event; `head` has the record's other fields."""
    named = [_form(field, field.name, are_repeated=True) for field in head]
    forms = [_form(field, f"its_{field.name}", are_repeated=True) for field in fields]
    loads = ["event = whole.event", *(f"{form.variable} = whole.{form.variable}" for form in named)]
    loads += [f"{form.variable} = event.{form.name}" for form in forms]
    before, behind = _pairs(named[:-1]), _pairs(named[-1:])
    line = f'{{{{{first},{before},"name":"{name}",{behind},"fields":{{{{{_pairs(forms)}}}}}}}}}\\n'
    return _compiled(loads, [*named, *forms], line, refuse)


def _pairs(forms: Sequence["_Form"]) -> str:
    return ",".join([f'"{form.name}":{{{form.said}}}' for form in forms])


def _compiled(loads: Sequence[str], forms: Sequence["_Form"], text: str, refuse: Refuse) -> Encoder:
    """Return a function that loads values, checks that they fit, and puts them into a text."""
    checks = [form.fits for form in forms if form.fits]
    source = ["def encode(whole):", *(f"    {load}" for load in loads)]
    if checks:
        source += [f"    if not ({' and '.join(checks)}):", "        refuse(whole)"]
    source += ["    try:", f"        return f'{text}'"]
    source += ["    except (TypeError, Unfit):", "        refuse(whole)", "        raise"]
    namespace: dict[str, Any] = {"refuse": refuse, "quote": _quote, "NULL": "null", "Unfit": _UnfitError}
    for form in forms:
        namespace |= form.names
    exec("\n".join(source), namespace)
    encode: Encoder = namespace["encode"]
    return encode


@dataclass(frozen=True, slots=True)
class _Form:
    """How a field becomes JSON: two Python expressions, in which a variable has the field's value."""

    name: str
    variable: str
    fits: str
    """The expression that checks whether the value fits; empty if `said` raises an error about a wrong value."""
    said: str
    """The expression that makes JSON of the value."""
    names: Mapping[str, object]
    """Other names that the two expressions use, with the values of these names."""


def _form(field: Field, name: str, *, are_repeated: bool = False) -> _Form:
    """Return how a field becomes JSON, for a value in a variable of this name; `are_repeated` means that texts are
    cached."""
    names: dict[str, object] = {}
    match field.shape:
        case Shape.TEXT if not are_repeated:  # whether the text can be encoded shows when it is encoded
            fits, said = f"type({name}) is str", f"quote({name})"
        case Shape.INTEGER | Shape.MEMBER:
            low, high = field.bounds
            # Most numbers are small, and a comparison with small numbers takes half as long as one with large numbers.
            is_small = f"{max(low, 0)} <= {name} < {min(high + 1, SMALL)}"
            fits, said = f"(type({name}) is int and ({is_small} or {low} <= {name} <= {high}))", name
        case Shape.TRUTH:
            fits, said = f"type({name}) is bool", f'"true" if {name} else "false"'
        case Shape.CHOICE if field.choices is not None:
            fits, said = f"type({name}) in {name}_choices", f"{name}_words[{name}]"
            names[f"{name}_choices"] = {type(choice) for choice in field.choices.values()}
            names[f"{name}_words"] = {word: _quote(word) for word in field.choices}
        case shape if shape in _REPEATED:  # the few values that a run repeats are checked and written once
            fits, said = "", f"{name}_written[{name}]"
            names[f"{name}_written"] = _Written(field)
        case _:
            fits, said = f"{name}_accepts({name})", f"{name}_say({name})"
            names[f"{name}_accepts"] = field.accepts
            names[f"{name}_say"] = _say
    if field.optional:
        fits = f"({name} is None or {fits})" if fits else ""
        said = f"NULL if {name} is None else {said}"
    return _Form(field.name, name, fits, said, names)


class _UnfitError(Exception):
    """A value that does not fit its field."""


class _Written(dict[Any, str]):
    """A cache of values that fit a field, each with its written form."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self._say = _SAYERS.get(field.shape, _say)
        self._fits = are_small_numbers if field.shape is Shape.NUMBERS else field.accepts

    def __missing__(self, value: Any) -> str:
        if not (self._fits(value) or self._field.accepts(value)):
            raise _UnfitError
        if len(self) >= WRITTEN_MAX:
            self.clear()
        written = self[value] = self._say(value)
        return written


def are_small_numbers(values: Any) -> bool:
    """Whether these are small whole numbers; this is faster than a check of each number."""
    return type(values) is tuple and {*map(type, values)} == _INTEGERS and min(values) >= 0 and max(values) < SMALL


def _say_numbers(values: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, values))}]"


_INTEGERS = {int}
_SAYERS: Mapping[Shape, Callable[[Any], str]] = {
    Shape.TEXT: _quote,
    Shape.MEMBERS: _say_numbers,
    Shape.NUMBERS: _say_numbers,
    Shape.NAMED_NUMBERS: lambda pairs: f"[{','.join([f'[{_quote(name)},{number}]' for name, number in pairs])}]",
}
"""The functions that write values of these shapes; `_say` writes the values of all other shapes."""


def _say(value: object) -> str:
    return _ENCODER.encode(value.hex() if isinstance(value, bytes) else value)


class _Encoders(dict[type[Any], Encoder]):
    """Functions by the kind of what they write, each made when it is first used: making all of them takes 50 ms."""

    def __init__(self, make: Callable[[type[Any]], Encoder]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, kind: type[Any]) -> Encoder:
        made = self[kind] = self._make(kind)
        return made


EVENT_ENCODERS: Mapping[type[TraceEvent], Encoder] = _Encoders(
    lambda kind: make_encoder(EVENT_FIELDS[kind], check_event)
)
"""The functions that write the fields of each type of event."""


def write_fields(event: TraceEvent) -> str:
    """Return the fields of an event as a JSON object; TraceError if a value does not fit the format."""
    return EVENT_ENCODERS[type(event)](event)


FIRST = "record"
"""The key in a line whose value is the kind of the record; no record has a field of this name."""
LINES_AT_ONCE = 256


class JsonLinesWriter:
    """Writes records to an open file, a few hundred lines at a time; close the writer before the file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lines: list[str] = []

    def write(self, record: Record) -> None:
        """Write one record; TraceError if a value does not fit the format."""
        try:  # as `encode` does, without one more call for each of a hundred thousand records a second
            line = _ENCODERS[type(record.event) if type(record) is EventRecord else type(record)](record)
        except KeyError:
            line = encode(record)
        if not line.isascii():
            _check_text(record, line)
        self._lines.append(line)
        if len(self._lines) >= LINES_AT_ONCE:
            self._empty()

    def close(self) -> None:
        """Write the lines that are still waiting; the caller that opened the file closes it."""
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
    """Return the line of a record, with its line end; TraceError if a value does not fit the format."""
    kind: type[Record | TraceEvent] = record.kind if type(record) is EventRecord else type(record)
    try:
        found = _ENCODERS[kind]
    except KeyError:
        what = f"a {kind.__name__} is no record or event of the trace format, so it was not written"
        raise TraceError(f"{what}; write a record that docs/trace-format.md lists") from None
    return found(record)


_HEAD_OF_EVENT = tuple(field for field in FIELDS["event"] if field.name not in ("name", "fields"))


def _encoder_of(kind: type[Any]) -> Encoder:
    """Return the function that writes the lines of one kind of record; KeyError if the format has no such kind."""
    if kind in EVENT_FIELDS:
        fields = EVENT_FIELDS[kind]
        return make_event_encoder(_HEAD_OF_EVENT, NAMES[kind], fields, check_record, f'"{FIRST}":"event"')
    word = KIND_WORDS[kind]
    return make_encoder(FIELDS[word], check_record, f'"{FIRST}":"{word}",', "\\n")


_ENCODERS = _Encoders(_encoder_of)
"""The functions that write lines: one for each kind of record, and one for each type of event, as most are events."""
