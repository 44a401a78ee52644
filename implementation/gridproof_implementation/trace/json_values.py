"""Fields as JSON, and back.

Written by functions that are generated, a part for each field: going over the fields of a record or an event would take
most of the time of a traced run (`benchmarks/simulator_events.py` prints how the two compare). Read by a plain function
that refuses, in one line, whatever does not fit: a trace may come from anybody.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring as _quote
from typing import Any, NoReturn, cast

from gridproof_implementation.trace.schema import (
    INTEGER_MIN,
    MEMBER_NUMBER_MAX,
    Field,
    Shape,
    TraceError,
    must_be,
    shorten,
)

SMALL = 2**30
WRITTEN_MAX = 1_000
"""Values of one field that are remembered with how they are written."""
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
"""Raises TraceError: what it is given has a value that does not fit its field."""


def make_encoder(fields: Sequence[Field], refuse: Refuse, before: str = "", after: str = "") -> Encoder:
    """Return what writes the fields of one class as an object, with other text before and after them in it."""
    forms = [_form(field, field.name) for field in fields]
    loads = [f"{form.variable} = whole.{form.variable}" for form in forms]
    return _compiled(loads, forms, f"{{{{{before}{_pairs(forms)}}}}}{after}", refuse)


def make_event_encoder(
    head: Sequence[Field], name: str, fields: Sequence[Field], refuse: Refuse, first: str
) -> Encoder:
    """Return what writes the line of one type of event; `head` are the fields of its record, without the event."""
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
    """Return a function that loads values, looks whether they fit, and puts them into a text."""
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
    """How a field becomes JSON: two expressions of Python, in which its value goes by a variable."""

    name: str
    variable: str
    fits: str
    """Whether the value has a place in the format; empty where the other one raises when it has none."""
    said: str
    """The value as JSON."""
    names: Mapping[str, object]
    """What else the two name."""


def _form(field: Field, name: str, *, are_repeated: bool = False) -> _Form:
    """Return how a field becomes JSON, its value in a variable of this name; texts may be the same over and over."""
    names: dict[str, object] = {}
    match field.shape:
        case Shape.TEXT if not are_repeated:  # whether it has an encoding is seen when it is encoded
            fits, said = f"type({name}) is str", f"quote({name})"
        case Shape.INTEGER | Shape.MEMBER:
            high = MEMBER_NUMBER_MAX if field.shape is Shape.MEMBER else field.most
            low = 0 if field.shape is Shape.MEMBER else INTEGER_MIN if field.least is None else field.least
            # Most are small, and two small numbers are compared in half the time.
            is_small = f"{max(low, 0)} <= {name} < {min(high + 1, SMALL)}"
            fits, said = f"(type({name}) is int and ({is_small} or {low} <= {name} <= {high}))", name
        case Shape.TRUTH:
            fits, said = f"type({name}) is bool", f'"true" if {name} else "false"'
        case Shape.CHOICE if field.choices is not None:
            fits, said = f"type({name}) in {name}_choices", f"{name}_words[{name}]"
            names[f"{name}_choices"] = {type(choice) for choice in field.choices.values()}
            names[f"{name}_words"] = {word: _quote(word) for word in field.choices}
        case shape if shape in _REPEATED:  # the few that a run uses over and over are looked at and written once
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
    """A value that has no place in its field."""


class _Written(dict[Any, str]):
    """Values that fit a field, and how they are written."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field
        self._say = _SAYERS.get(field.shape, _say)
        self._fits = _are_numbers if field.shape is Shape.NUMBERS else field.accepts

    def __missing__(self, value: Any) -> str:
        if not (self._fits(value) or self._field.accepts(value)):
            raise _UnfitError
        if len(self) >= WRITTEN_MAX:
            self.clear()
        written = self[value] = self._say(value)
        return written


def _are_numbers(values: Any) -> bool:
    """Whether these are small whole numbers: sooner known than one by one."""
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
"""What writes values of which many are written for the first time: versions grow."""


def _say(value: object) -> str:
    return _ENCODER.encode(value.hex() if isinstance(value, bytes) else value)


class NotJsonError(TraceError):
    """The text is no JSON at all."""


def parse(text: str) -> object:
    """Return what a text of JSON holds; NotJsonError, or TraceError where a key stands twice in an object."""
    try:
        found: object = json.loads(text, parse_constant=_refuse, object_pairs_hook=_no_key_twice)
    except TraceError:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJsonError(f"{error}".split("\n")[0]) from None
    return found


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise TraceError(f"the key {shorten(twice)} stands twice in the line; mend the line or record the run again")
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def read_values(what: str, fields: Sequence[Field], found: dict[str, object]) -> list[Any]:
    """Return the values of the fields of a record or an event, in field order; TraceError names what is wrong.

    `what` is how it is called: "row record". `found` is emptied.
    """
    values = [_read(what, field, found) for field in fields]
    if found:
        raise TraceError(f"a {what} has no field {shorten(next(iter(found)))}; see docs/trace-format.md")
    return values


def _read(what: str, field: Field, found: dict[str, object]) -> object:
    if field.name not in found:
        if field.required:
            raise TraceError(f"the {what} has no {field.name}; it must be {field.words}")
        return field.default
    raw = found.pop(field.name)
    value = _to_value(field, raw)
    if not field.accepts(value):
        raise TraceError(f"{must_be(field, _culprit(field, raw))}; mend the line or record the run again")
    return value


def _to_value(field: Field, raw: object) -> object:
    """Return a JSON value as records hold it, or unchanged where it does not fit."""
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
    """Return a list as records hold it: there are lists in lists, and none deeper."""
    return tuple([tuple(cast(list[object], value)) if isinstance(value, list) else value for value in values])


def _culprit(field: Field, raw: object) -> object:
    """Return the first part of a list that does not fit its field, or the value itself."""
    if not isinstance(raw, list):
        return raw
    parts = cast(list[object], raw)
    return next((part for part in parts if not field.accepts(_to_value(field, [part]))), raw)
