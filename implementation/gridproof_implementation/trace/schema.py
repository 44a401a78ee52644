"""The shape of every record, read off its class.

`model/gridproof_model/trace.py` declares the records; nothing is declared a second time here. JSON Lines, Parquet,
Spark and the page `docs/trace-format.md` all take their columns from `FIELDS`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from enum import Enum, StrEnum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from gridproof_model.trace import FORMAT_VERSION, RECORD_KINDS, Record, RowRecord, RunRecord, ViewRecord

INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1
MEMBER_NUMBER_MAX = 2**31 - 1

Value = str | int | float | bool | bytes | StrEnum | tuple[int | None, ...] | tuple[str, ...] | None


class TraceError(ValueError):
    """A trace that cannot be read or written; the message is one line: what is wrong, where, and the cure."""


class Shape(Enum):
    """What a field holds; the value is how a person would say it."""

    TEXT = "text"
    INTEGER = "a whole number of at most 64 bits"
    NUMBER = "a finite number"
    TRUTH = "true or false"
    BYTES = "bytes in hexadecimal"
    CHOICE = "one of"
    MEMBERS = "a list of member numbers"
    SLOTS = "a list of member numbers or null"
    TEXTS = "a list of texts"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record."""

    name: str
    shape: Shape
    optional: bool
    """Whether it may be null."""
    choices: type[StrEnum] | None
    """The words of a CHOICE."""
    default: Value
    """What it is when a JSON line leaves it out."""
    required: bool
    """Whether a JSON line must have it."""

    @property
    def words(self) -> str:
        """Say what the field holds, for messages and the page."""
        words = self.shape.value
        if self.choices is not None:
            words = f"{words} {', '.join(self.choices)}"
        return f"{words}, or null" if self.optional else words

    def accepts(self, value: object) -> bool:
        """Whether a value of a record may stand in this field."""
        if value is None:
            return self.optional
        if self.choices is not None:
            return isinstance(value, self.choices)
        return _ACCEPTS[self.shape](value)


_HINTS: Mapping[object, Shape] = {
    str: Shape.TEXT,
    int: Shape.INTEGER,
    float: Shape.NUMBER,
    bool: Shape.TRUTH,
    bytes: Shape.BYTES,
    tuple[int, ...]: Shape.MEMBERS,
    tuple[int | None, ...]: Shape.SLOTS,
    tuple[str, ...]: Shape.TEXTS,
}


def is_integer(value: object) -> bool:
    """Whether this is a whole number every format can hold; True and False are none."""
    return type(value) is int and INTEGER_MIN <= value <= INTEGER_MAX


def is_member_number(value: object) -> bool:
    """Whether this numbers a member; lists of them are held as 32-bit columns."""
    return type(value) is int and 0 <= value <= MEMBER_NUMBER_MAX


def is_text(value: object) -> bool:
    """Whether this is text that has an encoding; a lone surrogate has none."""
    if type(value) is not str:
        return False
    return value.isascii() or not any(0xD800 <= ord(letter) <= 0xDFFF for letter in value)


_ACCEPTS: Mapping[Shape, Callable[[object], bool]] = {
    Shape.TEXT: is_text,
    Shape.INTEGER: is_integer,
    Shape.NUMBER: lambda value: isinstance(value, int | float) and type(value) is not bool and math.isfinite(value),
    Shape.TRUTH: lambda value: type(value) is bool,
    Shape.BYTES: lambda value: type(value) is bytes,
    Shape.MEMBERS: lambda value: isinstance(value, tuple) and all(map(is_member_number, value)),
    Shape.SLOTS: lambda value: isinstance(value, tuple) and all(v is None or is_member_number(v) for v in value),
    Shape.TEXTS: lambda value: isinstance(value, tuple) and all(map(is_text, value)),
}


def fields_of(kind: type[Record]) -> tuple[Field, ...]:
    """Return the fields of a record class, in the order they are declared and written."""
    hints = get_type_hints(kind)
    return tuple(_field(f.name, hints[f.name], f.default) for f in fields(kind))


def _field(name: str, hint: object, default: object) -> Field:
    optional = get_origin(hint) is UnionType and NoneType in get_args(hint)
    inner = next(part for part in get_args(hint) if part is not NoneType) if optional else hint
    choices = inner if isinstance(inner, type) and issubclass(inner, StrEnum) else None
    shape = Shape.CHOICE if choices is not None else _HINTS[inner]
    required = default is MISSING
    return Field(name, shape, optional, choices, None if required else default, required)  # type: ignore[arg-type]


FIELDS: Mapping[str, tuple[Field, ...]] = {word: fields_of(kind) for word, kind in RECORD_KINDS.items()}
"""The fields of every kind of record, by the word that names the kind."""

KIND_WORDS: Mapping[type[Record], str] = {kind: word for word, kind in RECORD_KINDS.items()}


def make_record(word: str, values: Sequence[Any]) -> Record:
    """Return a record of one kind; the values stand in field order and were checked."""
    return RECORD_KINDS[word](*values)


def check_record(record: Record) -> None:
    """Raise TraceError when a value does not fit its field; nothing is written that could not be read."""
    word = KIND_WORDS[type(record)]
    for field in FIELDS[word]:
        value = getattr(record, field.name)
        if not field.accepts(value):
            raise TraceError(f"{word} record: {must_be(field, value)}; nothing was written")


def must_be(field: Field, found: object) -> str:
    """Say what a field must be and what was found instead."""
    return f"{field.name} must be {field.words}, found {shorten(found)}"


def shorten(found: object) -> str:
    """Return a value as a message shows it, on one line and at most forty characters long."""
    match found:
        case None | True | False:
            text = {None: "null", True: "true", False: "false"}[found]
        case str():
            text = '"' + found.encode("unicode_escape").decode("ascii") + '"'
        case _:
            text = repr(found)
    return text if len(text) <= 40 else text[:37] + "..."


_ANYWHERE = frozenset(RECORD_KINDS.values()) - {RunRecord, ViewRecord, RowRecord}
"""Kinds of records that may stand at any place of their run; nearly all records are of these."""


class RunOrder:
    """Checks, record by record, that each stands where it may.

    Runs follow one another and begin with their heads; views are numbered upwards; rows follow their view. Needs memory
    for the names of the runs seen.
    """

    def __init__(self) -> None:
        self._run: str | None = None
        self._view: int | None = None
        self._seen: set[str] = set()

    def check(self, record: Record) -> None:
        """Raise TraceError when this record may not stand here."""
        if type(record) in _ANYWHERE and record.run == self._run:
            return
        match record:
            case RunRecord():
                self._begin(record)
            case _ if record.run != self._run:
                raise TraceError(self._stranger(record.run))
            case ViewRecord():
                if self._view is not None and record.view <= self._view:
                    raise TraceError(f"view {record.view} stands after view {self._view}; views are numbered upwards")
                self._view = record.view
            case RowRecord() if record.view != self._view:
                latest = "before any view" if self._view is None else f"after view {self._view}"
                raise TraceError(f"a row of view {record.view} stands {latest}; rows must follow their view")
            case _:
                pass

    def _begin(self, head: RunRecord) -> None:
        if head.format_version != FORMAT_VERSION:
            raise TraceError(
                f"format_version is {head.format_version}, this gridproof reads {FORMAT_VERSION}; "
                "judge it with the gridproof that wrote it"
            )
        if head.run in self._seen:
            raise TraceError(f"run {shorten(head.run)} begins a second time; give every run a name of its own")
        self._seen.add(head.run)
        self._run, self._view = head.run, None

    def _stranger(self, run: str) -> str:
        if self._run is None:
            return "the first record must be a run record; this is no gridproof trace, or its head was lost"
        return f"a record of run {shorten(run)} stands in run {shorten(self._run)}; runs must follow one another"
