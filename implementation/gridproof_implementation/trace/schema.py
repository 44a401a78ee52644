"""The shape of every record, derived from the class of the record.

The records are declared in `gridproof_model/trace.py`, and nothing is declared a second time here. JSON Lines, Parquet,
Spark and the page `docs/trace-format.md` all take their columns from `FIELDS`. An event record contains one event; the
fields of events are in `EVENT_FIELDS`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from enum import Enum, StrEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from gridproof_model.events import EVENTS, NAMES, PROTOCOL_EVENTS, partition_of
from gridproof_model.events.anti_entropy import SyncInstalled
from gridproof_model.events.conditions import NO_PARTITION
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.replication import FragmentInstalled
from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.trace import (
    FORMAT_VERSION,
    RECORD_KINDS,
    DigestRecord,
    EventRecord,
    OperationRecord,
    Record,
    RouteRecord,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_model.user_error import UserError

INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1
MEMBER_NUMBER_MAX = 2**31 - 1
COPIES_MAX = 255
"""The most backups of a partition, and the most acknowledgements of one operation: no grid has a tenth of this."""
RUNS_MAX = 4_096
"""The most runs in one trace: each run, even a short one, is judged by every property and has its own page."""
PARTITIONS_MAX = 2**24
"""The most partitions of a run: a hundred times as many as the largest grids have."""
MILLISECONDS_MAX = 2**53
"""The largest time, 285,000 years: a larger time is not exact as a double, which pages and other programs use."""
HASHED_MAX = 2**31 - 1
"""The most partitions that a hash of 32 bits can distinguish."""
WEIGHT_MAX = 2**53
"""The largest weight: weights are summed, and a sum has to be finite."""

Value = str | int | float | bool | bytes | StrEnum | tuple[int | None, ...] | tuple[str, ...] | None


class TraceError(UserError, ValueError):
    """A trace that cannot be read or written; the message is one line with what is wrong, where, and the cure."""


class Shape(Enum):
    """The kinds of values that fields hold; each enum value describes its kind in words."""

    TEXT = "text"
    INTEGER = "a whole number of at most 64 bits"
    NUMBER = "a finite number"
    TRUTH = "true or false"
    BYTES = "bytes in hexadecimal"
    CHOICE = "one of"
    MEMBERS = "a list of member numbers"
    SLOTS = "a list of member numbers or null"
    TEXTS = "a list of texts"
    MEMBER = "a member number"
    NUMBERS = "a list of whole numbers of at most 64 bits"
    NAMED_NUMBERS = "a list of pairs of a text and a whole number"
    PAIRS = "a list of pairs of whole numbers"
    NAMED_PAIRS = "a list of triples of a text and two whole numbers"
    EVENT = "an object with the fields of the event"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record."""

    name: str
    shape: Shape
    optional: bool
    """Whether the field may be null."""
    choices: Mapping[str, StrEnum] | None
    """For a field of the kind CHOICE: its possible values, by the words that stand for them in a trace."""
    default: Value
    """The value that the field has if a JSON line leaves it out."""
    required: bool
    """Whether a JSON line has to contain the field."""
    least: int | None = None
    """The smallest value of a count or a time, or the least length of a list; None for no limit."""
    most: int = INTEGER_MAX
    """The largest value: a trace may come from anyone, and the work that it causes may grow only with its length."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The smallest and the largest whole number that the field may hold, if it holds one."""
        if self.shape is Shape.MEMBER:
            return 0, MEMBER_NUMBER_MAX
        return INTEGER_MIN if self.least is None else self.least, self.most

    @property
    def words(self) -> str:
        """Describe what the field holds, for messages and the page."""
        words = self.shape.value
        if self.choices is not None:
            words = f"{words} {', '.join(map(_quoted_where_parted, self.choices))}"
        if self.most < INTEGER_MAX:
            words = words.removesuffix(" of at most 64 bits")
            words = f"{words} {'' if self.least is None else f'from {self.least} '}to {self.most:,}"
        elif self.least is not None:
            words = f"{words}, at least {self.least}"
        return f"{words}, or null" if self.optional else words

    def accepts(self, value: object) -> bool:
        """Whether the field may have this value, in the form in which a record has it."""
        if value is None:
            return self.optional
        if self.choices is not None:
            return isinstance(value, StrEnum) and self.choices.get(value) is value
        if isinstance(value, int | float) and (value > self.most or (self.least is not None and value < self.least)):
            return False
        if self.least is not None and isinstance(value, tuple) and len(value) < self.least:
            return False
        return _ACCEPTS[self.shape](value)


_HINTS: Mapping[object, Shape] = {
    str: Shape.TEXT,
    int: Shape.INTEGER,
    float: Shape.NUMBER,
    bool: Shape.TRUTH,
    bytes: Shape.BYTES,
    tuple[str, ...]: Shape.TEXTS,
    MemberNumber: Shape.MEMBER,
    tuple[MemberNumber, ...]: Shape.MEMBERS,
    tuple[MemberNumber | None, ...]: Shape.SLOTS,
    tuple[int, ...]: Shape.NUMBERS,
    tuple[tuple[str, int], ...]: Shape.NAMED_NUMBERS,
    tuple[tuple[int, int], ...]: Shape.PAIRS,
    tuple[tuple[str, int, int], ...]: Shape.NAMED_PAIRS,
}


def is_integer(value: object) -> bool:
    """Whether this is a whole number that every format can hold; True and False are not numbers."""
    return type(value) is int and INTEGER_MIN <= value <= INTEGER_MAX


def is_member_number(value: object) -> bool:
    """Whether this is the number of a member; columns for lists of such numbers have 32 bits per number."""
    return type(value) is int and 0 <= value <= MEMBER_NUMBER_MAX


def is_text(value: object) -> bool:
    """Whether this is a text that can be encoded, or a word of an enum; a lone surrogate cannot be encoded."""
    if not isinstance(value, str):
        return False
    return value.isascii() or not any(0xD800 <= ord(letter) <= 0xDFFF for letter in value)


def _is_list_of(*parts: Callable[[object], bool]) -> Callable[[object], bool]:
    """Return a function that accepts a list of lists if each inner list has exactly these parts."""

    def accepts(value: object) -> bool:
        return isinstance(value, tuple) and all(isinstance(one, tuple) and fits(one) for one in value)

    def fits(one: tuple[object, ...]) -> bool:
        return len(one) == len(parts) and all(is_so(part) for is_so, part in zip(parts, one, strict=True))

    return accepts


def _is_event(value: object) -> bool:
    fields_here = EVENT_FIELDS.get(type(value)) if isinstance(value, TraceEvent) else None
    return fields_here is not None and all(field.accepts(getattr(value, field.name)) for field in fields_here)


_ACCEPTS: Mapping[Shape, Callable[[object], bool]] = {
    Shape.TEXT: is_text,
    Shape.INTEGER: is_integer,
    Shape.NUMBER: lambda value: isinstance(value, int | float) and type(value) is not bool and math.isfinite(value),
    Shape.TRUTH: lambda value: type(value) is bool,
    Shape.BYTES: lambda value: type(value) is bytes,
    Shape.MEMBERS: lambda value: isinstance(value, tuple) and all(map(is_member_number, value)),
    Shape.SLOTS: lambda value: isinstance(value, tuple) and all(v is None or is_member_number(v) for v in value),
    Shape.TEXTS: lambda value: isinstance(value, tuple) and all(map(is_text, value)),
    Shape.MEMBER: is_member_number,
    Shape.NUMBERS: lambda value: isinstance(value, tuple) and all(map(is_integer, value)),
    Shape.NAMED_NUMBERS: _is_list_of(is_text, is_integer),
    Shape.PAIRS: _is_list_of(is_integer, is_integer),
    Shape.NAMED_PAIRS: _is_list_of(is_text, is_integer, is_integer),
    Shape.EVENT: _is_event,
}


_LEAST: Mapping[tuple[type[Record], str], int | None] = {
    (RunRecord, "seed"): None,
    (RunRecord, "partition_count"): 1,
    (RouteRecord, "partition_count"): 1,
    (RouteRecord, "partition"): None,
    (RowRecord, "version"): None,
    (DigestRecord, "version"): None,
}
"""The smallest value allowed for a field, if not 0; None if any value is allowed, as for seeds, versions and routes."""
_MOST: Mapping[str, int] = {
    **dict.fromkeys(("backup_count", "sync_backups", "async_backups", "confirmed_copies", "confirmed"), COPIES_MAX),
    **dict.fromkeys(("index", "from_index", "slot", "left_slot", "lower_slot", "lost_backup_count"), COPIES_MAX),
    **dict.fromkeys(("acks", "expected", "received"), COPIES_MAX),
    **dict.fromkeys(("partition_count", "shards"), PARTITIONS_MAX),
    **dict.fromkeys(("member", "observer", "executed_by"), MEMBER_NUMBER_MAX),
    "weight": WEIGHT_MAX,
}
"""The largest value of numbers, by the name of their field, in records and events; times have names that end in `_ms`.

Other numbers need no limit, since a larger value causes no more work: they are ordinal numbers, versions or digests.
"""


def fields_of(kind: type[Record]) -> tuple[Field, ...]:
    """Return the fields of a record class, in the order in which they are declared and written."""
    hints = get_type_hints(kind, include_extras=True)
    found = [_field(f.name, hints[f.name], f.default, _LEAST.get((kind, f.name), 0)) for f in fields(kind)]
    if kind is RouteRecord:  # a router can be asked about every count that a hash of 32 bits distinguishes
        found = [replace(f, most=HASHED_MAX) if f.name == "partition_count" else f for f in found]
    return tuple(found)


def _fields_of_event(kind: type[TraceEvent]) -> tuple[Field, ...]:
    hints = get_type_hints(kind, include_extras=True)
    found = [_field(f.name, hints[f.name], f.default, None) for f in fields(kind)]
    if kind is MemberListInstalled:  # its installer is in it, and its first member is the master
        found = [replace(f, least=1) if f.name == "members" else f for f in found]
    return tuple(found)


def _most_of(name: str) -> int:
    return MILLISECONDS_MAX if name.endswith("_ms") else _MOST.get(name, INTEGER_MAX)


def _field(name: str, hint: object, default: object, least: int | None) -> Field:
    optional = get_origin(hint) in (UnionType, Union) and NoneType in get_args(hint)
    inner = _inner(hint) if optional else hint
    choices = _choices(inner)
    shape = _HINTS[inner] if choices is None else Shape.CHOICE
    required = default is MISSING
    least, most = (least, _most_of(name)) if shape in (Shape.INTEGER, Shape.NUMBER) else (None, INTEGER_MAX)
    return Field(name, shape, optional, choices, None if required else default, required, least, most)  # type: ignore[arg-type]


def _choices(hint: object) -> Mapping[str, StrEnum] | None:
    """Return the words of an enum, or of a union of enums; None for any other type."""
    words: dict[str, StrEnum] = {}
    for kind in get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,):
        if not (isinstance(kind, type) and issubclass(kind, StrEnum)):
            return None
        words |= {choice.value: choice for choice in kind}
    return words


def _quoted_where_parted(word: str) -> str:
    return f'"{word}"' if "," in word else word


def _inner(hint: object) -> object:
    """Return the type that an optional type has besides None."""
    return next(part for part in get_args(hint) if part is not NoneType)


EVENT_FIELDS: Mapping[type[TraceEvent], tuple[Field, ...]] = {kind: _fields_of_event(kind) for kind in EVENTS.values()}
"""The fields of every type of event."""
_OF_AN_EVENT = (
    Field("run", Shape.TEXT, False, None, None, True),
    Field("at_ms", Shape.INTEGER, False, None, None, True, 0, MILLISECONDS_MAX),
    Field("name", Shape.TEXT, False, None, None, True),
    Field("member", Shape.INTEGER, True, None, None, True, 0, MEMBER_NUMBER_MAX),
    Field("fields", Shape.EVENT, False, None, None, True),
)
"""The fields of an event record: a trace has the event's type as a name, and the event itself as an object."""
FIELDS: Mapping[str, tuple[Field, ...]] = {
    word: _OF_AN_EVENT if kind is EventRecord else fields_of(kind) for word, kind in RECORD_KINDS.items()
}
"""The fields of every kind of record, by the word that names the kind."""

KIND_WORDS: Mapping[type[Record], str] = {kind: word for word, kind in RECORD_KINDS.items()}


def make_record(word: str, values: Sequence[Any]) -> Record:
    """Return a record of one kind from its values, which are in field order and already checked."""
    if word == "event":
        run, at_ms, _, member, event = values
        return EventRecord(run, at_ms, member, event)
    return RECORD_KINDS[word](*values)


def value_of(record: Record, field: Field) -> Any:
    """Return the value of a record's field."""
    if isinstance(record, EventRecord) and field.name in ("name", "fields"):
        return NAMES.get(record.kind) if field.name == "name" else record.event
    return getattr(record, field.name)


def check_record(record: Record) -> None:
    """Raise TraceError if a value of a record does not fit its field, as nothing may be written that cannot be read."""
    word = KIND_WORDS[type(record)]
    if isinstance(record, EventRecord):
        check_event(record.event)
    for field in FIELDS[word]:
        value = value_of(record, field)
        if not field.accepts(value):
            raise TraceError(f"{word} record not written: {must_be(field, value)}; correct the value")


def check_event(event: TraceEvent) -> None:
    """Raise TraceError if a value of an event does not fit its field."""
    for field in EVENT_FIELDS.get(type(event), ()):
        if not field.accepts(value := getattr(event, field.name)):
            raise TraceError(f"{NAMES[type(event)]} event not written: {must_be(field, value)}; correct the value")


def must_be(field: Field, found: object) -> str:
    """Return a text that says what a field must be, and what was found instead."""
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


_ANYWHERE = frozenset(RECORD_KINDS.values()) - {RunRecord, ViewRecord, RowRecord, OperationRecord, DigestRecord}
"""The kinds of records that may be at any place within their run, whatever they contain."""


class RunOrder:
    """Checks one record after another: its place must allow it, and it must name only partitions that the run has.

    Runs follow one another, and each begins with its head; the numbers of views increase; rows follow their view, by
    partition; the operations of a run have different numbers. Only the names of the runs seen so far and the numbers of
    operations (`OperationNumbers`) are kept in memory.
    """

    def __init__(self) -> None:
        self._run: str | None = None
        self._partition_count = 0
        self._view: int | None = None
        self._row = -1
        """The partition of the latest row of the latest view; -1 before its first row."""
        self._seen: set[str] = set()
        self._operations = OperationNumbers()

    def check(self, record: Record) -> None:
        """Raise TraceError if this record is not allowed at this place."""
        if record.run == self._run:
            if type(record) is EventRecord:
                _check_event(record, self._partition_count)
                return
            if type(record) in _ANYWHERE:
                return
        match record:
            case RunRecord():
                self._begin(record)
            case _ if record.run != self._run:
                raise TraceError(self._stranger(record.run))
            case ViewRecord():
                if self._view is not None and record.view <= self._view:
                    raise TraceError(f"view {record.view} comes after view {self._view}; write views in rising order")
                check_sense(record, self._partition_count)
                self._view, self._row = record.view, -1
            case RowRecord() if record.view != self._view:
                latest = "before any view" if self._view is None else f"after view {self._view}"
                cure = "write the rows of a view after its view record and before the next one"
                raise TraceError(f"a row of view {record.view} comes {latest}; {cure}")
            case RowRecord() if record.partition <= self._row:  # a table would seem whole without another row
                what = f"the row of partition {record.partition} comes after the row of partition {self._row}"
                raise TraceError(f"{what} in view {record.view}; write each row of a view once, by partition")
            case RowRecord():
                check_sense(record, self._partition_count)
                self._row = record.partition
            case _:
                check_sense(record, self._partition_count)
                if isinstance(record, OperationRecord):
                    self._operations.add(record.operation)

    def _begin(self, head: RunRecord) -> None:
        check_head(head)
        if head.run in self._seen:
            raise TraceError(f"run {shorten(head.run)} begins a second time; give every run a name of its own")
        if len(self._seen) == RUNS_MAX:
            raise TraceError(f"a trace has at most {RUNS_MAX:,} runs; write further runs to another trace")
        self._seen.add(head.run)
        self._run, self._view, self._partition_count = head.run, None, head.partition_count
        self._operations = OperationNumbers()

    def _stranger(self, run: str) -> str:
        if self._run is None:
            return "the first record must be a run record; this is no gridproof trace, or its head is missing"
        return f"a record of run {shorten(run)} is within run {shorten(self._run)}; runs must follow one another"


class OperationNumbers:
    """The numbers of the operations that a run has recorded so far; a judge would take a repeated record for a second
    operation."""

    KEPT_MAX = 100_000
    """The most numbers that are kept: if a run leaves out a number, a repeated one may not be noticed much later."""

    def __init__(self) -> None:
        self._first_missing = 0
        self._later: set[int] = set()
        """The numbers above the first one that is missing."""

    def add(self, number: int) -> None:
        """Note a number; raise TraceError if it was noted before."""
        if number < self._first_missing or number in self._later:
            raise TraceError(f"operation {number} is recorded a second time; number the operations of a run from 0")
        self._later.add(number)
        while self._first_missing in self._later:
            self._later.remove(self._first_missing)
            self._first_missing += 1
        if len(self._later) > self.KEPT_MAX:
            self._later = set(sorted(self._later)[self.KEPT_MAX // 2 :])


def check_head(head: RunRecord) -> None:
    """Raise TraceError if this head has another format version, or if its run's name cannot be the name of a file."""
    if head.format_version != FORMAT_VERSION:
        raise TraceError(
            f"format_version is {head.format_version}, but this gridproof reads {FORMAT_VERSION}; "
            "judge the trace with the version of gridproof that wrote it"
        )
    if not is_run_name(head.run):
        raise TraceError(f"a run is called {shorten(head.run)}; give the run a name that is {RUN_NAME}")


RUN_NAME = "printable, not empty, and without slashes and double dots"


def is_run_name(text: str) -> bool:
    """Whether a run may have this name, and a system, whose name begins the names of its runs: files have them, too."""
    return text.isprintable() and bool(text.strip()) and not any(part in text for part in ("/", "\\", ".."))


def _check_event(record: EventRecord, partition_count: int) -> None:
    event = record.event
    if record.member is None and type(event) in PROTOCOL_EVENTS:
        raise TraceError(f"a {NAMES[type(event)]} event has no member; write the number of the one that took this step")
    partition = partition_of(event)
    if partition is not None and not NO_PARTITION <= partition < partition_count:
        raise TraceError(
            f"a {NAMES[type(event)]} event has partition {partition}, but the run has partitions 0 to "
            f"{partition_count - 1}; record the run again"
        )
    # These two kinds of event about a backup have one version for each backup, the backup itself included.
    if isinstance(event, FragmentInstalled | SyncInstalled) and not 0 <= event.index <= len(event.versions):
        raise TraceError(
            f"a {NAMES[type(event)]} event has index {event.index}, but has versions of {len(event.versions)} backups, "
            "counted from 1; record the run again"
        )


def check_sense(record: Record, partition_count: int) -> None:
    """Raise TraceError if a record names a partition that the run does not have, or if it contradicts itself."""
    match record:
        case ViewRecord():
            highest = max((*record.members, *record.data_members), default=-1)
            if highest >= len(record.groups):
                raise TraceError(
                    f"groups has {len(record.groups)} entries, but the view names member {highest}; "
                    "write an entry for every member number, empty for a member in no group"
                )
        case EventRecord():
            _check_event(record, partition_count)
        case RowRecord() | DigestRecord() | OperationRecord():
            if record.partition is not None and record.partition >= partition_count:
                raise TraceError(
                    f"partition is {record.partition}, but the run has partitions 0 to {partition_count - 1}; "
                    "record the run again"
                )
            if isinstance(record, OperationRecord) and record.end_ms < record.start_ms:
                raise TraceError(f"end_ms is {record.end_ms}, before start_ms, {record.start_ms}; record the run again")
        case _:
            pass
